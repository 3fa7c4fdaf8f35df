//! A place in a record -> the nature of a text there, and the places that have the same text.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::names::Step;

/// What the types of the records say of each text: made from them by `make bless`.
const NATURES: &str = include_str!("natures.txt");

/// The nature of the texts at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// A text that goes.
    Text,
    /// The id of a run, step, action, event, call or agent.
    Id,
    /// The name of a tool or of a kind, or a status.
    Name,
    /// A phase, or the type of an event.
    Phase,
    /// A word of a closed set: all of them, each behind a blank.
    Word(&'static str),
    Time,
    Version,
    /// A path in the directory of the run.
    Link,
    /// The name of an artifact, which may be a path.
    Artifact,
    /// What an adapter is called, behind `adapter:`.
    Adapter,
    /// The kind and the description of a step.
    Label,
    /// The digest of the state.
    StateDigest,
    /// The digest of the lines before the event.
    PrefixDigest,
}

/// A place in the records.
#[derive(Clone, Debug)]
struct Place {
    nature: Nature,
    keys: Vec<(&'static str, Edge)>,
    /// The items, or the values of all other keys.
    others: Option<Edge>,
}

/// The way to a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    to: usize,
    /// The place in the state that has the same text.
    pub(super) mirrors: Option<&'static str>,
}

/// The texts that are written twice: a record or the phase of an event, the place there, and the
/// place in the state.
pub(super) const MIRRORS: [(&str, &str, &str); 22] = [
    ("state", "/outcomes/actions/*/step_id", "/plan/steps/*/id"),
    ("summary", "/episode_id", "/episode/id"),
    ("summary", "/task", "/goal/task"),
    ("summary", "/tags", "/episode/tags"),
    ("summary", "/flags/using", "/episode/using"),
    ("manifest", "/episode_id", "/episode/id"),
    ("event", "/episode_id", "/episode/id"),
    ("event", "/payload/task", "/goal/task"),
    ("start", "/payload/tags", "/episode/tags"),
    ("start", "/payload/using", "/episode/using"),
    ("plan", "/agent_id", "/plan/source"),
    ("plan", "/payload/agent_id", "/plan/source"),
    ("plan", "/payload/source", "/plan/source"),
    ("plan", "/payload/rationale", "/plan/rationale"),
    ("plan", "/payload/step_records", "/plan/steps"),
    ("plan", "/payload/steps/*", "/plan/steps/*/description"),
    ("act", "/payload", "/outcomes/actions/*"),
    ("act", "/payload/action_id", "/outcomes/actions/*/id"),
    ("act", "/payload/step_id", "/plan/steps/*/id"),
    ("runtime", "/payload/outcomes", "/outcomes"),
    ("runtime", "/payload/links", "/links"),
    ("terminate", "/payload/status", "/outcomes/status"),
];

/// What the payload of any event may have, and the extensions of an action, besides what their
/// types declare.
const OF_PAYLOADS: [(&str, Nature); 14] = [
    ("id", Nature::Id),
    ("action_id", Nature::Id),
    ("agent_id", Nature::Id),
    ("episode_id", Nature::Id),
    ("source", Nature::Id),
    ("step_id", Nature::Id),
    ("x-agent", Nature::Id),
    ("x-call-id", Nature::Id),
    ("x-message-id", Nature::Id),
    ("x-parent", Nature::Id),
    ("kind", Nature::Name),
    ("tool", Nature::Name),
    ("timestamp", Nature::Time),
    ("prefix_sha256", Nature::PrefixDigest),
];

/// All places.
pub(super) struct Places {
    all: Vec<Place>,
    roots: Vec<(&'static str, Edge)>,
}

/// All places, as the types of the records declare them.
pub(super) static PLACES: LazyLock<Places> = LazyLock::new(Places::new);

impl Nature {
    fn parse(text: &'static str) -> Self {
        match text {
            "id" => Self::Id,
            "name" => Self::Name,
            "phase" => Self::Phase,
            "time" => Self::Time,
            "version" => Self::Version,
            "link" => Self::Link,
            "artifact" => Self::Artifact,
            "adapter" => Self::Adapter,
            "label" => Self::Label,
            "digest" => Self::StateDigest,
            words => words.strip_prefix("word").map_or(Self::Text, Self::Word),
        }
    }

