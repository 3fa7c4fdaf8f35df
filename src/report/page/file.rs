//! The reports on many runs, one at a time, and the pages of some of them -> one file that needs
//! nothing else.
//!
//! The page of a run is compressed until somebody opens it. Without JavaScript, its header and its
//! findings are parts of the page.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use maud::{Markup, PreEscaped, html};

use super::overview::RunAge;
use super::units::thousands;
use super::{RunItem, RunSums, panels, rules, shell};
use crate::ground::finding::{Coverage, EpisodeReport, RuleInfo, RunEntry, SharedTexts};
use crate::ground::printable::{is_hostile, opens_command};

/// The maximum number of runs in the list of a file that are not valid.
const MAX_INVALID: usize = 5_000;

/// The maximum number of valid runs in the list.
const MAX_VALID: usize = 2_000;

/// The maximum number of runs that have a page in a file: the newest, first those that are not
/// valid.
const MAX_PAGES: usize = 500;

/// The number of findings of the runs that get pages, whose reports are kept until the end.
const MAX_KEPT: usize = 50_000;

/// The number of bytes of a file after which it gets no more pages.
const MAX_BYTES: u64 = 50_000_000;

/// A page in one file, on its way. It keeps the rows of the list, and sums.
#[derive(Default)]
pub(crate) struct PageFile {
    rules: Vec<RuleInfo>,
    pub(in crate::report) overview: RunSums,
    invalid: ListedRun,
    valid: ListedRun,
    /// `true` for each rule that compared something in any run, where reports say so.
    compared: BTreeMap<String, bool>,
    /// The rules that found something.
    named: BTreeSet<String>,
    /// The runs that get a page.
    paged: Paged,
    /// [`MAX_BYTES`], but for tests.
    max_bytes: u64,
}

/// A choice of the runs of a file that have a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum Paged {
    /// The newest, first those that are not valid
    #[default]
    All,
    /// Those that are not valid
    Invalid,
    /// None: the file has the overview and the list
    None,
}

/// Some runs of the list, the newest first.
#[derive(Default)]
struct ListedRun {
    /// One text of JSON for each.
    rows: BTreeMap<RunAge, String>,
    /// The newest of them, which get pages.
    newest: BTreeMap<RunAge, EpisodeReport>,
    /// The number of findings of those.
    findings: usize,
    unlisted: u64,
}

fn findings_of(report: &EpisodeReport) -> usize {
    report.findings.len() + report.suppressed.len()
}

impl ListedRun {
    fn add(&mut self, max: usize, report: &EpisodeReport, run: &RunEntry) -> io::Result<()> {
        let age = RunAge {
            started: Reverse(run.started_micros),
            dir: run.dir.clone(),
        };
        let is_kept = self.newest.len() < MAX_PAGES && self.findings <= MAX_KEPT;
        let oldest = self.newest.last_key_value();
        if is_kept || oldest.is_some_and(|(oldest, _)| age < *oldest) {
            self.findings += findings_of(report);
            self.newest
                .insert(age.clone(), report.clone());
        }

        while self.newest.len() > MAX_PAGES || (self.findings > MAX_KEPT && self.newest.len() > 1) {
            let oldest = self.newest.pop_last();
            self.findings -= oldest.map_or(0, |(_, report)| findings_of(&report));
        }

        self.rows.insert(age, json(run)?);
        if self.rows.len() > max {
            self.rows.pop_last();
            self.unlisted += 1;
        }

        Ok(())
    }
}

impl PageFile {
    /// Returns a page of no runs yet, which are judged by some rules and settings.
    pub(in crate::report) fn new(rules: Vec<RuleInfo>, settings: String, paged: Paged) -> Self {
        Self {
            rules,
            overview: RunSums {
                settings,
                ..RunSums::default()
            },
            paged,
            max_bytes: MAX_BYTES,
            ..Self::default()
        }
    }

    /// Counts one more run in, and lists it if there is room.
    pub(in crate::report) fn add(&mut self, report: &EpisodeReport) -> io::Result<()> {
        let mut run = RunEntry::judged(report);
        run.bound(&mut SharedTexts::default());
        self.overview.add(&run, report);
        for (rule, coverage_of_rule) in report.coverage.iter().flatten() {
            let compared = self
                .compared
                .entry(rule.clone())
                .or_default();
            *compared |= matches!(coverage_of_rule, Coverage::Found | Coverage::Sound);
        }

        self.named.extend(
            run.rules
                .iter()
                .map(|(rule, _)| rule.to_string()),
        );

        if report.valid == Some(true) {
            self.valid.add(MAX_VALID, report, &run)
        } else {
            self.invalid
                .add(MAX_INVALID, report, &run)
        }
    }

