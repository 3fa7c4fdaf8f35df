//! What this version promises -> the breaks since the last release, each of which the changelog
//! announces. `packaging/released.txt` holds the promises of that release, one on each line.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use runvet::Schema;
use runvet::finding::REPORT_VERSION;
use runvet::gate::all_rules;
use serde_json::{Value, json};

use crate::support::documents::{commands, help_of};
use crate::support::markdown::{read, root};

const RELEASED: &str = "packaging/released.txt";

/// The schemas of what others write and runvet reads. All others describe what runvet writes.
const READ: [Schema; 6] = [
    Schema::State,
    Schema::Summary,
    Schema::Event,
    Schema::Config,
    Schema::Pack,
    Schema::RecordCommand,
];

/// What a schema allows at one place.
#[derive(Clone, Debug, Default, PartialEq)]
struct Allowed {
    /// The types; none stands for any.
    types: BTreeSet<String>,
    /// The values; none stands for any of the types.
    words: BTreeSet<String>,
    required: bool,
}

type Places = BTreeMap<String, Allowed>;

/// The texts of a value, or of its items.
fn texts(value: &Value) -> Vec<String> {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or(value.to_string(), str::to_owned)
    };
    match value {
        Value::Array(items) => items.iter().map(text).collect(),
        Value::Null => Vec::new(),
        one => vec![text(one)],
    }
}

/// Adds the places of a schema below a path. `within` are the references that lead here.
///
/// Of alternatives, a writer promises the fields of each, and a reader demands those of all.
fn add_places(
    schema: &Value,
    root: &Value,
    direction: &str,
    path: &str,
    within: &[&str],
    places: &mut Places,
) {
    if let Some(reference) = schema["$ref"].as_str()
        && let Some(pointer) = reference.strip_prefix('#')
        && !within.contains(&reference)
    {
        let within = [within, &[reference]].concat();
        let target = root.pointer(pointer).unwrap();
        add_places(target, root, direction, path, &within, places);
    }
    let place = places
        .entry(path.to_owned())
        .or_default();
    for word in texts(&schema["type"]) {
        if word == "number" {
            place.types.insert("integer".to_owned());
        }
        place.types.insert(word);
    }
    place
        .words
        .extend(texts(&schema["enum"]));
    place
        .words
        .extend(texts(&schema["const"]));
    for branch in schema["allOf"]
        .as_array()
        .into_iter()
        .flatten()
    {
        add_places(branch, root, direction, path, within, places);
    }
    for any in ["anyOf", "oneOf"] {
        let branches = schema[any]
            .as_array()
            .into_iter()
            .flatten()
            .map(|branch| {
                let mut places = Places::new();
                add_places(branch, root, direction, path, within, &mut places);
                places
            });
        let branches: Vec<Places> = branches.collect();
        // A branch without a type may be an object too.
        let objects = branches.iter().filter(|it| {
            let types = &it[path].types;
            types.is_empty() || types.contains("object")
        });
        let demanded = |place: &str| {
            let is_field = place
                .rsplit_once('.')
                .is_some_and(|(of, _)| of == path);
            let is_demanded = |branch: &Places| {
                branch
                    .get(place)
                    .is_some_and(|it| it.required)
            };
            direction == "written" || !is_field || objects.clone().all(is_demanded)
        };
        for (path, allowed) in branches.iter().flatten() {
            let place = places.entry(path.clone()).or_default();
            place
                .types
                .extend(allowed.types.clone());
            place
                .words
                .extend(allowed.words.clone());
            place.required |= allowed.required && demanded(path);
        }
    }
    for (name, member) in schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
    {
        let path = format!("{path}.{name}");
        add_places(member, root, direction, &path, within, places);
        let required = texts(&schema["required"]).contains(name);
        places.get_mut(&path).unwrap().required |= required;
    }
    for (key, end) in [("items", "[]"), ("additionalProperties", ".*")] {
        if schema[key].is_object() {
            let path = format!("{path}{end}");
            add_places(&schema[key], root, direction, &path, within, places);
        }
    }
}

/// The places of a schema as lines, for what is `read` or `written`.
fn lines(direction: &str, name: &str, schema: &Value) -> BTreeSet<String> {
    let mut places = Places::new();
    add_places(schema, schema, direction, name, &[], &mut places);
    let line = |(path, allowed): (&String, &Allowed)| {
        let join = |words: &BTreeSet<String>| {
            words
                .iter()
                .cloned()
                .collect::<Vec<_>>()
                .join("|")
        };
        let required = if allowed.required {
            "required"
        } else {
            "optional"
        };
        let (types, words) = (join(&allowed.types), join(&allowed.words));
        format!("{direction}\t{path}\t{types}\t{required}\t{words}")
    };
    places.iter().map(line).collect()
}

