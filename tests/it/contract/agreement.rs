//! Differential test: runvet and other validators agree on mutants of good records.
//!
//! runvet recognizes most valid records with its own fast validator, and asks the `jsonschema`
//! crate about the others. Here that crate validates every mutant from a tree of `serde_json`,
//! without the fast validator and without runvet's tape. Python's `jsonschema`, written by other
//! authors in another language, validates a part of the mutants.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, ValidationError, Validator};
use proptest::prelude::*;
use proptest::sample::Index;
use runvet::document::{Kind, Node, OwnedDocument};
use runvet::finding::{Finding, Level};
use runvet::gate::{Gate, all_rules};
use runvet::source::Artifact;
use runvet::{Schema, Timestamp};
use serde_json::{Value, json};

use crate::support::corpus::corpus;
use crate::support::python::python;
use crate::support::random::config;

/// The values that replace every value in turn.
const VALUES: [&str; 16] = [
    "null",
    "true",
    "0",
    "5",
    "2.0",
    "-1",
    "2.5",
    HUGE,
    r#""""#,
    r#""x""#,
    r#""2026-03-01T12:00:00""#,
    r#""2026-03-01T13:00:00.5+01:00""#,
    "[]",
    "[null]",
    "{}",
    r#"{"x":{}}"#,
];

/// A number beyond every double.
const HUGE: &str = "1e400";

/// Values on which validators may differ, for the second validator alone.
const EDGES: [&str; 10] = [
    "1.00000000000000000000000001",
    "0.99999999999999999999999999",
    "-1e-400",
    "18446744073709551616.0",
    r#""2026-03-01t12:00:00z""#,
    r#""2016-12-31T23:59:60Z""#,
    r#""2026-03-01T12:00:60Z""#,
    r#""0000-01-01T00:00:00Z""#,
    r#""2026-03-01T12:00:00Z\n""#,
    r#""２026-03-01T12:00:00Z""#,
];

const SCHEMAS: [(Schema, Artifact); 3] = [
    (Schema::State, Artifact::State),
    (Schema::Summary, Artifact::Summary),
    (Schema::Event, Artifact::Events),
];

/// A good record: `state.json`, `summary.json` or a line of `events.jsonl`.
struct Record {
    name: String,
    schema: Schema,
    artifact: Artifact,
    text: String,
}

/// The records of all good runs; those that differ in their run's id alone, once.
static RECORDS: LazyLock<Vec<Record>> = LazyLock::new(|| {
    let mut records = Vec::new();
    let mut seen = BTreeSet::new();
    for episode in Gate::default()
        .discover(&[corpus().join("good")])
        .episodes
    {
        let id = episode
            .path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap();
        for (schema, artifact) in SCHEMAS {
            let path = episode.path.join(artifact.file_name());
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            let name = path
                .strip_prefix(corpus())
                .unwrap()
                .display();
            let texts: Vec<_> = if schema == Schema::Event {
                text.lines().collect()
            } else {
                vec![&*text]
            };
            for (index, text) in texts.into_iter().enumerate() {
                if !text.trim().is_empty() && seen.insert(text.replace(id, "")) {
                    let name = format!("{name}:{}", index + 1);
                    records.push(Record {
                        name,
                        schema,
                        artifact,
                        text: text.into(),
                    });
                }
            }
        }
    }
    records
});

/// A mutation: new bytes for a span of a record.
struct Edit {
    at: Range<usize>,
    put: String,
    what: String,
}

/// Makes every mutation of a record.
struct Editor<'t> {
    text: &'t str,
    values: &'t [&'t str],
    edits: Vec<Edit>,
}