    /// Writes the file. `read` makes the page of a run; where it can't, the run has no page.
    pub(in crate::report) fn write(
        &self,
        out: &mut dyn Write,
        read: &dyn Fn(&EpisodeReport, &str) -> Option<Vec<u8>>,
    ) -> io::Result<()> {
        let mut out = CountingWriter { out, bytes: 0 };
        let runs = self.overview.all.episodes;
        let title = format!("runvet: {} runs", thousands(runs));
        out.put_markup(shell::framed(&title, false, &shell::top(runs, &html! {})))?;
        out.put("<main id=\"main\" tabindex=\"-1\">\n")?;

        let front = html! {
            section.view #overview aria-labelledby="overview-title" {
                h1.unseen #overview-title { "Overview" }
                (panels::overview(&self.overview, &self.rules))
                (panels::vacuous(&self.compared))
            }
        };

        out.put_markup(front)?;
        out.put_markup(shell::list())?;
        out.put("\n<section class=\"view\" id=\"run\"></section>\n")?;
        out.put_markup(shell::compared())?;
        out.put_markup(shell::grouped())?;
        self.rows(&mut out)?;

        let unwritten = self.pages(&mut out, read)?;
        self.rule_pages(&mut out)?;
        out.put(&self.left_out(unwritten))?;
        out.put("</main>\n")?;
        out.put_markup(shell::keys())?;
        out.put("<script>")?;
        out.put(shell::SCRIPT)?;

        out.put("</script>\n")
    }

    /// Writes the rows of the list, for the script.
    fn rows(&self, out: &mut CountingWriter<'_>) -> io::Result<()> {
        out.put("<script type=\"application/json\" id=\"rows\">[")?;
        for (at, (_, row)) in self.listed().into_iter().enumerate() {
            out.put(if at == 0 { "\n" } else { ",\n" })?;
            out.put(row)?;
        }

        out.put("]</script>\n")
    }

    /// Returns the runs of the list, the newest first.
    fn listed(&self) -> BTreeMap<&RunAge, &String> {
        self.invalid
            .rows
            .iter()
            .chain(&self.valid.rows)
            .collect()
    }

    /// Writes the pages of the first runs; returns the number of those without one.
    fn pages(
        &self,
        out: &mut CountingWriter<'_>,
        read: &dyn Fn(&EpisodeReport, &str) -> Option<Vec<u8>>,
    ) -> io::Result<u64> {
        let places: BTreeMap<&RunAge, usize> = self
            .listed()
            .into_keys()
            .enumerate()
            .map(|(place, age)| (age, place))
            .collect();
        let invalid = (self.paged != Paged::None).then_some(&self.invalid.newest);
        let valid = (self.paged == Paged::All).then_some(&self.valid.newest);
        let newest = invalid
            .into_iter()
            .chain(valid)
            .flatten();
        let mut written = 0;

        for (age, report) in newest.take(MAX_PAGES) {
            let Some(number) = places.get(age) else {
                continue;
            };
            let prefix = format!("r{number}-");
            let Some(page) = read(report, &prefix) else {
                continue;
            };
            let page = String::from_utf8_lossy(&page);
            let drawn = html! {
                noscript { (PreEscaped(unscripted(&page, &prefix))) }
                template data-row=(number) data-prefix=(prefix) { (packed(&page)?) }
            };

            let drawn = drawn.into_string();
            if out.bytes + drawn.len() as u64 > self.max_bytes {
                break;
            }

            out.put(&drawn)?;
            out.put("\n")?;
            written += 1;
        }

        Ok(places.len() as u64 - written)
    }

    /// Writes the pages of the rules that are named.
    fn rule_pages(&self, out: &mut CountingWriter<'_>) -> io::Result<()> {
        let rules = self
            .rules
            .iter()
            .filter(|rule| self.named.contains(&*rule.id));
        for info in rules {
            let page = html! {
                noscript data-rule-page=(info.id) { (rules::rule(info)) }
            };
            out.put_markup(page)?;
            out.put("\n")?;
        }

        Ok(())
    }

    /// Returns a footer about the runs and pages that are not in the file.
    fn left_out(&self, unwritten: u64) -> String {
        let numbers = [
            (
                self.invalid.unlisted,
                "runs that are not valid are not in the list",
            ),
            (self.valid.unlisted, "valid runs are not in the list"),
            (unwritten, "runs of the list have no page here"),
        ];
        let limits = format!(
            "A file lists at most {} runs that are not valid and {} valid ones, and has at most {} \
             pages of runs and {} MB.",
            thousands(MAX_INVALID as u64),
            thousands(MAX_VALID as u64),
            MAX_PAGES,
            MAX_BYTES / 1_000_000
        );
        let paged = match self.paged {
            Paged::All => "",
            Paged::Invalid => "Only runs that are not valid were asked to have a page. ",
            Paged::None => "No run was asked to have a page. ",
        };

        let left_out = html! {
            footer.left-out {
                @if numbers.iter().any(|(number, _)| *number > 0) {
                    p {
                        @for (number, what) in numbers.iter().filter(|(number, _)| *number > 0) {
                            b { (thousands(*number)) } " " (what) ". "
                        }
                        (paged) (limits) " The sums in the overview are of all runs."
                    }
                }
            }
        };

        left_out.into_string()
    }
}

