//! The words of selectors and windows on random runs, beside a search of all their events.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use runvet::gate::Gate;
use runvet::source::Artifact;
use serde_json::{Value, json};

use crate::support::sessions::Random;

/// Whether a test or a selector names an event; `None` where nobody can tell.
type Named = Option<bool>;

/// All tests: what names an event is named by each.
fn all(tests: &[Named]) -> Named {
    if tests.contains(&Some(false)) {
        return Some(false);
    }
    if tests.contains(&None) {
        None
    } else {
        Some(true)
    }
}

const DIGEST: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

fn is_mark(value: &Value) -> bool {
    let keys = |map: &serde_json::Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
    value.as_object().map(keys)
        == Some(
            ["bytes", "excerpt", "sha256"]
                .map(str::to_owned)
                .to_vec(),
        )
        && value["bytes"].is_i64()
        && value["excerpt"].is_string()
        && value["sha256"]
            .as_str()
            .is_some_and(|it| it.len() == 64)
}

/// What a pointer leads to: nothing, a value, or `Err` for a shortened one on the way, and whether
/// that is the end of the way.
fn look<'v>(event: &'v Value, pointer: &str) -> Result<Option<&'v Value>, bool> {
    let tokens: Vec<&str> = pointer.split('/').skip(1).collect();
    let mut value = event;
    for token in &tokens {
        if is_mark(value) {
            return Err(false);
        }
        let next = match value {
            Value::Array(items) => token
                .parse::<usize>()
                .ok()
                .and_then(|at| items.get(at)),
            Value::Object(members) => members.get(*token),
            _ => None,
        };
        match next {
            Some(next) => value = next,
            None => return Ok(None),
        }
    }
    if is_mark(value) {
        Err(true)
    } else {
        Ok(Some(value))
    }
}

/// All values at any depth, each with whether it is shortened.
fn below<'v>(value: &'v Value, found: &mut Vec<(&'v Value, bool)>) {
    found.push((value, is_mark(value)));
    match value {
        _ if is_mark(value) => {}
        Value::Array(items) => items
            .iter()
            .for_each(|item| below(item, found)),
        Value::Object(members) => members
            .values()
            .for_each(|value| below(value, found)),
        _ => {}
    }
}

const X: &str = "/payload/input/x";

fn one_of(event: &Value, is: fn(&Value) -> bool, has_type: fn(&Value) -> bool) -> Named {
    match look(event, X) {
        Ok(None) => Some(false),
        Err(_) => None,
        Ok(Some(value)) if is(value) => Some(true),
        Ok(Some(value)) => (value.is_null() || has_type(value)).then_some(false),
    }
}

fn deep(event: &Value) -> (bool, bool, bool) {
    let mut found = Vec::new();
    match look(event, "/payload/input") {
        Ok(Some(input)) => below(input, &mut found),
        Ok(None) => {}
        Err(_) => found.push((&event["payload"]["input"], true)),
    }
    let is = |value: &Value| {
        value
            .as_str()
            .is_some_and(|text| text.contains("rm"))
    };
    let one = found
        .iter()
        .any(|(value, cut)| !cut && is(value));
    (!found.is_empty(), one, found.iter().any(|(_, cut)| *cut))
}