/// The place that a line has.
fn place(line: &str) -> Option<(&str, String, Allowed)> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [direction, path, types, required, words] = cells[..] else {
        return None;
    };
    let set = |text: &str| {
        text.split('|')
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let allowed = Allowed {
        types: set(types),
        words: set(words),
        required: required == "required",
    };
    Some((direction, path.to_owned(), allowed))
}

/// Returns `true` if all that `wide` allows holds `narrow`, where nothing stands for anything.
fn holds(wide: &BTreeSet<String>, narrow: &BTreeSet<String>) -> bool {
    wide.is_empty() || !narrow.is_empty() && narrow.is_subset(wide)
}

/// The options of a command in its help, each with its variable and its default, if that is a word.
fn options(command: &str, help: &str) -> Vec<String> {
    let mut options: Vec<(&str, String)> = Vec::new();
    for line in help.lines() {
        let text = line.trim_start();
        // What is further in, or out, is a description.
        if text.starts_with('-') && (2..=6).contains(&(line.len() - text.len())) {
            let (names, words) = text
                .split_once("  ")
                .unwrap_or((text, ""));
            options.push((names, words.to_owned()));
        } else if let Some((_, words)) = options.last_mut() {
            words.extend([" ", text]);
        }
    }
    let promises = options
        .iter()
        .flat_map(|(names, words)| {
            let names = names.split([' ', '[', '=', ',']);
            let names: Vec<&str> = names
                .filter(|it| it.starts_with('-'))
                .collect();
            let told = ["default", "env"]
                .into_iter()
                .filter_map(|kind| {
                    let (_, rest) = words.split_once(&format!("[{kind}: "))?;
                    let word = rest.split_once(']')?.0;
                    let name = names.last()?;
                    (!word.contains(' ')).then(|| format!("{kind} runvet {command} {name} {word}"))
                });
            let told: Vec<String> = told.collect();
            let names = names
                .iter()
                .map(|name| format!("option runvet {command} {name}"));
            names.chain(told).collect::<Vec<_>>()
        });
    promises.collect()
}

/// The rule and its level that a line has; a higher level is a greater number.
fn level(line: &str) -> Option<(&str, usize)> {
    let (rule, level) = line
        .strip_prefix("level ")?
        .split_once(' ')?;
    let rank = ["off", "warning", "error"]
        .iter()
        .position(|it| *it == level);
    Some((rule, rank?))
}

/// What this version promises, one promise on each line.
fn promised() -> BTreeSet<String> {
    let mut lines_of_all: BTreeSet<String> = BTreeSet::new();
    let api = read("docs/api.txt");
    lines_of_all.extend(
        api.lines()
            .map(|line| format!("rust {line}")),
    );
    for rule in all_rules() {
        lines_of_all.insert(format!("rule {}", rule.id));
        lines_of_all.insert(format!("level {} {}", rule.id, rule.level));
    }
    for command in commands() {
        lines_of_all.extend(options(&command, &help_of(&command)));
    }
    let python = read("python/runvet/__init__.py");
    let names = python
        .split("__all__ = [")
        .nth(1)
        .unwrap()
        .split(']')
        .next()
        .unwrap();
    let names = names.split('"').skip(1).step_by(2);
    lines_of_all.extend(names.map(|name| format!("python runvet.{name}")));
    let service: Value = serde_json::from_str(&read("schemas/openapi.json")).unwrap();
    for (path, methods) in service["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            lines_of_all.insert(format!("service {method} {path}"));
            for parameter in operation["parameters"]
                .as_array()
                .into_iter()
                .flatten()
            {
                if let Some(name) = parameter["name"].as_str() {
                    lines_of_all.insert(format!("service {method} {path} {name}"));
                }
            }
        }
    }
    for schema in Schema::ALL {
        let direction = if READ.contains(schema) {
            "read"
        } else {
            "written"
        };
        let text = serde_json::from_str(schema.text()).unwrap();
        lines_of_all.extend(lines(direction, &schema.to_string(), &text));
    }
    lines_of_all
}