/// Returns the page of a run as a text without characters of markup, which the script unpacks.
fn packed(page: &str) -> io::Result<String> {
    let mut packing = DeflateEncoder::new(Vec::new(), Compression::default());
    packing.write_all(page.as_bytes())?;
    Ok(BASE64.encode(&packing.finish()?))
}

/// Returns the page of a run for a browser without a script: its header, its conversation, and its
/// findings, wherever they stand.
fn unscripted(page: &str, prefix: &str) -> String {
    let section = |name: &str| format!("<section class=\"part\" id=\"{prefix}{name}\"");
    let header = page
        .split("<nav class=\"parts\"")
        .next();
    let first = page
        .split_once("</nav>")
        .map(|(_, rest)| rest)
        .and_then(|rest| rest.split(&*section("steps")).next());
    let (steps, findings) = (
        page.find(&section("steps")),
        page.find(&section("findings")),
    );
    let late = findings
        .filter(|at| steps.is_some_and(|steps| steps < *at))
        .and_then(|at| {
            page.get(at..)?
                .split(&*section("records"))
                .next()
        });
    let parts = [header, first, late].map(Option::unwrap_or_default);

    format!("{}</article>", parts.concat())
}

/// Returns a row as JSON that stands in a page: no character of it ends a script or acts on a
/// reader.
fn json(run: &RunEntry) -> io::Result<String> {
    let plain = serde_json::to_string(&RunItem::from(run))?;
    let mut text = String::with_capacity(plain.len());
    for c in plain.chars() {
        if c == '<' || is_hostile(c) || opens_command(&text, c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }

    Ok(text)
}

/// A writer that counts.
struct CountingWriter<'w> {
    out: &'w mut dyn Write,
    bytes: u64,
}

impl CountingWriter<'_> {
    fn put(&mut self, text: &str) -> io::Result<()> {
        self.bytes += text.len() as u64;
        self.out.write_all(text.as_bytes())
    }

    fn put_markup(&mut self, markup: Markup) -> io::Result<()> {
        self.put(&markup.into_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::ground::source::Artifact;
    use crate::reading::dashboard::{Dashboard, Outline, PlanSides, Rows};
    use crate::report::page::{Bodies, RunSheet, run_text};

    #[test]
    fn file_gets_no_more_pages_when_it_is_long() {
        let report = Gate::default().records("ep_1", &[(Artifact::State, b"{}")]);
        let mut file = PageFile::new(Vec::new(), String::new(), Paged::All);
        for at in 0..20 {
            let dir = format!("ep_{at}");
            file.add(&EpisodeReport {
                dir,
                ..report.clone()
            })
            .unwrap();
        }
        let read = |report: &EpisodeReport, prefix: &str| {
            let page = RunSheet {
                dashboard: Dashboard {
                    overview: crate::reading::dashboard::Overview::default(),
                    reason: None,
                    timeline: Outline::default(),
                    report: report.clone(),
                    plan: PlanSides::default(),
                },
                actions: Rows::default(),
                track: Vec::new(),
                density: crate::reading::outline::Density::default(),
                messages: Vec::new(),
                more_messages: 0,
                state: Err("none".into()),
                summary: Err("none".into()),
                manifest: Err("none".into()),
                learn: Err("none".into()),
                seal: None,
            };
            Some(run_text(&page, prefix, Bodies::InPage).into_bytes())
        };
        file.overview.is_complete = true;
        let mut written = |max_bytes| {
            file.max_bytes = max_bytes;
            let mut text = Vec::new();
            file.write(&mut text, &read).unwrap();
            String::from_utf8(text).unwrap()
        };
        let pages = |text: &str| {
            text.matches("<template data-row=")
                .count()
        };
        let whole = written(MAX_BYTES);
        assert_eq!(pages(&whole), 20);
        let (end_of_tenth, _) = whole
            .match_indices("<noscript><article")
            .nth(10)
            .unwrap();
        let part = written(end_of_tenth as u64);
        assert_eq!(pages(&part), 10);
        assert!(part.contains("<b>10</b> runs of the list have no page here."));
    }

    #[test]
    fn list_keeps_the_newest_runs() {
        let report = Gate::default().records("ep_1", &[(Artifact::State, b"{}")]);
        let mut listed = ListedRun::default();
        for started in [3, 5, 1, 4] {
            let dir = format!("ep_{started}");
            let report = EpisodeReport {
                dir,
                ..report.clone()
            };
            let started_micros = Some(started);
            let run = RunEntry {
                started_micros,
                ..RunEntry::judged(&report)
            };
            listed.add(2, &report, &run).unwrap();
        }
        let kept: Vec<&str> = listed
            .rows
            .keys()
            .map(|age| &*age.dir)
            .collect();
        assert_eq!(kept, ["ep_5", "ep_4"]);
        assert_eq!(listed.unlisted, 2);
    }
}
