//! Texts of the corpus, with random edits -> the reader and the tape agree.
#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "the corpus is no run data of others"
)]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::ground::document::{Layout, Row, Slots, Span, Tape};
use crate::reading::facts;
use crate::reading::schema::{self, CompiledSchema};

/// A schema, the places in its texts, and the file that has them.
type Subject = (&'static CompiledSchema, &'static Layout, &'static str);

const SUBJECTS: [Subject; 3] = [
    (&schema::STATE, &facts::STATE, "state.json"),
    (&schema::SUMMARY, &facts::SUMMARY, "summary.json"),
    (&schema::EVENT, &facts::EVENT, "events.jsonl"),
];

/// Returns the texts of a subject in a part of the corpus.
fn texts(part: &str, file: &str) -> Vec<String> {
    fn walk(dir: &Path, file: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, file, found);
            } else if path.ends_with(file) {
                found.push(path);
            }
        }
    }
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut found = Vec::new();
    walk(&corpus.join(part), file, &mut found);
    found.sort();
    let texts = found
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok());
    let parts = |text: String| -> Vec<String> {
        match file {
            "events.jsonl" => text
                .lines()
                .map(str::to_owned)
                .collect(),
            _ => vec![text],
        }
    };
    texts.flat_map(parts).collect()
}

/// Returns `true` if the same values are in the same slots.
fn is_same(one: &Slots, other: &Slots, layout: &Layout) -> bool {
    let values = |it: &Slots, row, width| -> Vec<Span> {
        (0..width)
            .map(|slot| it.get(row, slot))
            .collect()
    };
    let all = |it: &Slots| {
        let root = values(it, Row::ROOT, layout.root.len());
        let arrays = layout.rows.iter().enumerate();
        let rows: Vec<_> = arrays
            .map(|(array, (_, places))| {
                it.rows(array)
                    .map(|row| values(it, row, places.len()))
                    .collect::<Vec<_>>()
            })
            .collect();
        let arrays = 0..layout.rows.len();
        let of_arrays = arrays.flat_map(|array| it.rows(array));
        let others = std::iter::once(Row::ROOT)
            .chain(of_arrays)
            .map(|row| {
                let mut others: Vec<_> = it
                    .others(row)
                    .iter()
                    .map(|it| (it.key, it.value))
                    .collect();
                others.sort_by_key(|(key, _)| key.start());
                others
            });
        let others: Vec<_> = others.collect();
        (root, rows, others)
    };
    all(one) == all(other)
}

/// Asserts that whatever the reader accepts is sound, and that its slots are what a document says.
/// Returns whether it accepts the text, and whether the text is sound.
fn compare((schema, layout, _): Subject, text: &str) -> (bool, bool) {
    // A reader learns from the texts before.
    thread_local! {
        static READERS: std::cell::RefCell<Vec<(*const Layout, super::SlotReader)>> =
            const { std::cell::RefCell::new(Vec::new()) };
    }
    let mut slots = Slots::default();
    let is_accepted = READERS.with_borrow_mut(|readers| {
        let known = readers
            .iter()
            .position(|(of, _)| std::ptr::eq(*of, layout))
            .unwrap_or_else(|| {
                readers.push((layout, schema.slot_reader(layout)));
                readers.len() - 1
            });
        readers[known]
            .1
            .read(text.as_bytes(), &mut slots)
            .is_some()
    });
    let mut tape = Tape::default();
    let Ok(document) = tape.read_record(text.as_bytes()) else {
        assert!(!is_accepted, "not JSON: {text}");
        return (false, false);
    };
    let is_record = !layout.allows_repeated_keys;
    let is_valid = schema.accepts(document);
    let is_clear = !is_record
        || (!document.repeats_keys()
            && schema
                .misspellings(document.root())
                .is_empty());
    if is_accepted {
        assert!(is_valid && is_clear, "{text}");
        let mut filled = Slots::default();
        filled.fill(document, layout);
        assert!(
            is_same(&filled, &slots, layout),
            "{text}\n{filled:?}\n{slots:?}"
        );
    }
    (is_accepted, is_valid && is_clear)
}

#[test]
fn reader_is_driven_by_each_schema() {
    for subject in SUBJECTS {
        let texts = texts("good", subject.2);
        let judged: Vec<_> = texts
            .iter()
            .map(|text| compare(subject, text))
            .collect();
        let sound = judged
            .iter()
            .filter(|(_, is_sound)| *is_sound)
            .count();
        let accepted = judged
            .iter()
            .filter(|(is_accepted, _)| *is_accepted)
            .count();
        assert!(sound > 10);
        // The rest is written in an unusual way.
        assert!(
            accepted * 20 >= sound * 19,
            "{}: {accepted} of {sound}",
            subject.2
        );
    }
}

/// Returns an object with its members in the reverse order.
fn reversed(text: &str) -> Option<String> {
    let mut tape = Tape::default();
    let root = tape
        .read_record(text.as_bytes())
        .ok()?
        .root();
    let mut members: Vec<String> = root
        .members()
        .map(|key| format!("{}:{}", key.raw(), key.value().raw()))
        .collect();
    members.reverse();
    Some(format!("{{{}}}", members.join(",")))
}

#[test]
fn reader_agrees_with_the_tape_on_the_corpus() {
    for subject in SUBJECTS {
        for part in ["good", "bad"] {
            for text in texts(part, subject.2) {
                compare(subject, &text);
                if let Some(reversed) = reversed(&text) {
                    compare(subject, &reversed);
                }
            }
        }
    }
}

/// Returns an edit of a text: the place, the length, and the replacement.
fn edit() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
    let piece = prop::sample::select(vec![
        "",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "0",
        "-1",
        "1e3",
        "1.50",
        "null",
        "true",
        "\"x\"",
        "\\u0041",
        "\\",
        "\"x-a\":1,",
        "\"id\":\"a\",",
        "\"status\":\"ok\",",
        "\"ids\":1,",
        "\"phase\":\"act\",",
        "\"phase\":\"p\\u006can\",",
        "\"payload\":{},",
        "\"steps\":[],",
        "é",
        "{\"a\":1,\"a\":2}",
        "[{}]",
        "\"step_id\":7,",
        "\"step_status\":\"gone\",",
    ]);
    (
        any::<prop::sample::Index>(),
        0..12_usize,
        piece.prop_map(str::to_owned),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]
    #[test]
    fn reader_agrees_with_the_tape_on_edited_texts(
        subject in 0..SUBJECTS.len(),
        of in any::<prop::sample::Index>(),
        edits in prop::collection::vec(edit(), 1..4),
    ) {
        thread_local! {
            static TEXTS: [Vec<String>; 3] = SUBJECTS.map(|subject| texts("good", subject.2));
        }
        let mut text = TEXTS.with(|texts| of.get(&texts[subject]).clone());
        for (at, length, piece) in edits {
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let from = at.index(starts.len());
            let to = (from + length).min(starts.len() - 1);
            text.replace_range(starts[from]..starts[to], &piece);
        }
        compare(SUBJECTS[subject], &text);
    }
}
