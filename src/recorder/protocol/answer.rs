//! The result of a command -> one line of JSON.

use std::path::Path;

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use super::super::{Attachment, Error, Recorded, Recovered, Run, Veto};
use crate::ground::finding::Finding;
use crate::ground::printable::shortened;
use crate::ground::record::{RunStatus, SummaryOutcome, describe_values, schema_id};

/// A line of the standard output of `runvet record`: the first says which run is recorded, each
/// other one answers a command. `runvet recover` and `runvet abandon` print one with `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(
    title = "Answer of runvet record (a line of its standard output)",
    extend("$id" = schema_id("record-answer")),
    transform = either
)]
pub(crate) enum Answer {
    /// The command succeeded.
    Done(Box<Done>),
    /// The command failed. Unless the error says otherwise, nothing was written.
    Failed(Failed),
}

impl From<Error> for Answer {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

/// A command succeeded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct Done {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub(super) ok: bool,
    /// The id of what was recorded: of the event, of the action for `act`, and of the run for the
    /// first answer, `pause` and `finish`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) id: Option<String>,
    /// The directory of the episode, where `id` is that of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) path: Option<String>,
    /// The ids of the steps that are pending, in the first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) pending: Option<Vec<String>>,
    /// The file that `attach` wrote, or that had been attached before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) attachment: Option<Attachment>,
    /// The values of an act of which the record has a digest and an excerpt alone, because they are
    /// large.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::recorder) cut: Vec<CutValue>,
    /// The time that `at` set, where it was written without a zone and so is in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) at: Option<String>,
    /// The id of a call that was asked about. Its result has it as `x-call-id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<String>,
    /// The decision of the policies about `plan` or `open`, or of the rules about a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) verdict: Option<Verdict>,
    /// The status with which the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) status: Option<RunStatus>,
    /// The outcome with which it ended, as the summary has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) outcome: Option<SummaryOutcome>,
    /// The SHA-256 of `manifest.json`, as 64 hexadecimal digits, in the answer to `finish`: whoever
    /// keeps it elsewhere can tell later whether the run was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) manifest_sha256: Option<String>,
    /// The number of commands of the session that were refused, in the answer to `pause` and
    /// `finish`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) refused: Option<u64>,
    /// The result of `runvet recover`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) recovered: Option<Recovery>,
    /// The number of bytes of an unfinished event that `runvet recover` cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) cut_bytes: Option<u64>,
    /// The findings in what the command wrote; for `would`, those in the event that it asks about;
    /// for `finish`, those in the whole run. Present if a configuration is read, and in the answer
    /// to `would`. They have the same form as in the report of a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) findings: Option<Vec<Finding>>,
}

impl Done {
    /// Returns the answer to a command that has no result.
    pub(super) fn nothing() -> Self {
        Self {
            ok: true,
            ..Self::default()
        }
    }

    pub(super) fn with_id(id: String) -> Self {
        Self {
            id: Some(id),
            ..Self::nothing()
        }
    }

    pub(super) fn found(findings: Vec<Finding>) -> Self {
        Self {
            findings: Some(findings),
            ..Self::nothing()
        }
    }

    pub(super) fn of_run(run: &Run) -> Self {
        Self {
            path: Some(run.path().display().to_string()),
            ..Self::with_id(run.id().into())
        }
    }

    pub(super) fn judged(verdict: Judgement) -> Self {
        Self {
            verdict: Some(Verdict::OfPolicies(verdict)),
            ..Self::nothing()
        }
    }

    /// Returns the answer about a call that is about to be made.
    pub(super) fn held(call: String, kind: CallKind, findings: Vec<Finding>) -> Self {
        let first = findings
            .first()
            .filter(|_| kind != CallKind::Go);
        let verdict = CallVerdict {
            kind,
            rule: first.map(|finding| finding.rule.clone()),
            reason: first.map(|finding| finding.message.clone()),
        };

        Self {
            call: Some(call),
            verdict: Some(Verdict::OfRules(verdict)),
            ..Self::found(findings)
        }
    }

    /// Returns the answer about a run that has ended.
    pub(crate) fn ended(recorded: &Recorded) -> Self {
        Self {
            path: Some(recorded.path.display().to_string()),
            status: Some(recorded.state.outcomes.status),
            outcome: Some(recorded.summary.outcome),
            manifest_sha256: Some(recorded.manifest_sha256.clone()),
            ..Self::with_id(recorded.state.episode.id.clone())
        }
    }

