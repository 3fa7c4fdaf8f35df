//! Reports -> text for people: findings by episode, errors first, each with an excerpt of its line
//! that miette draws.

mod excerpt;

use std::collections::BTreeMap;
use std::io::{self, Write};

use miette::{GraphicalReportHandler, GraphicalTheme, ThemeCharacters, ThemeStyles};

use super::causes::Causes;
use super::grid::tally_table;
use super::unjudged::UnjudgedByKind;
use super::wording::{counts, faults, not_judged, nothing_found, verdict};
use super::{Closing, GroupBy, Options, Renderer, Style};
use crate::ground::finding::{
    EpisodeReport, Finding, Location, ReportedFault, SkipKind, Statistics, Totals,
};
use crate::ground::printable::{count, escape, fit};
use excerpt::ExcerptWindow;

/// The number of findings from which on a report is long.
const MANY: usize = 50;

/// The number of findings of one rule that are looked through one by one. Where a rule has more, a
/// report is by cause unless it is asked for in another way; `docs/formats.md` names the number.
const SCREEN: usize = 20;

/// The width of a name in a table.
const NAME_WIDTH: usize = 40;

pub(super) struct Human {
    options: Options,
    group_by: GroupBy,
    /// The text by episode, as long as that may turn out too long to be read.
    draft: Option<Vec<u8>>,
    handler: GraphicalReportHandler,
    /// The number of findings so far, by rule.
    met: BTreeMap<String, usize>,
    /// In a report by rule: the findings to show, each with the directory of its episode.
    held: BTreeMap<String, Vec<(String, Finding)>>,
    /// In a report by cause: the findings of each.
    causes: Causes,
    /// In a report by rule or cause: the rules that could not be judged.
    unjudged_rules: UnjudgedByKind,
    first_rule: Option<String>,
    /// The number of lines about such rules so far, by the kind of the reason.
    unjudged_lines: BTreeMap<SkipKind, usize>,
}

impl Human {
    pub(super) fn new(options: &Options) -> Self {
        let theme = match options.style {
            Style::Colour => GraphicalTheme::unicode(),
            Style::Plain => GraphicalTheme::unicode_nocolor(),
            Style::Ascii => GraphicalTheme {
                characters: ThemeCharacters::ascii(),
                styles: ThemeStyles::none(),
            },
        };

        let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
        Self {
            options: options.clone(),
            group_by: options.group_by.unwrap_or_default(),
            // Who wants to see all findings gets them as they are found.
            draft: (options.group_by.is_none() && options.max_findings > 0).then(Vec::new),
            handler,
            met: BTreeMap::new(),
            held: BTreeMap::new(),
            causes: Causes::default(),
            unjudged_rules: UnjudgedByKind::default(),
            first_rule: None,
            unjudged_lines: BTreeMap::new(),
        }
    }

    fn bold(&self, text: &str) -> String {
        self.coloured("1", text)
    }

    /// Returns the word that a line starts with.
    fn word(&self, word: &str) -> String {
        let codes = match word {
            "error" => "1;31",
            "warning" => "1;33",
            _ => "1;36",
        };

        self.coloured(codes, word)
    }

    fn coloured(&self, codes: &str, text: &str) -> String {
        match self.options.style {
            Style::Colour => format!("\u{1b}[{codes}m{text}\u{1b}[0m"),
            Style::Plain | Style::Ascii => text.to_owned(),
        }
    }

    /// Counts a finding, and returns whether to show it.
    fn show(&mut self, finding: &Finding) -> bool {
        let met = self
            .met
            .entry(finding.rule.clone())
            .or_default();
        *met += 1;

        self.options.max_findings == 0 || *met <= self.options.max_findings
    }

    /// Writes a finding and its place, then related places, then the help. No line is broken: a
    /// terminal does that, and text in a pipe stays fit for grep.
    fn finding(&self, out: &mut dyn Write, finding: &Finding) -> io::Result<()> {
        let word = self.word(finding.severity.word());
        let message = escape(&finding.message);
        writeln!(out, "{word}[{}]: {}", finding.rule, self.bold(&message))?;
        self.place(out, &finding.location)?;
        for related in &finding.related {
            writeln!(out, "{}: {}", self.word("note"), escape(&related.message))?;
            self.place(out, &related.location)?;
        }

        self.help(out, &finding.help)
    }

    fn help(&self, out: &mut dyn Write, help: &str) -> io::Result<()> {
        writeln!(out, "{}: {}", self.word("help"), escape(help))
    }

    /// Draws the line around a place, if there is one.
    fn place(&self, out: &mut dyn Write, location: &Location) -> io::Result<()> {
        let Some(window) = ExcerptWindow::of(location) else {
            return Ok(());
        };
        let mut text = String::new();
        self.handler
            .render_report(&mut text, &window)
            .map_err(io::Error::other)?;

        // Above the frame there is an empty message. Lines are padded.
        let is_above = |line: &&str| {
            !line
                .trim_start()
                .starts_with(['╭', ','])
        };

        for line in text.lines().skip_while(is_above) {
            writeln!(out, "{}", line.trim_end())?;
        }

        Ok(())
    }

