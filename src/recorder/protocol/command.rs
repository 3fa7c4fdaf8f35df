//! One line of JSON -> a command to the recorder.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Number, Value};

use super::super::run::Ending;
use super::super::{End, StepDraft};
use crate::ground::record::{Action, any_value, schema_id};

/// A line of the standard input of `runvet record`: an object whose one member is the command.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[schemars(
    title = "Command to runvet record (a line of its standard input)",
    extend("$id" = schema_id("record-command")),
    transform = describe_members
)]
pub(crate) enum RecorderCommand {
    /// Sets the plan: its steps, or an object that names their source too. A step whose id the plan
    /// had before keeps its status; one without an id must not replace another that is no longer
    /// pending.
    Plan(Either<Vec<Either<String, StepDraft>>, SourcedPlan>),
    /// Opens a pending step, named by its id, if no policy blocks it. The answer has the verdict.
    Open(String),
    /// Adds an action of an open step, or of none if none is open. An action without any result
    /// (`output`, `result_status`, `result_artifacts`, `duration_ms`) has not happened yet: it is
    /// refused if a schema of the team finds an error in the fields that are given. It is recorded
    /// with an `input` that is an object, with a `kind` by the name of its tool unless it has one,
    /// and with `x-command` or `x-paths` if it is the call of a command, or reads or edits files.
    /// With `hold` it is about to be made: the rules of the team are asked, the answer has their
    /// verdict, and what is recorded is that the call has begun, or a veto.
    Act(Box<Act>),
    /// Gives the answer of a person about a call that was asked about with `hold`. The answer has
    /// the verdict.
    Answer(CallAnswer),
    /// Ends an open step. The argument is an object, or the id of a step that succeeded.
    Close(Either<String, Close>),
    /// Puts a file into the directory of the episode, and answers with its name there. The argument
    /// is an object, or the path of the file.
    Attach(Either<String, Attach>),
    /// Adds an event of a phase that the recorder gives no meaning to, such as `observe`.
    Note {
        /// The phase, such as `observe`, `reason` or one of the runtime's own.
        #[schemars(length(min = 1))]
        phase: String,
        /// The payload of the event: any keys with any values.
        payload: Option<Map<String, Value>>,
        /// The agent that the note is by: `agent_id` of the event, and `x-agent` in its payload.
        /// Absent means `system`, unless the payload has `x-agent`.
        #[schemars(length(min = 1))]
        agent: Option<String>,
    },
    /// Asks what the rules of the team would find if an event were added now. Nothing is written;
    /// the answer has the findings.
    Would {
        /// The phase of the event: any, also one that the recorder writes itself.
        #[schemars(length(min = 1))]
        phase: String,
        /// The payload of the event. The payload of an `act` event is the action. `id` and
        /// `step_status` are added if they are missing, and so is `step_id` while exactly one step
        /// is open.
        payload: Option<Map<String, Value>>,
        /// The agent that the event would be by, as for `note`.
        #[schemars(length(min = 1))]
        agent: Option<String>,
    },
    /// Adds a belief.
    Believe {
        /// The statement.
        statement: String,
        /// The confidence of the run, from 0 (none) to 1 (certainty).
        #[schemars(with = "Number", range(min = 0, max = 1))]
        confidence: f64,
        /// The source of the belief.
        provenance: String,
    },
    /// Adds a fact. A key may be remembered again; its last value counts.
    Remember {
        /// The identifier of the fact.
        key: String,
        /// The value of the fact, of any JSON type; null is a value too.
        #[schemars(schema_with = "any_value")]
        value: Value,
        /// The source of the fact.
        provenance: Option<String>,
    },
    /// Adds a line to the scratchpad.
    Jot(String),
    /// Adds a reflection. The argument is the payload of its event.
    Reflect(Map<String, Value>),
    /// Adds a proposal of what to learn.
    Propose {
        /// The proposal: any keys with any values.
        proposal: Map<String, Value>,
        /// `true` if it was applied already. Absent means `false`.
        applied: Option<bool>,
    },
    /// Sets the time of what follows, in a run that began with `--started-at`; it may go back. An
    /// RFC 3339 date-time; without a zone it is in UTC. Parts of a microsecond do not count. With
    /// null it is unknown: the events have the time that was set before, and `x-time-unknown` in
    /// their payload.
    At(#[schemars(schema_with = "text_or_null")] Option<String>),
    /// Writes the state as it is now.
    Persist(#[schemars(schema_with = "nothing")] IgnoredAny),
    /// Ends the session and leaves the run pending. The argument says why the run waits. `--resume`
    /// continues the run.
    Pause(String),
    /// Ends the run and the session. The argument is an object, or how the run ends.
    Finish(Either<Ending, End>),
}

/// The name of each command.
pub(super) const COMMANDS: [&str; 17] = [
    "plan", "open", "act", "answer", "close", "attach", "note", "would", "believe", "remember",
    "jot", "reflect", "propose", "at", "persist", "pause", "finish",
];

/// The answer of a person about a call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallAnswer {
    /// The `call` of the answer that asked.
    pub(super) call: String,
    /// Whether the call may be made.
    pub(super) answer: YesOrNo,
    /// The person who says so.
    pub(super) by: String,
}

/// A yes or a no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = crate::ground::record::describe_values)]
pub(crate) enum YesOrNo {
    /// It may be made.
    Yes,
    /// It is held back.
    No,
}

/// A plan with its source.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Plan")]
pub(crate) struct SourcedPlan {
    /// The steps, in execution order: objects, or what the step does.
    pub(super) steps: Vec<Either<String, StepDraft>>,
    /// The origin of the plan. Absent means `planner.external`.
    pub(super) source: Option<String>,
}

/// An action. The recorder adds `id` and `timestamp`.
#[derive(Debug, Deserialize)]
pub(crate) struct Act {
    /// The id of the step; it may be absent while one step is open, or none.
    pub(super) step_id: Option<String>,
    /// `true` if it is about to be made: then the rules are asked, and no act is recorded.
    pub(super) hold: Option<bool>,
    #[serde(flatten)]
    pub(super) action: Action,
}

impl JsonSchema for Act {
    fn schema_name() -> Cow<'static, str> {
        "Act".into()
    }

