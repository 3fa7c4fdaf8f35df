//! A schema that a team declares, and the records that it names -> what it finds in them.

mod compile;
mod table;

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::RunFacts;
use super::events::{EventIndex, EventSelector, EventView};
use super::judge::{Found, Judge};
use super::limit::TeamLimit;
use super::selector::{OUTCOME, TeamSelector, Truth, leads_to_outcome};
use crate::ground::document::{Node, Tape};
use crate::ground::draft::{Compared, Draft, Findings};
use crate::ground::finding::{Holds, SkipReason};
use crate::ground::select::{KeyPath, Look, Unjudged};
use crate::ground::shortened::shortened_in;
use crate::ground::source::{Artifact, Place, Pointer};
use crate::policy::expression::Budget;
use crate::reading::schema::{DeclaredSchema, Violation};
pub(crate) use table::{SchemaTable, VersionTable};

/// A schema for an open part of a record.
#[derive(Debug)]
pub(crate) struct TeamSchema {
    pub(crate) record: Judged,
    /// The events or the actions that it judges.
    pub(in crate::policy) selector: TeamSelector,
    /// The part of the record.
    pub(crate) at: KeyPath,
    pub(crate) schema: DeclaredSchema,
    /// The steps that its patterns take for each byte of a value.
    pub(in crate::policy) steps_of_byte: usize,
    pub(in crate::policy) examples: Vec<SchemaExample>,
    /// The runs in which its file must be there.
    pub(crate) expect: Expect,
    /// `true` if the team says what to do about a finding.
    pub(in crate::policy) has_help: bool,
}

/// A value, and whether its schema allows it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExampleTable")]
pub(in crate::policy) struct SchemaExample {
    /// The value as JSON: it is judged in place of what `at` leads to.
    #[schemars(with = "String", extend("examples" = ["{\"amount\": 20}"]))]
    value: Spanned<String>,
    /// `true` if the schema allows it.
    valid: bool,
    /// The file and the line where it stands.
    #[serde(skip)]
    place: String,
}

impl SchemaExample {
    /// Returns the example as the page of its rule shows it.
    fn shown(&self) -> String {
        let word = if self.valid { "Valid" } else { "Invalid" };
        format!("{word}:\n\n```json\n{}\n```", self.value.get_ref())
    }
}

/// The record that a schema judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    Event,
    /// Each item of `outcomes.actions` in the state.
    Action,
    /// A whole artifact; of `learn.jsonl` each line.
    Whole(Artifact),
    /// Another file of the episode, by its place among those that are named.
    Other(usize),
}

/// The runs in which a file must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = crate::ground::record::describe_values)]
pub(crate) enum Expect {
    /// In every run.
    Always,
    /// In runs that have ended.
    Ended,
    /// In no run: the file is optional.
    Optional,
}

impl Judged {
    /// Returns the artifact that holds it, if one does.
    pub(in crate::policy) fn artifact(self) -> Option<Artifact> {
        match self {
            Self::Event => Some(Artifact::Events),
            Self::Action => Some(Artifact::State),
            Self::Whole(artifact) => Some(artifact),
            Self::Other(_) => None,
        }
    }

    /// Returns the part of a path into its artifact that leads from the record on; `None` where the
    /// path leads elsewhere.
    pub(super) fn part_of<'p>(self, path: &'p [Cow<'p, str>]) -> Option<&'p [Cow<'p, str>]> {
        match (self, path) {
            (Self::Action, [outcomes, actions, _, below @ ..]) => {
                (outcomes == "outcomes" && actions == "actions").then_some(below)
            }
            (Self::Action, _) => None,
            _ => Some(path),
        }
    }

    /// Returns the name of it in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Event => "the event",
            Self::Action => "the action",
            Self::Whole(Artifact::State) => "the state",
            Self::Whole(Artifact::Summary) => "the summary",
            Self::Whole(Artifact::Learn) => "the line",
            Self::Whole(_) => "the manifest",
            Self::Other(_) => "the record",
        }
    }
}

