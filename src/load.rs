//! The files of one episode -> documents, facts and the troubles met on the way.
//!
//! The one place that knows which file holds what. Every file is read once.

mod events;

use events::EventsReader;

use semver::Version;

use crate::document::{Document, Key, Tape};
use crate::facts::{
    self, EventFacts, IdSource, NoteTaker, Recorded, Run, StateFacts, SummaryFacts, TimelineReader,
    Value, plan::Rebuilt,
};
use crate::finding::{Lifecycle, Skip};
use crate::printable::quote;
use crate::record::format;
use crate::rule::{Draft, MAX_FINDINGS_PER_RULE, Trouble};
use crate::schema::{MAX_VIOLATIONS, Schema, Violation};
use crate::source::{Artifact, Line, Place, Pointer, Target};
use crate::store::{Files, Stream, Unreadable};

/// Buffers that are used again for the next episode.
#[derive(Default)]
pub(crate) struct Buffers {
    /// How many threads may look through one long timeline; none more than the caller's where it is
    /// 0.
    threads: usize,
    state: Vec<u8>,
    state_tape: Tape,
    summary: Vec<u8>,
    summary_tape: Tape,
    lines: Vec<u8>,
    notes: NoteTaker,
    line_tape: Tape,
    plan_tape: Tape,
    projection_tape: Tape,
}

impl Buffers {
    /// Buffers for one worker of a check that may use so many threads for a timeline.
    pub(crate) fn for_threads(threads: usize) -> Self {
        Self {
            threads,
            ..Self::default()
        }
    }
}

/// Troubles that loading met, with the places they are at.
#[derive(Default)]
pub(crate) struct Troubles {
    /// In the order in which they were met; of each kind no more than can be told, the rest is
    /// counted.
    pub(crate) drafts: Vec<(Trouble, Draft)>,
    counts: [usize; Trouble::COUNT],
}

impl Troubles {
    fn add(&mut self, trouble: Trouble, draft: impl FnOnce() -> Draft) {
        let Some(count) = self.counts.get_mut(trouble as usize) else {
            return;
        };
        *count += 1;
        if *count <= MAX_FINDINGS_PER_RULE {
            self.drafts.push((trouble, draft()));
        }
    }

    pub(crate) fn count(&self, trouble: Trouble) -> usize {
        self.counts
            .get(trouble as usize)
            .copied()
            .unwrap_or_default()
    }
}

/// What loading leaves for locating findings.
pub(crate) struct Loaded<'l, 'b> {
    pub(crate) run: &'l Run<'b>,
    pub(crate) troubles: &'l Troubles,
    pub(crate) skips: Vec<Skip>,
    pub(crate) state: Option<Document<'b>>,
    pub(crate) summary: Option<Document<'b>>,
    pub(crate) state_bytes: &'b [u8],
    pub(crate) summary_bytes: &'b [u8],
    pub(crate) events: Option<&'l Stream<'b>>,
}

