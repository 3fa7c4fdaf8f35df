//! An agent that calls hooks, and a configuration -> the settings of the agent by which it does.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::super::{CommandFailure, Result};
use crate::door::hook::Agent;
use crate::recorder::call::quoted;

/// The settings of an agent, in which runvet is its hook.
pub(super) struct HookSettings {
    /// The file of the project that has them.
    pub(super) file: &'static str,
    /// `true` if everyone who works on the project has that file.
    pub(super) is_shared: bool,
    pub(super) text: String,
}

/// Returns the settings, which name the configuration in a directory; `is_shared` asks for those of
/// everyone who works on the project.
pub(super) fn settings(agent: Agent, dir: &Path, is_shared: bool) -> Result<HookSettings> {
    let (file, variable) = match agent {
        Agent::ClaudeCode if is_shared => (".claude/settings.json", Some("CLAUDE_PROJECT_DIR")),
        Agent::ClaudeCode => (".claude/settings.local.json", Some("CLAUDE_PROJECT_DIR")),
        Agent::Codex => (".codex/hooks.json", None),
        Agent::Gemini => (".gemini/settings.json", Some("GEMINI_PROJECT_DIR")),
    };
    let config = match variable {
        Some(variable) if is_shared => format!("\"${variable}\"/runvet.toml"),
        None if is_shared => {
            return Err(CommandFailure::Fault(format!(
                "{} has no variable for the directory of the project, so a shared file would name \
                 a path of this machine: leave out --shared",
                agent.name()
            )));
        }
        _ => {
            let path = dir.join("runvet.toml");
            let path = path
                .to_str()
                .ok_or_else(|| CommandFailure::Fault(format!("{} is no UTF-8", path.display())))?;
            quoted(path)
        }
    };
    let hooks: Map<String, Value> = (agent.events().iter())
        .map(|event| ((*event).to_owned(), hook(agent, event, &config)))
        .collect();
    Ok(HookSettings {
        file,
        is_shared: is_shared || agent != Agent::ClaudeCode,
        text: format!("{:#}\n", json!({ "hooks": hooks })),
    })
}

/// Returns the hook for an event. A program that is absent or killed refuses a call, and nothing
/// else.
fn hook(agent: Agent, event: &str, config: &str) -> Value {
    let code = if Agent::is_before(event) { 2 } else { 0 };
    let name = agent.name();
    let command = format!("runvet hook {name} --config {config} || exit {code}");
    // Gemini CLI counts milliseconds, the others seconds.
    let timeout = if agent == Agent::Gemini { 10_000 } else { 10 };
    json!([{"hooks": [{"type": "command", "command": command, "timeout": timeout}]}])
}
