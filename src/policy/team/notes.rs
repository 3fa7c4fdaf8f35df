//! A declaration and its examples -> what its author may have overlooked, as lines.

use std::collections::BTreeMap;

use super::example::RunExample;
use super::selector::TeamSelector;
use super::{Team, TeamCheck};
use crate::ground::Own;
use crate::ground::document::OwnedDocument;
use crate::ground::select::Wanted;

impl Team {
    /// Returns what the author of a declaration may have overlooked.
    pub(super) fn notes(&self, check: TeamCheck, examples: &[RunExample]) -> Vec<String> {
        let (selectors, names_agent, bans) = match check {
            TeamCheck::Order(at) => {
                let order = self.orders.own(at);
                (order.selectors(), order.names_agent(), order.bans())
            }
            TeamCheck::Rule(at) => {
                let rule = self.rules.own(at);
                (rule.selectors(), rule.names_agent(), false)
            }
            TeamCheck::Schema(at) => {
                let selector = &self.schemas.own(at).selector;
                (vec![("where", selector)], false, false)
            }
            TeamCheck::Vocabulary => return Vec::new(),
        };

        let mut notes = Vec::new();
        for (key, selector) in &selectors {
            if selector.names_tools_in_any_phase() {
                notes.push(format!(
                    "`{key}` names `tool` and no `phase`: a note of any phase that names the tool counts, too; add `phase = \"act\"`"
                ));
            }

            if let Some(path) = selector
                .lets_lacking_pass()
                .filter(|_| bans && *key == "each")
            {
                let at = path.pointer();
                notes.push(format!(
                    "`{key}` passes over events without `{}`, so these are not banned; `{{ not = …, absent = true }}` names them, too",
                    at.as_str()
                ));
            }

            if let Some(path) = selector.bans_all_below() {
                let at = path.pointer();
                notes.push(format!(
                    "`{key}` names an event only if no value below `{}` is one of those after `not`: one that is lets all the others pass",
                    at.as_str()
                ));
            }

            notes.extend(passed_over(key, selector, examples));
        }

        if names_agent
            || selectors
                .iter()
                .any(|(_, it)| it.names_agent())
        {
            notes.push(
                "it goes by `agent_id`, which is one name for all acts unless the program that records names the agent of each".to_owned(),
            );
        }

        notes.sort();
        notes.dedup();
        notes
    }
}

/// Tells of the events of examples that a key of a selector passes over, as it leads nowhere or to
/// another type.
fn passed_over(key: &str, selector: &TeamSelector, examples: &[RunExample]) -> Vec<String> {
    let mut passed: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for example in examples {
        for (line, text) in (1..).zip(example.filled()) {
            let found = OwnedDocument::read(text.into_bytes())
                .ok()
                .and_then(|event| selector.keys.passes_over(event.root()));
            if let Some((at, why)) = found {
                let about = format!("{}: `{key}` passes over", example.place);
                let why = format!("`{}` {why}", at.as_str());
                passed
                    .entry(format!("{about} {{}}, as {why}"))
                    .or_default()
                    .push(line);
            }
        }
    }

    let asks_for_none = |(_, wanted): &(_, Wanted)| matches!(wanted, Wanted::Absent);
    if selector
        .keys
        .tests
        .iter()
        .any(asks_for_none)
    {
        return Vec::new();
    }

    passed
        .into_iter()
        .map(|(told, lines)| {
            let lines: Vec<String> = lines
                .iter()
                .map(|line| format!("line {line}"))
                .collect();
            told.replacen("{}", &lines.join(", "), 1)
        })
        .collect()
}