/// Loads an episode and hands everything to a function.
pub(crate) fn episode<R>(
    files: &Files<'_>,
    directory_id: Option<&str>,
    buffers: &mut Buffers,
    judge: impl FnOnce(Loaded<'_, '_>) -> R,
) -> R {
    let entries = files.entries();
    let mut troubles = Troubles::default();
    let mut skips = Vec::new();
    for artifact in [Artifact::Learn, Artifact::Manifest]
        .into_iter()
        .filter(|artifact| entries.has(*artifact))
    {
        if let Err(why) = files.probe(artifact) {
            unreadable(&mut troubles, artifact, &why);
        }
    }

    let state_kind = RecordKind::STATE;
    let state_read = state_kind.read(files, &mut buffers.state, &mut troubles);
    let state_document = state_read
        .and_then(|()| state_kind.parse(&buffers.state, &mut buffers.state_tape, &mut troubles));
    let state_violations = state_kind.check(state_document, &mut troubles, &mut skips);
    let state = state_kind
        .recorded(
            state_document,
            &state_violations,
            entries.has(Artifact::State),
        )
        .map(StateFacts);
    let status = state.read().and_then(StateFacts::status);
    let lifecycle = facts::lifecycle(status.as_deref(), entries);

    let summary_kind = RecordKind::SUMMARY;
    let summary_read = summary_kind.read(files, &mut buffers.summary, &mut troubles);
    let summary_document = summary_read.and_then(|()| {
        summary_kind.parse(&buffers.summary, &mut buffers.summary_tape, &mut troubles)
    });
    let summary_violations = summary_kind.check(summary_document, &mut troubles, &mut skips);
    let summary = if entries.has(Artifact::Summary) || lifecycle != Lifecycle::NonTerminal {
        summary_kind
            .recorded(
                summary_document,
                &summary_violations,
                entries.has(Artifact::Summary),
            )
            .map(SummaryFacts)
    } else {
        Recorded::NotDue
    };

    let id = directory_id
        .map(|id| (id.to_owned().into(), IdSource::DirectoryName))
        .or_else(|| Some((state.read()?.id()?, IdSource::State)))
        .or_else(|| Some((summary.read()?.id()?, IdSource::Summary)));

    let timeline;
    let mut stream = None;
    let recorded_timeline = if entries.has(Artifact::Events) {
        let expected = id.as_ref().map(|(id, _)| &**id);
        let mut events = EventsReader {
            facts: TimelineReader::new(expected, state.read()),
            notes: &mut buffers.notes,
            tape: &mut buffers.line_tape,
            troubles: &mut troubles,
            may_be_unfinished: lifecycle == Lifecycle::NonTerminal,
            threads: buffers.threads,
        };
        match files
            .stream(Artifact::Events)
            .and_then(|stream| events.read(stream, &mut buffers.lines))
        {
            Ok(read) => {
                stream = Some(read);
                timeline = events.facts.finish();
                Recorded::Read(&timeline)
            }
            Err(why) => {
                unreadable(&mut troubles, Artifact::Events, &why);
                Recorded::Unjudged("events.jsonl can't be read")
            }
        }
    } else {
        Recorded::Unjudged("events.jsonl is missing")
    };

    let mut run = Run {
        entries,
        id,
        lifecycle,
        state,
        summary,
        timeline: recorded_timeline,
        projection: None,
        plan: None,
    };
    let read_timeline = run.timeline.read();
    let projection = read_timeline.and_then(|timeline| timeline.projection.as_ref());
    run.projection = projection
        .and_then(|event| read_again(event.line, &event.text, &mut buffers.projection_tape));
    if let (Some(timeline), Some(reach)) = (read_timeline, run.reach()) {
        let event = timeline.plan_event(reach);
        let event =
            event.and_then(|event| read_again(event.line, &event.text, &mut buffers.plan_tape));
        run.plan = event.and_then(|event| Rebuilt::new(&event, timeline, reach));
    }

    judge(Loaded {
        run: &run,
        troubles: &troubles,
        skips,
        state: state_document,
        summary: summary_document,
        state_bytes: &buffers.state,
        summary_bytes: &buffers.summary,
        events: stream.as_ref(),
    })
}

fn unreadable(troubles: &mut Troubles, artifact: Artifact, why: &Unreadable) {
    troubles.add(Trouble::Unreadable, || {
        Draft::new(
            Place::whole(artifact),
            format!("{artifact} can't be read: {why}"),
        )
    });
}

/// An event that was kept as text, as a document again.
fn read_again<'a>(line: Line, text: &'a [u8], tape: &'a mut Tape) -> Option<EventFacts<'a>> {
    let document = tape.read(text).ok()?;
    // What an event violates has been told; of these events only values are compared that its
    // schema leaves open.
    Some(EventFacts::new(line, Value::root(document, &[])))
}

/// How one of the two records is judged.
struct RecordKind {
    artifact: Artifact,
    schema: Schema,
    /// The field that holds the semantic version, and the current one.
    version: (&'static str, &'static str),
    /// A field that must hold one text, and that text.
    format: Option<(&'static str, &'static str)>,
    troubles: RecordTroubles,
}

struct RecordTroubles {
    version: Trouble,
    newer_version: Trouble,
    schema: Trouble,
    schema_rule: &'static str,
}