    /// Returns the answer about a run whose records are whole again.
    pub(crate) fn recovered(id: &str, path: &Path, recovered: &Recovered) -> Self {
        let mut done = Self::with_id(id.into());
        let recovery = match recovered {
            Recovered::Intact => Recovery::Intact,
            Recovered::Cut { bytes } => {
                done.cut_bytes = Some(*bytes);
                Recovery::Cut
            }
            Recovered::Learning => Recovery::Learning,
            Recovered::Completed(recorded) => {
                done = Self::ended(recorded);
                Recovery::Completed
            }
        };

        Self {
            path: Some(path.display().to_string()),
            recovered: Some(recovery),
            ..done
        }
    }
}

/// A value that was too large for the record.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CutValue {
    /// Its place in the act, such as `input.messages`.
    pub(in crate::recorder) field: String,
    /// The number of its bytes.
    pub(in crate::recorder) bytes: u64,
    /// The file below the directory of the episode that has all of it; absent where there was no
    /// room for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::recorder) attachment: Option<String>,
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Verdict {
    /// That of policies.
    OfPolicies(Judgement),
    /// That of rules about a call.
    OfRules(CallVerdict),
}

/// The decision of rules about a call that is about to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CallVerdict {
    /// What is to be done.
    kind: CallKind,
    /// The rule that asks, or holds the call back.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    /// The reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// What is to be done about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = describe_values)]
pub(crate) enum CallKind {
    /// It is to be made.
    Go,
    /// A person is to be asked.
    Ask,
    /// It is not to be made.
    Veto,
}

/// The decision of policies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(transform = super::command::describe_members)]
pub(in crate::recorder) enum Judgement {
    /// The run may go on, and the step is open.
    Go {
        /// The suggestions of policies.
        hints: Vec<String>,
    },
    /// A policy changed the plan so that the step is skipped.
    Skipped,
    /// A policy blocked the step or the run.
    Veto(Veto),
}

/// The result of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
pub(in crate::recorder) enum Recovery {
    /// Nothing: the records were whole.
    Intact,
    /// It cut off an event that was not written whole.
    Cut,
    /// `learn.jsonl` did not repeat the proposals of the timeline, and does now.
    Learning,
    /// The run had ended, and what was missing of its records is written.
    Completed,
}

/// A command failed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct Failed {
    /// Always false.
    #[schemars(extend("const" = false))]
    ok: bool,
    /// The reason.
    pub(crate) error: Failure,
}

/// The reason why a command failed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct Failure {
    /// The kind of error. For the line: `syntax` (it is not JSON), `command` (it is not exactly one
    /// known command), `argument` (the command can't have this argument, or a run can't be recorded
    /// by this name), `too_large`. For a call: `refused`, `too_large`, `ended`. For the run:
    /// `absent`, `busy`, `exists`, `untrusted`. Faults: `io`, `not_durable`, `lost`, `poisoned`,
    /// `forked`.
    #[schemars(extend("examples" = ["refused"]))]
    pub(in crate::recorder) kind: &'static str,
    /// The error, in words for people.
    pub(crate) message: String,
    /// The findings of the schemas of the team, if they are the reason for the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<Finding>>,
}

/// The number of characters of a message: it may quote a line.
const MAX_MESSAGE_CHARS: usize = 400;

impl Failed {
    pub(crate) fn new(kind: &'static str, message: &str) -> Self {
        Self {
            ok: false,
            error: Failure {
                kind,
                message: shortened(message, MAX_MESSAGE_CHARS),
                findings: None,
            },
        }
    }

    /// Returns `true` if rules of the team are the reason.
    pub(super) fn is_of_rules(&self) -> bool {
        self.error.findings.is_some()
    }

    pub(crate) fn is_fault(&self) -> bool {
        ["io", "not_durable", "lost", "poisoned", "forked"].contains(&self.error.kind)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        let mut failed = Self::new(error.kind(), &error.to_string());
        if let Error::Violates { findings, .. } = error {
            failed.error.findings = Some(findings);
        }
        failed
    }
}

/// Says that exactly one of the forms holds, and names their type.
fn either(schema: &mut Schema) {
    if let Some(Value::Array(forms)) = schema.remove("anyOf") {
        schema.insert("type".into(), "object".into());
        schema.insert("oneOf".into(), forms.into());
    }
}
