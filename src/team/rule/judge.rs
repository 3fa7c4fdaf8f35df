//! The events and the records of a run -> what a rule in the expression language finds in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{RunValues, TeamRule};
use crate::document::{Node, OwnedDocument, Tape};
use crate::draft::{Compared, Draft, Findings};
use crate::expression::{Budget, Expression, Stop, Value};
use crate::facts::UNKNOWN_LIFECYCLE;
use crate::finding::{Lifecycle, SkipKind, SkipReason};
use crate::printable::{brief, shortened};
use crate::source::{Artifact, Line};
use crate::team::RunFacts;
use crate::team::events::{EventIndex, EventView};
use crate::team::found::Found;
use crate::team::message::Word;

/// The reason for an event that is not judged.
const UNREADABLE: SkipReason =
    SkipReason::new(SkipKind::Unreadable, "events.jsonl can't be read again");

/// The steps of a rule for a run: about a quarter of a second.
const STEPS: u64 = 20_000_000;

/// The steps that each judged event adds, and each of its bytes.
const STEPS_OF_EVENT: u64 = 1_000;
const STEPS_OF_BYTE: u64 = 8;

/// The number of events that a rule that counts events can judge: their places are kept.
const MAX_LATER: usize = 100_000;

/// The characters of a message that an expression makes.
const MESSAGE_CHARS: usize = 1_000;

/// The bytes of the words that events are counted by.
const MAX_COUNTED_BYTES: usize = 4 << 20;

/// A rule, and what it finds in one run.
#[derive(Clone, Debug)]
pub(crate) struct RuleJudge {
    pub(in crate::team) rule: Arc<TeamRule>,
    pub(in crate::team) is_on: bool,
    /// The place of its selector among those of events, if it judges events.
    pub(in crate::team) in_events: Option<usize>,
    budget: Budget,
    found: Found,
    /// Whether it judged anything.
    examined: bool,
    /// What kept it from judging all.
    spent: Option<Spent>,
    /// Why nothing is judged.
    unmet: Option<SkipReason>,
    /// The events that are judged once all are read.
    later: Vec<Line>,
}

/// The limit that a rule meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Spent {
    #[error(
        "its evaluation takes more steps than its limit; make its expressions simpler, or `each` \
         narrower"
    )]
    Steps,
    #[error("it judges more than {MAX_LATER} events once all are counted; make `each` narrower")]
    Events,
    #[error("the events have more phases and tools than can be counted")]
    Words,
}

/// The outcome of the evaluation of a rule.
enum Verdict {
    /// The guard is false.
    NotAsked,
    Sound,
    /// The text, where the expression gives one.
    Wrong(Option<String>),
    /// Why it can't be evaluated.
    Failed(String),
}

impl RuleJudge {
    pub(in crate::team) fn new(rule: &Arc<TeamRule>, is_on: bool, index: &mut EventIndex) -> Self {
        let each = rule.each.as_ref().filter(|_| is_on);
        Self {
            in_events: each.map(|each| index.selector(each)),
            rule: Arc::clone(rule),
            is_on,
            budget: Budget::new(STEPS),
            found: Found::default(),
            examined: false,
            spent: None,
            unmet: None,
            later: Vec::new(),
        }
    }

    /// Returns `true` if it judges an event.
    pub(in crate::team) fn names(&self, event: &EventView<'_>) -> bool {
        self.in_events.is_some_and(|each| event.is_named(each))
    }

    /// Returns `true` if it is on and can be judged only once all events are read.
    pub(in crate::team) fn counts_events(&self) -> bool {
        self.is_on && self.rule.counts_events()
    }

    /// Notes that the numbers of events are not known.
    pub(in crate::team) fn lacks_counts(&mut self) {
        self.spent = Some(Spent::Words);
    }

    /// Judges an event that its selector names, now or, where it counts events, later.
    pub(in crate::team) fn event(&mut self, line: Line, event: Node<'_>, values: &RunValues<'_>) {
        if self.spent.is_some() {
            return;
        }
        if self.rule.counts_events() && values.counts.is_none() {
            if self.later.len() < MAX_LATER {
                self.later.push(line);
            } else {
                self.spent = Some(Spent::Events);
            }
            return;
        }
        let bytes = STEPS_OF_BYTE.saturating_mul(line.length as u64);
        self.budget.add(bytes.saturating_add(STEPS_OF_EVENT));
        self.judge(Some((line, event)), values);
    }

    /// Judges what is judged once all events are read: those that it counts, and the run.
    pub(in crate::team) fn end(
        &mut self,
        has_ended: bool,
        values: &RunValues<'_>,
        read_again: &impl Fn(Line, &mut Vec<u8>) -> bool,
    ) {
        if self.rule.each.is_none() && (has_ended || !self.rule.needs_end) {
            self.judge(None, values);
        }
        let (mut bytes, mut tape) = (Vec::new(), Tape::default());
        for line in std::mem::take(&mut self.later) {
            let is_read = read_again(line, &mut bytes);
            match tape.read_record(&bytes).ok().filter(|_| is_read) {
                Some(document) => self.event(line, document.root(), values),
                None => self.unmet = Some(UNREADABLE),
            }
        }
    }

