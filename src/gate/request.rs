//! A JSON text -> the records that it holds, to be judged.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::value::RawValue;

use crate::ground::document::{Kind, Parser, Sink, unquoted, utf8};
use crate::ground::printable::{brief, escape};
use crate::ground::source::{Artifact, line_and_column};

/// The records of an episode, to be checked.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct CheckRequest {
    /// The id that the records must have.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(crate) episode_id: String,
    /// Each artifact, by its file name: `state.json`, `summary.json`, `events.jsonl`,
    /// `learn.jsonl`, `manifest.json`. It is given as its text, or as its JSON: an object, and for
    /// a name in `.jsonl` an array of the values on its lines. The report judges any other JSON.
    #[schemars(
        with = "BTreeMap<String, serde_json::Value>",
        extend("propertyNames" = {"enum": Artifact::ALL.map(Artifact::file_name)})
    )]
    records: Vec<(Artifact, String)>,
}

impl CheckRequest {
    /// Returns the records that a text holds, or the mistake in it.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, String> {
        Self::read(text)
            .map_err(|why| escape(&format!("not a request for a check: {why}")).into_owned())
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = utf8(bytes).map_err(|error| error.to_string())?;
        let mut members = RequestMembers {
            text,
            ..RequestMembers::default()
        };

        Parser::new(bytes, &mut members)
            .text()
            .map_err(|error| {
                let (line, column) = line_and_column(bytes, error.span(bytes).start);
                format!("{error}, at line {line}, column {column}")
            })?;
        members.wrong.map_or(Ok(()), Err)?;

        let episode_id = members
            .episode_id
            .ok_or("it has no `episode_id`")?;
        let records = members
            .records
            .ok_or("it has no `records`")?;

        Ok(Self {
            episode_id,
            records,
        })
    }

    pub(crate) fn records(&self) -> Vec<(Artifact, &[u8])> {
        self.records
            .iter()
            .map(|(artifact, text)| (*artifact, text.as_bytes()))
            .collect()
    }
}

/// The members of a request, in the order of the text. The contents of records are passed over.
#[derive(Default)]
struct RequestMembers<'a> {
    text: &'a str,
    /// The number of objects that are open: the request, and its `records`.
    depth: usize,
    /// The key of the next value.
    key: Cow<'a, str>,
    episode_id: Option<String>,
    records: Option<Vec<(Artifact, String)>>,
    /// The first mistake.
    wrong: Option<String>,
}

impl RequestMembers<'_> {
    fn refuse(&mut self, why: impl FnOnce() -> String) {
        self.wrong.get_or_insert_with(why);
    }

    /// Adds the text of an artifact, given the value that a request has of it.
    fn record(&mut self, name: &str, kind: Kind, json: &str, text: impl FnOnce() -> String) {
        let records = self.records.get_or_insert_default();
        let Some(artifact) = Artifact::from_file_name(name) else {
            let names = Artifact::ALL
                .map(Artifact::file_name)
                .join(", ");
            return self.refuse(|| {
                let name = brief(name);
                format!("`records` has `{name}`, which is none of {names}")
            });
        };

        if records
            .iter()
            .any(|(other, _)| *other == artifact)
        {
            return self.refuse(|| format!("`records` has `{name}` twice"));
        }

        let text = match kind {
            Kind::String => text(),
            Kind::Array if matches!(artifact, Artifact::Events | Artifact::Learn) => {
                match serde_json::from_str::<Vec<&RawValue>>(json) {
                    // Line breaks in JSON stand between its tokens only.
                    Ok(lines) => (lines.iter())
                        .map(|line| line.get().replace(['\n', '\r'], " ") + "\n")
                        .collect(),
                    Err(wrong) => return self.refuse(|| wrong.to_string()),
                }
            }
            _ => json.to_owned(),
        };

        records.push((artifact, text));
    }
}