    /// Returns the schema of an action, without the fields that the recorder sets.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Action::json_schema(generator);
        let about = "An action. The recorder adds `id` and `timestamp`. Only the keys below and keys \
                     that start with `x-` are allowed.";
        schema.insert("description".into(), about.into());
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.remove("id");
            properties.remove("timestamp");
            let about = "The id of the step. It may be absent while exactly one step is open. While none \
                         is open, the action is one of no step.";
            let step = json_schema!({ "description": about, "type": "string" });
            properties.insert("step_id".into(), step.into());

            let about = "The agent that the action is by: `agent_id` of the event, and `x-agent` of \
                         the action. Absent means `system`.";
            let agent = json_schema!({ "description": about, "type": "string", "minLength": 1 });
            properties.insert("agent".into(), agent.into());

            let about = "`true` if the act is about to be made. The rules of the team are then asked, \
                         and no act is recorded. The result comes with `x-call-id`, the `call` of the \
                         answer.";
            let hold = json_schema!({ "description": about, "type": "boolean" });
            properties.insert("hold".into(), hold.into());
        }

        schema
    }
}

/// The end of an open step.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(transform = describe_members)]
pub(crate) enum Close {
    /// It did what it should.
    Done {
        /// The id of the step. It may be absent while exactly one step is open.
        step_id: Option<String>,
        /// The outputs that the step produced: any keys with any values.
        outputs: Option<Map<String, Value>>,
    },
    /// It failed.
    Failed {
        /// The id of the step. It may be absent while exactly one step is open.
        step_id: Option<String>,
        /// The error, in any form but null.
        #[schemars(schema_with = "not_null")]
        error: Value,
    },
    /// It was not needed.
    Skipped {
        /// The id of the step. It may be absent while exactly one step is open.
        step_id: Option<String>,
        /// Why.
        reason: String,
    },
}

/// A file to attach, by its path or by its content.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attach {
    /// The path of the file, which is a regular file and no symbolic link. A relative path begins
    /// in the working directory of `runvet record`.
    pub(super) path: Option<String>,
    /// The content of the file in base64, instead of a path.
    pub(super) base64: Option<String>,
    /// The extension of its name, such as `png`; only with `base64`.
    #[schemars(length(max = 16))]
    pub(super) extension: Option<String>,
}

impl From<String> for Attach {
    fn from(path: String) -> Self {
        Self {
            path: Some(path),
            ..Self::default()
        }
    }
}

/// A value in its short form, which is not an object, or in full.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Either<S, T> {
    Short(S),
    Full(T),
}

impl<S: Into<T>, T> Either<S, T> {
    pub(super) fn in_full(self) -> T {
        match self {
            Self::Short(short) => short.into(),
            Self::Full(full) => full,
        }
    }
}

impl<S: JsonSchema, T: JsonSchema> JsonSchema for Either<S, T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}_or_{}", S::schema_name(), T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let forms = [
            generator.subschema_for::<S>(),
            generator.subschema_for::<T>(),
        ];
        json_schema!({ "oneOf": forms })
    }
}

/// Returns the schema of the argument of a command that takes none.
fn nothing(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": [{}, null, true] })
}

fn text_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "oneOf": [{ "type": "string" }, { "enum": [null] }] })
}

fn not_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "not": { "type": "null" } })
}

/// Gives the member that tells the forms of a value apart the description of its form.
pub(super) fn describe_members(schema: &mut Schema) {
    let Some(Value::Array(forms)) = schema.get_mut("oneOf") else {
        return;
    };
    for form in forms {
        let about = form
            .as_object_mut()
            .and_then(|form| form.remove("description"));
        let members = form
            .get_mut("properties")
            .and_then(Value::as_object_mut);
        let Some(about) = about else { continue };

        for member in members
            .into_iter()
            .flat_map(Map::values_mut)
        {
            if let Value::Object(member) = member {
                member
                    .entry("description")
                    .or_insert(about.clone());
            }
        }
    }
}