    /// Draws one finding of each cause.
    fn by_cause(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for found in self.causes.take() {
            if !self.show(&found.first) {
                continue;
            }

            let findings = count(found.findings, "finding");
            let runs = count(found.runs, "run");
            let rule = self.bold(&found.first.rule);
            let dir = escape(&found.dir);
            writeln!(out, "{rule}: {findings} in {runs}, such as in {dir}\n")?;
            self.finding(out, &found.first)?;
            writeln!(out, "{}:", self.word("to ignore them"))?;
            for line in found.ignore() {
                writeln!(out, "{}", escape(&line))?;
            }

            writeln!(out)?;
            self.first_rule
                .get_or_insert(found.first.rule);
        }

        if let more @ 1.. = self.causes.others {
            writeln!(
                out,
                "{} of other causes not shown\n",
                count(more, "finding")
            )?;
        }

        Ok(())
    }

    /// Groups by cause from now on, if a rule has too many findings to look through.
    fn shorten(&mut self) {
        if self.draft.is_some()
            && self
                .met
                .values()
                .any(|met| *met > SCREEN)
        {
            self.group_by = GroupBy::Cause;
            self.draft = None;
            self.first_rule = None;
            self.met.clear();
            self.unjudged_lines.clear();
        }
    }

    /// Writes an episode with the findings to show.
    fn by_episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        let mut shown = episode.by_weight();
        shown.retain(|finding| self.show(finding));
        let skips = self.skips(episode);
        if shown.is_empty() && skips.is_empty() {
            return Ok(());
        }

        let stage = episode.lifecycle.stage();
        let totals = Totals::of(episode);
        let counts = match &*episode.findings {
            [] => nothing_found(episode).into(),
            _ => counts(totals.errors, totals.warnings),
        };

        let dir = self.bold(&escape(&episode.dir));
        writeln!(out, "{dir} ({stage}): {counts}\n")?;
        for finding in shown {
            if self.first_rule.is_none() {
                self.first_rule = Some(finding.rule.clone());
            }
            self.finding(out, finding)?;
            writeln!(out)?;
        }

        if skips.is_empty() {
            return Ok(());
        }

        let lines: Vec<_> = skips
            .iter()
            .map(|line| escape(line))
            .collect();

        writeln!(out, "{}\n", lines.join("\n"))
    }

    /// Draws the findings that were held until the last episode was done.
    fn by_rule(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for (rule, findings) in std::mem::take(&mut self.held) {
            let met = self
                .met
                .get(&rule)
                .copied()
                .unwrap_or_default();
            writeln!(
                out,
                "{}: {}\n",
                self.bold(&rule),
                count(met as u64, "finding")
            )?;

            let mut shown_dir = None;
            for (dir, finding) in findings {
                if shown_dir.as_ref() != Some(&dir) {
                    writeln!(out, "{}\n", escape(&dir))?;
                    shown_dir = Some(dir);
                }
                self.finding(out, &finding)?;
                writeln!(out)?;
            }

            self.first_rule.get_or_insert(rule);
        }

        Ok(())
    }

    fn statistics(&self, out: &mut dyn Write, statistics: &Statistics) -> io::Result<()> {
        let Statistics {
            rules,
            modes,
            adapters,
        } = statistics;
        for (of, tallies) in [("RULE", rules), ("MODE", modes), ("ADAPTER", adapters)] {
            if tallies.is_empty() {
                continue;
            }

            let mut table = tally_table(of, tallies, |name| fit(name, NAME_WIDTH));
            table.heads = [of, "EPISODES", "ERRORS", "WARNINGS"];
            let lines = table.lines(" ", [NAME_WIDTH, 8]);
            for (at, line) in lines.iter().enumerate() {
                let bold = (at == 0).then(|| self.bold(line));
                writeln!(out, "{}", bold.as_ref().unwrap_or(line))?;
            }

            writeln!(out)?;
        }

        Ok(())
    }

    /// Names the first faults; the totals count them.
    fn faults(&self, out: &mut dyn Write, faults: &[ReportedFault]) -> io::Result<()> {
        if self.options.hides_faults || faults.is_empty() {
            return Ok(());
        }

        let shown = match self.options.max_findings {
            0 => faults.len(),
            max => max,
        };

        for fault in faults.iter().take(shown) {
            let text = format!("fault: {fault}");
            writeln!(out, "{}", escape(&text))?;
        }

        if let more @ 1.. = faults.len().saturating_sub(shown) {
            writeln!(out, "{} not shown", count(more as u64, "more fault"))?;
        }

        writeln!(out)
    }

    /// Returns the lines to show about rules that could not be judged; counts them all.
    fn skips(&mut self, episode: &EpisodeReport) -> Vec<String> {
        let mut lines = Vec::new();
        for unjudged in episode.unjudged() {
            let met = self
                .unjudged_lines
                .entry(unjudged.kind)
                .or_default();
            *met += 1;
            if self.options.max_findings == 0 || *met <= self.options.max_findings {
                lines.push(not_judged(&unjudged, self.options.verbose));
            }
        }

        lines
    }

    /// Writes the number of findings that are not shown, for each rule.
    fn cuts(&self, out: &mut dyn Write) -> io::Result<()> {
        let max = self.options.max_findings;
        if max == 0 {
            return Ok(());
        }

        for (rule, met) in &self.met {
            if let cut @ 1.. = met.saturating_sub(max) {
                let what = match self.group_by {
                    GroupBy::Cause => "more cause",
                    GroupBy::Episode | GroupBy::Rule => "more finding",
                };
                let cut = count(cut as u64, what);
                writeln!(out, "{rule}: {cut} not shown (--max-findings {max})")?;
            }
        }

        let cut = self
            .unjudged_lines
            .values()
            .map(|met| met.saturating_sub(max));
        if let cut @ 1.. = cut.sum::<usize>() {
            let cut = count(cut as u64, "more line");
            writeln!(out, "not judged: {cut} not shown (--max-findings {max})")?;
        }

        Ok(())
    }
}

