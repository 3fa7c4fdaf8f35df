//! The files that a hook works by, and a call -> the one of them that the call may change.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::Hook;
use super::event::HookEvent;
use crate::ground::printable::quote;
use crate::ground::record::Action;
use crate::ground::source::EPISODES;
use crate::recorder::call::{absolute, command, kind};
use crate::store::resolved;

/// What stands between the words of a command, for a shell or in a script.
const BETWEEN: &str = " \t\r\n'\"`()[]{}<>|&;=,:$";

/// The files that a hook works by.
pub(super) struct OwnFiles {
    /// The configuration, the settings of the agent, and the run of the session.
    paths: BTreeSet<PathBuf>,
    /// The directories around them that hold little else.
    around: BTreeSet<PathBuf>,
    /// The id of the run.
    run: String,
    cwd: Option<String>,
    home: Option<PathBuf>,
}

impl OwnFiles {
    /// Returns those of a hook in an event of the session with a run.
    pub(super) fn of(hook: &Hook, event: &HookEvent, run: &str) -> Self {
        let cwd = event.cwd.as_deref().map(Path::new);
        let config: Vec<PathBuf> = hook
            .config
            .iter()
            .map(|path| whole(path))
            .collect();
        let of_config = config
            .first()
            .and_then(|path| path.parent());
        let dirs = cwd
            .into_iter()
            .flat_map(Path::ancestors)
            .chain(of_config)
            .chain(hook.home.as_deref());
        let settings = hook.agent.settings();
        let settings: Vec<PathBuf> = dirs
            .flat_map(|dir| {
                settings
                    .iter()
                    .map(|name| dir.join(name))
            })
            .collect();
        let (runs, episodes) = (whole(&hook.runs), whole(&hook.runs.join(EPISODES)));
        let own_run = episodes.join(run);
        let around = settings
            .iter()
            .filter_map(|path| path.parent())
            .map(Path::to_owned)
            .chain([runs, episodes]);

        Self {
            around: with_links(around.collect()),
            paths: with_links([config, settings, vec![own_run]].concat()),
            run: run.to_owned(),
            cwd: event.cwd.clone(),
            home: hook.home.clone(),
        }
    }

    /// Returns what a call does to one of them, in words.
    pub(super) fn changed_by(&self, action: &Action) -> Option<String> {
        let text = |value: &Option<Value>| {
            value
                .as_ref()
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };

        let of_act = text(&action.kind);
        if matches!(&*of_act, "edit" | "delete" | "move") {
            let mut paths = action
                .extensions
                .get("x-paths")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            let is_whole = of_act != "edit";
            if let Some(path) = paths.find(|path| self.has(path, is_whole)) {
                let path = quote(path);
                return Some(format!("the call changes {path}, which the hook works by"));
            }
        }

        // A patch may stand in a command that does more.
        if of_act != "execute" && kind(&text(&action.tool), &Map::new()) != "execute" {
            return None;
        }

        let command = match action
            .input
            .as_ref()
            .and_then(Value::as_object)
            .map(command)??
        {
            Value::String(command) => command,
            other => other.to_string(),
        };

        let command = command.replace('\\', "");
        let words: BTreeSet<&str> = command
            .split(|c| BETWEEN.contains(c))
            .filter(|word| !word.is_empty())
            .collect();
        let word = words
            .into_iter()
            .find(|word| self.is_named_by(word))?;
        let word = quote(word);

        Some(format!("the command names {word}, which the hook works by"))
    }

    /// Returns `true` if a path leads to one of them, or, where what is below it goes along, to a
    /// directory around one.
    fn has(&self, path: &str, is_whole: bool) -> bool {
        let Some(path) = self.path(path) else {
            return false;
        };
        [resolved(&path), path]
            .iter()
            .any(|path| {
                self.paths
                    .iter()
                    .any(|own| path.starts_with(own) || (is_whole && own.starts_with(path)))
            })
    }

    /// Returns `true` if a word of a command is a path to one of them, or to a directory that holds
    /// little else, or has the name of one.
    fn is_named_by(&self, word: &str) -> bool {
        let parts = || Path::new(word).components();
        if let Some(Component::Normal(last)) = parts().next_back()
            && self
                .paths
                .iter()
                .any(|own| own.file_name() == Some(last))
        {
            return true;
        }

        if parts().any(|part| part.as_os_str() == &*self.run) {
            return true;
        }

        self.path(word)
            .is_some_and(|path| self.around.contains(&path) || self.has(word, false))
    }

    /// Returns the absolute path of a text.
    fn path(&self, text: &str) -> Option<PathBuf> {
        if let Some((home, rest)) = self
            .home
            .as_ref()
            .zip(text.strip_prefix("~/"))
        {
            return Some(home.join(rest));
        }

        absolute(text, self.cwd.as_deref()).map(PathBuf::from)
    }
}

/// Returns an absolute path.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the paths, and those to which their links lead.
fn with_links(paths: Vec<PathBuf>) -> BTreeSet<PathBuf> {
    let real: Vec<PathBuf> = paths
        .iter()
        .map(|path| resolved(path))
        .collect();
    paths.into_iter().chain(real).collect()
}
