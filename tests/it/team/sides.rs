//! Groups and pairs whose events have their values at different places, and all runs together, on
//! random timelines, beside a search of all events.
//!
//! Values are absent, null, of other types or shortened; times are equal, go back or are missing.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use runvet::gate::Gate;
use runvet::source::Artifact;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::corpus::corpus;
use crate::support::sessions::Random;

/// Whether a selector names an event; `None` where nobody can tell.
type Named = Option<bool>;

/// The keys of the values by which events are grouped or paired: of those that an order is about,
/// and of others.
type Sides = (&'static [&'static str], &'static [&'static str]);

const ONE: Sides = (&["k"], &["q"]);
const TWO: Sides = (&["k", "p"], &["q", "r"]);
const PAIR: Sides = (&["p"], &["r"]);

#[derive(Clone, Copy)]
enum Demanded {
    /// Another event is needed, or banned, and stands earlier, or later.
    Other {
        needed: bool,
        earlier: bool,
    },
    AtMost(usize),
    /// Fewer than these earlier events are asked for, grouped by these keys of theirs.
    Earlier(usize, &'static [&'static str]),
}

struct Declared {
    text: &'static str,
    demanded: Demanded,
    same: Option<Sides>,
    since: Option<&'static [&'static str]>,
    until: Option<&'static [&'static str]>,
    pair: Option<Sides>,
    within: Option<i64>,
}

const NONE: Declared = Declared {
    text: "",
    demanded: Demanded::AtMost(1),
    same: None,
    since: None,
    until: None,
    pair: None,
    within: None,
};

const NEEDS_EARLIER: Demanded = Demanded::Other {
    needed: true,
    earlier: true,
};
const NEEDS_LATER: Demanded = Demanded::Other {
    needed: true,
    earlier: false,
};
const NONE_EARLIER: Demanded = Demanded::Other {
    needed: false,
    earlier: true,
};
const NONE_LATER: Demanded = Demanded::Other {
    needed: false,
    earlier: false,
};

const C: Option<&[&str]> = Some(&["c"]);
const AC: Option<&[&str]> = Some(&["a", "c"]);
const B: Option<&[&str]> = Some(&["b"]);
const AB: Option<&[&str]> = Some(&["a", "b"]);

#[rustfmt::skip]
const DECLARED: [Declared; 21] = [
    Declared { text: "needs-earlier = 'b'", demanded: NEEDS_EARLIER, same: Some(ONE), ..NONE },
    Declared { text: "needs-earlier = 'b'\nsince = 'c'", demanded: NEEDS_EARLIER, same: Some(ONE), since: C, ..NONE },
    Declared { text: "needs-earlier = 'b'\nsince = 'ac'\nwithin = '2s'", demanded: NEEDS_EARLIER, same: Some(ONE), since: AC, within: Some(2), ..NONE },
    Declared { text: "none-earlier = 'b'", demanded: NONE_EARLIER, same: Some(TWO), ..NONE },
    Declared { text: "none-earlier = 'b'\nsince = 'c'", demanded: NONE_EARLIER, same: Some(ONE), since: C, ..NONE },
    Declared { text: "none-earlier = 'b'\nwithin = '2s'", demanded: NONE_EARLIER, same: Some(ONE), within: Some(2), ..NONE },
    Declared { text: "needs-later = 'b'", demanded: NEEDS_LATER, same: Some(ONE), ..NONE },
    Declared { text: "needs-later = 'b'\nwithin = '2s'", demanded: NEEDS_LATER, same: Some(ONE), within: Some(2), ..NONE },
    Declared { text: "none-later = 'b'", demanded: NONE_LATER, same: Some(ONE), ..NONE },
    Declared { text: "none-later = 'b'\nwithin = '2s'", demanded: NONE_LATER, same: Some(TWO), within: Some(2), ..NONE },
    Declared { text: "at-most = 1\nsince = 'c'", same: Some(ONE), since: C, ..NONE },
    Declared { text: "at-most = 1\nsince = 'ac'", same: Some(ONE), since: AC, ..NONE },
    Declared { text: "at-most = 1\nuntil = 'b'", until: B, ..NONE },
    Declared { text: "at-most = 1\nuntil = 'ab'", same: Some(ONE), until: AB, ..NONE },
    Declared { text: "at-most = 1\nuntil = 'b'", until: B, pair: Some(PAIR), ..NONE },
    Declared { text: "at-most = 1\nuntil = 'ab'", same: Some(ONE), until: AB, pair: Some(PAIR), ..NONE },
    Declared { text: "at-most = 2\nuntil = 'b'", demanded: Demanded::AtMost(2), until: B, pair: Some(TWO), ..NONE },
    Declared { text: "check = \"earlier('b').size() < 1\"", demanded: Demanded::Earlier(1, &["q"]), same: Some(ONE), ..NONE },
    Declared { text: "check = \"earlier('b', '/payload/input/r').size() < 2\"", demanded: Demanded::Earlier(2, &["r"]), same: Some(ONE), ..NONE },
    Declared { text: "check = \"earlier('b').size() < 1\"\nsince = 'c'", demanded: Demanded::Earlier(1, &["q"]), same: Some(ONE), since: C, ..NONE },
    Declared { text: "check = \"earlier('b').size() < 1\"\nsince = 'ac'", demanded: Demanded::Earlier(1, &["q", "r"]), same: Some(TWO), since: AC, ..NONE },
];