/// A test as it is written, and what it says of an event.
type Test = (&'static str, fn(&Value) -> Named);

#[rustfmt::skip]
const TESTS: [Test; 13] = [
    ("'/payload/input/x' = '*rm*'", |event| one_of(event, |it| it.as_str().is_some_and(|it| it.contains("rm")), Value::is_string)),
    ("'/payload/input/x' = 'params.bad'", |event| one_of(event, |it| it.as_str().is_some_and(|it| it.contains("rm")) || it == &json!(3), |it| it.is_string() || it.is_number())),
    ("'/payload/input/x' = [3, true]", |event| one_of(event, |it| it.as_f64() == Some(3.0) || it == &json!(true), |it| it.is_number() || it.is_boolean())),
    ("'/payload/input/x' = { not = '*rm*' }", |event| match look(event, X) {
        Ok(None) => Some(false), Err(_) => None,
        Ok(Some(value)) => Some(!value.as_str().is_some_and(|it| it.contains("rm"))),
    }),
    ("'/payload/input/x' = { not = ['params.bad'], absent = true }", |event| match look(event, X) {
        Ok(None) => Some(true), Err(_) => None,
        Ok(Some(value)) => Some(!(value.as_str().is_some_and(|it| it.contains("rm")) || value.as_f64() == Some(3.0))),
    }),
    ("'/payload/input/x' = { absent = true }", |event| match look(event, X) { Ok(found) => Some(found.is_none()), Err(end) => end.then_some(false) }),
    ("'/payload/input/x' = { present = true }", |event| match look(event, X) { Ok(found) => Some(found.is_some()), Err(end) => end.then_some(true) }),
    ("'/payload/input/x/bytes' = 4", |event| match look(event, "/payload/input/x/bytes") {
        Ok(None) => Some(false), Err(_) => None, Ok(Some(value)) => Some(value == &json!(4)),
    }),
    ("'/payload/input/**' = '*rm*'", |event| match deep(event) { (_, true, _) => Some(true), (_, _, true) => None, _ => Some(false) }),
    ("'/payload/input/**' = { not = '*rm*' }", |event| match deep(event) { (_, true, _) => Some(false), (_, _, true) => None, (any, ..) => Some(any) }),
    ("'/payload/input/**' = { present = true }", |event| Some(deep(event).0)),
    ("'/payload/**/x' = { absent = true }", |event| {
        let mut found = Vec::new();
        below(&event["payload"], &mut found);
        let has = found.iter().any(|(value, cut)| !cut && value.get("x").is_some());
        let cut = found.iter().any(|(_, cut)| *cut);
        // A shortened value at which the path may end is there.
        if has { Some(false) } else if cut { None } else { Some(true) }
    }),
    ("if = \"event.payload.input.x == 3\"", |event| match look(event, X) {
        Ok(Some(value)) => Some(value.as_f64() == Some(3.0)),
        _ => None,
    }),
];

fn pick<T: Clone>(random: &mut Random, items: &[T]) -> T {
    let at = usize::try_from(random.below(items.len() as u64)).unwrap();
    items[at].clone()
}

fn value(random: &mut Random) -> Value {
    let mark = json!({"sha256": DIGEST, "bytes": 4, "excerpt": "a"});
    let values = [
        json!("rm -rf"),
        json!("ls"),
        json!(3),
        json!(3.5),
        json!(true),
        Value::Null,
        json!(["rm", 3]),
        json!({"y": ["a", {"x": "rm"}]}),
        json!({"bytes": 4}),
        mark.clone(),
        json!([mark]),
    ];
    pick(random, &values)
}

fn event(random: &mut Random) -> Value {
    let tool = pick(random, &["a", "a", "b", "c"]);
    let mut payload = json!({"tool": tool});
    match random.below(6) {
        0 => {}
        1 => payload["input"] = value(random),
        _ => {
            payload["input"] = json!({"k": pick(random, &[1, 1, 2])});
            if random.below(5) > 0 {
                payload["input"]["x"] = value(random);
            }
            if random.below(6) > 0 {
                payload["input"]["p"] = pick(random, &[1, 2]).into();
            }
        }
    }
    json!({"phase": "act", "payload": payload})
}

fn timeline(random: &mut Random) -> Vec<Value> {
    let mut second = 20;
    let events = (0..random.below(12)).map(|_| {
        second += pick(random, &[0, 0, 1, 1, 3, -2]);
        let mut event = event(random);
        if random.below(8) > 0 {
            event["timestamp"] = format!("2026-03-01T12:00:{second}Z").into();
        }
        event
    });
    events.collect()
}

fn second(event: &Value) -> Option<i64> {
    event["timestamp"]
        .as_str()?
        .get(17..19)?
        .parse()
        .ok()
}

/// The lines at which each rule finds something.
fn found(gate: &mut Gate, events: &[Value]) -> BTreeMap<String, BTreeSet<usize>> {
    let text: String = events
        .iter()
        .map(|event| event.to_string() + "\n")
        .collect();
    let report = gate.records("ep_1", &[(Artifact::Events, text.as_bytes())]);
    let mut found = BTreeMap::<String, BTreeSet<usize>>::new();
    for finding in report.findings {
        let line = usize::try_from(finding.location.line.unwrap_or(1)).unwrap() - 1;
        found
            .entry(finding.rule)
            .or_default()
            .insert(line);
    }
    found
}

fn of_rule(found: &BTreeMap<String, BTreeSet<usize>>, rule: &str) -> Vec<usize> {
    found
        .get(rule)
        .into_iter()
        .flatten()
        .copied()
        .collect()
}

/// Returns the lines of a timeline at which a rule finds something.
type Search<'s> = Box<dyn Fn(&[Value]) -> Vec<usize> + 's>;

/// A rule, by its id and what it says, and a search for the lines at which it finds something.
struct Searched<'s> {
    id: String,
    text: String,
    search: Search<'s>,
}

