//! The timeline of an episode -> its facts, and what others want of its events.

use super::attachments::Attachments;
use super::events::{EventReader, EventsReader, Listeners, TeamInput};
use super::multi_line::MultiLineSearch;
use super::trouble::Trouble;
use super::{LoadRequest, Loader, NOT_THERE, prefixes};
use crate::ground::document::{ReadText, Tape};
use crate::ground::finding::{Lifecycle, SkipKind, ToolUse};
use crate::ground::source::{Artifact, Line};
use crate::policy::team::RunValues;
use crate::reading::facts::{
    InStep, Stage, StateFacts, StrictFacts, Timeline, TimelineFacts, TimelineReader, Usable,
};
use crate::reading::outline::{CallReader, Listening, OutlineReader, Outlined};
use crate::store::{Opened, Unreadable};

/// Buffers that are reused for the timeline of the next episode.
#[derive(Default)]
pub(super) struct TimelineBuffers {
    pub(super) lines: Vec<u8>,
    /// Made for the first timeline.
    pub(super) reader: Option<EventReader>,
    /// Of the latest event that was parsed.
    pub(super) event: ReadText,
    pub(super) line_tape: Tape,
}

/// A timeline as it was read. It stays open, because findings may point into its lines.
pub(crate) struct LoadedTimeline<'f> {
    facts: Usable<Box<Timeline<'f>>>,
    pub(super) strict: Option<StrictFacts>,
    stream: Option<Opened<'f>>,
    /// The outline, where one is asked for; or the reason why the timeline could not be opened.
    pub(crate) outlined: Option<Result<Outlined, String>>,
    /// The tools that were called, where they are asked for; or the reason why the timeline could
    /// not be read.
    pub(crate) calls: Option<Result<Box<[ToolUse]>, String>>,
}

impl<'f> LoadedTimeline<'f> {
    /// Returns the timeline of an episode that has none.
    fn missing(request: &LoadRequest, listening: Option<Listening<'_>>) -> Self {
        Self {
            facts: Usable::unjudged(SkipKind::Missing, "events.jsonl is missing"),
            strict: (request.every_event).then(|| StrictFacts::new(request.strict)),
            stream: None,
            outlined: listening.map(|_| Err(NOT_THERE.into())),
            calls: request
                .calls
                .then(|| Ok(Box::default())),
        }
    }

    /// Notes why it could not be read.
    fn fail(&mut self, why: &Unreadable) {
        self.facts = Usable::unjudged(SkipKind::Unreadable, "events.jsonl can't be read");
        if let Some(calls) = &mut self.calls {
            *calls = Err(why.to_string());
        }
        if self.stream.is_none()
            && let Some(outlined) = &mut self.outlined
        {
            *outlined = Err(why.to_string());
        }
    }

    /// Returns its facts, where rules can judge it.
    pub(super) fn facts<'t>(
        &'t self,
        state: Option<StateFacts<'t>>,
        lifecycle: Lifecycle,
    ) -> Usable<TimelineFacts<'t>> {
        self.facts
            .as_ref()
            .map(|timeline| TimelineFacts::new(timeline, state, lifecycle))
    }

    /// Returns the file, where rules can judge it.
    pub(in crate::judge) fn judged(&self) -> Option<&Opened<'f>> {
        self.stream
            .as_ref()
            .filter(|_| matches!(self.facts, Usable::Read(_)))
    }

    /// Returns the file, if it could be opened.
    pub(in crate::judge) fn opened(&self) -> Option<&Opened<'f>> {
        self.stream.as_ref()
    }

    /// Reads a line again; returns whether it could be read.
    pub(crate) fn read_again(&self, line: Line, bytes: &mut Vec<u8>) -> bool {
        self.stream
            .as_ref()
            .is_some_and(|stream| stream.read_again(line, bytes).is_ok())
    }
}

