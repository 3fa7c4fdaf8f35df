//! Reports -> `JUnit` XML: a suite for each run-data directory, a case for each episode.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use quick_xml::Writer;
use quick_xml::events::BytesText;

use super::concise::lines;
use super::wording::not_judged;
use super::{Closing, Renderer};
use crate::ground::Own;
use crate::ground::finding::{Deny, EpisodeReport, FaultSort, ReportedFault, Totals, Verdict};
use crate::ground::printable::escape;
use crate::ground::source::run_data_of;

/// The maximum number of findings that a case lists: a suite is held in memory until it is
/// complete, because its element starts with its counts.
const MAX_LISTED: usize = 100;

pub(super) struct Junit {
    deny: Deny,
    verbose: bool,
    /// The suites that may still get cases, each within the one before it. Episodes are sorted, so
    /// a directory is done when an episode beside it comes.
    open: Vec<Suite>,
}

/// The test cases of one run-data directory.
struct Suite {
    name: String,
    cases: Writer<Vec<u8>>,
    tests: u64,
    failures: u64,
    errors: u64,
}

impl Junit {
    pub(super) fn new(deny: Deny, verbose: bool) -> Self {
        Self {
            deny,
            verbose,
            open: Vec::new(),
        }
    }

    /// Returns the suite of an episode; writes those before that get no more cases.
    fn suite_of(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<&mut Suite> {
        let dir = Path::new(&episode.dir);
        let name = run_data(dir);
        while let Some(suite) = self.open.pop() {
            if suite.name == "." || dir.starts_with(&suite.name) {
                self.open.push(suite);
                break;
            }
            suite.write(out)?;
        }

        let at = self
            .open
            .iter()
            .position(|suite| suite.name == name)
            .unwrap_or(self.open.len());
        if at == self.open.len() {
            self.open.push(Suite::new(name));
        }

        Ok(self.open.own_mut(at))
    }
}

impl Suite {
    fn new(name: String) -> Self {
        Self {
            name,
            cases: Writer::new(Vec::new()),
            tests: 0,
            failures: 0,
            errors: 0,
        }
    }

    /// Adds the case of an episode.
    fn case(
        &mut self,
        episode: &EpisodeReport,
        trouble: Option<&Trouble>,
        listed: &str,
    ) -> io::Result<()> {
        self.tests += 1;
        match trouble {
            Some(trouble) if trouble.is_fault => self.errors += 1,
            Some(_) => self.failures += 1,
            None => {}
        }

        let (name, dir) = (escape(&episode.id), escape(&episode.dir));
        let case = self
            .cases
            .create_element("testcase")
            .with_attributes([("name", &*name), ("classname", &*dir)]);
        if listed.is_empty() {
            case.write_empty()?;
        } else {
            case.write_inner_content(|writer| {
                let element = match trouble {
                    Some(trouble) => writer
                        .create_element(if trouble.is_fault { "error" } else { "failure" })
                        .with_attributes([("type", "runvet"), ("message", &*trouble.message)]),
                    None => writer.create_element("system-out"),
                };

                element
                    .write_text_content(BytesText::new(listed))
                    .map(|_| ())
            })?;
        }

        self.cases.get_mut().write_all(b"\n")
    }

    /// Adds a case for a path that could not be read or judged.
    fn fault(&mut self, fault: &ReportedFault) -> io::Result<()> {
        self.tests += 1;
        self.errors += 1;
        let (path, message) = (escape(&fault.path), escape(&fault.message));
        self.cases
            .create_element("testcase")
            .with_attributes([("name", &*path), ("classname", "faults")])
            .write_inner_content(|writer| {
                let attributes = [("type", "runvet"), ("message", &*message)];
                writer
                    .create_element("error")
                    .with_attributes(attributes)
                    .write_empty()?;
                Ok(())
            })?;

        self.cases.get_mut().write_all(b"\n")
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let [tests, failures, errors] =
            [self.tests, self.failures, self.errors].map(|number| number.to_string());
        let name = escape(&self.name);
        let attributes = [
            ("name", &*name),
            ("tests", &*tests),
            ("failures", &*failures),
            ("errors", &*errors),
        ];
        let cases = self.cases.into_inner();

        Writer::new(&mut *out)
            .create_element("testsuite")
            .with_attributes(attributes)
            .write_inner_content(|writer| {
                writer.get_mut().write_all(b"\n")?;
                writer.get_mut().write_all(&cases)
            })?;

        out.write_all(b"\n")
    }
}

/// The reason why a case is no success.
struct Trouble {
    /// `true` if the episode could not be decided, `false` if it fails.
    is_fault: bool,
    message: String,
}

/// Returns the message of the finding of the greatest weight, or why a rule could not be judged.
fn first_message(episode: &EpisodeReport) -> String {
    let message = match episode.by_weight().first() {
        Some(first) => first.message.clone(),
        None => episode
            .unjudged()
            .next()
            .map(|it| not_judged(&it, false))
            .unwrap_or_default(),
    };

    escape(&message).into_owned()
}

/// Returns the text of a case: its findings, what could not be judged, and the help of its rules.
fn listed(episode: &EpisodeReport, verbose: bool) -> String {
    let mut lines = lines(episode, verbose);
    let mut listed: String = lines
        .by_ref()
        .take(MAX_LISTED)
        .map(|line| line + "\n")
        .collect();
    if let unlisted @ 1.. = lines.count() {
        let _ = writeln!(listed, "and {unlisted} more");
    }
    if episode.verdict == Verdict::BreaksRule {
        listed.insert_str(0, "The records agree; the run breaks a rule of the team.\n");
    }

    let help: BTreeSet<_> = episode
        .findings
        .iter()
        .take(MAX_LISTED)
        .map(|it| (&*it.rule, &*it.help))
        .collect();
    for (rule, help) in help {
        let _ = writeln!(listed, "help for {rule}: {}", escape(help));
    }

    if !listed.is_empty() {
        listed.insert(0, '\n');
    }
    listed
}

impl Renderer for Junit {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"runvet\">\n")
    }

    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        // A case that can't be decided is an error, which only a fault may be.
        let trouble = match episode.fault() {
            Some(fault) => Some(Trouble {
                is_fault: true,
                message: fault.message,
            }),
            None if Totals::of(episode).fails(self.deny) => Some(Trouble {
                is_fault: false,
                message: first_message(episode),
            }),
            None => None,
        };
        let listed = listed(episode, self.verbose);

        self.suite_of(out, episode)?
            .case(episode, trouble.as_ref(), &listed)
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        while let Some(suite) = self.open.pop() {
            suite.write(out)?;
        }

        // An undecided episode has a case already.
        let mut faults = closing
            .faults
            .iter()
            .filter(|fault| fault.sort != FaultSort::Undecided)
            .peekable();
        if faults.peek().is_some() {
            let mut suite = Suite::new("faults".into());
            faults.try_for_each(|fault| suite.fault(fault))?;
            suite.write(out)?;
        }

        out.write_all(b"</testsuites>\n")
    }
}

/// Returns the run-data directory of an episode, which contains `episodes`; elsewhere, the parent
/// directory of the episode.
fn run_data(dir: &Path) -> String {
    // Without doubled slashes.
    let above: PathBuf = run_data_of(dir).components().collect();
    if above.as_os_str().is_empty() {
        ".".into()
    } else {
        above.to_string_lossy().into_owned()
    }
}