/// Holds what rules find in random timelines against what searches find.
fn find_what_searches_find(config: &str, seeds: u64, rules: &[Searched<'_>]) {
    let gate = Gate::default().with_config(Path::new("runvet.toml"), config, None);
    let (mut gate, mut all_found) = (gate.unwrap(), 0);
    for seed in 0..seeds {
        let events = timeline(&mut Random::new(seed));
        let seen = found(&mut gate, &events);
        for rule in rules {
            let found = of_rule(&seen, &rule.id);
            let expected = (rule.search)(&events);
            assert_eq!(found, expected, "{seed}, {}: {events:#?}", rule.text);
            all_found += found.len();
        }
    }
    assert!(all_found > 500, "{all_found}");
}

fn is_tool(event: &Value, tool: &str) -> bool {
    event["payload"]["tool"] == tool
}

#[test]
fn selectors_name_what_a_search_names() {
    let mut config = "[params]\nbad = ['*rm*', 3]\n".to_owned();
    let mut rules = Vec::new();
    for (number, (test, names)) in TESTS.iter().enumerate() {
        writeln!(
            config,
            "[[order]]\nid = 'a/{number}'\nmessage = 'm'\nnever = true\neach = {{ tool = 'a', {test} }}"
        )
        .unwrap();
        rules.push(Searched {
            id: format!("a/{number}"),
            text: (*test).to_owned(),
            search: Box::new(|events| {
                let is_named =
                    |event: &Value| all(&[Some(is_tool(event, "a")), names(event)]) != Some(false);
                (0..events.len())
                    .filter(|at| is_named(&events[*at]))
                    .collect()
            }),
        });
    }
    find_what_searches_find(&config, 150, &rules);
}

/// The value by which events are grouped, or paired.
fn at(event: &Value, pointer: Option<&str>) -> Result<Option<i64>, ()> {
    match pointer {
        None => Ok(None),
        Some(pointer) => match event
            .pointer(pointer)
            .and_then(Value::as_i64)
        {
            Some(value) => Ok(Some(value)),
            None => Err(()),
        },
    }
}

struct Window {
    most: usize,
    same: Option<&'static str>,
    within: Option<i64>,
    has_since: bool,
    /// `None` without `until`; else the pointer of its `pair`, if it has one.
    #[expect(clippy::option_option, reason = "an `until` may have no `pair`")]
    until: Option<Option<&'static str>>,
    needs: Option<bool>,
}

const K: Option<&str> = Some("/payload/input/k");
const P: Option<&str> = Some("/payload/input/p");

#[rustfmt::skip]
const WINDOWS: [(&str, Window); 11] = [
    ("at-most = 1\nsince = 'c'", Window { most: 1, same: None, within: None, has_since: true, until: None, needs: None }),
    ("at-most = 1\nsince = 'c'\nsame = '/payload/input/k'", Window { most: 1, same: K, within: None, has_since: true, until: None, needs: None }),
    ("at-most = 1\nwithin = '2s'", Window { most: 1, same: None, within: Some(2), has_since: false, until: None, needs: None }),
    ("at-most = 1\nwithin = '2s'\nsame = '/payload/input/k'", Window { most: 1, same: K, within: Some(2), has_since: false, until: None, needs: None }),
    ("at-most = 1\nwithin = '2s'\nsince = 'c'\nsame = '/payload/input/k'", Window { most: 1, same: K, within: Some(2), has_since: true, until: None, needs: None }),
    ("at-most = 1\nuntil = 'b'", Window { most: 1, same: None, within: None, has_since: false, until: Some(None), needs: None }),
    ("at-most = 1\nuntil = 'b'\nsame = '/payload/input/k'", Window { most: 1, same: K, within: None, has_since: false, until: Some(None), needs: None }),
    ("at-most = 1\nuntil = 'b'\npair = '/payload/input/p'", Window { most: 1, same: None, within: None, has_since: false, until: Some(P), needs: None }),
    ("needs-earlier = 'b'\nsince = 'c'\nsame = '/payload/input/k'", Window { most: 0, same: K, within: None, has_since: true, until: None, needs: Some(true) }),
    ("none-earlier = 'b'\nsince = 'c'\nsame = '/payload/input/k'", Window { most: 0, same: K, within: None, has_since: true, until: None, needs: Some(false) }),
    ("needs-earlier = 'b'\nsince = 'c'\nwithin = '2s'", Window { most: 0, same: None, within: Some(2), has_since: true, until: None, needs: Some(true) }),
];

impl Window {
    /// The lines at which it finds something.
    fn lines(&self, events: &[Value]) -> Vec<usize> {
        let mut lines = Vec::new();
        // The lines that have fallen out of the window of their group.
        let mut gone = BTreeSet::new();
        // The open events, by their lines.
        let mut open: Vec<usize> = Vec::new();
        for (now, event) in events.iter().enumerate() {
            if is_tool(event, "a") {
                let group = at(event, self.same);
                let pair = self
                    .until
                    .map_or(Ok(None), |pair| at(event, pair));
                let lacks_time = self.within.is_some() && second(event).is_none();
                if group.is_err()
                    || pair.is_err()
                    || lacks_time
                    || self.breaks(events, now, &open, &mut gone)
                {
                    lines.push(now);
                }
            }
            if let (Some(pair), true) = (self.until, is_tool(event, "b")) {
                let (group, value) = (at(event, self.same), at(event, pair));
                let is_of = |line: &usize| at(&events[*line], self.same) == group && group.is_ok();
                match value {
                    Ok(Some(_)) => {
                        open.retain(|line| !(is_of(line) && at(&events[*line], pair) == value));
                    }
                    Ok(None) => {
                        if let Some(oldest) = open.iter().position(is_of) {
                            open.remove(oldest);
                        }
                    }
                    Err(()) => {}
                }
            }
            let pair = self
                .until
                .map_or(Ok(None), |pair| at(event, pair));
            if is_tool(event, "a") && at(event, self.same).is_ok() && pair.is_ok() {
                open.push(now);
            }
        }
        lines
    }

    fn breaks(
        &self,
        events: &[Value],
        now: usize,
        open: &[usize],
        gone: &mut BTreeSet<usize>,
    ) -> bool {
        let group = at(&events[now], self.same);
        let since = (0..now).rev().find(|line| {
            let own = at(&events[*line], self.same);
            self.has_since && is_tool(&events[*line], "c") && (own == group || own.is_err())
        });
        let first = since.map_or(0, |line| line + 1);
        let of_group = |line: &usize| at(&events[*line], self.same) == group;
        let is_near =
            |line: &usize| match (self.within, second(&events[*line]), second(&events[now])) {
                (Some(within), Some(then), Some(now)) => now - then <= within,
                (Some(_), None, _) => self.needs != Some(true),
                _ => true,
            };
        if let Some(needed) = self.needs {
            let others = (first..now).filter(|line| is_tool(&events[*line], "b"));
            return others
                .filter(of_group)
                .any(|line| is_near(&line))
                != needed;
        }
        let earlier: Vec<usize> = match self.until {
            Some(_) => open
                .iter()
                .copied()
                .filter(|line| of_group(line))
                .collect(),
            None => (first..now)
                .filter(|line| is_tool(&events[*line], "a") && of_group(line))
                .collect(),
        };
        if self.within.is_some() {
            gone.extend(
                earlier
                    .iter()
                    .filter(|line| !is_near(line)),
            );
        }
        let count = earlier
            .iter()
            .filter(|line| !gone.contains(*line))
            .count()
            + 1;
        // Without a window, the first one too many of each stretch; else each.
        let is_each = self.within.is_some() || self.until.is_some();
        count == self.most + 1 || is_each && count > self.most
    }
}

#[test]
fn windows_and_pairs_find_what_a_search_finds() {
    let mut config = "[selector]\nb = { tool = 'b' }\nc = { tool = 'c' }\n".to_owned();
    let mut rules = Vec::new();
    for (number, (table, window)) in WINDOWS.iter().enumerate() {
        writeln!(
            config,
            "[[order]]\nid = 'a/{number}'\nmessage = 'm'\neach = {{ tool = 'a' }}\n{table}"
        )
        .unwrap();
        rules.push(Searched {
            id: format!("a/{number}"),
            text: (*table).to_owned(),
            search: Box::new(|events| window.lines(events)),
        });
    }
    find_what_searches_find(&config, 250, &rules);
}

/// What `check` asks of the earlier events: their values of `p`, in the order of lines.
type Asks = fn(&[Option<i64>], i64) -> bool;

#[rustfmt::skip]
const ASKED: [(&str, Asks); 5] = [
    ("earlier('a').map(e, e.payload.input.p).sum() + event.payload.input.p <= 3", |all, own| {
        let sum: Option<i64> = all.iter().copied().sum();
        sum.is_some_and(|sum| sum + own <= 3)
    }),
    ("earlier('a').size() < 2", |all, _| all.len() < 2),
    ("earlier('a').map(e, e.payload.input.p).distinct(event.payload.input.p).size() < 2", |all, own| {
        let all: Option<Vec<i64>> = all.iter().copied().collect();
        all.is_some_and(|all| all.iter().all(|it| *it == own))
    }),
    ("earlier('a').size() == 0 || earlier('a').map(e, e.payload.input.p).last() == event.payload.input.p", |all, own| {
        let known: Option<Vec<i64>> = all.iter().copied().collect();
        all.is_empty() || known.is_some_and(|all| all.last() == Some(&own))
    }),
    ("earlier('a').map(e, e.payload.input.p).max() >= event.payload.input.p", |all, own| {
        let all: Option<Vec<i64>> = all.iter().copied().collect();
        all.is_some_and(|all| all.iter().max().is_some_and(|max| *max >= own))
    }),
];

#[test]
fn windows_of_rules_find_what_a_search_finds() {
    let windows = [
        ("", false, false),
        ("within = '2s'", true, false),
        ("since = 'c'", false, true),
        ("within = '2s'\nsince = 'c'", true, true),
    ];
    let mut config = "[selector]\na = { tool = 'a' }\nc = { tool = 'c' }\n".to_owned();
    let mut rules = Vec::new();
    for (number, (check, asks)) in ASKED.iter().enumerate() {
        for (window, (keys, within, since)) in windows.iter().enumerate() {
            writeln!(
                config,
                "[[rule]]\nid = 'a/{number}-{window}'\nmessage = 'm'\neach = 'a'\nsame = '/payload/input/k'\ncheck = \"{check}\"\n{keys}"
            )
            .unwrap();
            let window_of = Window {
                most: 0,
                same: K,
                within: within.then_some(2),
                has_since: *since,
                until: None,
                needs: None,
            };
            rules.push(Searched {
                id: format!("a/{number}-{window}"),
                text: format!("{check}, {window}"),
                search: Box::new(move |events| window_of.asked(events, *asks)),
            });
        }
    }
    find_what_searches_find(&config, 150, &rules);
}

impl Window {
    /// The lines at which a rule finds something that asks for the events in the window.
    fn asked(&self, events: &[Value], asks: Asks) -> Vec<usize> {
        let (mut lines, mut gone) = (Vec::new(), BTreeSet::new());
        for (now, event) in events.iter().enumerate() {
            if !is_tool(event, "a") {
                continue;
            }
            let group = at(event, self.same);
            if group.is_err() || (self.within.is_some() && second(event).is_none()) {
                lines.push(now);
                continue;
            }
            let since = (0..now).rev().find(|line| {
                let own = at(&events[*line], self.same);
                self.has_since && is_tool(&events[*line], "c") && (own == group || own.is_err())
            });
            let first = since.map_or(0, |line| line + 1);
            let of_group = |line: &usize| {
                is_tool(&events[*line], "a") && at(&events[*line], self.same) == group
            };
            let earlier: Vec<usize> = (first..now).filter(of_group).collect();
            if let Some(within) = self.within {
                let is_old = |line: &&usize| {
                    let times = second(&events[**line]).zip(second(event));
                    times.is_some_and(|(then, now)| now - then > within)
                };
                gone.extend(earlier.iter().filter(is_old).copied());
            }
            let p = |event: &Value| {
                event
                    .pointer("/payload/input/p")
                    .and_then(Value::as_i64)
            };
            let values: Vec<Option<i64>> = earlier
                .iter()
                .filter(|line| !gone.contains(*line))
                .map(|line| p(&events[*line]))
                .collect();
            if !p(event).is_some_and(|own| asks(&values, own)) && !is_count(asks, &values, p(event))
            {
                lines.push(now);
            }
        }
        lines
    }
}

/// Whether a question that does not read the event itself is sound.
fn is_count(asks: Asks, values: &[Option<i64>], own: Option<i64>) -> bool {
    own.is_none() && std::ptr::fn_addr_eq(asks, ASKED[1].1) && asks(values, 0)
        || own.is_none() && std::ptr::fn_addr_eq(asks, ASKED[3].1) && values.is_empty()
}

#[test]
fn answers_cover_what_a_search_covers() {
    let config = "[[order]]\nid = 'a/0'\nmessage = 'm'\nlevel = 'ask'\nnever = true\n\
                  each = { phase = 'act', tool = 'a' }\n";
    let gate = Gate::default().with_config(Path::new("runvet.toml"), config, None);
    let (mut gate, mut all_found) = (gate.unwrap(), 0);
    for seed in 0..250 {
        let mut random = Random::new(seed);
        let events = (0..random.below(12)).map(|_| {
            let mut act = json!({"tool": "a"});
            if random.below(3) > 0 {
                act["input"] = pick(&mut random, &[json!(1), json!(1.0), json!("1")]);
            }
            if random.below(2) == 0 {
                return json!({"phase": "act", "payload": act});
            }
            let answer = pick(&mut random, &["yes", "yes", "no", "perhaps"]);
            let rule = pick(&mut random, &["a/0", "a/0", "a/0", "a/1"]);
            let payload = json!({"rule": rule, "act": act, "answer": answer, "by": "kim"});
            json!({"phase": "direction", "event_type": "direction.ask", "payload": payload})
        });
        let events: Vec<Value> = events.collect();
        let mut left = BTreeMap::<Option<String>, u64>::new();
        let mut expected = Vec::new();
        for (line, event) in events.iter().enumerate() {
            let payload = &event["payload"];
            let is_act = event["phase"] == "act";
            let act = if is_act { payload } else { &payload["act"] };
            let input = act.get("input");
            let key = input.map(|it| {
                it.as_f64()
                    .map_or(it.to_string(), |it| it.to_string())
            });
            let left = left.entry(key).or_default();
            match payload["answer"].as_str() {
                None if *left == 0 => expected.push(line),
                None => *left -= 1,
                Some("yes") if payload["rule"] == "a/0" => *left += 1,
                Some("no") if payload["rule"] == "a/0" => *left = 0,
                Some(_) => {}
            }
        }
        let found = of_rule(&found(&mut gate, &events), "a/0");
        assert_eq!(found, expected, "{seed}: {events:#?}");
        all_found += found.len();
    }
    assert!(all_found > 200, "{all_found}");
}
