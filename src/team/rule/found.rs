//! The events and the records of a run -> what a rule in the expression language finds in it.

use std::collections::BTreeMap;

use super::{RunValues, TeamRule};
use crate::document::{Node, OwnedDocument};
use crate::expression::{Budget, Expression, Stop, Value};
use crate::finding::{MAX_FINDINGS_PER_RULE, SkipReason};
use crate::printable::{brief, shortened};
use crate::source::{Line, Place};
use crate::team::message::Word;

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

/// What one rule finds in a run.
pub(crate) struct FoundByRule {
    budget: Budget,
    /// The place of each finding that is listed, and its message.
    pub(crate) met: Vec<(Place, String)>,
    /// The number of others.
    pub(crate) more: usize,
    /// Whether it judged anything.
    pub(crate) examined: bool,
    /// What kept it from judging all.
    pub(crate) spent: Option<Spent>,
    /// Why nothing is judged.
    pub(crate) unmet: Option<SkipReason>,
    /// The events that are judged once all are read.
    pub(crate) later: Vec<Line>,
}

/// The limit that a rule meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Spent {
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

/// What the evaluation of a rule shows.
enum Verdict {
    /// The guard is false.
    NotAsked,
    Sound,
    /// The message, where the expression gives one.
    Wrong(Option<String>),
    /// Why it can't be evaluated.
    Failed(String),
}

impl Default for FoundByRule {
    fn default() -> Self {
        Self {
            budget: Budget::new(STEPS),
            met: Vec::new(),
            more: 0,
            examined: false,
            spent: None,
            unmet: None,
            later: Vec::new(),
        }
    }
}

impl FoundByRule {
    /// Judges an event that the rule's selector names, now or, where the rule counts events, later.
    pub(crate) fn event(
        &mut self,
        rule: &TeamRule,
        line: Line,
        event: Node<'_>,
        values: &RunValues<'_>,
    ) {
        if self.spent.is_some() {
            return;
        }
        if rule.counts_events() && values.counts.is_none() {
            if self.later.len() < MAX_LATER {
                self.later.push(line);
            } else {
                self.spent = Some(Spent::Events);
            }
            return;
        }
        let bytes = STEPS_OF_BYTE.saturating_mul(line.length as u64);
        self.budget.add(bytes.saturating_add(STEPS_OF_EVENT));
        let place = || Place::event(line, rule.at.reached(event).as_str());
        self.judge(rule, Some(event), Some(event), values, place);
    }

    /// Judges the run.
    pub(crate) fn run(&mut self, rule: &TeamRule, values: &RunValues<'_>) {
        let record = rule.record(values);
        let place = || match record.map(|record| rule.at.reached(record)) {
            Some(pointer) if !pointer.as_str().is_empty() => Place::value(rule.within, pointer),
            _ => Place::whole(rule.within),
        };
        self.judge(rule, None, record, values, place);
    }

    fn judge<'a>(
        &mut self,
        rule: &'a TeamRule,
        event: Option<Node<'a>>,
        record: Option<Node<'_>>,
        values: &RunValues<'a>,
        place: impl FnOnce() -> Place,
    ) {
        if let Some(reason) = rule.unmet(values) {
            self.unmet = Some(reason.clone());
            return;
        }
        let bound = rule.bound(event, values);
        let message = match self.verdict(rule, &bound) {
            None => {
                self.spent = Some(Spent::Steps);
                return;
            }
            Some(Verdict::NotAsked) => return,
            Some(Verdict::Sound) => {
                self.examined = true;
                return;
            }
            Some(Verdict::Wrong(Some(message)) | Verdict::Failed(message)) => message,
            Some(Verdict::Wrong(None)) => rule.message.with(|word| {
                let value = record.and_then(|record| rule.at.of(record));
                value
                    .filter(|_| word == Word::Value)
                    .map(|value| brief(value.raw()))
            }),
        };
        self.examined = true;
        if self.met.len() < MAX_FINDINGS_PER_RULE {
            self.met.push((place(), message));
        } else {
            self.more += 1;
        }
    }

    /// What the expressions say; `None` where the budget is spent.
    fn verdict<'a>(&mut self, rule: &'a TeamRule, bound: &'a [Value<'a>]) -> Option<Verdict> {
        let mut evaluate = |key: &str, expression: &'a Expression| match expression
            .evaluate(bound, &mut self.budget)
        {
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
            Ok(Value::Text(text)) => Verdict::Wrong(Some(shortened(&text, MESSAGE_CHARS))),
            Ok(other) => no_bool("check", "a bool or a string", &other),
            Err(why) => Verdict::Failed(why),
        })
    }
}

fn no_bool(key: &str, wanted: &str, value: &Value<'_>) -> Verdict {
    let found = value.shown_type();
    Verdict::Failed(format!(
        "`{key}` can't be evaluated: its value is {found}, not {wanted}"
    ))
}

/// The numbers of events by phase, and by tool.
#[derive(Clone, Default)]
pub(crate) struct CountedEvents {
    phases: BTreeMap<String, u64>,
    tools: BTreeMap<String, u64>,
    bytes: usize,
    /// Whether there were more words than are kept.
    pub(crate) is_full: bool,
}

impl CountedEvents {
    /// Counts an event, unless there was no room for the words of an earlier one.
    pub(crate) fn add(&mut self, event: Node<'_>) {
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
    pub(crate) fn documents(&self) -> [Option<OwnedDocument>; 2] {
        [&self.phases, &self.tools].map(|counts| {
            let text = serde_json::to_vec(counts).unwrap_or_default();
            OwnedDocument::read(text).ok()
        })
    }
}
