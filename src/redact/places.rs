//! A place in a record -> the nature of a text there, and the places that have the same text.

use std::sync::LazyLock;

use super::names::Paths;

use crate::ground::Own;

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
    keys: Vec<(&'static str, PlaceId)>,
    /// The items, or the values of all other keys.
    others: Option<PlaceId>,
}

/// The number of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceId(usize);

/// The texts that are written twice: a record or the phase of an event, the place there, and the
/// place in the state.
const MIRRORS: [(&str, &str, &str); 28] = [
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
    (
        "start",
        "/payload/intuition_mode",
        "/episode/intuition_mode",
    ),
    ("memory", "/payload/belief", "/beliefs/*"),
    ("memory", "/payload/fact", "/memory/facts/*"),
    ("memory", "/payload/scratchpad", "/memory/scratchpad"),
    ("terminate", "/payload/artifacts", "/outcomes/artifacts"),
    ("terminate", "/payload/error", "/outcomes/error"),
    ("terminate", "/payload/status", "/outcomes/status"),
];

/// All places.
pub(super) struct Places {
    all: Vec<Place>,
    roots: Vec<(&'static str, PlaceId)>,
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
            words => words
                .strip_prefix("word")
                .map_or(Self::Text, Self::Word),
        }
    }
}

/// The records, and the phases whose events have more than the others.
const ROOTS: [&str; 11] = [
    "state",
    "summary",
    "manifest",
    "event",
    "start",
    "plan",
    "act",
    "direction",
    "memory",
    "runtime",
    "terminate",
];

/// What no type declares: what a manifest has, what the payload of any event may have, and the
/// extensions of an action.
const UNDECLARED: [(&str, &str, Nature); 31] = [
    ("manifest", "/schema_version", Nature::Version),
    ("manifest", "/episode_id", Nature::Id),
    ("manifest", "/created_at", Nature::Time),
    ("manifest", "/files/*", Nature::Artifact),
    ("manifest", "/files/*/kind", Nature::Name),
    ("manifest", "/files/*/name", Nature::Artifact),
    ("state", "/outcomes/actions/*/x-agent", Nature::Id),
    ("state", "/outcomes/actions/*/x-call-id", Nature::Id),
    ("state", "/outcomes/actions/*/x-message-id", Nature::Id),
    ("state", "/outcomes/actions/*/x-parent", Nature::Id),
    ("event", "/id", Nature::Id),
    ("event", "/payload/id", Nature::Id),
    ("event", "/payload/action_id", Nature::Id),
    ("event", "/payload/agent_id", Nature::Id),
    ("event", "/payload/episode_id", Nature::Id),
    ("event", "/payload/source", Nature::Id),
    ("event", "/payload/step_id", Nature::Id),
    ("event", "/payload/x-agent", Nature::Id),
    ("event", "/payload/x-call-id", Nature::Id),
    ("event", "/payload/x-message-id", Nature::Id),
    ("event", "/payload/x-parent", Nature::Id),
    ("event", "/payload/kind", Nature::Name),
    ("event", "/payload/tool", Nature::Name),
    ("event", "/payload/timestamp", Nature::Time),
    ("event", "/payload/prefix_sha256", Nature::PrefixDigest),
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
            let place = places.fresh();
            places.roots.push((root, place));
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
            for root in roots_of(record) {
                places.declare(root, pointer, nature);
            }
        }

        for (record, from, to) in MIRRORS {
            for root in roots_of(record) {
                places.mirror(root, from, to);
            }
        }

        places
    }

    fn place(&self, id: PlaceId) -> &Place {
        self.all.own(id.0)
    }

    fn fresh(&mut self) -> PlaceId {
        self.all.push(UNKNOWN.clone());
        PlaceId(self.all.len() - 1)
    }

    /// Returns the place at a pointer, which is made where it is not there.
    fn at(&mut self, root: &'static str, pointer: &'static str) -> PlaceId {
        pointer
            .split('/')
            .skip(1)
            .fold(self.root(root), |around, token| {
                if let Some(place) = self.place(around).declared(token) {
                    return place;
                }
                let place = self.fresh();
                self.set(around, token, place);
                place
            })
    }

    fn set(&mut self, around: PlaceId, token: &'static str, place: PlaceId) {
        let around = self.all.own_mut(around.0);
        if token == "*" {
            around.others = Some(place);
        } else {
            around
                .keys
                .retain(|(key, _)| *key != token);
            around.keys.push((token, place));
        }
    }

    fn declare(&mut self, root: &'static str, pointer: &'static str, nature: Nature) {
        let id = self.at(root, pointer);
        self.all.own_mut(id.0).nature = nature;
    }

    /// Has a place be the one in the state that has the same text; one that has a nature or keys of
    /// its own has the other keys of that.
    fn mirror(&mut self, root: &'static str, from: &'static str, to: &'static str) {
        let (around, token) = from
            .rsplit_once('/')
            .unwrap_or_default();
        let (around, own) = (self.at(root, around), self.at(root, from));
        let target = self.at("state", to);
        let place = self.place(own);
        if place.nature == Nature::Text && place.keys.is_empty() {
            return self.set(around, token, target);
        }

        for (key, place) in self.place(target).keys.clone() {
            if !self.declare_key(own, key) {
                self.set(own, key, place);
            }
        }
    }

    /// Returns the place of a whole record, or of an event by its phase.
    pub(super) fn root(&self, name: &str) -> PlaceId {
        let root = |name: &str| {
            self.roots
                .iter()
                .find(|(root, _)| *root == name)
        };

        root(name)
            .or_else(|| root("event"))
            .map_or(PlaceId::UNKNOWN, |(_, place)| *place)
    }

    pub(super) fn nature(&self, place: PlaceId) -> Nature {
        self.place(place).nature
    }

    /// Returns `true` if the types declare a key at a place.
    pub(super) fn declare_key(&self, place: PlaceId, key: &str) -> bool {
        self.place(place)
            .keys
            .iter()
            .any(|(known, _)| *known == key)
    }

    /// Returns the place of the value of a key.
    pub(super) fn member(&self, around: PlaceId, key: &str) -> PlaceId {
        let around = self.place(around);
        around
            .keys
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, place)| *place)
            .or(around.others)
            .unwrap_or(PlaceId::UNKNOWN)
    }

    /// Returns the place of the items of a list: what holds for a value holds for each of these.
    pub(super) fn item(&self, around: PlaceId) -> PlaceId {
        self.place(around)
            .others
            .unwrap_or(around)
    }
}