/// The lines of promises that the later ones break.
fn breaks(earlier: &BTreeSet<String>, later: &BTreeSet<String>) -> Vec<String> {
    let now: BTreeMap<String, Allowed> = later
        .iter()
        .filter_map(|line| place(line))
        .map(|(_, path, it)| (path, it))
        .collect();
    let before: BTreeSet<String> = earlier
        .iter()
        .filter_map(|line| place(line))
        .map(|(_, path, _)| path)
        .collect();
    let levels: BTreeMap<&str, usize> = later
        .iter()
        .filter_map(|line| level(line))
        .collect();
    let is_kept = |line: &String| {
        if let Some((rule, old)) = level(line) {
            return levels
                .get(rule)
                .is_some_and(|new| *new >= old);
        }
        let Some((direction, path, old)) = place(line) else {
            return later.contains(line);
        };
        let Some(new) = now.get(&path) else {
            return false;
        };
        let (wide, narrow) = if direction == "read" {
            (new, &old)
        } else {
            (&old, new)
        };
        // A reader accepts what lacks a field, and a writer leaves none out.
        let stays_required = narrow.required || !wide.required;
        holds(&wide.types, &narrow.types) && holds(&wide.words, &narrow.words) && stays_required
    };
    let is_demanded = |line: &&String| {
        let Some(("read", path, new)) = place(line) else {
            return false;
        };
        let parent = path
            .rsplit_once('.')
            .map(|(parent, _)| parent);
        new.required && !before.contains(&path) && parent.is_some_and(|it| before.contains(it))
    };
    let broken = earlier
        .iter()
        .filter(|line| !is_kept(line));
    broken
        .chain(later.iter().filter(is_demanded))
        .cloned()
        .collect()
}

/// The rules whose level is higher than it was.
fn raised(earlier: &BTreeSet<String>, later: &BTreeSet<String>) -> Vec<String> {
    let before: BTreeMap<&str, usize> = earlier
        .iter()
        .filter_map(|line| level(line))
        .collect();
    let now = later
        .iter()
        .filter_map(|line| level(line));
    let raised = now.filter(|(rule, new)| {
        before
            .get(rule)
            .is_some_and(|old| new > old)
    });
    raised
        .map(|(rule, _)| rule.to_owned())
        .collect()
}

/// Returns `true` if a line has the text, not as a part of a longer name.
fn names(line: &str, text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "_-".contains(c);
    line.match_indices(text).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + text.len()..]);
        !before.ends_with(is_name) && !after.starts_with(is_name)
    })
}

/// What the changelog says since a version.
fn changes<'a>(changelog: &'a str, since: &str) -> &'a str {
    changelog
        .split(&format!("\n## {since}"))
        .next()
        .unwrap()
}

/// What changes announce as breaking: the texts in backticks.
fn announced(changes: &str) -> Vec<&str> {
    let parts = changes.split("\n### Breaking").skip(1);
    let parts = parts.filter_map(|part| {
        part.split("\n## ")
            .next()?
            .split("\n### ")
            .next()
    });
    parts
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .collect()
}

/// The numbers of a version that grow with a break: the major, and the minor while that is 0.
fn breaking_part(version: &str) -> (u64, u64) {
    let mut numbers = version
        .split('.')
        .map(|it| it.parse().unwrap());
    match (numbers.next().unwrap(), numbers.next().unwrap()) {
        (0, minor) => (0, minor),
        (major, _) => (major, 0),
    }
}

#[test]
fn every_break_since_the_last_release_is_announced() {
    let current = promised();
    let version = env!("CARGO_PKG_VERSION");
    if std::env::var_os("RELEASED").is_some_and(|it| it == "1") {
        let mut text = format!("runvet {version}, report {REPORT_VERSION}\n");
        for line in &current {
            writeln!(text, "{line}").unwrap();
        }
        return std::fs::write(root().join(RELEASED), text).unwrap();
    }
    let released = read(RELEASED);
    let (head, released) = released.split_once('\n').unwrap();
    let (was, report) = head
        .strip_prefix("runvet ")
        .unwrap()
        .split_once(", report ")
        .unwrap();
    let released = released
        .lines()
        .map(str::to_owned)
        .collect();
    let broken = breaks(&released, &current);
    let changelog = read("CHANGELOG.md");
    let changes = changes(&changelog, was);
    let announced = announced(changes);
    let silent: Vec<&String> = broken
        .iter()
        .filter(|line| {
            !announced
                .iter()
                .any(|text| names(line, text))
        })
        .collect();
    assert!(
        silent.is_empty(),
        "\"### Breaking\" of CHANGELOG.md does not name, in backticks, what these promises of {was} \
         lost:\n{silent:#?}"
    );
    let mut raised = raised(&released, &current);
    raised.retain(|rule| !names(changes, rule));
    assert!(
        raised.is_empty(),
        "CHANGELOG.md does not name these rules, whose level is higher than in {was}: {raised:#?}"
    );
    assert!(
        broken.is_empty() || breaking_part(version) > breaking_part(was),
        "{version} breaks promises of {was}, so its version must say so:\n{broken:#?}"
    );
    let of_report = broken
        .iter()
        .any(|line| line.starts_with("written\treport"));
    assert!(
        !of_report || breaking_part(REPORT_VERSION) > breaking_part(report),
        "the report breaks promises of version {report} of its format:\n{broken:#?}"
    );
}