/// What is wrong with the shape of a record.
struct Checked {
    violations: Vec<Violation>,
    /// Whether the record can't be judged at all.
    hopeless: bool,
}

impl RecordKind {
    const STATE: Self = Self {
        artifact: Artifact::State,
        schema: Schema::State,
        version: ("state_schema_version", format::STATE_SCHEMA_VERSION),
        format: Some(("version", format::STATE_VERSION)),
        troubles: RecordTroubles {
            version: Trouble::StateVersion,
            newer_version: Trouble::StateNewerVersion,
            schema: Trouble::StateSchema,
            schema_rule: "state/schema",
        },
    };
    const SUMMARY: Self = Self {
        artifact: Artifact::Summary,
        schema: Schema::Summary,
        version: ("schema_version", format::SUMMARY_SCHEMA_VERSION),
        format: None,
        troubles: RecordTroubles {
            version: Trouble::SummaryVersion,
            newer_version: Trouble::SummaryNewerVersion,
            schema: Trouble::SummarySchema,
            schema_rule: "summary/schema",
        },
    };

    fn read(&self, files: &Files<'_>, buffer: &mut Vec<u8>, troubles: &mut Troubles) -> Option<()> {
        buffer.clear();
        if !files.entries().has(self.artifact) {
            return None;
        }
        files
            .read(self.artifact, buffer)
            .map_err(|why| unreadable(troubles, self.artifact, &why))
            .ok()
    }

