//! The reason why a run did not succeed -> a sentence with its place.

use std::io;

use super::DashboardText;
use crate::dashboard::{Reason, ReasonKind};
use crate::report::figures::offset;
use crate::report::paint::Paint;

impl DashboardText<'_> {
    /// Draws why the run did not succeed.
    pub(crate) fn reason(&mut self, reason: &Reason) -> io::Result<()> {
        let what = reason.kind.sentence_start();
        let paint = match reason.kind {
            ReasonKind::Failed | ReasonKind::GoalNotAchieved => Paint::Bad,
            ReasonKind::Vetoed | ReasonKind::Aborted | ReasonKind::Unverified => Paint::Caution,
        };
        let named = |word: &str, name: &Option<String>| {
            let name = name.as_ref().map(|name| format!(" {word} {name}"));
            name.unwrap_or_default()
        };
        let line = reason.line.map(|line| format!(":{line}"));
        let offset = reason.offset_sec.map(offset);
        let places = [
            reason.action_id.clone(),
            line.map(|line| format!("{}{line}", reason.file)),
            offset,
        ];
        let places: Vec<String> = places.into_iter().flatten().collect();
        let places = match &*places {
            [] => String::new(),
            places => format!(" ({})", places.join(", ")),
        };
        let text = reason.text.as_deref();
        let text = text.unwrap_or("the records do not say why");
        let (step, by) = (named("at", &reason.step_id), named("by", &reason.by));
        let sentence = format!("{what}{step}{by}{places}: {text}");
        self.painted("", &sentence, &[(what, paint)])?;
        let mut stderr = reason.stderr.iter();
        stderr.try_for_each(|line| self.line(&format!("  stderr: {line}")))
    }
}
