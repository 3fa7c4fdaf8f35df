//! The name of a rule or of a group -> the rules that it names.

use super::RuleSet;
use crate::ground::finding::RuleInfo;
use crate::ground::printable::brief;
use crate::store::Fault;

/// The reason why run data could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No rule, and no group of rules, has that name.
    #[error("there is no rule called `{name}`{}", suggestion(.nearest.as_deref()))]
    UnknownRule {
        /// The name.
        name: String,
        /// The rule or group with the most similar name, if any.
        nearest: Option<String>,
    },
    /// A path could not be read.
    #[error(transparent)]
    Fault(#[from] Fault),
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

/// Returns `true` if the name of a rule, of a group such as `plan/*`, or `*` names a rule.
pub(crate) fn names(name: &str, rule: &str) -> bool {
    let is_in = |group: &str| (group.is_empty() || group.ends_with('/')) && rule.starts_with(group);
    name == rule
        || name
            .strip_suffix('*')
            .is_some_and(is_in)
}

impl RuleSet {
    /// Refuses the name of a rule, or of a group such as `plan/*`, that names no rule.
    pub(crate) fn must_have(&self, name: &str) -> Result<(), Error> {
        let is_known = self
            .iter()
            .any(|rule| names(name, &rule.info.id));
        is_known
            .then_some(())
            .ok_or_else(|| self.unknown(name))
    }

    /// Returns the rule with an id.
    pub(crate) fn find(&self, id: &str) -> Result<&RuleInfo, Error> {
        self.iter()
            .map(|rule| &rule.info)
            .find(|info| info.id == id)
            .ok_or_else(|| self.unknown(id))
    }

    fn unknown(&self, name: &str) -> Error {
        let ids = || self.iter().map(|rule| &*rule.info.id);
        let given = name.trim_end_matches(['*', '/']);
        let distance = |known: &&str| strsim::osa_distance(given, known);
        let last_part = |known: &str| known.split('/').next_back() == given.split('/').next_back();
        let nearest = if given.contains('/') {
            ids()
                .filter(|known| distance(known) <= 3 || last_part(known))
                .min_by_key(distance)
                .map(str::to_owned)
        } else if given == "all" {
            Some("*".to_owned())
        } else {
            // A group, or a rule without its group.
            ids()
                .filter_map(|id| Some((id, id.split_once('/')?)))
                .flat_map(|(id, (group, rule))| {
                    let of_group = (distance(&group), 0, format!("{group}/*"));
                    [of_group, (distance(&rule), 1, id.to_owned())]
                })
                .filter(|(distance, ..)| *distance <= 2)
                .min()
                .map(|(.., name)| name)
        };

        Error::UnknownRule {
            name: brief(name),
            nearest: nearest.filter(|nearest| nearest != name),
        }
    }
}
