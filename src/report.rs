//! Reports -> text: one renderer per format. Each gets one episode at a time and does not keep what
//! it has written.
//!
//! ```
//! use runvet::check::{Check, all_rules};
//! use runvet::report::{Closing, Format, Options};
//!
//! let report = Check::new().run(["corpus/good/terminal"]).unwrap();
//! let mut renderer = Format::Sarif.renderer(&Options::default().rules(all_rules()));
//! let mut text = Vec::new();
//! renderer.begin(&mut text).unwrap();
//! for episode in &report.episodes {
//!     renderer.episode(&mut text, episode).unwrap();
//! }
//! renderer.end(&mut text, &Closing::new(&report.totals)).unwrap();
//! assert!(text.starts_with(b"{\"$schema\""));
//! ```

mod concise;
#[cfg(feature = "human")]
mod dashboard;
#[cfg(feature = "human")]
mod figures;
mod github;
mod gitlab;
#[cfg(feature = "html")]
mod html;
#[cfg(feature = "human")]
mod human;
mod json;
mod junit;
mod markdown;
#[cfg(feature = "human")]
mod paint;
mod sarif;
mod wording;

#[cfg(feature = "html")]
use std::fmt;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::finding::{EpisodeReport, ReportedFault, RuleInfo, Statistics, Totals};
#[cfg(feature = "html")]
use crate::page::RunPage;
#[cfg(feature = "html")]
use crate::source::EpisodeKey;
use crate::words::words;

#[cfg(feature = "human")]
pub use dashboard::DashboardText;
#[cfg(feature = "cli")]
pub(crate) use figures::{Glyphs, instant, seconds};
#[cfg(feature = "human")]
pub use human::draw;
#[cfg(feature = "cli")]
pub(crate) use human::paragraph;
pub(crate) use json::raw_json;
pub use json::{write_json, write_json_pretty, write_json_text};
#[cfg(feature = "cli")]
pub(crate) use paint::{Line, Paint};
pub(crate) use wording::count;
pub(crate) use wording::verdict;
#[cfg(feature = "cli")]
pub(crate) use wording::{faults, stage};

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = crate::record::describe_values)]
#[non_exhaustive]
pub enum Format {
    /// Text for people, grouped by episode
    Human,
    /// One line per finding: `file:line:column: severity rule: message`
    Concise,
    /// One JSON document; `runvet schema report` describes it
    Json,
    /// One line of JSON per episode, and one for the totals
    Ndjson,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// `JUnit` XML, one test case per episode
    Junit,
    /// GitHub workflow annotations, and a job summary
    Github,
    /// A `GitLab` code quality report
    Gitlab,
    /// A summary in Markdown
    Markdown,
    /// A page for a browser, in one file: an overview, a list of runs, and pages of runs
    Html,
}

words!(Format {
    Human = "human",
    Concise = "concise",
    Json = "json",
    Ndjson = "ndjson",
    Sarif = "sarif",
    Junit = "junit",
    Github = "github",
    Gitlab = "gitlab",
    Markdown = "markdown",
    Html = "html",
});

impl Format {
    /// A renderer of the format. Without the feature `human`, [`Format::Human`] is written as
    /// [`Format::Concise`], and without the feature `html`, [`Format::Html`] as
    /// [`Format::Markdown`].
    #[must_use]
    pub fn renderer(self, options: &Options) -> Box<dyn Renderer> {
        let verbose = options.verbose;
        match self {
            #[cfg(feature = "human")]
            Self::Human => Box::new(human::Human::new(options)),
            #[cfg(not(feature = "human"))]
            Self::Human => Box::new(concise::Concise { verbose }),
            Self::Concise => Box::new(concise::Concise { verbose }),
            Self::Json => Box::new(json::Json::default()),
            Self::Ndjson => Box::new(json::Ndjson),
            Self::Sarif => Box::new(sarif::Sarif::new(options.rules.clone())),
            Self::Junit => Box::new(junit::Junit::new(options.deny_warnings, verbose)),
            Self::Github => Box::new(github::Github::default()),
            Self::Gitlab => Box::new(gitlab::Gitlab::default()),
            #[cfg(feature = "html")]
            Self::Html => Box::new(html::Html::new(options.rules.clone())),
            #[cfg(not(feature = "html"))]
            Self::Html => Box::new(markdown::Markdown::new(verbose)),
            Self::Markdown => Box::new(markdown::Markdown::new(verbose)),
        }
    }
}

/// How a human report groups findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroupBy {
    /// Each episode with its findings, written as soon as it is checked.
    #[default]
    Episode,
    /// Each rule with its findings, written when all episodes are checked. The findings to show are
    /// held in memory until then.
    Rule,
}

words!(GroupBy {
    Episode = "episode",
    Rule = "rule",
});

/// The characters and colours of a human report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Style {
    /// With colours and line-drawing characters.
    Colour,
    /// With line-drawing characters.
    #[default]
    Plain,
    /// In ASCII, except for text from records.
    Ascii,
}

/// Options for renderers. Each format uses those that concern it.
#[derive(Clone, Debug)]
pub struct Options {
    rules: Vec<&'static RuleInfo>,
    deny_warnings: bool,
    verbose: bool,
    appearance: Appearance,
}

/// The appearance of a human report.
#[derive(Clone, Copy, Debug)]
struct Appearance {
    style: Style,
    max_findings: usize,
    quiet: bool,
    names_faults: bool,
    group_by: GroupBy,
}