const SELECTORS: &str = "[selector]
a = { tool = 'a', '/payload/input/x' = '*rm*' }
b = { tool = 'b', '/payload/input/x' = '*rm*' }
c = { tool = 'c', '/payload/input/x' = '*rm*' }
ab = { tool = ['a', 'b'], '/payload/input/x' = '*rm*' }
ac = { tool = ['a', 'c'], '/payload/input/x' = '*rm*' }
";

/// The content of the file of a shortened value.
const WHOLE: &str = "rm -rf";

fn mark(excerpt: &str, name: Option<&str>) -> Value {
    let digest = Sha256::digest(WHOLE.as_bytes());
    let sha256 = data_encoding::HEXLOWER.encode(&digest);
    let mut mark = json!({"sha256": sha256, "bytes": WHOLE.len(), "excerpt": excerpt});
    if let Some(name) = name {
        mark["attachment"] = format!("attachments/{name}").into();
    }
    mark
}

fn is_mark(value: &Value) -> bool {
    value.get("excerpt").is_some()
}

/// Whether an event is one of some tools, and removes something.
fn is(event: &Value, tools: &[&str]) -> Named {
    let payload = &event["payload"];
    if !tools.contains(&payload["tool"].as_str().unwrap()) {
        return Some(false);
    }
    match payload["input"].get("x") {
        None | Some(Value::Null) => Some(false),
        Some(Value::String(text)) => Some(text.contains("rm")),
        Some(_) => None,
    }
}

/// The values by which events are grouped or paired; `None` where one is absent. `1` is `1.0`, and
/// a shortened value is its digest.
fn values(event: &Value, keys: &[&str]) -> Option<Vec<String>> {
    let written = |value: &Value| {
        let number = value.as_f64().map(|it| it.to_string());
        let digest = is_mark(value).then(|| format!("mark {}", value["sha256"]));
        number
            .or(digest)
            .unwrap_or_else(|| value.to_string())
    };
    let input = &event["payload"]["input"];
    keys.iter()
        .map(|key| input.get(key).map(written))
        .collect()
}

/// The time of an event in milliseconds.
fn time(event: &Value) -> Option<i64> {
    let text = event.get("timestamp")?.as_str()?;
    let seconds: i64 = text.get(17..19)?.parse().ok()?;
    let fraction = text
        .get(19..)
        .and_then(|rest| rest.strip_prefix(".5"));
    Some(seconds * 1_000 + if fraction.is_some() { 500 } else { 0 })
}

