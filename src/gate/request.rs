//! A JSON text -> the records that it holds, to be judged.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use crate::document::{Kind, Node, Nothing, Parser, Tape, utf8};
use crate::printable::{brief, escape};
use crate::source::{Artifact, Spot};

/// The records of an episode, to be checked.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct CheckRequest {
    /// The id that the records must have.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(crate) episode_id: String,
    /// Each artifact, by its file name: `state.json`, `summary.json`, `events.jsonl`,
    /// `learn.jsonl`, `manifest.json`. It is given as its text, or as its JSON: an object, and for
    /// a name in `.jsonl` an array of what is on its lines. The report judges any other JSON.
    #[schemars(
        with = "BTreeMap<String, serde_json::Value>",
        extend("propertyNames" = {"enum": Artifact::ALL.map(Artifact::file_name)})
    )]
    records: Vec<(Artifact, String)>,
}

impl CheckRequest {
    /// The records that a text holds, or what is wrong with it.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, String> {
        let request = Self::read(text);
        request.map_err(|why| escape(&format!("not a request for a check: {why}")).into_owned())
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        utf8(bytes).map_err(|error| error.to_string())?;
        let read = Parser::new(bytes, Nothing).text();
        read.map_err(|error| {
            let (line, column) = Spot::of(bytes, &error.span(bytes)).line_and_column();
            format!("{error}, at line {line}, column {column}")
        })?;
        let mut tape = Tape::default();
        let request = tape.read(bytes).map_err(|error| error.to_string())?;
        Self::of(request.root())
    }

    fn of(request: Node<'_>) -> Result<Self, String> {
        if request.kind() != Kind::Object {
            let kind = request.kind().with_article();
            return Err(format!("it is {kind}, not an object"));
        }
        let (mut episode_id, mut records) = (None, None);
        for member in request.all_members() {
            let value = member.value();
            let kind = value.kind().with_article();
            match &*member.name() {
                "episode_id" => {
                    let id = value.text();
                    let id = id.ok_or(format!("`episode_id` is {kind}, not a string"))?;
                    if episode_id.replace(id.into_owned()).is_some() {
                        return Err("it has `episode_id` twice".into());
                    }
                }
                "records" if value.kind() != Kind::Object => {
                    return Err(format!("`records` is {kind}, not an object"));
                }
                "records" if records.is_some() => return Err("it has `records` twice".into()),
                "records" => records = Some(records_in(value)?),
                other => {
                    let other = brief(other);
                    return Err(format!("`{other}` is neither `episode_id` nor `records`"));
                }
            }
        }
        Ok(Self {
            episode_id: episode_id.ok_or("it has no `episode_id`")?,
            records: records.ok_or("it has no `records`")?,
        })
    }

    pub(crate) fn records(&self) -> Vec<(Artifact, &[u8])> {
        let records = self.records.iter();
        records
            .map(|(artifact, text)| (*artifact, text.as_bytes()))
            .collect()
    }
}

fn records_in(object: Node<'_>) -> Result<Vec<(Artifact, String)>, String> {
    let mut records: Vec<(Artifact, String)> = Vec::new();
    for member in object.all_members() {
        let name = member.name();
        let artifact = Artifact::from_file_name(&name).ok_or_else(|| {
            let (name, names) = (brief(&name), Artifact::ALL.map(Artifact::file_name));
            format!(
                "`records` has `{name}`, which is none of {}",
                names.join(", ")
            )
        })?;
        if records.iter().any(|(other, _)| *other == artifact) {
            return Err(format!("`records` has `{name}` twice"));
        }
        records.push((artifact, text_of(artifact, member.value())));
    }
    Ok(records)
}

/// The text of an artifact, by what a request has for it.
fn text_of(artifact: Artifact, given: Node<'_>) -> String {
    match (given.kind(), artifact) {
        (Kind::String, _) => given.text().unwrap_or_default().into_owned(),
        (Kind::Array, Artifact::Events | Artifact::Learn) => {
            // Line breaks in JSON stand between its tokens only.
            let line = |item: Node<'_>| item.raw().replace(['\n', '\r'], " ") + "\n";
            given.items().map(line).collect()
        }
        _ => given.raw().to_owned(),
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
            let record = records.iter().find(|(artifact, _)| *artifact == wanted);
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