#[test]
fn breaks_of_schemas_are_found() {
    let schema = json!({
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"type": "string"},
            "kind": {"enum": ["a", "b"]},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        },
        "$defs": {"Item": {"type": "object", "properties": {"size": {"type": "integer"}}}},
    });
    let edit = |pointer: &str, value: Value| {
        let mut edited = schema.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = edited
            .pointer_mut(parent)
            .unwrap()
            .as_object_mut()
            .unwrap();
        match value {
            Value::Null => parent.remove(key),
            value => parent.insert(key.to_owned(), value),
        };
        edited
    };
    let size = "/$defs/Item/properties/size";
    let cases = [
        ("/description", json!("a text"), [false, false]),
        (
            "/properties/more",
            json!({"type": "string"}),
            [false, false],
        ),
        ("/properties/kind", Value::Null, [true, true]),
        (size, Value::Null, [true, true]),
        (size, json!({"type": "number"}), [true, false]),
        (size, json!({"type": ["integer", "null"]}), [true, false]),
        (size, json!({"type": "string"}), [true, true]),
        (
            "/properties/kind",
            json!({"enum": ["a", "b", "c"]}),
            [true, false],
        ),
        ("/properties/kind", json!({"enum": ["a"]}), [false, true]),
        ("/required", json!([]), [true, false]),
        ("/required", json!(["id", "kind"]), [false, true]),
    ];
    for (pointer, value, expected) in cases {
        let edited = edit(pointer, value);
        let is_broken = ["written", "read"].map(|direction| {
            let [before, after] = [&schema, &edited].map(|it| lines(direction, "x", it));
            !breaks(&before, &after).is_empty()
        });
        assert_eq!(is_broken, expected, "{pointer}: {edited}");
    }
    let mut demanding = edit("/properties/more", json!({"type": "string"}));
    demanding["required"] = json!(["id", "more"]);
    let [before, after] = [&schema, &demanding].map(|it| lines("read", "x", it));
    assert_eq!(
        breaks(&before, &after),
        ["read\tx.more\tstring\trequired\t"]
    );
}

#[test]
fn another_alternative_is_demanded_of_nobody() {
    let alternative = |name: &str, required: &[&str]| {
        let of =
            json!({"type": "object", "required": required, "properties": {"at": {}, "by": {}}});
        json!({"type": "object", "required": [name], "properties": {name: of}})
    };
    let read = |alternatives: &[Value]| lines("read", "x", &json!({"oneOf": alternatives}));
    let before = read(&[alternative("open", &["at"]), alternative("close", &[])]);
    let more = [alternative("open", &["at"]), alternative("close", &[])];
    let more = [&more[..], &[alternative("act", &["by"])]].concat();
    assert_eq!(breaks(&before, &read(&more)), [""; 0]);
    let fewer = breaks(&before, &read(&more[..1]));
    assert!(
        fewer.contains(&"read\tx.close\tobject\toptional\t".to_owned()),
        "{fewer:?}"
    );
    let stricter = read(&[
        alternative("open", &["at", "by"]),
        alternative("close", &[]),
    ]);
    assert_eq!(
        breaks(&before, &stricter),
        ["read\tx.open.by\t\toptional\t"]
    );
}

#[test]
fn options_are_read_with_defaults_and_variables() {
    let help = "Says more with\n--many words.\n\nOptions:\n  -j, --jobs <N>\n          How many [default:\n          2]\n          \
                --more is no option\n\n          [env: RUNVET_JOBS]\n\n      --quiet[=<BOOL>]  \
                Says less [default: it depends]\n";
    let expected = [
        "option runvet x -j",
        "option runvet x --jobs",
        "default runvet x --jobs 2",
        "env runvet x --jobs RUNVET_JOBS",
        "option runvet x --quiet",
    ];
    assert_eq!(options("x", help), expected);
}

#[test]
fn levels_may_be_raised_and_not_lowered() {
    let [error, warning] =
        ["error", "warning"].map(|level| BTreeSet::from([format!("level a/b {level}")]));
    assert_eq!(breaks(&error, &warning), ["level a/b error"]);
    assert_eq!(breaks(&warning, &error), [""; 0]);
    assert_eq!(raised(&warning, &error), ["a/b"]);
}

#[test]
fn changelog_announces_what_stands_under_breaking() {
    let changelog = "# Changelog\n\n## Unreleased\n\n### Breaking\n\n- `a.b` is gone.\n\n### Added\n\n- `c`\n\n\
                     ## 0.1.0\n\n### Breaking\n\n- `d`\n";
    assert_eq!(announced(changes(changelog, "0.1.0")), ["a.b"]);
    assert!(names("written\ta.b.c\tstring", "a.b") && !names("written\ta.bc", "a.b"));
    let parts = ["0.1.9", "0.2.0", "1.4.2", "2.0.0"].map(breaking_part);
    assert!(parts.is_sorted_by(|a, b| a < b), "{parts:?}");
}