impl Declared {
    fn each_group(&self, event: &Value) -> Option<Vec<String>> {
        self.same
            .map_or(Some(Vec::new()), |(each, _)| values(event, each))
    }

    fn other_group(&self, event: &Value) -> Option<Vec<String>> {
        self.same
            .map_or(Some(Vec::new()), |(_, other)| values(event, other))
    }

    fn pair(&self, event: &Value) -> Option<Vec<String>> {
        self.pair
            .map_or(Some(Vec::new()), |(each, _)| values(event, each))
    }

    /// Whether an event is counted, or judged by others.
    fn is_counted(&self, event: &Value) -> bool {
        let has_values = self.each_group(event).is_some() && self.pair(event).is_some();
        is(event, &["a"]) == Some(true) && has_values
    }

    /// The lines at which it finds something.
    fn lines(&self, events: &[Value], has_ended: bool) -> Vec<usize> {
        let is_of_end = matches!(
            self.demanded,
            Demanded::Other {
                needed: true,
                earlier: false
            }
        );
        if is_of_end && !has_ended {
            return Vec::new();
        }
        let is_found = |now: &usize| {
            let event = &events[*now];
            let has_time = self.within.is_none() || time(event).is_some();
            match is(event, &["a"]) {
                Some(false) => false,
                None => true,
                Some(true) => !self.is_counted(event) || !has_time || self.is_broken(events, *now),
            }
        };
        (0..events.len())
            .filter(is_found)
            .collect()
    }

    /// The line after the latest event since which others count, for an event of a group.
    fn first(&self, events: &[Value], now: usize, group: &[String]) -> usize {
        let Some(since) = self.since else {
            return 0;
        };
        let is_strict = self.demanded_is(true);
        let takes = |line: &usize| {
            let event = &events[*line];
            let of_group = self
                .other_group(event)
                .is_none_or(|own| own == group);
            is(event, since).unwrap_or(is_strict) && of_group
        };
        (0..now)
            .rev()
            .find(takes)
            .map_or(0, |line| line + 1)
    }

    fn demanded_is(&self, is_needed: bool) -> bool {
        matches!(self.demanded, Demanded::Other { needed, .. } if needed == is_needed)
    }

    fn is_broken(&self, events: &[Value], now: usize) -> bool {
        let group = self.each_group(&events[now]).unwrap();
        let first = self.first(events, now, &group);
        match self.demanded {
            Demanded::Other { needed, earlier } => {
                let lines = if earlier {
                    first..now
                } else {
                    now + 1..events.len()
                };
                let is_near = |line: &usize| {
                    let (before, after) = (&events[now.min(*line)], &events[now.max(*line)]);
                    match (self.within, time(before).zip(time(after))) {
                        (None, _) => true,
                        (Some(within), Some((before, after))) => after - before <= within * 1_000,
                        (Some(_), None) => !needed,
                    }
                };
                let counts = |line: &usize| {
                    let event = &events[*line];
                    let of_group = self
                        .other_group(event)
                        .is_some_and(|own| own == group);
                    is(event, &["b"]).unwrap_or(!needed) && of_group && is_near(line)
                };
                lines
                    .into_iter()
                    .any(|line| counts(&line))
                    != needed
            }
            Demanded::AtMost(most) if self.until.is_some() => {
                self.open_at(events, now, &group) >= most
            }
            Demanded::AtMost(most) => {
                let of_group = |line: &usize| {
                    let event = &events[*line];
                    self.is_counted(event) && self.each_group(event).unwrap() == group
                };
                (first..now).filter(of_group).count() == most
            }
            Demanded::Earlier(fewer, keys) => {
                let of_since = |line: usize| {
                    let own = self.other_group(&events[line]);
                    own.is_none_or(|own| own == group)
                };
                let is_unclear = |line: usize| {
                    let since = self
                        .since
                        .map(|since| is(&events[line], since));
                    since == Some(None) && of_since(line)
                };
                let asked: Vec<Named> = (first..now)
                    .filter(|line| values(&events[*line], keys).is_some_and(|own| own == group))
                    .map(|line| is(&events[line], &["b"]))
                    .filter(|named| *named != Some(false))
                    .collect();
                let is_known = !(first..now).any(is_unclear) && !asked.contains(&None);
                !is_known || asked.len() >= fewer
            }
        }
    }

