//! Reports -> text: one renderer per format. Each gets one episode at a time and does not keep what
//! it has written.
//!
//! ```
//! use runvet::gate::Gate;
//! use runvet::report::{Closing, Format, Options};
//!
//! let mut gate = Gate::default();
//! let report = gate.run(["corpus/good/terminal"]).unwrap();
//! let mut renderer = Format::Sarif.renderer(&Options::default().rules(gate.rules()));
//! let mut text = Vec::new();
//! renderer.begin(&mut text).unwrap();
//! for episode in &report.episodes {
//!     renderer.episode(&mut text, episode).unwrap();
//! }
//! renderer.end(&mut text, &Closing::new(&report.totals)).unwrap();
//! assert!(text.starts_with(b"{\"$schema\""));
//! ```

mod agent;
mod causes;
mod choice;
mod concise;
#[cfg(feature = "cli")]
mod dashboard;
mod figures;
mod github;
mod gitlab;
mod grid;
#[cfg(feature = "human")]
mod human;
mod json;
mod junit;
mod markdown;
#[cfg(feature = "html")]
pub(crate) mod page;
mod paint;
mod sarif;
mod unjudged;
mod wording;

use std::fmt;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ground::finding::{Deny, EpisodeReport, ReportedFault, RuleInfo, Statistics, Totals};
use crate::ground::words::words;

pub(crate) use crate::ground::printable::count;
#[cfg(feature = "cli")]
pub(crate) use dashboard::{DashboardText, SECTION_LINES, SideRow};
pub(crate) use figures::{instant, seconds, waiting};
pub(crate) use gitlab::ProjectDirs;
pub(crate) use grid::Grid;
#[cfg(feature = "cli")]
pub(crate) use human::draw;
pub use json::write_json;
pub(crate) use json::write_json_pretty;
pub(crate) use json::{json, json_bytes, raw_json};
pub(crate) use json::{write_json_line, write_json_text};
pub(crate) use paint::{Paint, StyledLine};
pub(crate) use wording::faults;
pub use wording::settings_in_words;
pub(crate) use wording::verdict;