    /// Returns `true` if a user can't name it, because rules need its form.
    pub(super) fn is_form(self) -> bool {
        matches!(
            self,
            Self::Phase
                | Self::Word(_)
                | Self::Time
                | Self::Version
                | Self::Link
                | Self::StateDigest
                | Self::PrefixDigest
        )
    }
}

/// The records, and the phases whose events have more than the others.
const ROOTS: [&str; 10] = [
    "state",
    "summary",
    "manifest",
    "event",
    "start",
    "plan",
    "act",
    "direction",
    "runtime",
    "terminate",
];

/// What a manifest and the events of the recorder have, which no type declares.
const UNDECLARED: [(&str, &str, Nature); 11] = [
    ("manifest", "/schema_version", Nature::Version),
    ("manifest", "/episode_id", Nature::Id),
    ("manifest", "/files/*", Nature::Artifact),
    ("manifest", "/files/*/name", Nature::Artifact),
    (
        "start",
        "/payload/intuition_mode",
        Nature::Word("advisory interventive hybrid"),
    ),
    ("start", "/payload/mode", Nature::Word("meta minimal")),
    ("start", "/payload/times", Nature::Word("given")),
    ("direction", "/payload/answer", Nature::Word("yes no")),
    ("direction", "/payload/rule", Nature::Name),
    (
        "direction",
        "/payload/scope",
        Nature::Word("run step act note"),
    ),
    (
        "direction",
        "/payload/status",
        Nature::Word("applied skipped blocked"),
    ),
];

impl Places {
    fn new() -> Self {
        let mut places = Self {
            all: vec![UNKNOWN.clone()],
            roots: Vec::new(),
        };
        for root in ROOTS {
            let edge = places.fresh();
            places.roots.push((root, edge));
        }
        for line in NATURES.lines() {
            let mut parts = line.splitn(3, ' ');
            let mut part = || parts.next().unwrap_or_default();
            let (record, pointer, nature) = (part(), part(), Nature::parse(part()));
            for root in roots_of(record) {
                places.declare(root, pointer, nature);
            }
        }
        for (record, pointer, nature) in UNDECLARED {
            places.declare(record, pointer, nature);
        }
        for root in roots_of("event") {
            places.declare(root, "/id", Nature::Id);
            let payload = places.at(root, "/payload");
            places.add_keys(payload, |_| true);
        }
        let action = places.at("state", "/outcomes/actions/*");
        places.add_keys(action, |key| key.starts_with("x-"));
        let payload = places.at("act", "/payload");
        let keys = places.place(action).keys.clone();
        if let Some(payload) = places.all.get_mut(payload.to) {
            payload.keys.extend(keys);
        }
        for (record, from, to) in MIRRORS {
            for root in roots_of(record) {
                places.mirror(root, from, to);
            }
        }
        places
    }

    fn place(&self, edge: Edge) -> &Place {
        self.all.get(edge.to).unwrap_or(&UNKNOWN)
    }

    fn fresh(&mut self) -> Edge {
        self.all.push(UNKNOWN.clone());
        Edge {
            to: self.all.len() - 1,
            mirrors: None,
        }
    }

    /// Returns the place at a pointer, which is made where it is not there.
    fn at(&mut self, root: &'static str, pointer: &'static str) -> Edge {
        let tokens = pointer.split('/').skip(1);
        tokens.fold(self.root(root), |around, token| {
            if let Some(edge) = self.place(around).declared(token) {
                return edge;
            }
            let edge = self.fresh();
            self.set(around, token, edge);
            edge
        })
    }

    fn set(&mut self, around: Edge, token: &'static str, edge: Edge) {
        let Some(around) = self.all.get_mut(around.to) else {
            return;
        };
        if token == "*" {
            around.others = Some(edge);
        } else {
            around.keys.retain(|(key, _)| *key != token);
            around.keys.push((token, edge));
        }
    }

    fn declare(&mut self, root: &'static str, pointer: &'static str, nature: Nature) {
        let edge = self.at(root, pointer);
        if let Some(place) = self.all.get_mut(edge.to) {
            place.nature = nature;
        }
    }