impl Sink for &mut RequestMembers<'_> {
    fn value(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        let text = self.text;
        let given = || unquoted(text, start, end, escaped).into_owned();
        let named = kind.with_article();
        let key = std::mem::take(&mut self.key);

        match (self.depth, &*key) {
            (0, _) => self.refuse(|| format!("it is {named}, not an object")),
            (1, "episode_id") if kind != Kind::String => {
                self.refuse(|| format!("`episode_id` is {named}, not a string"));
            }
            (1, "episode_id") if self.episode_id.is_some() => {
                self.refuse(|| "it has `episode_id` twice".into());
            }
            (1, "episode_id") => self.episode_id = Some(given()),
            (1, "records") => self.refuse(|| format!("`records` is {named}, not an object")),
            (1, other) => self.refuse(|| {
                let other = brief(other);
                format!("`{other}` is neither `episode_id` nor `records`")
            }),
            (_, name) => self.record(name, kind, text.get(start..end).unwrap_or_default(), given),
        }
    }

    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        self.key = unquoted(self.text, start, end, escaped);
    }

    fn open(&mut self, kind: Kind, _: usize) -> bool {
        let is_records = self.depth == 1 && self.key == "records";
        let is_wanted = kind == Kind::Object && (self.depth == 0 || is_records);
        if is_wanted
            && is_records
            && self
                .records
                .replace(Vec::new())
                .is_some()
        {
            self.refuse(|| "it has `records` twice".into());
        }

        self.depth += usize::from(is_wanted);
        is_wanted
    }

    fn close(&mut self, _: usize) {
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_texts_or_json() {
        let request = r#"{"episode_id": "e", "records": {
            "state.json": {"a": 1.0e2,
              "b": "\u00e9"},
            "summary.json": "{\n}",
            "events.jsonl": [{"x":
              1}, 2]
        }}"#;
        let request = CheckRequest::parse(request.as_bytes()).unwrap();
        let text = |wanted| {
            let records = request.records();
            let record = records
                .iter()
                .find(|(artifact, _)| *artifact == wanted);
            String::from_utf8(record.unwrap().1.to_vec()).unwrap()
        };
        let state = "{\"a\": 1.0e2,\n              \"b\": \"\\u00e9\"}";
        assert_eq!(text(Artifact::State), state);
        assert_eq!(text(Artifact::Summary), "{\n}");
        let events = text(Artifact::Events);
        let lines: Vec<&str> = events.lines().collect();
        assert_eq!(lines, ["{\"x\":               1}", "2"]);
    }

    #[test]
    fn request_is_refused_with_what_is_wrong() {
        for (request, why) in [
            ("[]", "it is an array, not an object"),
            ("{}", "it has no `episode_id`"),
            (r#"{"episode_id": "e"}"#, "it has no `records`"),
            (
                r#"{"episode_id": 1}"#,
                "`episode_id` is a number, not a string",
            ),
            (
                r#"{"episode_id": "e", "records": []}"#,
                "`records` is an array, not an object",
            ),
            (
                r#"{"episode_id": "e", "id": {}}"#,
                "`id` is neither `episode_id` nor `records`",
            ),
            (
                r#"{"episode_id": "e", "episode_id": "e"}"#,
                "it has `episode_id` twice",
            ),
            (
                r#"{"records": {}, "records": {}}"#,
                "it has `records` twice",
            ),
            (
                r#"{"records": {"state.json": 1, "state.json": 2}}"#,
                "`records` has `state.json` twice",
            ),
            (
                r#"{"records": {"a": 1}}"#,
                "`records` has `a`, which is none of state.json, summary.json, events.jsonl, learn.jsonl, manifest.json",
            ),
            (
                "{\n \"records\": {},}",
                "there is a comma before the closing bracket, at line 2, column 16",
            ),
        ] {
            let refused = CheckRequest::parse(request.as_bytes()).unwrap_err();
            let expected = format!("not a request for a check: {why}");
            assert!(refused.starts_with(&expected), "{request}: {refused}");
        }
    }
}