/// The steps of the patterns of a schema in one run: about a second, as a value is matched up to
/// four times.
const PATTERN_STEPS: u64 = 20_000_000;

impl TeamSchema {
    /// Returns when it finds something.
    fn holds(&self) -> Holds {
        let is_outcome = |path: &KeyPath| match (self.record, path.tokens()) {
            (Judged::Event, _) => leads_to_outcome(path),
            (_, []) => true,
            (_, [key, ..]) => OUTCOME.contains(&&**key),
        };

        let selector = &self.selector;
        let mut keys = selector.keys.tests.iter();
        match self.record {
            Judged::Event if selector.reads_outcome() || is_outcome(&self.at) => Holds::After,
            Judged::Action if is_outcome(&self.at) || keys.any(|(path, _)| is_outcome(path)) => {
                Holds::After
            }
            Judged::Event | Judged::Action => Holds::Before,
            Judged::Whole(_) | Judged::Other(_) => Holds::End,
        }
    }

    /// Says what is wrong with its examples, each as a line.
    pub(super) fn failures(&self) -> Vec<String> {
        let wrong = self
            .examples
            .iter()
            .filter_map(|example| {
                let place = &example.place;
                let mut tape = Tape::default();
                let document = tape
                    .read(example.value.get_ref().as_bytes())
                    .ok()?;
                let found = self
                    .schema
                    .violations(document.root(), &Pointer::default());
                let first = found.map_or(Some("it has too many violations".into()), |violations| {
                    violations
                        .first()
                        .map(|violation| violation.message("the value"))
                });
                match (first, example.valid) {
                    (Some(first), true) => Some(format!(
                        "{place}: the example is declared valid, but the schema refuses it: {first}"
                    )),
                    (None, false) => Some(format!(
                        "{place}: the example is declared invalid, but the schema allows it"
                    )),
                    _ => None,
                }
            });
        let mut wrong: Vec<String> = wrong.collect();

        if self
            .examples
            .iter()
            .all(|example| example.valid)
        {
            wrong.push("the schema has no example in which it finds something".into());
        }

        wrong
    }
}

/// A schema, and what it finds in one run.
#[derive(Clone, Debug)]
pub(crate) struct SchemaJudge {
    pub(crate) schema: Arc<TeamSchema>,
    pub(super) is_on: bool,
    /// The places of its selector and of its part among those of events, if it judges events.
    pub(super) in_events: Option<(EventSelector, usize)>,
    found: Found,
    budget: Budget,
    /// The reason why all of its file, if that is none of the artifacts, or all that is left, is
    /// not judged.
    unjudged: Option<SkipReason>,
    /// The steps that its patterns may still take in the run.
    pattern_budget: Budget,
    is_spent: bool,
}

impl SchemaJudge {
    pub(super) fn new(schema: &Arc<TeamSchema>, is_on: bool, index: &mut EventIndex) -> Self {
        let of_events = is_on && schema.record == Judged::Event;
        Self {
            in_events: of_events.then(|| (index.selector(&schema.selector), index.key(&schema.at))),
            schema: Arc::clone(schema),
            is_on,
            found: Found::default(),
            budget: Budget::of_run(),
            unjudged: None,
            pattern_budget: Budget::new(PATTERN_STEPS),
            is_spent: false,
        }
    }

    pub(super) fn event(&mut self, event: &EventView<'_>) {
        let asks = self
            .in_events
            .as_ref()
            .filter(|(selector, _)| selector.has_keys_of(event));
        let Some(at) = asks.map(|(_, at)| *at) else {
            return;
        };
        let place = || Place::event(event.line, "");
        let named = asks.map_or(Ok(Truth::No), |(selector, _)| {
            selector.ask(event, &mut self.budget)
        });

        if self.is_to_judge(named, &Pointer::default(), &place)
            && let Some((value, passed)) = event.node_at(at)
            && self.has_whole(value, passed, &Pointer::default(), &place)
        {
            self.judge(value, &Pointer::default(), &place);
        }
    }

