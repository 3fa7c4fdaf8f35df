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
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    match value {
        Value::Array(items) => items.iter().map(text).collect(),
        Value::Null => Vec::new(),
        one => vec![text(one)],
    }
}

/// Adds the places of a schema below a path. `within` are the references that lead here.
fn add_places(schema: &Value, root: &Value, path: &str, within: &[&str], places: &mut Places) {
    if let Some(reference) = schema["$ref"].as_str()
        && let Some(pointer) = reference.strip_prefix('#')
        && !within.contains(&reference)
    {
        let within = [within, &[reference]].concat();
        add_places(root.pointer(pointer).unwrap(), root, path, &within, places);
    }
    let place = places.entry(path.to_owned()).or_default();
    for word in texts(&schema["type"]) {
        if word == "number" {
            place.types.insert("integer".to_owned());
        }
        place.types.insert(word);
    }
    place.words.extend(texts(&schema["enum"]));
    place.words.extend(texts(&schema["const"]));
    for all in ["anyOf", "oneOf", "allOf"] {
        for branch in schema[all].as_array().into_iter().flatten() {
            add_places(branch, root, path, within, places);
        }
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        add_places(member, root, &path, within, places);
        let required = texts(&schema["required"]).contains(name);
        places.get_mut(&path).unwrap().required |= required;
    }
    for (key, end) in [("items", "[]"), ("additionalProperties", ".*")] {
        if schema[key].is_object() {
            add_places(&schema[key], root, &format!("{path}{end}"), within, places);
        }
    }
}

fn places(name: &str, schema: &Value) -> Places {
    let mut places = Places::new();
    add_places(schema, schema, name, &[], &mut places);
    places
}

/// The places as lines, for a schema of what is `read` or `written`.
fn lines(direction: &str, places: &Places) -> BTreeSet<String> {
    let line = |(path, allowed): (&String, &Allowed)| {
        let join = |words: &BTreeSet<String>| words.iter().cloned().collect::<Vec<_>>().join("|");
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

/// What this version promises, one promise on each line.
fn promised() -> BTreeSet<String> {
    let mut lines_of_all: BTreeSet<String> = BTreeSet::new();
    let api = read("docs/api.txt");
    lines_of_all.extend(api.lines().map(|line| format!("rust {line}")));
    lines_of_all.extend(all_rules().map(|rule| format!("rule {}", rule.id)));
    for command in commands() {
        let help = help_of(&command);
        let options = help
            .lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with('-'));
        let long =
            options.filter_map(|line| line.split([' ', '[', '=']).find(|it| it.starts_with("--")));
        lines_of_all.extend(long.map(|option| format!("option runvet {command} {option}")));
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
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
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
        lines_of_all.extend(lines(direction, &places(&schema.to_string(), &text)));
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
    let is_kept = |line: &String| {
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
        // A line has one of the commands, so a new one is demanded by nobody.
        let parent = path.rsplit_once('.').map(|(parent, _)| parent);
        let parent = parent.filter(|it| *it != "record-command" && before.contains(*it));
        new.required && !before.contains(&path) && parent.is_some()
    };
    let broken = earlier.iter().filter(|line| !is_kept(line));
    broken
        .chain(later.iter().filter(is_demanded))
        .cloned()
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

/// What the changelog announces as breaking since a version: the texts in backticks.
fn announced(changelog: &str, since: &str) -> Vec<String> {
    let later = changelog.split(&format!("\n## {since}")).next().unwrap();
    let parts = later.split("\n### Breaking").skip(1);
    let parts = parts.filter_map(|part| part.split("\n## ").next()?.split("\n### ").next());
    parts
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

/// The numbers of a version that grow with a break: the major, and the minor while that is 0.
fn breaking_part(version: &str) -> (u64, u64) {
    let mut numbers = version.split('.').map(|it| it.parse().unwrap());
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
    let broken = breaks(&released.lines().map(str::to_owned).collect(), &current);
    let announced = announced(&read("CHANGELOG.md"), was);
    let silent: Vec<&String> = broken
        .iter()
        .filter(|line| !announced.iter().any(|text| names(line, text)))
        .collect();
    assert!(
        silent.is_empty(),
        "\"### Breaking\" of CHANGELOG.md does not name, in backticks, what these promises of {was} \
         lost:\n{silent:#?}"
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
        let parent = edited.pointer_mut(parent).unwrap().as_object_mut().unwrap();
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
            let [before, after] = [&schema, &edited].map(|it| lines(direction, &places("x", it)));
            !breaks(&before, &after).is_empty()
        });
        assert_eq!(is_broken, expected, "{pointer}: {edited}");
    }
    let mut demanding = edit("/properties/more", json!({"type": "string"}));
    demanding["required"] = json!(["id", "more"]);
    let [before, after] = [&schema, &demanding].map(|it| lines("read", &places("x", it)));
    assert_eq!(
        breaks(&before, &after),
        ["read\tx.more\tstring\trequired\t"]
    );
}

#[test]
fn changelog_announces_what_stands_under_breaking() {
    let changelog = "# Changelog\n\n## Unreleased\n\n### Breaking\n\n- `a.b` is gone.\n\n### Added\n\n- `c`\n\n\
                     ## 0.1.0\n\n### Breaking\n\n- `d`\n";
    assert_eq!(announced(changelog, "0.1.0"), ["a.b"]);
    assert!(names("written\ta.b.c\tstring", "a.b") && !names("written\ta.bc", "a.b"));
    let parts = ["0.1.9", "0.2.0", "1.4.2", "2.0.0"].map(breaking_part);
    assert!(parts.is_sorted_by(|a, b| a < b), "{parts:?}");
}