impl Editor<'_> {
    fn edits(text: &str, values: &[&str]) -> Vec<Edit> {
        let mut editor = Editor {
            text,
            values,
            edits: Vec::new(),
        };
        let document = OwnedDocument::read(text.into()).unwrap();
        editor.visit(document.root(), "");
        editor.edits
    }

    fn visit(&mut self, node: Node<'_>, pointer: &str) {
        let Range { start, end } = node.span();
        for value in self.values {
            self.edit(start..end, *value, pointer, &format!("= {value}"));
        }
        let mut parts = Vec::new();
        for key in node.members() {
            let Range { start, end } = key.span().start..key.value().span().end;
            // The last of two equal keys counts.
            let name = &self.text[key.span()];
            self.edit(
                start..start,
                format!("{name}:null,"),
                pointer,
                &format!("+ {name} before"),
            );
            self.edit(
                end..end,
                format!(",{name}:null"),
                pointer,
                &format!("+ {name} behind"),
            );
            // The same key in another spelling.
            if let Some(first) = key.name().chars().next() {
                let escaped = name.replacen(first, &format!("\\u{:04x}", u32::from(first)), 1);
                self.edit(
                    key.span(),
                    &*escaped,
                    pointer,
                    &format!("{name} as {escaped}"),
                );
            }
            self.visit(key.value(), &below(pointer, key.name()));
            parts.push(start..end);
        }
        for (index, item) in node.items().enumerate() {
            self.visit(item, &below(pointer, index));
            parts.push(item.span());
        }
        if node.kind() == Kind::Object {
            let comma = if parts.is_empty() { "" } else { "," };
            for keys in [
                r#""unknown/~":null"#,
                r#""x-unknown":null"#,
                r#""one":null,"another":null"#,
            ] {
                self.edit(
                    start + 1..start + 1,
                    format!("{keys}{comma}"),
                    pointer,
                    &format!("+ {keys}"),
                );
            }
        }
        for (index, part) in parts.iter().enumerate() {
            // The comma after it is removed too, or the comma before it if it is the last.
            let with_next = parts
                .get(index + 1)
                .map(|next| part.start..next.start);
            let with_last = index
                .checked_sub(1)
                .map(|last| parts[last].end..part.end);
            let at = with_next
                .or(with_last)
                .unwrap_or(part.clone());
            self.edit(at, "", pointer, &format!("- {}", &self.text[part.clone()]));
        }
    }

    fn edit(&mut self, at: Range<usize>, put: impl Into<String>, pointer: &str, what: &str) {
        self.edits.push(Edit {
            at,
            put: put.into(),
            what: format!("{pointer} {what}"),
        });
    }
}

impl Edit {
    fn made_in(&self, text: &str) -> String {
        [&text[..self.at.start], &self.put, &text[self.at.end..]].concat()
    }
}

/// The pointer to a member or an item.
fn below(pointer: &str, token: impl std::fmt::Display) -> String {
    let token = token.to_string();
    format!(
        "{pointer}/{}",
        token
            .replace('~', "~0")
            .replace('/', "~1")
    )
}

/// The sorted JSON Pointers where runvet finds that each text violates the schema of an artifact.
fn found(artifact: Artifact, texts: &[String]) -> Vec<Vec<String>> {
    // A line that is not an object is reported by another rule.
    const RULES: [&str; 4] = [
        "state/schema",
        "summary/schema",
        "events/schema",
        "events/syntax",
    ];
    static GATE: LazyLock<Gate> = LazyLock::new(|| {
        let others = all_rules().filter(|rule| !RULES.contains(&&*rule.id));
        others.fold(Gate::default(), |check, rule| {
            check
                .level(&rule.id, Level::Off)
                .unwrap()
        })
    });
    // All events are checked as one timeline.
    let is_timeline = artifact == Artifact::Events;
    let files = if is_timeline {
        vec![texts.join("\n")]
    } else {
        texts.to_vec()
    };
    let mut found = vec![Vec::new(); texts.len()];
    for (index, file) in files.iter().enumerate() {
        for Finding { location, .. } in GATE
            .clone()
            .records("ep", &[(artifact, file.as_bytes())])
            .findings
        {
            let line = usize::try_from(location.line.unwrap()).unwrap();
            found[if is_timeline { line - 1 } else { index }]
                .push(location.pointer.unwrap_or_default());
        }
    }
    for places in &mut found {
        places.sort();
    }
    found
}

/// The same validation without any of runvet's code except `Timestamp`.
struct Judge {
    validator: Validator,
    /// The version fields, each with the version that is current.
    versions: Vec<(String, Value)>,
}

impl Judge {
    fn new(schema: Schema) -> Self {
        let schema: Value = serde_json::from_str(schema.text()).unwrap();
        let constant = |(name, property): (&String, &Value)| {
            Some((name.clone(), property.get("const")?.clone()))
        };
        let options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true);
        let options = options.with_format("date-time", |text| Timestamp::parse(text).is_some());
        Self {
            validator: options.build(&schema).unwrap(),
            versions: schema["properties"]
                .as_object()
                .unwrap()
                .iter()
                .filter_map(constant)
                .collect(),
        }
    }

    /// Where a record violates its schema; `None` where the text is not JSON, or where the rules
    /// about versions apply instead.
    fn expected(schema: Schema, text: &str) -> Option<Vec<String>> {
        static JUDGES: LazyLock<[Judge; 3]> =
            LazyLock::new(|| SCHEMAS.map(|(schema, _)| Judge::new(schema)));
        let judge = &JUDGES[SCHEMAS
            .iter()
            .position(|(known, _)| *known == schema)?];
        // The largest double replaces a number beyond its range: it is an integer too, and above
        // every bound.
        let record: Value =
            serde_json::from_str(&text.replace(HUGE, &format!("{:e}", f64::MAX))).ok()?;
        let is_other = |(field, current): &(String, Value)| {
            record[field].is_string() && record[field] != *current
        };
        let is_of_another_version = judge.versions.iter().any(is_other);
        (!is_of_another_version).then(|| places(judge.validator.iter_errors(&record)))
    }
}