    /// Returns `true` if a record is to be judged which its selector may name: one of the document
    /// at a place.
    fn is_to_judge(
        &mut self,
        named: Result<Truth, TeamLimit>,
        around: &Pointer,
        place: &dyn Fn() -> Place,
    ) -> bool {
        match named {
            Ok(Truth::Yes) => return true,
            Ok(Truth::Unknown(unjudged)) if self.unjudged.is_none() => {
                self.found
                    .add(|| unjudged.draft(around, place()));
            }
            Err(limit) => {
                self.unjudged
                    .get_or_insert_with(|| SkipReason::bound(&limit));
            }
            Ok(_) => {}
        }

        false
    }

    /// Returns `true` if nothing in the value to which its part leads is shortened, so that it can
    /// be judged; `passed` tokens lead to it, or to a shortened one around it.
    fn has_whole(
        &mut self,
        value: Node<'_>,
        passed: usize,
        around: &Pointer,
        place: &dyn Fn() -> Place,
    ) -> bool {
        let tokens = self.schema.at.tokens().len();
        if passed == tokens && (tokens == 0 || shortened_in(value).is_empty()) {
            return true;
        }

        let at = self.schema.at.first(passed).pointer();
        let unjudged = Unjudged {
            why: format!(
                "the value at `{}` is shortened, or holds one that is, and the run has no file with all of it: its schema can't judge it",
                at.as_str()
            ),
            at: Some(at),
        };

        self.found
            .add(|| unjudged.draft(around, place()));
        false
    }

