//! A value that events change -> the value at the end of the timeline, and at each line that a
//! snapshot may be as old as.

use crate::ground::source::Line;

/// The lines that a snapshot may be as old as, in addition to the end of the timeline.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::reading) struct AsOfMarks {
    /// The latest projection event, and the one before it.
    pub(super) latest: Option<Line>,
    pub(super) before: Option<Line>,
    /// The latest projection event with the digest of the snapshot: the snapshot is as old as that.
    pub(super) sealed: Option<Line>,
}

impl AsOfMarks {
    /// Adds a projection event, and whether it has the digest of the snapshot.
    pub(super) fn add(&mut self, line: Line, is_sealed: bool) {
        self.before = self.latest.replace(line);
        if is_sealed {
            self.sealed = Some(line);
        }
    }

    /// Returns the numbers of the lines.
    fn lines(self) -> [Option<u64>; 2] {
        let lines = match self.sealed {
            Some(_) => [self.sealed, None],
            None => [self.latest, self.before],
        };
        lines.map(|line| Some(line?.number))
    }
}

/// A value that events change, with the number of the line that set it.
#[derive(Debug)]
pub(super) struct AsOf<T> {
    current: SetValue<T>,
    /// Values that counted at one of the [`AsOfMarks`], in the order of their lines: two at most.
    earlier: Vec<SetValue<T>>,
}

#[derive(Debug)]
struct SetValue<T> {
    line: u64,
    value: T,
}

impl<T> AsOf<T> {
    pub(super) fn new(line: u64, value: T) -> Self {
        Self {
            current: SetValue { line, value },
            earlier: Vec::new(),
        }
    }

    /// Returns the value at the end.
    pub(super) fn current_mut(&mut self) -> &mut T {
        &mut self.current.value
    }

    /// Returns all values that are kept.
    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.current)
            .chain(&self.earlier)
            .map(|set| &set.value)
    }

    /// Changes the value at a line.
    pub(super) fn set(&mut self, line: u64, value: T, marks: AsOfMarks) {
        let before = std::mem::replace(&mut self.current, SetValue { line, value });
        if marks
            .lines()
            .into_iter()
            .flatten()
            .any(|mark| before.line <= mark)
        {
            self.earlier.reserve_exact(1);
            self.earlier.push(before);
        }

        // Marks move on: only the latest value up to each of them counts.
        let counting = marks.lines().map(|mark| {
            self.earlier
                .iter()
                .rfind(|set| Some(set.line) <= mark)
                .map(|set| set.line)
        });
        self.earlier
            .retain(|set| counting.contains(&Some(set.line)));
    }

    /// Returns the value at a line, which is the end or one of the marks.
    pub(super) fn at(&self, line: u64) -> Option<&T> {
        std::iter::once(&self.current)
            .chain(self.earlier.iter().rev())
            .find(|set| set.line <= line)
            .map(|set| &set.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u64) -> Line {
        Line {
            number,
            offset: 0,
            length: 0,
        }
    }

    /// Events as letters: a value that is set, evidence, and evidence with a digest.
    #[test]
    fn value_is_known_at_every_mark_and_no_more_are_kept() {
        const EVENTS: [u8; 4] = *b"vps-";
        for series in 0..4_u32.pow(7) {
            let events = (0..7).map(|place| EVENTS[(series / 4_u32.pow(place) % 4) as usize]);
            let events: Vec<u8> = events.collect();
            let (mut marks, mut value) = (AsOfMarks::default(), None::<AsOf<u64>>);
            for (number, event) in (1..).zip(&events) {
                match (event, &mut value) {
                    (b'v', None) => value = Some(AsOf::new(number, number)),
                    (b'v', Some(value)) => value.set(number, number, marks),
                    (b'p' | b's', _) => marks.add(line(number), *event == b's'),
                    _ => {}
                }
            }
            let Some(value) = value else { continue };
            assert!(value.earlier.len() <= 2);
            let marked = match marks.sealed {
                Some(sealed) => vec![sealed],
                None => [marks.before, marks.latest]
                    .into_iter()
                    .flatten()
                    .collect(),
            };
            for at in marked
                .iter()
                .map(|mark| mark.number)
                .chain([u64::MAX])
            {
                let set = (1..)
                    .zip(&events)
                    .filter(|(line, event)| **event == b'v' && *line <= at);
                let expected = set.last().map(|(line, _)| line);
                assert_eq!(value.at(at).copied(), expected, "{events:?} at {at}");
            }
        }
    }
}