impl Renderer for Human {
    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        if episode.findings.is_empty() && episode.skipped.is_empty() {
            return Ok(());
        }
        if self.group_by != GroupBy::Episode || self.draft.is_some() {
            self.unjudged_rules.add(episode);
        }
        if self.group_by == GroupBy::Cause || self.draft.is_some() {
            self.causes.add(episode);
        }

        match (self.group_by, self.draft.take()) {
            (GroupBy::Cause, _) => Ok(()),
            (GroupBy::Rule, _) => {
                for finding in episode.by_weight() {
                    if self.show(finding) {
                        self.held
                            .entry(finding.rule.clone())
                            .or_default()
                            .push((episode.dir.clone(), finding.clone()));
                    }
                }
                Ok(())
            }
            (GroupBy::Episode, None) => self.by_episode(out, episode),
            (GroupBy::Episode, Some(mut draft)) => {
                self.by_episode(&mut draft, episode)?;
                self.draft = Some(draft);
                self.shorten();
                Ok(())
            }
        }
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        match (self.group_by, self.draft.take()) {
            (GroupBy::Episode, draft) => out.write_all(&draft.unwrap_or_default())?,
            (GroupBy::Rule, _) => self.by_rule(out)?,
            (GroupBy::Cause, _) => self.by_cause(out)?,
        }

        let unjudged = self
            .unjudged_rules
            .lines(self.options.verbose);
        if self.group_by != GroupBy::Episode && !unjudged.is_empty() {
            let lines: Vec<_> = unjudged
                .iter()
                .map(|line| escape(line))
                .collect();
            writeln!(out, "{}\n", lines.join("\n"))?;
        }

        self.cuts(out)?;
        if let Some(statistics) = closing.statistics {
            self.statistics(out, statistics)?;
        }

        self.faults(out, closing.faults)?;
        if self.options.quiet {
            return match faults(closing.faults) {
                Some(lost) => writeln!(out, "{lost}"),
                None => Ok(()),
            };
        }

        // The caller says that nothing was found, and why.
        if closing.totals.episodes == 0 && closing.faults.is_empty() {
            return Ok(());
        }

        let (episodes, verdict) = verdict(closing);
        writeln!(out, "{}{verdict}", self.bold(&episodes))?;
        let findings: usize = self.met.values().sum();
        let advice = match (self.group_by, self.options.group_by) {
            (GroupBy::Cause, None) => {
                "To see the findings of each run: --group-by episode; to accept all that are there \
                 now: --write-baseline FILE"
            }
            (GroupBy::Episode, _) if findings >= MANY => {
                "To see each cause once, with the number of its runs: --group-by cause"
            }
            _ => "",
        };

        if !advice.is_empty() {
            writeln!(out, "{advice}")?;
        }
        if let Some(rule) = &self.first_rule {
            writeln!(out, "To learn more about a rule: runvet explain {rule}")?;
        }

        Ok(())
    }
}

/// Draws a message about a file that is not run data like a finding.
pub(crate) fn draw(
    options: &Options,
    message: &str,
    location: &Location,
    help: Option<&str>,
) -> String {
    let human = Human::new(options);
    let mut drawn = Vec::new();
    // Writing to memory never fails.
    let _ = writeln!(drawn, "{}: {}", human.word("error"), escape(message));
    let _ = human.place(&mut drawn, location);
    if let Some(help) = help {
        let _ = human.help(&mut drawn, help);
    }

    String::from_utf8(drawn).unwrap_or_default()
}
