//! What an agent gives a hook -> an event, and a decision -> what that agent reads.

use std::path::PathBuf;

use clap::ValueEnum;
use serde::Deserialize;
use serde_json::{Map, Number, Value, json};

use super::Decision;
use crate::ground::document::Tape;
use crate::recorder::call::arguments;

/// An agent that calls hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code, and others that call hooks in its form
    ClaudeCode,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
}

impl Agent {
    /// Returns the events that a hook is called for.
    pub(crate) fn events(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[
                "PreToolUse",
                "PostToolUse",
                "PostToolUseFailure",
                "UserPromptSubmit",
                "Stop",
                "SessionEnd",
            ],
            Self::Codex => &["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"],
            Self::Gemini => &["BeforeTool", "AfterTool", "SessionEnd"],
        }
    }

    /// Returns `true` if an event comes before a call.
    pub(crate) fn is_before(event: &str) -> bool {
        matches!(event, "PreToolUse" | "BeforeTool")
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// Returns the files in which its hooks are declared, from the directory of a project or of the
    /// user.
    pub(super) fn settings(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[".claude/settings.json", ".claude/settings.local.json"],
            Self::Codex => &[".codex/hooks.json", ".codex/config.toml"],
            Self::Gemini => &[".gemini/settings.json"],
        }
    }

    /// Returns the format of its logs.
    pub(super) fn format(self) -> &'static str {
        match self {
            Self::Gemini => "gemini-cli",
            other => other.name(),
        }
    }

    /// Returns `true` if it asks a person where a hook says so. Codex would make the call.
    pub(super) fn asks(self) -> bool {
        self == Self::ClaudeCode
    }

    /// Returns what it reads on standard output. Nothing lets a call pass: the word `allow` would
    /// skip its own question.
    pub(super) fn printed(self, decision: Decision) -> Option<Value> {
        let (word, reason) = match decision {
            Decision::Pass => return (self == Self::Gemini).then(|| json!({})),
            Decision::Ask(reason) => ("ask", reason),
            Decision::Deny(reason) => ("deny", reason),
        };

        Some(match self {
            Self::Gemini => json!({"decision": word, "reason": reason}),
            Self::ClaudeCode | Self::Codex => json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": word,
                "permissionDecisionReason": reason,
            }}),
        })
    }
}

/// An event of a session.
pub(crate) struct HookEvent {
    pub(super) moment: Moment,
    pub(super) session: String,
    pub(super) transcript: Option<PathBuf>,
    pub(super) cwd: Option<String>,
    pub(super) call_id: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) prompt: Option<String>,
    tool: Option<Value>,
    input: Option<Value>,
}

/// When an event comes.
#[derive(Clone, Debug)]
pub(super) enum Moment {
    /// Before a call.
    Before,
    /// After a call.
    After(Outcome),
    /// When a person says something.
    Prompt,
    /// When the first agent stops.
    Stop,
    /// When the session ends.
    End,
    Other,
}

/// The result of a call.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) status: &'static str,
    pub(super) output: Option<Value>,
    pub(super) duration_ms: Option<Number>,
}

/// A call, as an agent gives it.
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
}

/// The JSON that a hook gets; other keys are nothing.
#[derive(Deserialize)]
struct Given {
    session_id: String,
    transcript_path: Option<PathBuf>,
    cwd: Option<String>,
    tool_name: Option<Value>,
    tool_input: Option<Value>,
    tool_use_id: Option<String>,
    tool_response: Option<Value>,
    error: Option<Value>,
    is_interrupt: Option<bool>,
    duration_ms: Option<Number>,
    agent_id: Option<String>,
    prompt: Option<String>,
}

/// The same, as far as it tells which event it is.
#[derive(Deserialize)]
struct Named {
    #[serde(rename = "hook_event_name")]
    _name: String,
}