    /// The number of open events before a line in a group.
    fn open_at(&self, events: &[Value], now: usize, group: &[String]) -> usize {
        let mut open: Vec<usize> = Vec::new();
        for (line, event) in events[..now].iter().enumerate() {
            let closes = is(event, self.until.unwrap()) == Some(true);
            if closes
                && self
                    .other_group(event)
                    .is_some_and(|own| own == group)
            {
                match self.pair {
                    None if open.is_empty() => {}
                    None => drop(open.remove(0)),
                    Some((_, other)) => {
                        let value = values(event, other);
                        open.retain(|line| self.pair(&events[*line]) != value);
                    }
                }
            }
            if self.is_counted(event) && self.each_group(event).unwrap() == group {
                open.push(line);
            }
        }
        open.len()
    }
}

fn pick<T: Clone>(random: &mut Random, items: &[T]) -> T {
    let at = usize::try_from(random.below(items.len() as u64)).unwrap();
    items[at].clone()
}

fn event(random: &mut Random) -> Value {
    let mut input = json!({});
    let values = [
        json!(1),
        json!(1.0),
        json!(1),
        json!("1"),
        Value::Null,
        json!([1]),
        mark("rm", None),
        mark("r…", None),
    ];
    for key in ["k", "q", "p", "r"] {
        if random.below(8) > 0 {
            input[key] = pick(random, &values);
        }
    }
    let texts = [
        json!("rm"),
        json!("rm -r"),
        json!("rm x"),
        json!("rm"),
        json!("rm"),
        json!("ls"),
        Value::Null,
        json!(3),
        json!(["rm"]),
        mark("ls", None),
    ];
    if random.below(10) > 0 {
        input["x"] = pick(random, &texts);
    }
    let tool = pick(random, &["a", "a", "b", "b", "c", "d"]);
    json!({"phase": "act", "payload": {"tool": tool, "input": input}})
}

fn timeline(random: &mut Random) -> Vec<Value> {
    let mut second = 20;
    let events = (0..random.below(14)).map(|_| {
        second += pick(random, &[0, 0, 1, 1, 3, -2]);
        let mut event = event(random);
        let rest = pick(random, &["", ".5", "Z", "+00:00"]);
        match random.below(9) {
            0 => {}
            1 => event["timestamp"] = second.into(),
            _ => {
                let zone = if rest.starts_with(['Z', '+']) {
                    ""
                } else {
                    "Z"
                };
                event["timestamp"] = format!("2026-03-01T12:00:{second}{rest}{zone}").into();
            }
        }
        event
    });
    events.collect()
}

fn as_lines(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| event.to_string() + "\n")
        .collect()
}

/// The declarations as tables.
fn config() -> String {
    let mut config = SELECTORS.to_owned();
    let pointers = |(each, other): Sides| {
        let [each, other] = [each, other].map(|keys| {
            let keys = keys
                .iter()
                .map(|key| format!("'/payload/input/{key}'"));
            keys.collect::<Vec<_>>().join(", ")
        });
        format!("{{ each = [{each}], other = [{other}] }}")
    };
    for (number, declared) in DECLARED.iter().enumerate() {
        let is_rule = matches!(declared.demanded, Demanded::Earlier(..));
        let table = if is_rule { "rule" } else { "order" };
        let text = declared.text;
        writeln!(
            config,
            "[[{table}]]\nid = 'a/{number}'\nmessage = 'm'\neach = 'a'\n{text}"
        )
        .unwrap();
        for (key, sides) in [("same", declared.same), ("pair", declared.pair)] {
            if let Some(sides) = sides {
                writeln!(config, "{key} = {}", pointers(sides)).unwrap();
            }
        }
    }
    config
}

