//! A redacted copy: the same built-in rules find the same at the same file, line and pointer.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use runvet::finding::{Level, Report};
use runvet::gate::Gate;
use runvet::redact::Redaction;
use tempfile::TempDir;

use crate::support::corpus::corpus;
use crate::support::runs::copy_dir;

/// What rules find in one run and what they skip, each with its place in the run.
type Verdict = BTreeSet<String>;

/// Checks a directory by every built-in rule.
fn report(dir: &Path) -> Report {
    let gate = Gate::default()
        .level("*", Level::Warning)
        .unwrap();
    let mut gate = gate.jobs(std::num::NonZeroUsize::MIN);
    gate.run([dir]).unwrap()
}

/// The verdicts on the runs of a report, in an order that does not depend on their names.
fn verdicts(report: &Report) -> Vec<Verdict> {
    let of_run = |episode: &runvet::finding::EpisodeReport| {
        let dir = episode.key.to_string();
        let findings = episode.findings.iter().map(|finding| {
            let place = &finding.location;
            let file = place
                .file
                .strip_prefix(&dir)
                .unwrap_or(&place.file);
            format!(
                "{} {file} {:?} {:?}",
                finding.rule, place.line, place.pointer
            )
        });
        let skipped = episode.skipped.iter();
        let skipped = skipped.map(|skip| format!("skipped {} {:?}", skip.rule, skip.kind()));
        findings.chain(skipped).collect()
    };
    let mut verdicts: Vec<Verdict> = report
        .episodes
        .iter()
        .map(of_run)
        .collect();
    verdicts.sort();
    verdicts
}

/// A redaction with a key that stays, and a directory for it.
fn with_key(redaction: Redaction) -> (Redaction, TempDir) {
    let temp = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let temp = temp.unwrap();
    (redaction.key(temp.path().join("key")), temp)
}

/// Redacts run data, and holds the copy to what is promised of it; returns the copy.
fn hold(redaction: &Redaction, from: &Path, temp: &Path) -> Result<Option<PathBuf>, String> {
    let (to, again) = (temp.join("copy"), temp.join("again"));
    for dir in [&to, &again] {
        let _ = fs::remove_dir_all(dir);
    }
    let redacted = match redaction.copy(&[from], &to) {
        Err(runvet::redact::Error::NoRun(_)) => return Ok(None),
        redacted => redacted.map_err(|error| error.to_string())?,
    };
    if !redacted.refused.is_empty() {
        return Err(redacted.refused.join("\n"));
    }
    let (before, after) = (verdicts(&report(from)), verdicts(&report(&to)));
    if before != after {
        let lost: Vec<_> = before.iter().flatten().collect();
        let new: Vec<_> = after.iter().flatten().collect();
        let only = |of: &[&String], other: &[&String]| {
            let only = of
                .iter()
                .filter(|line| !other.contains(line));
            only.flat_map(|line| ["  ", line, "\n"])
                .collect::<String>()
        };
        return Err(format!(
            "lost:\n{}new:\n{}",
            only(&lost, &new),
            only(&new, &lost)
        ));
    }
    redaction
        .copy(&[&to], &again)
        .map_err(|error| error.to_string())?;
    let (once, twice) = (files(&to), files(&again));
    if once != twice {
        let first = once
            .iter()
            .zip(&twice)
            .find(|(one, two)| one != two);
        return Err(format!("redacted again: {first:?}"));
    }
    Ok(Some(to))
}

/// The files below a directory, each with its content.
fn files(dir: &Path) -> Vec<(String, String)> {
    let entries = walkdir::WalkDir::new(dir)
        .sort_by_file_name()
        .into_iter();
    let entries = entries.map(Result::unwrap);
    entries
        .map(|entry| {
            let name = entry.path().strip_prefix(dir).unwrap();
            let content = match entry.file_type() {
                kind if kind.is_file() => fs::read(entry.path()).unwrap(),
                kind if kind.is_symlink() => {
                    let target = fs::read_link(entry.path()).unwrap();
                    target
                        .into_os_string()
                        .into_encoded_bytes()
                }
                _ => Vec::new(),
            };
            let content = String::from_utf8_lossy(&content).into_owned();
            (name.display().to_string(), content)
        })
        .collect()
}

/// The directories of the corpus with one case each.
fn cases() -> Vec<PathBuf> {
    let gate = Gate::default();
    let mut cases = BTreeSet::new();
    for part in ["good", "bad", "broken", "team", "demo"] {
        for episode in gate
            .discover(&[corpus().join(part)])
            .episodes
        {
            let above = episode.path.ancestors();
            let around = above.skip(1).find(|dir| {
                !dir.iter()
                    .any(|name| name == "episodes")
            });
            cases.insert(
                around
                    .unwrap_or(&episode.path)
                    .to_owned(),
            );
        }
    }
    cases.into_iter().collect()
}