    /// Returns the value that its part leads to, or a shortened one around that, with the number of
    /// tokens that lead there.
    fn part_of<'a>(&self, record: Node<'a>) -> Option<(Node<'a>, usize)> {
        let at = &self.schema.at;
        match at.look(record) {
            Look::Nowhere => None,
            Look::Shortened { passed } => Some((at.first(passed).of(record)?, passed)),
            Look::Value(value) => Some((value, at.tokens().len())),
        }
    }

    /// Returns the value that it judges in an action at a place of a state.
    fn value_of_action<'a>(
        &mut self,
        action: Node<'a>,
        at: &Pointer,
        place: &dyn Fn() -> Place,
    ) -> Option<Node<'a>> {
        let selector = &self.schema.selector;
        let named = match (selector.keys.names(action), &selector.condition) {
            (Ok(true), None) => Ok(Truth::Yes),
            (Ok(true), Some(condition)) => condition.ask(&action, None, &mut self.budget),
            (Ok(false), _) => Ok(Truth::No),
            (Err(why), _) => Ok(Truth::Unknown(why)),
        };

        if !self.is_to_judge(named, at, place) {
            return None;
        }

        let (value, passed) = self.part_of(action)?;
        self.has_whole(value, passed, at, place)
            .then_some(value)
    }

    /// Judges what it names of a record, or of a line of one; the place is that of the whole.
    pub(crate) fn record(&mut self, root: Node<'_>, place: &dyn Fn() -> Place) {
        if self.schema.record != Judged::Action {
            if let Some((value, passed)) = self.part_of(root)
                && self.has_whole(value, passed, &Pointer::default(), place)
            {
                self.judge(value, &Pointer::default(), place);
            }
            return;
        }

        let actions = root
            .at(&["outcomes", "actions"])
            .into_iter()
            .flat_map(Node::items)
            .enumerate();
        let all = Pointer::new("/outcomes/actions");

        for (index, action) in actions {
            let at = all.item(index);
            let of_action = || Place::value(Artifact::State, at.clone());
            if let Some(value) = self.value_of_action(action, &at, &of_action) {
                self.judge(value, &at, place);
            }
        }
    }

    /// Judges an action that the state is going to have at a place.
    pub(super) fn action(&mut self, place: &Pointer, action: Node<'_>) {
        let of_action = || Place::value(Artifact::State, place.clone());
        if let Some(value) = self.value_of_action(action, place, &of_action) {
            let found = self.violations(value, &Pointer::default());
            let below = |it: Vec<Violation>| {
                it.into_iter()
                    .map(|it| it.below(place))
                    .collect()
            };
            self.add(action, found.map(below), &|| Place::whole(Artifact::State));
        }
    }

    fn judge(&mut self, value: Node<'_>, around: &Pointer, place: &dyn Fn() -> Place) {
        let found = self.violations(value, around);
        self.add(value, found, place);
    }

    /// Returns the violations of a value in a record at a place of its document; `None` for too
    /// many. Once its patterns have taken too long, none are looked for.
    fn violations(&mut self, value: Node<'_>, around: &Pointer) -> Option<Vec<Violation>> {
        let TeamSchema { schema, at, .. } = &*self.schema;
        let steps = value
            .raw()
            .len()
            .saturating_mul(self.schema.steps_of_byte);
        self.is_spent |= self
            .pattern_budget
            .spend(steps)
            .is_err();
        if self.is_spent {
            return Some(Vec::new());
        }
        if schema.is_valid(value) {
            return Some(Vec::new());
        }

        let at = at
            .tokens()
            .iter()
            .fold(around.clone(), |at, token| at.field(token));

        schema.violations(value, &at).ok()
    }

    fn add(
        &mut self,
        value: Node<'_>,
        violations: Option<Vec<Violation>>,
        place: &dyn Fn() -> Place,
    ) {
        self.found.examined = true;
        let (name, has_help) = (self.schema.record.name(), self.schema.has_help);
        let Some(violations) = violations else {
            let message = format!("{name} violates its schema in more places than are listed");
            let further = || value.meaning();
            return self
                .found
                .add(|| Draft::new(place(), message).further([further().bytes()]));
        };

        for violation in violations {
            self.found.add(|| {
                let whole = place();
                let place = Place {
                    elsewhere: whole.elsewhere,
                    ..violation.place(whole.artifact, whole.line)
                };
                Draft::new(place, violation.message(name))
                    .help(violation.help().filter(|_| !has_help))
            });
        }
    }

    /// Notes that a file, or a line of it, can't be judged: why, as a clause; `text` is what stands
    /// there.
    pub(crate) fn unusable(&mut self, place: &Place, why: &str, text: &[u8]) {
        let message = format!("{} can't be judged: {why}", place.file_name());
        let parts = [why.as_bytes(), text];
        let draft = || Draft::new(place.clone(), message).further(parts);
        self.found.add(draft);
    }

    /// Notes that there is no such file.
    pub(crate) fn absent(&mut self, place: &Place) {
        let (file, has_help) = (place.file_name(), self.schema.has_help);
        self.found.add(|| {
            Draft::new(place.clone(), format!("there is no {file}"))
                .further([])
                .help((!has_help).then(|| format!("Write {file}, which the schema expects.")))
        });
    }

    /// Notes why its file is not judged.
    pub(crate) fn unjudged(&mut self, why: &SkipReason) {
        self.unjudged = Some(why.clone());
    }
}

impl Judge for SchemaJudge {
    /// Reports what it found; of a whole run also what it could not judge.
    fn report(&self, run: Option<&RunFacts<'_>>, findings: &mut Findings<'_>) -> Option<Compared> {
        let artifact = self.schema.record.artifact();
        let of_artifact = run.and_then(|run| (run.unjudged)(artifact?));
        if let Some(reason) = of_artifact
            .as_ref()
            .or(self.unjudged.as_ref())
        {
            findings.skip(reason);
        }

        let compared = self.found.report(findings);
        if self.is_spent {
            findings.skip(&SkipReason::bound(&TeamLimit::Patterns));
        }

        compared
    }

    fn selectors(&self) -> Vec<(&'static str, &EventSelector, bool)> {
        self.in_events
            .iter()
            .map(|(selector, _)| ("where", selector, false))
            .collect()
    }
}
