//! The format `html`: one page that shows every run, asks nobody for anything, and ends.

use std::cell::RefCell;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use data_encoding::BASE64;
use flate2::read::DeflateDecoder;
use runvet::finding::{EpisodeReport, Totals};
use runvet::gate::{Gate, all_rules};
use runvet::report::{Closing, Format, Options};
use runvet::source::EpisodeKey;
use serde_json::Value;

use crate::support::binary::{runvet, stdout};
use crate::support::corpus::corpus;

/// The page of a check of some paths, as a reader sees it: with the pages of runs unpacked.
fn page(dir: &Path, args: &[&str]) -> String {
    let args = [&["validate", "--format", "html"], args].concat();
    let packed = stdout(
        &runvet(&args)
            .current_dir(dir)
            .output()
            .unwrap(),
    )
    .to_owned();
    let mut parts = packed.split("<template ");
    let first = parts
        .next()
        .unwrap_or_default()
        .to_owned();
    parts.fold(first, |mut page, part| {
        let (start, rest) = part.split_once('>').unwrap();
        let (text, rest) = rest.split_once("</template>").unwrap();
        let bytes = BASE64.decode(text.as_bytes()).unwrap();
        page = page + "<template " + start + ">";
        DeflateDecoder::new(&*bytes)
            .read_to_string(&mut page)
            .unwrap();
        page + "</template>" + rest
    })
}

/// The text between two others.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap();
    rest.split_once(end).unwrap().0
}

/// The rows of the list of runs.
fn rows(page: &str) -> Vec<Value> {
    let json = between(
        page,
        r#"<script type="application/json" id="rows">"#,
        "</script>",
    );
    serde_json::from_str(json).unwrap()
}

/// A report on a run, many times in different directories.
fn copies(report: &EpisodeReport, number: usize) -> impl Iterator<Item = EpisodeReport> {
    (0..number).map(|at| {
        let mut copy = report.clone();
        copy.dir = format!("{}/{at:05}", report.id);
        copy.key = EpisodeKey::Text(copy.dir.clone());
        copy
    })
}

/// The text of markup, without its tags.
fn read(markup: &str) -> String {
    let parts = markup.split('<').map(|part| {
        part.split_once('>')
            .map_or(part, |(_, text)| text)
    });
    let text = parts
        .collect::<String>()
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    text.replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace('`', "")
}

#[test]
fn page_of_the_demo_shows_what_the_report_says() {
    let page = page(&corpus(), &["demo"]);
    let script = between(&page, "</dialog><script>", "</script>");
    let markup = page.replace(script, "");
    let (text, rows) = (read(&markup), rows(&page));
    let report = Gate::default()
        .run([corpus().join("demo")])
        .unwrap();
    assert_eq!(rows.len(), report.episodes.len());
    for episode in &report.episodes {
        let of_episode = |row: &&Value| row["id"] == episode.id;
        let row = rows.iter().find(of_episode).unwrap();
        assert_eq!(row["valid"].as_bool(), episode.valid, "{row}");
        for found in &episode.findings {
            let said = [&found.message, &found.help, &found.rule].map(|text| text.replace('`', ""));
            assert!(
                said.iter()
                    .all(|said| text.contains(said)),
                "{found}"
            );
            assert!(
                markup.contains(&format!("href=\"#rule-{}\"", found.rule)),
                "{found}"
            );
        }
    }
    let totals = report.totals;
    for (number, what) in [
        (totals.episodes, "runs"),
        (totals.invalid, "invalid"),
        (totals.errors, "errors"),
    ] {
        let tile = format!("<b>{number}</b><span>{what}</span>");
        assert!(markup.contains(&tile), "{tile}");
    }
    for tag in [
        "section", "article", "table", "tr", "ul", "ol", "li", "div", "p", "a", "details", "svg",
    ] {
        let begun = [">", " "].map(|end| {
            markup
                .matches(&format!("<{tag}{end}"))
                .count()
        });
        let ended = markup
            .matches(&format!("</{tag}>"))
            .count();
        assert_eq!(begun.iter().sum::<usize>(), ended, "{tag}");
    }
}

#[test]
fn page_is_the_same_with_any_number_of_threads() {
    let pages = ["1", "2", "7"].map(|jobs| page(&corpus(), &["--jobs", jobs, "bad/plan", "demo"]));
    assert!(
        pages
            .iter()
            .all(|page| *page == pages[0])
    );
}

#[test]
fn page_names_its_style_and_script_by_their_digests() {
    use std::io::Write as _;
    let page = page(&corpus(), &["demo"]);
    let policy = between(
        &page,
        r#"http-equiv="Content-Security-Policy" content=""#,
        "\"",
    );
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let script = "import base64, hashlib, sys; \
         print(base64.b64encode(hashlib.sha256(sys.stdin.buffer.read()).digest()).decode())";
    for (start, end) in [("<style>", "</style>"), ("</dialog><script>", "</script>")] {
        let mut python = std::process::Command::new("python3")
            .args(["-c", script])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let text = between(&page, start, end);
        python
            .stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        let digest = python.wait_with_output().unwrap();
        let digest = format!("'sha256-{}'", stdout(&digest).trim());
        assert!(policy.contains(&digest), "{digest}: {policy}");
    }
}