#[test]
fn sides_of_groups_and_pairs_find_what_a_search_finds() {
    let config = config();
    let gate = Gate::default().with_config(Path::new("runvet.toml"), &config, None);
    let (mut gate, mut all) = (gate.unwrap(), [0; DECLARED.len()]);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let events = timeline(&mut random);
        let has_ended = random.below(3) > 0;
        let case = if has_ended {
            "terminal/episodes/ep_answer"
        } else {
            "paused/episodes/ep_paused"
        };
        let state = fs::read(
            corpus()
                .join("good")
                .join(case)
                .join("state.json"),
        )
        .unwrap();
        let text = as_lines(&events);
        let records = [
            (Artifact::Events, text.as_bytes()),
            (Artifact::State, &*state),
        ];
        let report = gate.records("ep_1", &records);
        for (number, declared) in DECLARED.iter().enumerate() {
            let found = report
                .findings
                .iter()
                .filter(|it| it.rule == format!("a/{number}"));
            let found = found.map(|it| usize::try_from(it.location.line.unwrap()).unwrap() - 1);
            let mut found: Vec<usize> = found.collect();
            found.sort_unstable();
            let expected = declared.lines(&events, has_ended);
            let text = declared.text;
            assert_eq!(
                found,
                expected,
                "{seed}, {number}: {text}, ended {has_ended}:\n{config}\n{}",
                as_lines(&events)
            );
            all[number] += found.len();
        }
    }
    assert!(all.iter().all(|found| *found > 50), "{all:?}");
}

/// What is asked of the events of all runs.
struct Across {
    text: &'static str,
    is_grouped: bool,
    has_since: bool,
    /// The number of events within a time from which one is too many, itself included.
    limit: usize,
}

#[rustfmt::skip]
const ACROSS: [Across; 4] = [
    Across { text: "at-most = 1", is_grouped: false, has_since: false, limit: 2 },
    Across { text: "at-most = 1\nsame = '/payload/input/k'", is_grouped: true, has_since: false, limit: 2 },
    Across { text: "at-most = 1\nsince = 'c'\nsame = { each = '/payload/input/k', other = '/payload/input/q' }", is_grouped: true, has_since: true, limit: 2 },
    Across { text: "check = \"earlier('a').size() < 2\"\nsame = '/payload/input/k'", is_grouped: true, has_since: false, limit: 3 },
];

/// An event of all runs: its run, its line, and what it says.
type Placed<'e> = (&'e str, usize, &'e Value);

impl Across {
    fn group(&self, event: &Value, key: &'static str) -> Option<Vec<String>> {
        if self.is_grouped {
            values(event, &[key])
        } else {
            Some(Vec::new())
        }
    }

    /// The runs and lines at which it finds something, in events in the order of time.
    fn found<'e>(&self, ordered: &[Placed<'e>]) -> BTreeSet<(&'e str, usize)> {
        let is_rule = self.text.starts_with("check");
        let is_broken = |now: usize| {
            let event = ordered[now].2;
            let Some(group) = self.group(event, "k") else {
                return true;
            };
            let takes = |line: &usize| {
                let event = ordered[*line].2;
                let of_group = self
                    .group(event, "q")
                    .is_none_or(|own| own == group);
                self.has_since && is(event, &["c"]) == Some(true) && of_group
            };
            let first = (0..now)
                .rev()
                .find(takes)
                .map_or(0, |line| line + 1);
            let is_near = |line: &usize| {
                let event = ordered[*line].2;
                let is_of_group = self.group(event, "k").as_ref() == Some(&group);
                is_of_group && time(ordered[now].2).unwrap() - time(event).unwrap() <= 2_000
            };
            let named = (first..now)
                .filter(is_near)
                .map(|line| is(ordered[line].2, &["a"]));
            let named: Vec<Named> = named
                .filter(|it| *it != Some(false))
                .collect();
            let known = named
                .iter()
                .filter(|it| it.is_some())
                .count();
            is_rule && known < named.len() || known + 1 >= self.limit
        };
        let is_found = |now: &usize| match is(ordered[*now].2, &["a"]) {
            Some(false) => false,
            None => true,
            Some(true) => is_broken(*now),
        };
        let found = (0..ordered.len()).filter(is_found);
        found
            .map(|now| (ordered[now].0, ordered[now].1))
            .collect()
    }
}