/// A place that no type declares.
static UNKNOWN: Place = Place {
    nature: Nature::Text,
    keys: Vec::new(),
    others: None,
};

impl Place {
    fn declared(&self, token: &str) -> Option<PlaceId> {
        if token == "*" {
            return self.others;
        }

        self.keys
            .iter()
            .find(|(key, _)| *key == token)
            .map(|(_, place)| *place)
    }
}

impl PlaceId {
    pub(super) const UNKNOWN: Self = Self(0);
}

/// Returns the records that one stands for: any event is one of each phase.
fn roots_of(record: &str) -> impl Iterator<Item = &'static str> {
    let events = ROOTS
        .into_iter()
        .skip_while(|root| *root != "event");
    let named = ROOTS
        .into_iter()
        .filter(move |root| *root == record);
    let all = (record == "event")
        .then_some(events)
        .into_iter()
        .flatten();

    named
        .filter(|root| *root != "event")
        .chain(all)
}

/// Returns the paths to all places that have the same text as one in a record or event: itself, the
/// places in the state that it mirrors, and all that mirror those.
pub(super) fn same_places(record: &str, path: String) -> Paths {
    // An event of another phase has what any event has.
    let record = ROOTS
        .iter()
        .find(|root| **root == record)
        .unwrap_or(&"event");
    let mut all = vec![path];
    let mut next = 0;
    while let Some(path) = all.get(next).cloned() {
        for (of, from, to) in MIRRORS {
            let is_there = of == "state" || next == 0 && roots_of(of).any(|root| root == *record);
            let mirrored = moved(&path, from, to).filter(|_| is_there);
            for path in mirrored
                .into_iter()
                .chain(moved(&path, to, from))
            {
                if !all.contains(&path) {
                    all.push(path);
                }
            }
        }

        next += 1;
    }

    all
}

/// Returns a path at or below one place as that below another.
fn moved(path: &str, from: &str, to: &str) -> Option<String> {
    let below = path.strip_prefix(from)?;
    (below.is_empty() || below.starts_with('/')).then(|| format!("{to}{below}"))
}