    fn parse<'b>(
        &self,
        bytes: &'b [u8],
        tape: &'b mut Tape,
        troubles: &mut Troubles,
    ) -> Option<Document<'b>> {
        match tape.read(bytes) {
            Ok(document) => Some(document),
            Err(error) => {
                let target = Target::Bytes(error.span(bytes));
                let place = Place {
                    artifact: self.artifact,
                    line: None,
                    target,
                };
                let message = format!("{} is not JSON: {error}", self.artifact);
                troubles.add(Trouble::JsonSyntax, || Draft::new(place, message));
                None
            }
        }
    }

    /// Holds a document against its schema; tells of repeated and misspelled keys and of versions.
    fn check(
        &self,
        document: Option<Document<'_>>,
        troubles: &mut Troubles,
        skips: &mut Vec<Skip>,
    ) -> Checked {
        let Some(document) = document else {
            return Checked {
                violations: Vec::new(),
                hopeless: true,
            };
        };
        if document.repeats_keys() {
            self.duplicate_keys(document, troubles);
        }
        let judged = self.version(document, troubles);
        let glance = self.schema.glance(document);
        let violations = self.schema.violations_after(glance, document);
        if let Judged::Unsupported(version) = judged {
            let reason = format!(
                "{} is of version {}, which is not supported",
                self.artifact,
                quote(&version)
            );
            for rule in [self.troubles.schema_rule, "record/misspelled-field"] {
                skips.push(Skip {
                    rule: rule.into(),
                    reason: reason.clone(),
                    kind: Some(crate::finding::SkipKind::Version),
                });
            }
            // Told or not, what violates the schema is no fact.
            return Checked {
                hopeless: violations.is_err(),
                violations: violations.unwrap_or_default(),
            };
        }
        let Ok(violations) = violations else {
            troubles.add(self.troubles.schema, || {
                let message = format!(
                    "{} violates its schema in {MAX_VIOLATIONS} places or more",
                    self.artifact
                );
                Draft::new(Place::whole(self.artifact), message)
            });
            return Checked {
                violations: Vec::new(),
                hopeless: true,
            };
        };
        for violation in &violations {
            if matches!(judged, Judged::Newer)
                && violation.pointer.as_str().strip_prefix('/') == Some(self.version.0)
            {
                continue;
            }
            troubles.add(self.troubles.schema, || {
                let place = violation_place(self.artifact, None, violation);
                Draft::new(place, violation.message.clone()).help(violation.help.clone())
            });
        }
        if !glance.may_be_misspelled {
            return Checked {
                violations,
                hopeless: false,
            };
        }
        for misspelling in self.schema.misspellings(document.root()) {
            troubles.add(Trouble::MisspelledField, || {
                let place = Place::key(self.artifact, misspelling.pointer);
                let message = format!(
                    "{} is no known field, and `{}` is absent",
                    quote(&misspelling.key.name()),
                    misspelling.known
                );
                Draft::new(place, message).help(Some(format!(
                    "If `{}` is meant, write it so.",
                    misspelling.known
                )))
            });
        }
        Checked {
            violations,
            hopeless: false,
        }
    }

    fn duplicate_keys(&self, document: Document<'_>, troubles: &mut Troubles) {
        document.for_each_repeated_key(|repeated| {
            troubles.add(Trouble::DuplicateKey, || {
                let place = |key: Key<'_>| Place {
                    artifact: self.artifact,
                    line: None,
                    target: Target::Token(key.index(), repeated.pointer()),
                };
                let message = format!(
                    "the key {} stands twice in one object",
                    quote(&repeated.key.name())
                );
                Draft::new(place(repeated.key), message)
                    .related(place(repeated.earlier), "it stands here before")
            });
        });
    }

    fn version(&self, document: Document<'_>, troubles: &mut Troubles) -> Judged {
        let text = |field: &str| {
            document
                .root()
                .get(field)
                .and_then(crate::document::Node::text)
        };
        let place = |field: &str| Place::value(self.artifact, Pointer::default().field(field));
        let mut judged = Judged::Current;
        let (field, current) = self.version;
        if let Some(version) = text(field).filter(|version| version != current) {
            let newer = match (Version::parse(&version), Version::parse(current)) {
                (Ok(theirs), Ok(ours)) => {
                    theirs.major == ours.major && theirs.cmp_precedence(&ours).is_gt()
                }
                _ => false,
            };
            if newer {
                judged = Judged::Newer;
                troubles.add(self.troubles.newer_version, || {
                    let message = format!(
                        "`{field}` is {}, newer than {current}, by which it is judged",
                        quote(&version)
                    );
                    Draft::new(place(field), message)
                });
            } else {
                troubles.add(self.troubles.version, || {
                    Draft::new(
                        place(field),
                        format!(
                            "`{field}` is {}; the version that can be judged is {current}",
                            quote(&version)
                        ),
                    )
                });
                judged = Judged::Unsupported(version.into_owned());
            }
        }
        if let Some((field, expected)) = self.format
            && let Some(format) = text(field).filter(|format| format != expected)
        {
            troubles.add(self.troubles.version, || {
                Draft::new(
                    place(field),
                    format!(
                        "`{field}` is {}; the one that can be judged is {}",
                        quote(&format),
                        quote(expected)
                    ),
                )
            });
            judged = Judged::Unsupported(format.into_owned());
        }
        judged
    }

    fn recorded<'a>(
        &self,
        document: Option<Document<'a>>,
        checked: &'a Checked,
        is_there: bool,
    ) -> Recorded<Value<'a>> {
        match (document, self.artifact) {
            (Some(document), _) if !checked.hopeless => {
                Recorded::Read(Value::root(document, &checked.violations))
            }
            (_, Artifact::State) if is_there => Recorded::Unjudged("state.json can't be judged"),
            (_, Artifact::State) => Recorded::Unjudged("there is no state.json"),
            _ if is_there => Recorded::Unjudged("summary.json can't be judged"),
            _ => Recorded::Unjudged("there is no summary.json"),
        }
    }
}

/// What a record's version means for judging it.
enum Judged {
    Current,
    Newer,
    Unsupported(String),
}

fn violation_place(artifact: Artifact, line: Option<Line>, violation: &Violation) -> Place {
    let pointer = violation.pointer.clone();
    let target = if violation.is_key {
        Target::Key(pointer)
    } else {
        Target::Value(pointer)
    };
    Place {
        artifact,
        line,
        target,
    }
}

impl<T: Copy> Recorded<T> {
    fn map<U>(self, f: impl FnOnce(T) -> U) -> Recorded<U> {
        match self {
            Self::Read(record) => Recorded::Read(f(record)),
            Self::NotDue => Recorded::NotDue,
            Self::Unjudged(reason) => Recorded::Unjudged(reason),
        }
    }
}