    /// Judges an event, or the run.
    fn judge(&mut self, event: Option<(Line, Node<'_>)>, values: &RunValues<'_>) {
        let rule = &*self.rule;
        if let Some(reason) = rule.unmet(values) {
            self.unmet = Some(reason.clone());
            return;
        }
        let (line, event) = event.unzip();
        let record = event.or_else(|| rule.record(values));
        let bound = rule.bound(event, values);
        let (message, text) = match verdict(rule, &bound, &mut self.budget) {
            None => {
                self.spent = Some(Spent::Steps);
                return;
            }
            Some(Verdict::NotAsked) => return,
            Some(Verdict::Sound) => {
                self.examined = true;
                return;
            }
            Some(Verdict::Wrong(Some(text)) | Verdict::Failed(text)) => {
                (shortened(&text, MESSAGE_CHARS), Some(text))
            }
            Some(Verdict::Wrong(None)) => (
                rule.message.with(|word| {
                    let value = record.and_then(|record| rule.at.of(record));
                    value
                        .filter(|_| word == Word::Value)
                        .map(|value| brief(value.raw()))
                }),
                None,
            ),
        };
        self.examined = true;
        self.found.add(|| {
            let draft = Draft::new(rule.place(line, record), message);
            draft.further(text.as_deref().map(str::as_bytes))
        });
    }

    /// Reports what it found, and that it could not judge all; `None` where it can't be judged.
    pub(in crate::team) fn report(
        &self,
        run: Option<&RunFacts<'_>>,
        findings: &mut Findings<'_>,
    ) -> Option<Compared> {
        if let Some(reason) = run.and_then(|run| self.cannot_judge(run)) {
            findings.skip(&reason);
            return None;
        }
        self.found.report(findings);
        if let Some(spent) = self.spent {
            findings.skip(&SkipReason::bound(&spent));
        }
        Compared::when(self.examined)
    }

    /// Returns why it can't judge a run.
    fn cannot_judge(&self, run: &RunFacts<'_>) -> Option<SkipReason> {
        if self.rule.needs_end && run.lifecycle == Lifecycle::Unknown {
            return Some(UNKNOWN_LIFECYCLE);
        }
        if self.rule.each.is_some() || self.rule.counts_events() {
            if let Some(reason) = (run.unjudged)(Artifact::Events) {
                return Some(reason);
            }
            if let Some(line) = run.broken_line.filter(|_| self.rule.counts_events()) {
                return Some(SkipReason::no_event(line.number));
            }
        }
        self.unmet.clone()
    }
}

/// Evaluates the expressions; `None` where the budget is spent.
fn verdict<'a>(rule: &'a TeamRule, bound: &'a [Value<'a>], budget: &mut Budget) -> Option<Verdict> {
    let mut evaluate =
        |key: &str, expression: &'a Expression| match expression.evaluate(bound, budget) {
            Ok(value) => Some(Ok(value)),
            Err(Stop::Spent) => None,
            Err(Stop::Failed(failure)) => {
                let why = expression.describe(&failure);
                Some(Err(format!("`{key}` can't be evaluated: {why}")))
            }
        };
    if let Some(when) = &rule.when {
        match evaluate("when", when)? {
            Ok(Value::Bool(true)) => {}
            Ok(Value::Bool(false)) => return Some(Verdict::NotAsked),
            Ok(other) => return Some(no_bool("when", "a bool", &other)),
            Err(why) => return Some(Verdict::Failed(why)),
        }
    }
    Some(match evaluate("check", &rule.check)? {
        Ok(Value::Bool(true)) => Verdict::Sound,
        Ok(Value::Bool(false)) => Verdict::Wrong(None),
        Ok(Value::Text(text)) if text.is_empty() => Verdict::Sound,
        Ok(Value::Text(text)) => Verdict::Wrong(Some(text.into_owned())),
        Ok(other) => no_bool("check", "a bool or a string", &other),
        Err(why) => Verdict::Failed(why),
    })
}

fn no_bool(key: &str, wanted: &str, value: &Value<'_>) -> Verdict {
    let found = value.shown_type();
    Verdict::Failed(format!(
        "`{key}` can't be evaluated: its value is {found}, not {wanted}"
    ))
}

/// The numbers of events by phase, and by tool.
#[derive(Clone, Debug, Default)]
pub(in crate::team) struct CountedEvents {
    phases: BTreeMap<String, u64>,
    tools: BTreeMap<String, u64>,
    bytes: usize,
    /// Whether there were more words than are kept.
    pub(in crate::team) is_full: bool,
}

impl CountedEvents {
    /// Counts an event, unless there was no room for the words of an earlier one.
    pub(in crate::team) fn add(&mut self, event: Node<'_>) {
        let phase = event.get("phase").and_then(Node::text);
        let Some(phase) = phase.filter(|_| !self.is_full) else {
            return;
        };
        let tool = event.at(&["payload", "tool"]).and_then(Node::text);
        let tool = tool.filter(|_| phase == "act");
        for (counts, word) in [(&mut self.phases, Some(phase)), (&mut self.tools, tool)] {
            let Some(word) = word else { continue };
            if let Some(count) = counts.get_mut(&*word) {
                *count += 1;
            } else {
                self.bytes += word.len() + 64;
                if self.bytes > MAX_COUNTED_BYTES {
                    self.is_full = true;
                    return;
                }
                counts.insert(word.into_owned(), 1);
            }
        }
    }

    /// The numbers by phase, and by tool.
    pub(in crate::team) fn documents(&self) -> [Option<OwnedDocument>; 2] {
        [&self.phases, &self.tools].map(|counts| {
            let text = serde_json::to_vec(counts).unwrap_or_default();
            OwnedDocument::read(text).ok()
        })
    }
}