/// Writes random runs below a directory; returns the events of each as rules see them.
fn runs(dir: &Path, random: &mut Random) -> Vec<(&'static str, Vec<Value>)> {
    let mut runs = Vec::new();
    for run in ["b", "a", "a.2", "g/x", "g.y"] {
        let at = dir.join("runs/episodes").join(run);
        fs::create_dir_all(at.join("attachments")).unwrap();
        fs::write(at.join("attachments/whole.txt"), WHOLE).unwrap();
        let mut events = timeline(random);
        let mut written = events.clone();
        for (event, written) in events.iter_mut().zip(&mut written) {
            // One whose file is there is the whole value, and one that is repeated is nothing.
            if random.below(6) == 0 {
                event["payload"]["input"]["x"] = WHOLE.into();
                written["payload"]["input"]["x"] = mark("ls", Some("whole.txt"));
            }
            if random.below(8) == 0 {
                event["payload"]["tool"] = "none".into();
                written["payload"]["x-repeated"] = true.into();
            }
        }
        fs::write(at.join("events.jsonl"), as_lines(&written)).unwrap();
        runs.push((run, events));
    }
    runs
}

#[test]
fn rules_over_all_runs_find_what_a_search_finds() {
    let mut config = SELECTORS.to_owned();
    for (number, across) in ACROSS.iter().enumerate() {
        let table = if across.text.starts_with("check") {
            "rule"
        } else {
            "order"
        };
        let keys =
            format!("id = 'a/{number}'\nmessage = 'm'\neach = 'a'\nwithin = '2s'\nover = 'runs'");
        writeln!(config, "[[{table}]]\n{keys}\n{}", across.text).unwrap();
    }
    let mut all = [0; ACROSS.len()];
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let gate = Gate::default().with_config(Path::new("runvet.toml"), &config, None);
        let (mut gate, dir) = (gate.unwrap(), tempfile::tempdir().unwrap());
        let runs = runs(dir.path(), &mut random);
        let events = runs.iter().flat_map(|(run, events)| {
            events
                .iter()
                .enumerate()
                .map(|(line, event)| (*run, line, event))
        });
        let (mut ordered, timeless): (Vec<Placed<'_>>, Vec<Placed<'_>>) =
            events.partition(|(.., event)| time(event).is_some());
        ordered.sort_by_key(|(run, line, event)| (time(event), run.as_bytes(), *line));
        let report = gate
            .run([dir.path().join("runs")])
            .unwrap();
        for (number, across) in ACROSS.iter().enumerate() {
            let mut expected = across.found(&ordered);
            let named = timeless
                .iter()
                .filter(|(.., event)| is(event, &["a"]) != Some(false));
            expected.extend(named.map(|(run, line, _)| (*run, *line)));
            let mut found = BTreeSet::new();
            for (run, _) in &runs {
                let episode = report.episodes.iter().find(|it| {
                    it.dir
                        .ends_with(&format!("episodes/{run}"))
                });
                let findings = episode.unwrap().findings.iter();
                let findings = findings.filter(|it| it.rule == format!("a/{number}"));
                found.extend(findings.map(|it| {
                    (
                        *run,
                        usize::try_from(it.location.line.unwrap()).unwrap() - 1,
                    )
                }));
            }
            assert_eq!(found, expected, "{seed}: {}\n{ordered:#?}", across.text);
            all[number] += found.len();
        }
    }
    assert!(all.iter().all(|found| *found > 50), "{all:?}");
}
