//! A value for each of many things, which events change -> the latest for each at the end of the
//! timeline, and at each line that a snapshot may be as old as.

use super::as_of::Marks;
use crate::source::Line;

/// What an event says, or nothing.
pub(super) trait Said: Default {
    /// The number of the event's line.
    fn line(&self) -> Option<u64>;
}

/// Values in the order of the things that they are for. There may be millions, so no value takes
/// more than its own size.
#[derive(Debug)]
pub(super) struct Columns<T> {
    /// The latest; empty until there is one.
    current: Box<[T]>,
    /// Those that counted at one of the [`Marks`], each under the latest mark at which it counted.
    earlier: Vec<(u64, Box<[T]>)>,
}

impl<T> Default for Columns<T> {
    fn default() -> Self {
        Self {
            current: Box::default(),
            earlier: Vec::new(),
        }
    }
}

impl<T: Said> Columns<T> {
    /// Changes the value for one thing, given its index and the number of things.
    pub(super) fn set(&mut self, (index, count): (usize, usize), value: T, marks: Marks) {
        let column = || -> Box<[T]> { std::iter::repeat_with(T::default).take(count).collect() };
        if self.current.is_empty() {
            self.current = column();
        }
        let to = value.line();
        let Some(current) = self.current.get_mut(index) else {
            return;
        };
        let before = std::mem::replace(current, value);
        let (Some(from), Some(to)) = (before.line(), to) else {
            return;
        };
        let mut counted = marks.lines().filter(|mark| (from..to).contains(mark));
        let Some(mark) = counted.next() else { return };
        if !self.earlier.iter().any(|(of, _)| *of == mark) {
            self.forget_all_but(marks);
            self.earlier.push((mark, column()));
        }
        let mut earlier = self.earlier.iter_mut();
        let column = earlier.find(|(of, _)| *of == mark);
        if let Some(place) = column.and_then(|(_, column)| column.get_mut(index)) {
            *place = before;
        }
    }

    /// The value up to a line, which is the end or one of the marks.
    pub(super) fn at(&self, index: usize, line: u64) -> Option<&T> {
        let columns = std::iter::once(&self.current);
        columns
            .chain(self.earlier.iter().map(|(_, column)| column))
            .filter_map(|column| column.get(index))
            .filter(|value| value.line().is_some_and(|of| of <= line))
            .max_by_key(|value| value.line())
    }

    /// Whether there is a value for a thing.
    pub(super) fn has(&self, index: usize) -> bool {
        self.current
            .get(index)
            .is_some_and(|value| value.line().is_some())
    }

    /// Forgets what counted at lines that are marks no more.
    pub(super) fn forget_all_but(&mut self, marks: Marks) {
        self.earlier.retain(|(mark, _)| marks.has(*mark));
    }

    /// The bytes that the values take.
    pub(super) fn bytes(&self) -> usize {
        let earlier = self.earlier.iter().map(|(_, column)| column.len());
        (self.current.len() + earlier.sum::<usize>()) * size_of::<T>()
    }
}

/// A line of a timeline and a tag, in sixteen bytes; or none, as no line has the number zero. The
/// number and the offset are below 2^36, and the length of an event is below 2^28.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PackedLine([u64; 2]);

const LENGTH_BITS: u32 = 28;
const TAG_BITS: u32 = 8;

impl PackedLine {
    pub(super) fn new(line: Line, tag: u8) -> Self {
        Self([
            line.number << LENGTH_BITS | line.length as u64,
            line.offset << TAG_BITS | u64::from(tag),
        ])
    }

    pub(super) fn number(self) -> Option<u64> {
        let number = self.0[0] >> LENGTH_BITS;
        (number > 0).then_some(number)
    }

    pub(super) fn line(self) -> Option<Line> {
        let [length, offset] = self.0;
        Some(Line {
            number: self.number()?,
            offset: offset >> TAG_BITS,
            length: (length & ((1 << LENGTH_BITS) - 1)) as usize,
        })
    }

    pub(super) fn tag(self) -> u8 {
        self.0[1].to_le_bytes()[0]
    }
}