impl Default for Options {
    /// No rules, warnings pass; human reports have no colour, and all findings by episode.
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            deny_warnings: false,
            verbose: false,
            appearance: Appearance {
                style: Style::default(),
                max_findings: 0,
                quiet: false,
                names_faults: true,
                group_by: GroupBy::default(),
            },
        }
    }
}

impl Options {
    /// The rules that SARIF and HTML describe, as [`crate::check::all_rules`] lists them.
    #[must_use]
    pub fn rules(mut self, rules: impl IntoIterator<Item = &'static RuleInfo>) -> Self {
        self.rules = rules.into_iter().collect();
        self
    }

    /// Whether a `JUnit` test case fails on warnings too.
    #[must_use]
    pub fn deny_warnings(mut self, deny: bool) -> Self {
        self.deny_warnings = deny;
        self
    }

    /// The characters and colours of a human report.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.appearance.style = style;
        self
    }

    /// Whether text for people names the rules that could not be judged. Otherwise it counts them.
    #[must_use]
    pub fn verbose(mut self, verbose: bool) -> Self {
        self.verbose = verbose;
        self
    }

    /// The maximum number of findings of each rule that a human report shows, and of lines about
    /// rules that could not be judged, for each kind of reason; 0 for all. The rest are counted.
    #[must_use]
    pub fn max_findings(mut self, max: usize) -> Self {
        self.appearance.max_findings = max;
        self
    }

    /// Whether a human report contains only findings and rules that could not be judged.
    #[must_use]
    pub fn quiet(mut self, quiet: bool) -> Self {
        self.appearance.quiet = quiet;
        self
    }

    /// Whether a human report names faults. Otherwise it only counts them, for a program that
    /// prints each as soon as it is met.
    #[must_use]
    pub fn names_faults(mut self, names: bool) -> Self {
        self.appearance.names_faults = names;
        self
    }

    /// How a human report groups findings.
    #[must_use]
    pub fn group_by(mut self, group_by: GroupBy) -> Self {
        self.appearance.group_by = group_by;
        self
    }
}

/// Writes a report, one episode at a time.
pub trait Renderer: Send {
    /// Writes what comes before the first episode.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// Writes one episode.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()>;
    /// Writes what comes after the last episode.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()>;
}

/// The results of a check that are known after its last episode.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Closing<'c> {
    /// The sums over all episodes.
    pub totals: &'c Totals,
    /// The same sums by rule, mode and adapter, if requested.
    pub statistics: Option<&'c Statistics>,
    /// What could not be looked at or judged, sorted by path.
    pub faults: &'c [ReportedFault],
    /// Whether everything was looked at and judged.
    pub is_complete: bool,
    /// Reads what the page of a run shows.
    #[cfg(feature = "html")]
    pub(crate) pages: Option<Pages<'c>>,
}

/// A way to read what the page of a run shows.
#[cfg(feature = "html")]
#[derive(Clone, Copy)]
pub(crate) struct Pages<'c>(pub(crate) &'c dyn Fn(&EpisodeKey) -> Option<RunPage>);

#[cfg(feature = "html")]
impl fmt::Debug for Pages<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pages")
    }
}

impl<'c> Closing<'c> {
    /// The end of a check in which everything could be read.
    #[must_use]
    pub const fn new(totals: &'c Totals) -> Self {
        Self {
            totals,
            statistics: None,
            faults: &[],
            is_complete: true,
            #[cfg(feature = "html")]
            pages: None,
        }
    }

    /// Adds a way to read what [`Format::Html`] shows of a run on its page; without it, and where
    /// it reads nothing, a run has no page.
    ///
    /// ```
    /// use std::cell::RefCell;
    /// use runvet::check::{Check, all_rules};
    /// use runvet::gate::Gate;
    /// use runvet::read::RunReader;
    /// use runvet::report::{Closing, Format, Options};
    /// use runvet::view::run_page;
    ///
    /// let check = Check::new().keep_cards(true);
    /// let mut renderer = Format::Html.renderer(&Options::default().rules(all_rules()));
    /// let mut text = Vec::new();
    /// let report = check.run(["corpus/demo"])?;
    /// for episode in &report.episodes {
    ///     renderer.episode(&mut text, episode).unwrap();
    /// }
    /// let gate = RefCell::new(Gate::new());
    /// let read = |key: &runvet::source::EpisodeKey| {
    ///     let run = RunReader::open(key.dir()?).ok()?;
    ///     run_page(&run, &check, &mut gate.borrow_mut()).ok()
    /// };
    /// let closing = Closing::new(&report.totals).pages(&read);
    /// renderer.end(&mut text, &closing).unwrap();
    /// assert!(text.starts_with(b"<!DOCTYPE html>"));
    /// # Ok::<(), runvet::check::Error>(())
    /// ```
    #[cfg(feature = "html")]
    #[must_use]
    pub const fn pages(self, read: &'c dyn Fn(&EpisodeKey) -> Option<RunPage>) -> Self {
        Self {
            pages: Some(Pages(read)),
            ..self
        }
    }

    /// Adds what could not be looked at or judged.
    #[must_use]
    pub const fn faults(self, faults: &'c [ReportedFault]) -> Self {
        Self {
            faults,
            is_complete: faults.is_empty(),
            ..self
        }
    }

    /// Adds sums by rule, mode and adapter.
    #[must_use]
    pub const fn statistics(self, statistics: &'c Statistics) -> Self {
        Self {
            statistics: Some(statistics),
            ..self
        }
    }
}
