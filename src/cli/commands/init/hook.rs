//! An agent that calls hooks, and a configuration -> the settings of the agent by which it does.

use std::path::Path;

use clap::Args;
use serde_json::{Map, Value, json};

use super::super::{CommandFailure, Result};
use crate::door::hook::Agent;
use crate::ground::printable::in_shell;

/// The settings of an agent, in which runvet is its hook.
pub(super) struct HookSettings {
    /// The file of the project that has them.
    pub(super) file: &'static str,
    /// `true` if everyone who works on the project has that file.
    pub(super) is_shared: bool,
    pub(super) text: String,
}

/// The options about the hook of an agent.
#[derive(Args)]
pub(super) struct HookArgs {
    /// Also have a coding agent call `runvet hook` before each call: write your settings of this
    /// project, or print them where the agent has no such file
    #[arg(long, value_name = "AGENT")]
    hook: Option<Agent>,

    /// With `--hook`, let every call pass, and note what would be held back
    #[arg(long, requires = "hook")]
    observe: bool,

    /// With `--hook`, let a call pass that could not be judged, also where there is no runvet
    #[arg(long, requires = "hook")]
    fail_open: bool,

    /// With `--hook`, have the agents of all who work on the project do so: who has no runvet is
    /// then refused each call
    #[arg(long, requires = "hook")]
    pub(super) shared: bool,
}

impl HookArgs {
    /// Returns the settings that are asked for, which name the configuration in a directory.
    pub(super) fn settings(&self, dir: &Path) -> Result<Option<HookSettings>> {
        let Some(agent) = self.hook else {
            return Ok(None);
        };
        let (file, variable) = match agent {
            Agent::ClaudeCode if self.shared => {
                (".claude/settings.json", Some("CLAUDE_PROJECT_DIR"))
            }
            Agent::ClaudeCode => (".claude/settings.local.json", None),
            Agent::Codex => (".codex/hooks.json", None),
            Agent::Gemini => (".gemini/settings.json", Some("GEMINI_PROJECT_DIR")),
        };

        let config = match variable {
            Some(variable) if self.shared => format!("\"${variable}\"/runvet.toml"),
            None if self.shared => {
                return Err(CommandFailure::Fault(format!(
                    "{} has no variable for the directory of the project, so a shared file would \
                     name a path of this machine: leave out --shared",
                    agent.name()
                )));
            }
            _ => {
                let path = dir.join("runvet.toml");
                let path = path.to_str().ok_or_else(|| {
                    CommandFailure::Fault(format!("{} is no UTF-8", path.display()))
                })?;
                in_shell(path)
            }
        };

        let hooks: Map<String, Value> = (agent.events().iter())
            .map(|event| ((*event).to_owned(), self.of_event(agent, event, &config)))
            .collect();

        Ok(Some(HookSettings {
            file,
            is_shared: self.shared || agent != Agent::ClaudeCode,
            text: format!("{:#}\n", json!({ "hooks": hooks })),
        }))
    }

    /// Returns what to do next, if an agent calls the hook.
    pub(super) fn next(&self) -> Option<String> {
        let agent = self.hook?;
        let logs = match agent {
            Agent::ClaudeCode => "~/.claude/projects",
            Agent::Codex => "~/.codex/sessions",
            Agent::Gemini => "~/.gemini/tmp",
        };

        let from_then = if self.observe {
            "every call passes; what would be held back is noted in the run of the session, which \
             `--into DIR` in the settings keeps"
        } else {
            "each call is held to the rules of runvet.toml, and one that breaks a rule is refused \
             with its sentence"
        };

        let name = agent.name();
        Some(format!(
            "next: runvet rules --test\n\
             From the next session of {name} on, {from_then}.\n\
             To see what the rules would have held back in sessions that were:\n  \
             runvet import {logs} --into runs\n  \
             runvet rules --replay runs"
        ))
    }

    /// Returns the hook for an event. A program that is absent or killed refuses a call, and
    /// nothing else.
    fn of_event(&self, agent: Agent, event: &str, config: &str) -> Value {
        let holds_back = Agent::is_before(event) && !self.fail_open;
        let options: String = [
            (self.observe, " --observe"),
            (self.fail_open, " --fail-open"),
        ]
        .into_iter()
        .filter(|(is_given, _)| *is_given)
        .map(|(_, option)| option)
        .collect();
        let command = format!(
            "runvet hook {} --config {config}{options} || exit {}",
            agent.name(),
            if holds_back { 2 } else { 0 }
        );
        // Gemini CLI counts milliseconds, the others seconds.
        let timeout = if agent == Agent::Gemini { 10_000 } else { 10 };

        json!([{"hooks": [{"type": "command", "command": command, "timeout": timeout}]}])
    }
}
