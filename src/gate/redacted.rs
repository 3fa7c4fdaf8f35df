//! Runs and a redaction -> their copies, and the rules that find something else there.

use std::collections::BTreeSet;
use std::path::Path;

use super::Gate;
use crate::ground::finding::Report;
use crate::redact::{Error, Redacted, Redaction};

/// What rules find in a run, each with its place there.
type Found = BTreeSet<(String, String)>;

impl Gate {
    /// Copies runs as [`Redaction::copy`] does, and judges both sides: [`Redacted::changed`] has
    /// the rules that find something else in a copy. What the team's schemas mark with
    /// `"x-runvet": "sensitive"` goes as well, and the words of its closed sets stay.
    ///
    /// ```
    /// use runvet::gate::Gate;
    /// use runvet::redact::Redaction;
    ///
    /// # let dir = std::env::temp_dir().join(format!("runvet-gate-redact-{}", std::process::id()));
    /// let redaction = Redaction::new().drop_name("task");
    /// let redacted = Gate::default().redact(redaction, &["corpus/demo"], &dir)?;
    /// assert_eq!(redacted.runs.len(), 5);
    /// assert!(redacted.changed.is_empty());
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Redaction::copy`]; a schema refers to another file, whose marks are not read.
    pub fn redact<P: AsRef<Path>>(
        &mut self,
        redaction: Redaction,
        paths: &[P],
        to: &Path,
    ) -> Result<Redacted, Error> {
        let mut redacted = self
            .redaction(redaction)?
            .copy(paths, to)?;
        for run in &redacted.runs {
            let [before, after] = [&run.from, &to.join(&run.to)].map(|dir| self.found_in(dir));
            let (before, after) = (before?, after?);
            let rules: BTreeSet<&String> = before
                .symmetric_difference(&after)
                .map(|(rule, _)| rule)
                .collect();
            for rule in rules {
                *redacted
                    .changed
                    .entry(rule.clone())
                    .or_default() += 1;
            }
        }

        Ok(redacted)
    }

    /// Has a redaction follow what the team declares.
    pub(crate) fn redaction(&self, redaction: Redaction) -> Result<Redaction, Error> {
        redaction.declared_by(self.rule_set())
    }

    fn found_in(&mut self, dir: &Path) -> Result<Found, Error> {
        let report = self
            .run([dir])
            .map_err(|why| Error::Refused {
                path: dir.to_owned(),
                why: why.to_string(),
            })?;

        Ok(found(&report, dir))
    }
}

fn found(report: &Report, dir: &Path) -> Found {
    report
        .episodes
        .iter()
        .flat_map(|run| &run.findings)
        .map(|finding| {
            let at = &finding.location;
            let file = Path::new(&at.file);
            let file = file
                .strip_prefix(dir)
                .unwrap_or(file)
                .display();
            let place = format!("{file} {:?} {:?}", at.line, at.pointer);
            (finding.rule.clone(), place)
        })
        .collect()
}