#[test]
fn page_leads_to_no_other_address() {
    let page = page(&corpus(), &["demo", "bad/record"]);
    for attribute in [
        " src=",
        " href=\"http",
        " action=",
        "url(",
        "@import",
        "srcset",
    ] {
        let markup = page.replace(between(&page, "</dialog><script>", "</script>"), "");
        // A fragment is in the page itself.
        let markup = markup.replace("url(#", "");
        assert!(!markup.contains(attribute), "{attribute}");
    }
}

#[test]
fn markup_in_a_record_stays_text_on_the_page() {
    let evil = "</noscript></script><script>alert(1)</script><img src=x onerror=alert(1)>\
                \" onclick=\"alert(1)\" '<!-- {{}} &lt;";
    let temp = tempfile::tempdir().unwrap();
    let good = corpus().join("good/terminal/episodes/ep_answer");
    let dir = temp
        .path()
        .join("episodes")
        .join(evil.replace('/', "_"));
    fs::create_dir_all(&dir).unwrap();
    for name in ["state.json", "summary.json", "events.jsonl"] {
        // Every text of the records, and some keys.
        let text = fs::read_to_string(good.join(name)).unwrap();
        let lines: Vec<String> = text
            .lines()
            .map(|line| {
                let mut value: Value = serde_json::from_str(line).unwrap();
                poison(&mut value, evil);
                value.to_string()
            })
            .collect();
        fs::write(dir.join(name), lines.join("\n") + "\n").unwrap();
    }
    let page = page(temp.path(), &["."]);
    assert_eq!(
        page.matches("<script").count(),
        2,
        "the rows and the script"
    );
    assert_eq!(page.matches("<img").count(), 0);
    let noscripts = page.matches("<noscript").count();
    assert_eq!(page.matches("</noscript>").count(), noscripts);
    assert!(page.contains("&lt;img src=x onerror"));
    assert!(
        page.contains("&quot; onclick="),
        "a quote ends no attribute"
    );
    let json = between(&page, r#"id="rows">"#, "</script>");
    let markup = page.replace(json, "");
    assert!(!markup.contains("\" onclick="));
    assert_eq!(
        rows(&page)[0]["task"]
            .as_str()
            .unwrap()
            .chars()
            .count(),
        135,
        "the text itself"
    );
}

/// Puts a text into every text of a value, and beside every key.
fn poison(value: &mut Value, evil: &str) {
    match value {
        Value::String(text) if !text.starts_with("20") => *text = format!("{evil}{text}"),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| poison(item, evil)),
        Value::Object(members) => {
            for (_, value) in members.iter_mut() {
                poison(value, evil);
            }
            members.insert(evil.to_owned(), 1.into());
        }
        _ => {}
    }
}

#[test]
fn file_has_pages_of_invalid_runs_and_says_what_it_leaves_out() {
    let report = Gate::default()
        .run([corpus().join("demo")])
        .unwrap();
    let of = |valid| {
        report
            .episodes
            .iter()
            .find(|episode| episode.valid == Some(valid))
            .unwrap()
    };
    let mut renderer = Format::Html.renderer(&Options::default().rules(all_rules()));
    let mut text = Vec::new();
    let mut totals = Totals::default();
    for episode in copies(of(true), 2_300).chain(copies(of(false), 5_100)) {
        totals.episodes += 1;
        renderer
            .episode(&mut text, &episode)
            .unwrap();
    }
    assert!(text.is_empty());
    let asked = RefCell::new(Vec::new());
    let page = |report: &EpisodeReport, _: &str| {
        asked
            .borrow_mut()
            .push(report.key.to_string());
        None
    };
    let closing = Closing::new(&totals).pages(&page);
    renderer
        .end(&mut text, &closing)
        .unwrap();
    let page = String::from_utf8(text).unwrap();
    let rows = rows(&page);
    assert_eq!(rows.len(), 7_000);
    let invalid: Vec<&Value> = rows
        .iter()
        .filter(|row| row["valid"] == false)
        .collect();
    assert_eq!(invalid.len(), 5_000);
    let asked = asked.into_inner();
    let first = invalid[..500]
        .iter()
        .map(|row| row["dir"].as_str().unwrap());
    assert!(
        asked
            .iter()
            .map(String::as_str)
            .eq(first),
        "{asked:?}"
    );
    for said in [
        "<b>7,400</b><span>runs</span>",
        "<b>100</b> runs that are not valid are not in the list.",
        "<b>300</b> valid runs are not in the list.",
        "<b>7,000</b> runs of the list have no page here.",
    ] {
        assert!(page.contains(said), "{said}");
    }
}

