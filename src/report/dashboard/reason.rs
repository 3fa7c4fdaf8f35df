//! Why a run did not succeed -> a sentence with its place.

use std::io;

use super::Page;
use crate::dashboard::{Reason, ReasonKind};
use crate::report::figures::offset;
use crate::report::paint::Paint;

impl Page<'_> {
    pub(super) fn reason(&mut self, reason: &Reason) -> io::Result<()> {
        let (what, paint) = match reason.kind {
            ReasonKind::Failed => ("Failed", Paint::Bad),
            ReasonKind::Vetoed => ("Vetoed", Paint::Caution),
            ReasonKind::Aborted => ("Aborted", Paint::Caution),
            ReasonKind::GoalNotAchieved => ("Goal not achieved", Paint::Bad),
            ReasonKind::Unverified => ("Not verified", Paint::Caution),
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
        self.painted("", &sentence, &[(what, paint)])
    }
}
