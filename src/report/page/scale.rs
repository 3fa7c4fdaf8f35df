//! Times and spans -> an axis of time, on which a long pause takes little room.

use super::TimeSpan;

/// The room at each end of the axis, in per cent.
const MARGIN: f64 = 2.0;

/// The width of a folded pause, in per cent.
const FOLD: f64 = 5.0;

/// The maximum number of pauses that are folded.
const FOLDS: usize = 3;

/// An axis of time. Its times are seconds since the first event, its places are per cent.
#[derive(Debug, Default)]
pub(super) struct Scale {
    /// Parts of the time in which something happens, each with its place.
    parts: Vec<AxisPart>,
}

#[derive(Clone, Copy, Debug)]
struct AxisPart {
    start: f64,
    end: f64,
    left: f64,
    right: f64,
}

/// A pause that takes little room: its places, and its length.
pub(super) struct FoldedPause {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) seconds: f64,
}

impl Scale {
    /// Returns an axis for some spans; a point in time is a span without length.
    pub(super) fn of(mut spans: Vec<TimeSpan>) -> Self {
        spans.sort_by(|a, b| a.start.total_cmp(&b.start));
        let mut parts: Vec<TimeSpan> = Vec::new();
        for span in spans {
            match parts.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => parts.push(span),
            }
        }

        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return Self::default();
        };
        let mut whole = Vec::new();
        let mut start = first.start;
        for pause in cuts(&parts, last.end - first.start) {
            whole.push(TimeSpan {
                start,
                end: pause.start,
            });
            start = pause.end;
        }

        whole.push(TimeSpan {
            start,
            end: last.end,
        });
        Self::laid_out(&whole)
    }

    fn laid_out(parts: &[TimeSpan]) -> Self {
        let length: f64 = parts
            .iter()
            .map(|part| part.seconds())
            .sum();
        let mut room = 100.0 - 2.0 * MARGIN + FOLD;
        room -= parts.iter().map(|_| FOLD).sum::<f64>();

        let mut left = MARGIN;
        let place = |span: &TimeSpan| {
            let width = room * span.seconds() / length.max(f64::MIN_POSITIVE);
            let part = AxisPart {
                start: span.start,
                end: span.end,
                left,
                right: left + width,
            };

            left = part.right + FOLD;
            part
        };

        Self {
            parts: parts.iter().map(place).collect(),
        }
    }

    /// Returns `true` if time passes on it.
    pub(super) fn has_length(&self) -> bool {
        self.parts.len() > 1
            || self
                .parts
                .iter()
                .any(|part| part.end > part.start)
    }

    /// Returns the place of a time.
    pub(super) fn at(&self, seconds: f64) -> f64 {
        let after = self
            .parts
            .iter()
            .find(|part| seconds <= part.end);
        let Some(part) = after.or(self.parts.last()) else {
            return MARGIN;
        };
        let length = (part.end - part.start).max(f64::MIN_POSITIVE);
        let share = ((seconds - part.start) / length).clamp(0.0, 1.0);
        part.left + share * (part.right - part.left)
    }

    /// Returns some times with their places, from the first to the last.
    pub(super) fn ticks(&self, number: u32) -> Vec<(f64, f64)> {
        let places = (0..=number).map(|tick| {
            MARGIN + (100.0 - 2.0 * MARGIN) * f64::from(tick) / f64::from(number.max(1))
        });
        let moment = |place: f64| {
            let inside = |part: &&AxisPart| place >= part.left - 0.01 && place <= part.right + 0.01;
            let part = self.parts.iter().find(inside)?;
            let share = (place - part.left) / (part.right - part.left).max(f64::MIN_POSITIVE);
            Some((part.start + share * (part.end - part.start), place))
        };

        places.filter_map(moment).collect()
    }

    /// Returns the pauses that are folded.
    pub(super) fn folds(&self) -> Vec<FoldedPause> {
        self.parts
            .iter()
            .zip(self.parts.iter().skip(1))
            .map(|(one, next)| FoldedPause {
                left: one.right,
                right: next.left,
                seconds: next.start - one.end,
            })
            .collect()
    }
}

/// Returns the pauses that are longer than all the rest together. `rest` is the length of all.
fn cuts(parts: &[TimeSpan], mut rest: f64) -> Vec<TimeSpan> {
    let mut pauses: Vec<TimeSpan> = parts
        .iter()
        .zip(parts.iter().skip(1))
        .map(|(before, after)| TimeSpan {
            start: before.end,
            end: after.start,
        })
        .collect();
    pauses.sort_by(|a, b| b.seconds().total_cmp(&a.seconds()));

    let mut cuts = Vec::new();
    for pause in pauses.into_iter().take(FOLDS) {
        if pause.seconds() <= rest - pause.seconds() {
            break;
        }
        rest -= pause.seconds();
        cuts.push(pause);
    }

    cuts.sort_by(|a, b| a.start.total_cmp(&b.start));
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(spans: &[(f64, f64)]) -> Scale {
        Scale::of(
            spans
                .iter()
                .map(|&(start, end)| TimeSpan { start, end })
                .collect(),
        )
    }

    fn places(scale: &Scale, moments: &[f64]) -> String {
        let places = moments
            .iter()
            .map(|at| scale.at(*at).to_string());
        places.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn axis_without_a_long_pause_is_even() {
        let scale = axis(&[(4.0, 4.0), (0.0, 1.0), (2.0, 2.0)]);
        assert!(scale.folds().is_empty() && scale.has_length());
        assert_eq!(places(&scale, &[0.0, 2.0, 4.0]), "2 50 98");
        assert_eq!(scale.ticks(4).len(), 5);
    }

    #[test]
    fn pause_longer_than_the_rest_is_folded() {
        let scale = axis(&[(0.0, 1.0), (1_000.0, 1_001.0)]);
        let folds = scale.folds();
        assert_eq!(
            (folds.len(), folds[0].seconds.to_string()),
            (1, "999".to_owned())
        );
        assert_eq!(
            places(&scale, &[0.0, 1.0, 1_000.0, 1_001.0]),
            "2 47.5 52.5 98"
        );
        assert!(
            scale
                .ticks(4)
                .iter()
                .all(|(seconds, _)| *seconds <= 1.0 || *seconds >= 1_000.0)
        );
    }

    #[test]
    fn axis_of_one_moment_has_no_length() {
        assert!(!axis(&[(3.0, 3.0)]).has_length());
        assert!(!Scale::of(Vec::new()).has_length());
        assert_eq!(places(&Scale::of(Vec::new()), &[1.0]), "2");
    }
}