#[test]
fn page_of_a_long_run_says_what_it_leaves_out() {
    let long = tempfile::tempdir().unwrap();
    let dir = long.path().join("episodes/ep_long");
    fs::create_dir_all(&dir).unwrap();
    let demo = corpus().join("demo/episodes/ep_03_edited");
    let state = fs::read_to_string(demo.join("state.json")).unwrap();
    let facts: Vec<String> = (0..2_000)
        .map(|at| format!(r#"{{"key":"k{at}","value":[]}},"#))
        .collect();
    let state = state.replace("\"facts\":[", &format!("\"facts\":[{}", facts.concat()));
    fs::write(dir.join("state.json"), state).unwrap();
    let timeline = fs::read_to_string(demo.join("events.jsonl")).unwrap();
    let (start, rest) = timeline.split_once('\n').unwrap();
    let filler = format!(
        r#"{{"phase":"observe","timestamp":"2026-03-01T12:00:00Z","payload":{{"x":"{}"}}}}"#,
        "y".repeat(70_000)
    );
    let failed = filler.replace(r#""x""#, r#""step_status":"failed","x""#);
    let filler = format!("{filler}\n").repeat(250);
    let events = format!("{start}\n{filler}{failed}\n{filler}{rest}");
    fs::write(dir.join("events.jsonl"), events).unwrap();
    let page = page(long.path(), &["."]);
    // The first 200 and the last 100 are there, and what matters between them.
    assert_eq!(
        page.matches("<details class=\"event\"")
            .count(),
        301
    );
    assert!(page.contains(">51 events are not on this page"), "{page}");
    assert!(page.contains("211 events are not on this page") || page.contains("events are not"));
    assert!(page.contains("<span class=\"phase failed\">"));
    assert!(page.contains(" bytes of this event are not on this page"));
    assert!(page.contains("This record has more values, which are not on this page."));
    // The place of a finding is there, however far behind.
    assert!(page.contains("<li class=\"place bad\""));
}

#[test]
fn page_counts_what_is_ignored_and_what_the_baseline_knows() {
    let temp = tempfile::tempdir().unwrap();
    let ignore = "[[ignore]]\nrule = \"projection/outcomes\"\nepisode = \"ep_03_edited\"\n\
         reason = \"by <hand>\"\n";
    fs::write(temp.path().join("runvet.toml"), ignore).unwrap();
    let demo = corpus().join("demo");
    let demo = demo.to_str().unwrap();
    let args = [
        "validate",
        "--rule",
        "plan/*=off",
        "--write-baseline",
        "known",
        demo,
    ];
    runvet(&args)
        .current_dir(temp.path())
        .output()
        .unwrap();
    let page = page(temp.path(), &["--baseline", "known", demo]);
    assert!(page.contains("<b>1</b><span>findings ignored</span>"));
    assert!(
        page.contains("<b>5</b><span>findings in the baseline</span>"),
        "{page}"
    );
    assert!(page.contains("(ignored: by &lt;hand&gt;)") && page.contains("(in the baseline)"));
}

#[test]
fn page_folds_a_pause_and_draws_acts_as_bars() {
    let temp = tempfile::tempdir().unwrap();
    let event = |second: u32, phase: &str, rest: &str| {
        format!(
            "{{\"phase\":\"{phase}\",\"timestamp\":\"2026-03-01T{:02}:00:{second:02}Z\"{rest}}}\n",
            if second > 30 { 20 } else { 10 }
        )
    };
    let act =
        |status: &str| format!(",\"payload\":{{\"step_id\":\"s\",\"step_status\":\"{status}\"}}");
    let events = [
        event(1, "start", ",\"payload\":{}"),
        event(2, "act", &act("running")),
        event(9, "act", &act("done")),
        event(
            31,
            "approval",
            ",\"event_type\":\"run.paused\",\"payload\":{}",
        ),
        event(40, "terminate", ",\"payload\":{\"status\":\"ok\"}"),
    ];
    fs::write(temp.path().join("events.jsonl"), events.concat()).unwrap();
    let page = page(temp.path(), &["."]);
    assert!(
        page.contains("A pause of 10 h 0 min, not to scale"),
        "{page}"
    );
    assert!(page.contains("line 2, act, +1 s, took 7 s: s"), "{page}");
    assert_eq!(
        page.matches("<rect class=\"bar act\"")
            .count(),
        1
    );
    assert!(page.contains("class=\"mark pause\"") && page.contains("class=\"mark end\""));
}

/// Both events of a finding about their order are marked in the timeline, each with a word.
#[test]
fn page_marks_the_events_that_findings_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("runvet.toml");
    let order = "[[order]]\nid = 'a/b'\nmessage = 'm'\neach = { tool = 'refund' }\n\
                 none-earlier = { tool = 'lookup' }\n";
    fs::write(&config, order).unwrap();
    let config = config.to_str().unwrap();
    let page = page(root, &["--config", config, "corpus/team/refunds/runs"]);
    let marked = |event: &&str| event.contains("class=\"place ");
    let events = page
        .split("<details class=\"event\"")
        .skip(1);
    let marked = events.filter(marked).map(|event| {
        let line = between(event, "<span class=\"line\">", "</span>");
        let word = between(event, "<span class=\"place ", "</span>");
        format!("{line} {}", word.split_once('>').unwrap().1)
    });
    let marked: Vec<String> = marked.collect();
    assert_eq!(marked, ["8 related", "9 error"]);
}