/// Declares the formats: the description of each, its name, the options of the command that it
/// honours, and its renderer.
macro_rules! formats {
    ($(
        #[doc = $about:literal]
        $(#[$feature:meta])?
        $format:ident = $name:literal, [$($option:literal),*], |$options:ident| $renderer:expr;
    )+) => {
        /// The format of a report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
        #[serde(rename_all = "lowercase")]
        #[schemars(transform = crate::ground::record::describe_values)]
        #[non_exhaustive]
        pub enum Format {
            $(#[doc = $about] $(#[$feature])? $format,)+
        }

        words!(pub Format { $($(#[$feature])? $format = $name,)+ });

        impl Format {
            /// Returns a renderer of the format.
            #[must_use]
            pub fn renderer(self, options: &Options) -> Box<dyn Renderer> {
                match self {
                    $($(#[$feature])? Self::$format => {
                        let $options = options;
                        Box::new($renderer)
                    })+
                }
            }

            /// Returns a description in one line.
            pub(crate) const fn about(self) -> &'static str {
                match self {
                    $($(#[$feature])? Self::$format => $about.trim_ascii_start(),)+
                }
            }

            /// Returns the names of the options of the command that have an effect on it.
            pub(crate) const fn honoured(self) -> &'static [&'static str] {
                match self {
                    $($(#[$feature])? Self::$format => &[$($option),*],)+
                }
            }
        }
    };
}

formats! {
    /// Text for people, grouped by episode
    #[cfg(feature = "human")]
    Human = "human", ["color", "group_by", "max_findings", "statistics", "verbose"],
        |options| human::Human::new(options);
    /// One line per finding: `file:line:column: severity rule: message`
    Concise = "concise", ["verbose"], |options| concise::Concise { verbose: options.verbose };
    /// One JSON document; `runvet schema report` describes it
    Json = "json", ["coverage", "statistics"], |_options| json::Json::default();
    /// One line of JSON per episode, and one for the totals
    Ndjson = "ndjson", ["coverage", "statistics"], |_options| json::Ndjson;
    /// SARIF 2.1.0, for code scanning
    Sarif = "sarif", [], |options| sarif::Sarif::new(options.rules.clone());
    /// XML for tools that show test results, one test case per episode
    Junit = "junit", ["verbose"],
        |options| junit::Junit::new(options.deny, options.verbose);
    /// GitHub workflow annotations, and a job summary
    Github = "github", ["statistics", "verbose"], |options| github::Github::new(options);
    /// A GitLab code quality report
    Gitlab = "gitlab", [], |options| gitlab::Gitlab::new(options);
    /// A summary in Markdown
    Markdown = "markdown", ["statistics", "verbose"],
        |options| markdown::Markdown::new(options);
    /// Text for a program that reads words, such as a coding agent: each rule once
    Agent = "agent", [], |_options| agent::Agent::default();
    /// A page for a browser, in one file
    #[cfg(feature = "html")]
    Html = "html", ["coverage", "html_runs", "statistics"],
        |options| page::PageFile::new(options.rules.clone(), options.settings.clone(), options.paged);
}

/// The grouping of findings in a human report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum GroupBy {
    /// Findings by episode, printed as soon as an episode is checked
    #[default]
    Episode,
    // The findings to show are held in memory until then.
    /// Findings by rule, printed when all episodes are checked
    Rule,
    /// One finding for each rule, place and kind of mistake, those of most runs first
    Cause,
}

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

/// Options for renderers. Each format uses those that concern it. By default, there are no rules,
/// and warnings pass; human reports have no colour, and all findings by episode.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) rules: Vec<RuleInfo>,
    pub(crate) deny: Deny,
    pub(crate) verbose: bool,
    pub(crate) style: Style,
    pub(crate) max_findings: usize,
    /// `true` if a human report contains only findings and rules that could not be judged.
    pub(crate) quiet: bool,
    /// `true` if a human report only counts faults, for a program that prints each as it occurs.
    pub(crate) hides_faults: bool,
    /// If it is not set, by episode, or by cause where a rule has very many findings.
    pub(crate) group_by: Option<GroupBy>,
    /// The directories to which paths in the format of GitLab are relative.
    pub(crate) project: Option<ProjectDirs>,
    #[cfg(feature = "html")]
    pub(crate) settings: String,
    /// The runs that have a page in a page for a browser.
    #[cfg(feature = "html")]
    pub(crate) paged: page::Paged,
}

impl Options {
    /// Sets the rules that SARIF and HTML describe, as [`crate::gate::Gate::rules`] lists them.
    #[must_use]
    pub fn rules<'r>(mut self, rules: impl IntoIterator<Item = &'r RuleInfo>) -> Self {
        self.rules = rules.into_iter().cloned().collect();
        self
    }

    /// Sets the settings that HTML shows as those of the check, as [`settings_in_words`]
    /// puts them.
    #[cfg(feature = "html")]
    #[must_use]
    pub fn settings(mut self, settings: String) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the failures of the check besides errors: a `JUnit` test case fails on them, and where
    /// a report lists a part, rules that could not be judged are among the errors.
    #[must_use]
    pub fn deny(mut self, deny: Deny) -> Self {
        self.deny = deny;
        self
    }

    /// Sets the characters and colours of a human report.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Sets whether text for people names the rules that could not be judged. Otherwise it
    /// counts them.
    #[must_use]
    pub fn verbose(mut self, verbose: bool) -> Self {
        self.verbose = verbose;
        self
    }

    /// Sets the maximum number of findings of each rule that a human report shows, and of lines
    /// about rules that could not be judged, for each kind of reason; 0 for all. The rest are
    /// counted.
    #[must_use]
    pub fn max_findings(mut self, max: usize) -> Self {
        self.max_findings = max;
        self
    }
}

/// A writer of a report, one episode at a time.
pub trait Renderer: Send {
    /// Writes the text before the first episode: nothing, unless a format says otherwise.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }
    /// Writes one episode.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()>;
    /// Writes the text after the last episode.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()>;
}

#[cfg(feature = "html")]
impl Renderer for page::PageFile {
    fn episode(&mut self, _: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        self.add(episode)
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        self.overview.faults = closing.faults.to_vec();
        self.overview.is_complete = closing.is_complete;
        self.overview.all.not_judged = closing.totals.not_judged;
        let read = |judged: &_, prefix: &_| {
            closing
                .pages
                .and_then(|make| make(judged, prefix))
        };

        self.write(out, &read)
    }
}

/// The results of a check that are known after its last episode.
pub struct Closing<'c> {
    /// The sums over all episodes.
    pub(crate) totals: &'c Totals,
    /// The sums by rule, mode and adapter, if requested.
    pub(crate) statistics: Option<&'c Statistics>,
    /// The paths that could not be read or judged, with the reasons, sorted by path.
    pub(crate) faults: &'c [ReportedFault],
    /// `true` if everything was read and judged.
    pub(crate) is_complete: bool,
    /// The function that makes the page of a run.
    pub(crate) pages: Option<MakePage<'c>>,
}

/// Makes the page of a run, given its report and the text with which its ids start.
type MakePage<'c> = &'c dyn Fn(&EpisodeReport, &str) -> Option<Vec<u8>>;

impl fmt::Debug for Closing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut closing = f.debug_struct("Closing");
        closing.field("totals", &self.totals);
        closing.field("faults", &self.faults);
        closing.finish_non_exhaustive()
    }
}

impl<'c> Closing<'c> {
    /// Returns the end of a check in which everything could be read.
    #[must_use]
    pub const fn new(totals: &'c Totals) -> Self {
        Self {
            totals,
            statistics: None,
            faults: &[],
            is_complete: true,
            pages: None,
        }
    }

    /// Adds a way to make the page of a run in [`Format::Html`], given its report and the text with
    /// which its ids start; without it, and where it makes none, a run has no page.
    ///
    /// ```
    /// use runvet::gate::Gate;
    /// use runvet::read::RunReader;
    /// use runvet::report::{Closing, Format, Options};
    ///
    /// let mut gate = Gate::default().keep_cards(true);
    /// let mut renderer = Format::Html.renderer(&Options::default().rules(gate.rules()));
    /// let mut text = Vec::new();
    /// let report = gate.run(["corpus/demo"])?;
    /// for episode in &report.episodes {
    ///     renderer.episode(&mut text, episode).unwrap();
    /// }
    /// let page = |judged: &runvet::finding::EpisodeReport, prefix: &str| {
    ///     let run = RunReader::open(judged.key.dir()?).ok()?;
    ///     runvet::view::html(&run, judged.clone(), prefix).ok()
    /// };
    /// let closing = Closing::new(&report.totals).pages(&page);
    /// renderer.end(&mut text, &closing).unwrap();
    /// assert!(text.starts_with(b"<!DOCTYPE html>"));
    /// # Ok::<(), runvet::gate::Error>(())
    /// ```
    #[must_use]
    pub const fn pages(self, make: &'c dyn Fn(&EpisodeReport, &str) -> Option<Vec<u8>>) -> Self {
        Self {
            pages: Some(make),
            ..self
        }
    }

    /// Adds the paths that could not be read or judged.
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