impl<'f> Loader<'f> {
    /// Reads the timeline, and ends the judges of what the team declares.
    pub(super) fn timeline<'a>(
        &mut self,
        facts: TimelineReader<'_, 'a>,
        lifecycle: Lifecycle,
        values: RunValues<'_>,
        buffers: &mut TimelineBuffers,
    ) -> LoadedTimeline<'a>
    where
        'f: 'a,
    {
        let attachments = Attachments::new(self.files, &self.request.team);
        let team = TeamInput {
            values: &values,
            attachments: &attachments,
        };

        let timeline = self.read_timeline(facts, lifecycle, team, buffers);
        self.judges
            .end(lifecycle, values, |line, bytes| {
                let is_read = timeline.read_again(line, bytes);
                attachments.complete(bytes);
                is_read
            });

        timeline
    }

    /// Reads the timeline, once for all listeners.
    #[inline]
    fn read_timeline<'a>(
        &mut self,
        facts: TimelineReader<'_, 'a>,
        lifecycle: Lifecycle,
        team: TeamInput<'_>,
        buffers: &mut TimelineBuffers,
    ) -> LoadedTimeline<'a>
    where
        'f: 'a,
    {
        let (artifact, request) = (Artifact::Events, self.request);
        let mut timeline = LoadedTimeline::missing(request, self.listening);
        if !self.files.entries().has(artifact) {
            return timeline;
        }

        let mut events = EventsReader {
            listeners: self.listeners(facts, timeline.strict.as_mut()),
            reader: buffers.reader.get_or_insert_default(),
            parsed: &mut buffers.event,
            alone: &self.alone,
            troubles: &mut self.troubles,
            may_be_unfinished: lifecycle == Lifecycle::NonTerminal,
            multi_line: MultiLineSearch::default(),
            index: &request.team.index,
            judges: &mut self.judges,
            team,
        };

        let read = self
            .files
            .open(artifact)
            .and_then(|stream| {
                let (stream, read) = events.read(stream, &mut buffers.lines);
                let heard = events.listeners.finish(&stream);
                timeline.outlined = heard.outlined.map(Ok);
                timeline.calls = heard.calls.map(Ok);
                timeline.stream = Some(stream);
                read
            });
        match read {
            Ok(()) => {
                let facts = events.listeners.facts.finish();
                timeline.facts = Usable::Read(self.without_declared(facts));
            }
            Err(why) => {
                timeline.fail(&why);
                self.troubles
                    .add(Trouble::Unreadable { artifact, why });
            }
        }

        timeline
    }

    /// Returns all who listen to the events.
    #[inline]
    fn listeners<'r, 'a>(
        &self,
        facts: TimelineReader<'r, 'a>,
        strict: Option<&'r mut StrictFacts>,
    ) -> Listeners<'r, 'a>
    where
        'f: 'r,
    {
        Listeners {
            facts,
            strict,
            outline: self.listening.map(OutlineReader::new),
            calls: self
                .request
                .calls
                .then(CallReader::default),
        }
    }

    /// Returns the facts of a timeline without misspelled keys that the team declares.
    #[inline]
    fn without_declared<'a>(&self, mut timeline: Box<Timeline<'a>>) -> Box<Timeline<'a>> {
        let team = &self.request.team.team;
        timeline
            .typos
            .forget(|key| team.declares(Artifact::Events, key));
        timeline
    }
}

/// What the listeners made of a timeline.
struct Heard {
    outlined: Option<Outlined>,
    calls: Option<Box<[ToolUse]>>,
}

impl Listeners<'_, '_> {
    /// Ends an outline and a list of calls, where they are asked for, and measures what is noted of
    /// the stream.
    #[inline]
    fn finish(&mut self, stream: &Opened<'_>) -> Heard {
        if let Some(prefixes) = self
            .strict
            .as_mut()
            .and_then(|strict| strict.prefixes.as_mut())
        {
            prefixes::measure(prefixes, stream);
        }

        Heard {
            outlined: self
                .outline
                .take()
                .map(|outline| outlined(outline, stream)),
            calls: self
                .calls
                .take()
                .map(CallReader::finish),
        }
    }
}

/// Returns the outline of a timeline that was read.
fn outlined(outline: OutlineReader<'_>, stream: &Opened<'_>) -> Outlined {
    let read_again = |line: Line, bytes: &mut Vec<u8>| stream.read_again(line, bytes).is_ok();
    let mut outlined = outline.finish(read_again);
    prefixes::measure(outlined.outline.anchor.as_mut_slice(), stream);
    outlined
}

/// Returns a reader of the timeline that keeps what matters to the steps and actions of the state.
pub(super) fn timeline_reader<'i, 'a>(
    Stage { id, lifecycle, .. }: &'i Stage<'_>,
    state: Option<StateFacts<'a>>,
    bytes: &'a [u8],
) -> TimelineReader<'i, 'a> {
    let snapshot = Some(bytes).filter(|_| *lifecycle != Lifecycle::Terminal);

    TimelineReader::new(
        id.as_ref().map(|(id, _)| &**id),
        state
            .and_then(StateFacts::steps)
            .into_iter()
            .flatten()
            .filter_map(|step| step.text(InStep::Id))
            .collect(),
        state
            .into_iter()
            .flat_map(StateFacts::actions),
        snapshot,
    )
}