/// The places of the findings that errors make: one mistake, one finding.
///
/// - A value of the wrong type often fails `enum`, `const` or `format` too, and a payload may fail
///   `type` both as the payload of any event and as that of its phase. Only the type is reported.
/// - All that one object lacks is one finding, at the object, as in the errors.
/// - All keys that `additionalProperties` forbids in one object make one error, but each key is
///   reported, at the key itself.
fn places<'e>(errors: impl Iterator<Item = ValidationError<'e>>) -> Vec<String> {
    let errors: Vec<_> = errors
        .map(|error| {
            (
                error
                    .instance_path()
                    .as_str()
                    .to_owned(),
                error,
            )
        })
        .collect();
    let is_of_type =
        |error: &ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::Type { .. });
    let wrong_types = errors
        .iter()
        .filter(|(_, error)| is_of_type(error))
        .map(|(place, _)| place);
    let wrong_types: BTreeSet<&String> = wrong_types.collect();
    let mut places: Vec<String> = wrong_types
        .iter()
        .map(|place| place.as_str().into())
        .collect();
    let mut lacking = BTreeSet::new();
    for (place, error) in errors
        .iter()
        .filter(|(place, _)| !wrong_types.contains(place))
    {
        match error.kind() {
            ValidationErrorKind::Required { .. } if !lacking.insert(place) => {}
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                places.extend(
                    unexpected
                        .iter()
                        .map(|key| below(place, key)),
                );
            }
            _ => places.push(place.as_str().into()),
        }
    }
    places.sort();
    places
}

/// Mutants of a record, each with its name, on which runvet and the schema disagree.
fn misjudged(record: &Record, mutants: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let judged = mutants
        .filter_map(|(name, text)| Some(((name, Judge::expected(record.schema, &text)?), text)));
    let (judged, texts): (Vec<_>, Vec<_>) = judged.unzip();
    let compared = judged
        .into_iter()
        .zip(found(record.artifact, &texts));
    let differently = compared.filter(|((_, expected), found)| found != expected);
    let describe = |((name, expected), found)| {
        format!(
            "{} {name}: found {found:?}, expected {expected:?}",
            record.name
        )
    };
    differently.map(describe).collect()
}

#[test]
fn one_mistake_is_judged_as_the_schema_says() {
    let all = |record: &Record| {
        let edits = Editor::edits(&record.text, &VALUES).into_iter();
        misjudged(
            record,
            edits.map(|edit| (edit.what.clone(), edit.made_in(&record.text))),
        )
    };
    let wrong: Vec<String> = RECORDS.iter().flat_map(all).collect();
    assert!(
        wrong.is_empty(),
        "{} mutants, such as\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn two_mistakes_are_judged_as_the_schema_says(record: Index, one: Index, other: Index) {
        static EDITS: LazyLock<Vec<Vec<Edit>>> =
            LazyLock::new(|| RECORDS.iter().map(|record| Editor::edits(&record.text, &VALUES)).collect());
        let index = record.index(RECORDS.len());
        let (record, edits) = (&RECORDS[index], &EDITS[index]);
        let (mut one, mut other) = (one.get(edits), other.get(edits));
        if one.at.start > other.at.start {
            (one, other) = (other, one);
        }
        // Two mutations of the same bytes are not two mutations.
        prop_assume!(one.at.end <= other.at.start);
        let text = one.made_in(&other.made_in(&record.text));
        let wrong = misjudged(record, std::iter::once((format!("{} and {}", one.what, other.what), text)));
        prop_assert!(wrong.is_empty(), "{}", wrong.concat());
    }
}

#[test]
fn python_validator_agrees() {
    let values = [&VALUES[..], &EDGES].concat();
    let mutants = RECORDS.iter().flat_map(|record| {
        let edits = Editor::edits(&record.text, &values);
        edits
            .into_iter()
            .map(move |edit| (record, edit.made_in(&record.text), edit))
    });
    // A sample in which every value reaches every kind of place.
    let mutants = mutants
        .step_by(17)
        .filter(|(record, text, _)| Judge::expected(record.schema, text).is_some());
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("mutants.jsonl");
    let lines = mutants.map(|(record, text, edit)| {
        let valid = found(record.artifact, std::slice::from_ref(&text))[0].is_empty();
        let name = format!("{} {}", record.name, edit.what);
        json!({ "name": name, "schema": record.schema.to_string(), "put": edit.put, "text": text, "valid": valid })
    });
    fs::write(
        &file,
        lines
            .map(|line: Value| line.to_string())
            .collect::<Vec<_>>()
            .join("\n"),
    )
    .unwrap();

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(mut python) = python(
        "agreement",
        &["jsonschema==4.26.0", "rfc3339-validator==0.1.4"],
    ) else {
        return;
    };
    let judged = python
        .arg(root.join("tests/agreement.py"))
        .args([root, &file])
        .output()
        .unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&judged.stdout),
        String::from_utf8_lossy(&judged.stderr),
    );
    assert!(judged.status.success(), "{out}{err}");
    eprint!("{out}");
}