#[test]
fn verdict_on_each_case_of_the_corpus_stays() {
    let redactions = [
        Redaction::new(),
        Redaction::new()
            .keep_name("/goal/task")
            .keep_name("input"),
        Redaction::new()
            .drop_name("task")
            .drop_name("/payload/**/input_excerpt"),
        Redaction::new()
            .drop_name("id")
            .drop_name("/plan/source")
            .drop_name("description"),
        Redaction::new()
            .pattern("[a-z]+-1")
            .pattern("ep_answer"),
    ];
    let mut wrong = Vec::new();
    for (number, redaction) in redactions.into_iter().enumerate() {
        let (redaction, temp) = with_key(redaction);
        // All cases under all settings, where that is asked for.
        let (skipped, step) = match (number, is_all()) {
            (0, _) | (_, true) => (0, 1),
            _ => (number, 12),
        };
        for case in cases()
            .into_iter()
            .skip(skipped)
            .step_by(step)
        {
            if let Err(why) = hold(&redaction, &case, temp.path()) {
                wrong.push(format!("{redaction:?} {}\n{why}", case.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Whether all cases and mutants are to be tried: `RUNVET_MUTANTS` gives their number.
fn is_all() -> bool {
    std::env::var_os("RUNVET_MUTANTS").is_some()
}

/// Numbers by a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % most.max(1)
    }

    fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }
}

/// What an edit puts into a file.
const PIECES: [&str; 40] = [
    "",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "\n",
    "\r\n",
    " ",
    "\\u0041",
    "\\",
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "\"\"",
    "\"x\"",
    "\"id\":\"a\",",
    "\"task\":\"Other\"",
    "\"act:Answer\"",
    "\"ok\"",
    "\"error\"",
    "\"step-1\"",
    "adapter:",
    "events.jsonl",
    "2026-03-01T12:00:00Z",
    "{}\n",
    "<<<<<<< HEAD\n",
    "NaN",
    "{\n\"a\":\n1}\n",
    "[1]\n",
    "\u{fffd}",
    "AKIAIOSFODNN7EXAMPLE",
    "\"sha256\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
    "{\"sha256\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"bytes\":0,\"excerpt\":\"\"}",
    "[redacted-0123456789abcdef0123456789abcdef]",
    "\"x-call-id\":\"c\",",
];

/// Edits a file at a few places.
fn edit(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(3) {
        let (one, other) = (random.below(bytes.len() + 1), random.below(bytes.len() + 1));
        let (from, to) = (one.min(other), one.max(other).min(one.min(other) + 60));
        match random.below(7) {
            0 => drop(bytes.splice(from..to, [])),
            1 => {
                let part = bytes[from..to].to_vec();
                bytes.splice(from..from, part);
            }
            2 => bytes.truncate(from),
            3 => {
                let lines: Vec<&[u8]> = bytes
                    .split_inclusive(|byte| *byte == b'\n')
                    .collect();
                let at = random.below(lines.len());
                let mut lines = lines;
                if let Some(line) = lines.get(at).copied() {
                    lines.insert(random.below(lines.len()), line);
                }
                *bytes = lines.concat();
            }
            4 => {
                // A text of the file in the place of another.
                let quotes: Vec<usize> = (0..bytes.len())
                    .filter(|at| bytes[*at] == b'"')
                    .collect();
                if quotes.len() > 3 {
                    let (a, b) = (
                        random.below(quotes.len() - 1),
                        random.below(quotes.len() - 1),
                    );
                    let text = bytes[quotes[a]..quotes[a + 1]].to_vec();
                    bytes.splice(quotes[b]..quotes[b + 1], text);
                }
            }
            _ => {
                let piece = random.pick(&PIECES).bytes();
                bytes.splice(from..(from + random.below(4)).min(bytes.len()), piece);
            }
        }
    }
}

/// The seeds of the mutants: one for each thousand.
const SEEDS: std::ops::Range<u64> = 1..11;

#[test]
fn verdict_on_mutants_of_the_corpus_stays() {
    let each = std::env::var("RUNVET_MUTANTS").map_or(30, |number| number.parse().unwrap());
    let (default, temp) = with_key(Redaction::new());
    let cases = cases();
    let mut wrong = Vec::new();
    for seed in SEEDS {
        let mut random = Random(seed);
        for number in 0..each / 10 {
            let case = random.pick(&cases).clone();
            let dir = temp.path().join("mutant");
            let _ = fs::remove_dir_all(&dir);
            copy_links(&case, &dir);
            let all: Vec<PathBuf> = walkdir::WalkDir::new(&dir)
                .sort_by_file_name()
                .into_iter()
                .map(|entry| entry.unwrap())
                .filter(|entry| entry.file_type().is_file())
                .map(walkdir::DirEntry::into_path)
                .filter(|path| !path.ends_with("expect.json") && !path.ends_with("runvet.toml"))
                .collect();
            for _ in 0..=random.below(2) {
                let file = random.pick(&all);
                let mut bytes = fs::read(file).unwrap();
                edit(&mut random, &mut bytes);
                fs::write(file, bytes).unwrap();
            }
            if let Err(why) = hold(&default, &dir, temp.path()) {
                wrong.push(format!(
                    "seed {seed}, number {number}: {}\n{why}",
                    case.display()
                ));
                if let Some(keep) = std::env::var_os("RUNVET_KEEP") {
                    copy_dir(&dir, &Path::new(&keep).join(format!("{seed}-{number}")));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Copies a directory, with its links.
fn copy_links(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from)
        .unwrap()
        .map(Result::unwrap)
    {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().unwrap();
        if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(path).unwrap(), to).unwrap();
        } else if kind.is_dir() {
            copy_links(&path, &to);
        } else {
            fs::copy(path, to).unwrap();
        }
    }
}

/// The records of a table of what goes, by their names in `natures.txt`.
const RECORDS: [(&str, &str); 6] = [
    ("state", "`state.json`"),
    ("summary", "`summary.json`"),
    ("event", "an event"),
    ("plan", "a `plan` event"),
    ("act", "an `act` event"),
    ("runtime", "a `runtime` event"),
];

/// What becomes of a text, by the nature that its type declares.
fn becomes(nature: &str) -> &'static str {
    match nature.split(' ').next().unwrap() {
        "id" => "stays: an id",
        "name" => "stays: a name",
        "phase" => "stays: a phase or type",
        "time" => "stays, if it is a time",
        "version" => "stays, if it is a version",
        "word" => "stays, if it is a word of its set",
        "link" | "artifact" => "stays: a path, which follows where a file is renamed",
        "adapter" => "goes, behind `adapter:`",
        "label" => "goes, behind the first colon",
        "digest" => "follows",
        _ => "goes",
    }
}

#[test]
fn page_has_what_goes_and_what_stays_as_a_table() {
    let natures = fs::read_to_string(corpus().join("../src/redact/natures.txt")).unwrap();
    let mut table = String::from(
        "\n| in | place | what becomes of a text |\n|----|-------|------------------------|\n",
    );
    for line in natures.lines() {
        let (record, rest) = line.split_once(' ').unwrap();
        let (place, nature) = rest.split_once(' ').unwrap();
        let place = place
            .trim_start_matches('/')
            .replace('/', ".");
        let record = RECORDS
            .iter()
            .find(|(name, _)| *name == record)
            .unwrap()
            .1;
        let becomes = becomes(nature);
        table.extend(["| ", record, " | `", &place, "` | ", becomes, " |\n"]);
    }
    let page = fs::read_to_string(corpus().join("../docs/redacting.md")).unwrap();
    let (before, rest) = page
        .split_once("<!-- natures -->\n")
        .unwrap();
    let (_, after) = rest
        .split_once("\n<!-- end of natures -->")
        .unwrap();
    let page = format!("{before}<!-- natures -->\n{table}\n<!-- end of natures -->{after}");
    crate::support::bless::check("docs/redacting.md", &page);
}

#[test]
fn run_of_the_page_becomes_its_copy() {
    let page = fs::read_to_string(corpus().join("../docs/redacting.md")).unwrap();
    let mut blocks = page.split("```json\n").skip(1);
    let [before, after] = [(); 2].map(|()| {
        blocks
            .next()
            .unwrap()
            .split("```")
            .next()
            .unwrap()
    });
    let temp = tempfile::tempdir().unwrap();
    let (run, key) = (temp.path().join("ep_1"), temp.path().join("key"));
    fs::create_dir(&run).unwrap();
    fs::write(run.join("state.json"), before).unwrap();
    fs::write(&key, [0; 32]).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let copy = temp.path().join("copy");
    Redaction::new()
        .key(key)
        .copy(&[&run], &copy)
        .unwrap();
    let is = fs::read_to_string(copy.join("ep_1/state.json")).unwrap();
    assert_eq!(is, after);
}
