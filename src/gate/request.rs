//! A JSON text -> the records that it holds, to be judged.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::printable::{brief, escape};
use crate::source::Artifact;

/// The records of an episode, to be checked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    records: BTreeMap<String, Box<RawValue>>,
}

/// The records of an episode, as texts.
#[derive(Debug)]
pub(crate) struct Requested {
    pub(crate) episode_id: String,
    texts: Vec<(Artifact, String)>,
}

impl Requested {
    pub(crate) fn records(&self) -> Vec<(Artifact, &[u8])> {
        let texts = self.texts.iter();
        texts
            .map(|(artifact, text)| (*artifact, text.as_bytes()))
            .collect()
    }
}

impl CheckRequest {
    /// The records that a text holds, or what is wrong with it.
    pub(crate) fn parse(text: &[u8]) -> Result<Requested, String> {
        let wrong = |wrong| escape(&format!("not a request for a check: {wrong}")).into_owned();
        let request: Self = serde_json::from_slice(text).map_err(wrong)?;
        let texts = request.records.iter().map(|(name, given)| {
            let artifact = Artifact::from_file_name(name).ok_or_else(|| {
                let names = Artifact::ALL.map(Artifact::file_name).join(", ");
                format!("`records` has `{}`, which is none of {names}", brief(name))
            })?;
            let text = text_of(artifact, given.get()).map_err(wrong)?;
            Ok((artifact, text))
        });
        Ok(Requested {
            texts: texts.collect::<Result<_, String>>()?,
            episode_id: request.episode_id,
        })
    }
}

/// The text of an artifact that is given as JSON.
fn text_of(artifact: Artifact, json: &str) -> serde_json::Result<String> {
    if json.starts_with('"') {
        return serde_json::from_str(json);
    }
    let has_lines = matches!(artifact, Artifact::Events | Artifact::Learn);
    if !(has_lines && json.starts_with('[')) {
        return Ok(json.to_owned());
    }
    let lines: Vec<&RawValue> = serde_json::from_str(json)?;
    let lines = lines.iter().map(|line| {
        // Line breaks in JSON stand between its tokens only.
        line.get().replace(['\n', '\r'], " ") + "\n"
    });
    Ok(lines.collect())
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
}