    fn add_keys(&mut self, to: Edge, is_wanted: impl Fn(&str) -> bool) {
        for (key, nature) in OF_PAYLOADS {
            if is_wanted(key) && self.place(to).declared(key).is_none() {
                let edge = self.fresh();
                if let Some(place) = self.all.get_mut(edge.to) {
                    place.nature = nature;
                }
                self.set(to, key, edge);
            }
        }
    }

    /// Has a place lead to the one in the state that has the same text, or have its name alone
    /// where it is of another nature.
    fn mirror(&mut self, root: &'static str, from: &'static str, to: &'static str) {
        let (around, token) = from.rsplit_once('/').unwrap_or_default();
        let (around, own) = (self.at(root, around), self.at(root, from));
        let target = self.at("state", to);
        let is_own = self.place(own).nature != Nature::Text || from == "/payload";
        let edge = Edge {
            to: if is_own { own.to } else { target.to },
            mirrors: Some(to),
        };
        self.set(around, token, edge);
    }

    /// Returns the place of a whole record, or of an event by its phase.
    pub(super) fn root(&self, name: &str) -> Edge {
        let root = |name: &str| self.roots.iter().find(|(root, _)| *root == name);
        let found = root(name).or_else(|| root("event"));
        found.map_or(Edge::UNKNOWN, |(_, edge)| *edge)
    }

    pub(super) fn nature(&self, edge: Edge) -> Nature {
        self.place(edge).nature
    }

    /// Returns `true` if the types declare a key at a place.
    pub(super) fn declare_key(&self, edge: Edge, key: &str) -> bool {
        self.place(edge).keys.iter().any(|(known, _)| *known == key)
    }

    /// Returns the place one step below another.
    pub(super) fn below(&self, edge: Edge, step: &Step<'_>) -> Edge {
        let place = self.place(edge);
        match step {
            Step::Key(key) => {
                let known = place.keys.iter().find(|(known, _)| known == key);
                let known = known.map(|(_, edge)| *edge);
                known.or(place.others).unwrap_or(Edge::UNKNOWN)
            }
            // What holds for a value holds for each of a list of them.
            Step::Index => place.others.unwrap_or(Edge {
                mirrors: None,
                ..edge
            }),
        }
    }
}

/// A place that no type declares.
static UNKNOWN: Place = Place {
    nature: Nature::Text,
    keys: Vec::new(),
    others: None,
};

impl Place {
    fn declared(&self, token: &str) -> Option<Edge> {
        if token == "*" {
            return self.others;
        }
        let known = self.keys.iter().find(|(key, _)| *key == token);
        known.map(|(_, edge)| *edge)
    }
}

impl Edge {
    pub(super) const UNKNOWN: Self = Self {
        to: 0,
        mirrors: None,
    };
}

/// Returns the records that one stands for: any event is one of each phase.
fn roots_of(record: &str) -> impl Iterator<Item = &'static str> {
    let events = ROOTS.into_iter().skip_while(|root| *root != "event");
    let named = ROOTS.into_iter().filter(move |root| *root == record);
    let all = (record == "event").then_some(events).into_iter().flatten();
    named.filter(|root| *root != "event").chain(all)
}

/// Returns the paths to all places that have the same text as one: itself, the place in the state
/// that it mirrors, and all that mirror that one.
pub(super) fn same_places<'p>(
    path: &[Step<'p>],
    mirrors: Option<(&'static str, usize)>,
) -> Vec<Vec<Step<'p>>> {
    let mut all = vec![path.to_vec()];
    if let Some((pointer, from)) = mirrors {
        let below = path.get(from..).unwrap_or_default();
        all.push(steps(pointer).chain(below.iter().cloned()).collect());
    }
    let mut next = 0;
    while let Some(path) = all.get(next).cloned() {
        next += 1;
        for (_, from, to) in MIRRORS {
            let to: Vec<Step<'_>> = steps(to).collect();
            let Some(below) = path.strip_prefix(&*to) else {
                continue;
            };
            let mirrored: Vec<_> = steps(from).chain(below.iter().cloned()).collect();
            if !all.contains(&mirrored) {
                all.push(mirrored);
            }
        }
    }
    all
}

fn steps<'s>(pointer: &'static str) -> impl Iterator<Item = Step<'s>> {
    pointer.split('/').skip(1).map(|token| match token {
        "*" => Step::Index,
        key => Step::Key(Cow::Borrowed(key)),
    })
}
