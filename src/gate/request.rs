//! A JSON text -> the records that it holds, to be judged.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::printable::{brief, escape};
use crate::source::Artifact;

/// The records of an episode, to be checked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckRequest {
    /// The id that the records must have.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(crate) episode_id: String,
    /// The text of each artifact, by its file name: `state.json`, `summary.json`, `events.jsonl`,
    /// `learn.jsonl`, `manifest.json`.
    records: BTreeMap<String, String>,
}

impl CheckRequest {
    /// The request that a text holds, or what is wrong with it.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(text)
            .map_err(|wrong| escape(&format!("not a request for a check: {wrong}")).into_owned())
    }

    /// The records, or which name is none of an artifact.
    pub(crate) fn records(&self) -> Result<Vec<(Artifact, &[u8])>, String> {
        let records = self.records.iter().map(|(name, text)| {
            let artifact = Artifact::from_file_name(name);
            let record = artifact.map(|artifact| (artifact, text.as_bytes()));
            record.ok_or_else(|| {
                let names = Artifact::ALL.map(Artifact::file_name).join(", ");
                format!("`records` has `{}`, which is none of {names}", brief(name))
            })
        });
        records.collect()
    }
}