/// Input that is no event.
pub(crate) struct NoEvent {
    /// `true` unless it is known to come at another moment than before a call.
    pub(crate) is_before: bool,
    pub(crate) why: String,
}

impl HookEvent {
    /// Reads the input of a hook.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, NoEvent> {
        let unknown = |why: String| NoEvent {
            is_before: true,
            why,
        };

        let mut tape = Tape::default();
        let document = tape
            .read_record(bytes)
            .map_err(|why| unknown(format!("the input is {why}")))?;
        let value = document.root().to_value();
        let name = value
            .get("hook_event_name")
            .and_then(Value::as_str)
            .ok_or_else(|| unknown("the input has no `hook_event_name`".into()))?
            .to_owned();
        // Of two names, neither is known to be the one.
        let is_named_once = serde_json::from_slice::<Named>(bytes).is_ok();
        let wrong = |why: String| NoEvent {
            is_before: !is_named_once || Agent::is_before(&name),
            why,
        };

        if document.repeats_keys() {
            let why = "an object of the input has the same key twice";
            return Err(wrong(why.into()));
        }

        let input: Given = serde_json::from_value(value)
            .map_err(|why| wrong(format!("the input of the event can't be read: {why}")))?;
        let agent = input
            .agent_id
            .clone()
            .filter(|id| !id.is_empty());

        Ok(Self {
            moment: moment(&name, &input, agent.is_none()),
            session: input.session_id,
            transcript: input.transcript_path,
            cwd: input.cwd,
            call_id: input
                .tool_use_id
                .filter(|id| !id.is_empty()),
            agent,
            prompt: input.prompt,
            tool: input.tool_name,
            input: input.tool_input,
        })
    }

    /// Returns `true` if it comes before a call.
    pub(crate) fn is_before(&self) -> bool {
        matches!(self.moment, Moment::Before)
    }

    /// Returns the call that it is about.
    pub(super) fn call(&self) -> Result<Call, String> {
        let tool = self
            .tool
            .as_ref()
            .and_then(Value::as_str);
        let tool = tool
            .filter(|tool| !tool.trim().is_empty())
            .ok_or("the call has no `tool_name`, by which rules would know it")?;

        Ok(Call {
            tool: tool.to_owned(),
            input: arguments(self.input.clone().unwrap_or_default()),
        })
    }
}

fn moment(name: &str, input: &Given, is_of_first: bool) -> Moment {
    let after = |status, output: &Option<Value>| {
        Moment::After(Outcome {
            status,
            output: output.clone(),
            duration_ms: input.duration_ms.clone(),
        })
    };

    match name {
        name if Agent::is_before(name) => Moment::Before,
        "PostToolUse" | "AfterTool" => {
            let status = input
                .tool_response
                .as_ref()
                .map_or("ok", status_of);
            after(status, &input.tool_response)
        }
        "PostToolUseFailure" => {
            let is_cancelled = input.is_interrupt == Some(true);
            after(
                if is_cancelled { "cancelled" } else { "error" },
                &input.error,
            )
        }
        "UserPromptSubmit" => Moment::Prompt,
        "Stop" if is_of_first => Moment::Stop,
        "SessionEnd" => Moment::End,
        _ => Moment::Other,
    }
}

/// Returns how a call ended, by what its tool answered.
fn status_of(response: &Value) -> &'static str {
    let is = |name: &str, wanted: bool| response.get(name) == Some(&Value::Bool(wanted));
    let exit = ["/exit_code", "/metadata/exit_code"]
        .iter()
        .find_map(|at| response.pointer(at)?.as_i64());
    let has_error = response
        .get("error")
        .is_some_and(|error| match error {
            Value::Null | Value::Bool(false) => false,
            error => error != "",
        });
    let is_error = is("isError", true) || is("is_error", true) || is("success", false);

    if is("interrupted", true) {
        "cancelled"
    } else if is_error || has_error || exit.is_some_and(|code| code != 0) {
        "error"
    } else {
        "ok"
    }
}
