//! The events of a timeline -> lanes, in which bars that overlap stand above each other, and an
//! axis.

use std::collections::BTreeSet;

use crate::ground::Own;
use crate::reading::outline::{Density, PhaseBin};
use crate::report::page::scale::Scale;
use crate::report::page::{TimeSpan, TrackEvent, TrackItem};

/// The maximum number of lanes; other agents share the last one.
const LANES: usize = 12;

/// The maximum number of bars that stand above each other in a lane.
const STACK: usize = 4;

/// A timeline, laid out.
pub(super) struct WaterfallLayout<'t> {
    pub(super) lanes: Vec<Lane<'t>>,
    pub(super) scale: Scale,
    /// The number of all events over time, where they are too many to be drawn one by one.
    pub(super) sums: Option<&'t Density>,
}

pub(super) struct Lane<'t> {
    pub(super) name: &'t str,
    /// The number of rows.
    pub(super) rows: usize,
    pub(super) marks: Vec<PlacedEvent<'t>>,
    pub(super) bins: Vec<(f64, PhaseBin)>,
}

/// An event with its place.
pub(super) struct PlacedEvent<'t> {
    pub(super) event: &'t TrackEvent,
    /// The time of its bar.
    span: Option<TimeSpan>,
    /// The number of the event among those shown.
    pub(super) order: u64,
    pub(super) row: usize,
}

impl<'t> WaterfallLayout<'t> {
    /// Returns the lanes of a timeline with all that they show.
    pub(super) fn of(track: &'t [TrackItem], density: &'t Density) -> Self {
        let mut events: Vec<&TrackEvent> = track
            .iter()
            .filter_map(TrackItem::event)
            .map(|event| &**event)
            .collect();
        let sums = (events.len() < track.len() && !density.phases.is_empty()).then_some(density);
        if sums.is_some() {
            events.retain(|event| event.row.mark.is_some());
        }

        let scale = scale(&events, sums);
        let has_agents = sums.is_none()
            && events
                .iter()
                .any(|event| !event.row.agent.is_empty());
        let ends = ends_of_bars(&events);
        let mut layout = Self {
            lanes: sums.map_or_else(Vec::new, lanes_of_phases),
            scale,
            sums,
        };

        for (order, event) in (0..).zip(events) {
            // An action that says how long it took has a bar; what opened its step needs none.
            let is_doubled = |span: &TimeSpan| {
                event.row.offset_sec == Some(span.start)
                    && span.start < span.end
                    && ends.contains(&span.end.to_bits())
            };
            let name = match (has_agents, &*event.row.agent) {
                (false, _) => &*event.row.phase,
                (true, "") => "(no agent)",
                (true, agent) => agent,
            };

            layout.add(
                name,
                PlacedEvent {
                    event,
                    span: event
                        .span
                        .filter(|span| !is_doubled(span)),
                    order,
                    row: 0,
                },
            );
        }

        for lane in &mut layout.lanes {
            lane.stack();
        }

        layout
    }

    fn add(&mut self, name: &'t str, placed: PlacedEvent<'t>) {
        let at = self
            .lanes
            .iter()
            .position(|lane| lane.name == name)
            .unwrap_or(self.lanes.len())
            .min(LANES - 1);
        if at == self.lanes.len() {
            let name = if at == LANES - 1 { "(others)" } else { name };
            self.lanes.push(Lane::new(name));
        }

        self.lanes
            .own_mut(at)
            .marks
            .push(placed);
    }

    /// Returns the kind of the drawing: all events by sums, or each by its time or its order.
    pub(super) fn kind(&self) -> &'static str {
        match (self.sums, self.scale.has_length()) {
            (Some(_), _) => "sums",
            (None, true) => "time",
            (None, false) => "order",
        }
    }

    /// Returns the place and the length of an event on the axis of time.
    pub(super) fn by_time(&self, placed: &PlacedEvent<'_>) -> Option<(f64, f64)> {
        if !self.scale.has_length() {
            return None;
        }

        let at = |seconds| self.scale.at(seconds);
        match (placed.span, placed.event.row.offset_sec) {
            (Some(span), _) => Some((at(span.start), at(span.end) - at(span.start))),
            (None, Some(moment)) => Some((at(moment), 0.0)),
            (None, None) => None,
        }
    }
}

/// Returns a lane for each phase, with the number of its events over time.
fn lanes_of_phases(sums: &Density) -> Vec<Lane<'_>> {
    sums.phases
        .iter()
        .map(|(phase, bins)| Lane {
            bins: bins
                .iter()
                .map(|(at, bin)| (sums.start_of(*at), *bin))
                .collect(),
            ..Lane::new(phase)
        })
        .collect()
}

/// Returns the ends of the bars of events that were written when they ended, as bits.
fn ends_of_bars(events: &[&TrackEvent]) -> BTreeSet<u64> {
    events
        .iter()
        .filter_map(|event| {
            let end = event.span?.end;
            (event.row.offset_sec == Some(end)).then_some(end.to_bits())
        })
        .collect()
}

/// Returns the axis on which some events, or the sums of all, have their places.
fn scale(events: &[&TrackEvent], sums: Option<&Density>) -> Scale {
    let spans = events
        .iter()
        .filter_map(|event| match (event.span, event.row.offset_sec) {
            (Some(span), Some(at)) => Some(TimeSpan {
                start: span.start.min(at),
                end: span.end.max(at),
            }),
            (Some(span), None) => Some(span),
            (None, at) => at.map(|at| TimeSpan { start: at, end: at }),
        });
    let bins = sums.iter().flat_map(|sums| {
        sums.phases
            .values()
            .flat_map(|bins| bins.keys())
            .map(|at| TimeSpan {
                start: sums.start_of(*at),
                end: sums.start_of(at + 1),
            })
    });

    Scale::of(spans.chain(bins).collect())
}

impl<'t> Lane<'t> {
    fn new(name: &'t str) -> Self {
        Self {
            name,
            rows: 1,
            marks: Vec::new(),
            bins: Vec::new(),
        }
    }

    /// Gives bars that overlap rows of their own.
    fn stack(&mut self) {
        let mut ends = [f64::NEG_INFINITY; STACK];
        for placed in &mut self.marks {
            let Some(span) = placed
                .span
                .filter(|span| span.end > span.start)
            else {
                continue;
            };

            let free = ends
                .iter()
                .position(|taken| *taken <= span.start);
            placed.row = free.unwrap_or(STACK - 1);
            let taken = ends.own_mut(placed.row);
            *taken = taken.max(span.end);

            self.rows = self.rows.max(placed.row + 1);
        }
    }
}
