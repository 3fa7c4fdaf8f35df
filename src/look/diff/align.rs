//! Two lists -> which items stand side by side: the same ones, in the order that both lists have.

use std::collections::BTreeMap;

use crate::ground::digest::Digest;
use crate::ground::document::Node;

/// The number of items that one of two lists lacks, at most, up to which they are aligned. Beyond
/// it they are compared by their positions: aligning takes time and memory that grow with it.
const MAX_EDITS: usize = 1_000;

/// The actions of a run, in its comparison document.
pub(crate) const ACTIONS: &str = "/state/outcomes/actions";

/// The steps of its plan.
pub(crate) const STEPS: &str = "/state/plan/steps";

/// The lists of the state that are aligned: their pointers, and the keys that tell what an item
/// does. Of keys in one group the first counts that an item has.
const ALIGNED: [(&str, [&[&str]; 2]); 2] = [
    (ACTIONS, [&["tool", "kind"], &["input", "input_excerpt"]]),
    (STEPS, [&["kind"], &["description"]]),
];

/// The positions of two items that stand side by side, or of one that only its list has.
pub(crate) type Row = [Option<usize>; 2];

/// Returns `true` if lists with this pointer are aligned.
pub(super) fn has(pointer: &str) -> bool {
    ALIGNED
        .iter()
        .any(|(of, _)| *of == pointer)
}

/// Returns the rows of two lists with a pointer.
pub(crate) fn rows(pointer: &str, left: &[Node<'_>], right: &[Node<'_>]) -> Vec<Row> {
    let list = ALIGNED
        .iter()
        .find(|(of, _)| *of == pointer);
    let [first, second] = list
        .map(|(_, keys)| *keys)
        .unwrap_or_default();
    let mut numbers = BTreeMap::new();
    let mut known = |items: &[Node<'_>], groups: &[&[&str]]| {
        let of_item = |item: &Node<'_>| {
            let parts = groups
                .iter()
                .map(|keys| {
                    keys.iter()
                        .find_map(|key| item.get(key))
                })
                .map(|value| value.map(Node::meaning))
                .map(|it| it.map_or(Vec::new(), |it| it.bytes().to_vec()));
            let digest = Digest::of(
                parts
                    .collect::<Vec<_>>()
                    .iter()
                    .map(Vec::as_slice),
            );
            let next = numbers.len();
            *numbers.entry(digest).or_insert(next)
        };

        items
            .iter()
            .map(of_item)
            .collect::<Vec<usize>>()
    };

    let exact = [left, right].map(|items| known(items, &[first, second]));
    let rough = [left, right].map(|items| known(items, &[first]));
    aligned(&exact, &rough)
}

/// Returns the rows of two lists, given what tells their items apart exactly and roughly: between
/// items that are exactly the same, those that are roughly the same stand side by side.
fn aligned(exact: &[Vec<usize>; 2], rough: &[Vec<usize>; 2]) -> Vec<Row> {
    let [left, right] = exact.each_ref().map(Vec::len);
    let mut rows = Vec::new();
    let mut gap = Gap::default();

    for [a, b] in common(&exact[0], &exact[1])
        .into_iter()
        .chain([[left, right]])
    {
        let [lefts, rights] = [(&rough[0], gap.left..a), (&rough[1], gap.right..b)]
            .map(|(rough, range)| rough.get(range).unwrap_or_default());
        let mut inner = Gap::default();
        let ends = [[lefts.len(), rights.len()]];

        for [x, y] in common(lefts, rights)
            .into_iter()
            .chain(ends)
        {
            inner.fill(&gap, [x, y], &mut rows);
            if [x, y] != ends[0] {
                rows.push([Some(gap.left + x), Some(gap.right + y)]);
            }
            (inner.left, inner.right) = (x + 1, y + 1);
        }

        if [a, b] != [left, right] {
            rows.push([Some(a), Some(b)]);
        }

        (gap.left, gap.right) = (a + 1, b + 1);
    }

    rows
}

/// The positions after which nothing is aligned yet.
#[derive(Default)]
struct Gap {
    left: usize,
    right: usize,
}

impl Gap {
    /// Adds the rows of what has nothing like it in the other list, up to some positions: as many
    /// on both sides stand side by side, as one was put in the place of the other.
    fn fill(&self, around: &Self, [x, y]: [usize; 2], rows: &mut Vec<Row>) {
        let lefts = (self.left..x).map(|at| Some(around.left + at));
        let rights = (self.right..y).map(|at| Some(around.right + at));
        if lefts.len() == rights.len() {
            rows.extend(lefts.zip(rights).map(|(a, b)| [a, b]));
        } else {
            rows.extend(lefts.map(|at| [at, None]));
            rows.extend(rights.map(|at| [None, at]));
        }
    }
}

/// Returns the positions of a longest common subsequence of two lists, by Myers' algorithm; of
/// lists that differ in too much, the equal items at equal positions.
fn common(left: &[usize], right: &[usize]) -> Vec<[usize; 2]> {
    let snake = |[mut x, mut y]: [usize; 2]| {
        while x < left.len() && y < right.len() && left.get(x) == right.get(y) {
            (x, y) = (x + 1, y + 1);
        }
        [x, y]
    };

    let end = [left.len(), right.len()];
    // For each number of edits, how far one gets with it, by how many of them are on the left.
    let mut reached: Vec<Vec<Option<[usize; 2]>>> = vec![vec![Some(snake([0, 0]))]];
    while let Some(last) = reached.last() {
        if let Some(at) = last
            .iter()
            .position(|point| *point == Some(end))
        {
            return way_back(&reached, at, end);
        }

        if reached.len() > MAX_EDITS {
            break;
        }

        let next = (0..=last.len())
            .map(|at| {
                let (point, _) = edit(last, at, end)?;
                Some(snake(point))
            })
            .collect();
        reached.push(next);
    }

    left.iter()
        .zip(right)
        .enumerate()
        .filter(|(_, (a, b))| a == b)
        .map(|(at, _)| [at, at])
        .collect()
}

/// Returns the point after one more edit, of which `at` are on the left, and whether this one is.
fn edit(last: &[Option<[usize; 2]>], at: usize, end: [usize; 2]) -> Option<([usize; 2], bool)> {
    let point = |at: Option<usize>| last.get(at?).copied().flatten();
    let right = point(Some(at))
        .filter(|[_, y]| *y < end[1])
        .map(|[x, y]| ([x, y + 1], false));
    let left = point(at.checked_sub(1))
        .filter(|[x, _]| *x < end[0])
        .map(|[x, y]| ([x + 1, y], true));

    match (left, right) {
        (Some((on_left, _)), Some((on_right, _))) if on_right > on_left => right,
        _ => left.or(right),
    }
}

/// Returns the positions of the equal items on the way to the end.
fn way_back(
    reached: &[Vec<Option<[usize; 2]>>],
    mut at: usize,
    end: [usize; 2],
) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    let mut to = end;
    let add = |from: [usize; 2], to: [usize; 2], pairs: &mut Vec<[usize; 2]>| {
        let length = to[0].saturating_sub(from[0]);
        pairs.extend(
            (0..length)
                .rev()
                .map(|it| [from[0] + it, from[1] + it]),
        );
    };

    for last in reached.iter().rev().skip(1) {
        let Some((from, is_left)) = edit(last, at, end) else {
            break;
        };
        add(from, to, &mut pairs);
        at -= usize::from(is_left);
        to = last
            .get(at)
            .copied()
            .flatten()
            .unwrap_or_default();
    }

    add([0, 0], to, &mut pairs);
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rows of two texts, whose capital letters are roughly the small ones.
    fn rows_of(left: &str, right: &str) -> String {
        let exact = [left, right].map(|it| it.bytes().map(usize::from).collect());
        let rough = [left, right].map(|it| {
            let lower = it
                .bytes()
                .map(|byte| byte.to_ascii_lowercase());
            lower.map(usize::from).collect()
        });
        let letter =
            |text: &str, at: Option<usize>| at.map_or('-', |at| char::from(text.as_bytes()[at]));
        let rows = aligned(&exact, &rough)
            .into_iter()
            .map(|[a, b]| format!("{}{}", letter(left, a), letter(right, b)));
        rows.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn items_are_aligned_by_the_longest_common_subsequence() {
        assert_eq!(rows_of("abc", "xabc"), "-x aa bb cc");
        assert_eq!(rows_of("abc", "ac"), "aa b- cc");
        assert_eq!(rows_of("abc", "abd"), "aa bb cd");
        assert_eq!(rows_of("abc", "aBc"), "aa bB cc");
        assert_eq!(rows_of("abc", "axBc"), "aa -x bB cc");
        assert_eq!(rows_of("", "ab"), "-a -b");
        assert_eq!(rows_of("ab", ""), "a- b-");
        assert_eq!(common(&[1, 2, 3, 1, 2, 2, 1], &[3, 2, 1, 2, 1, 3]).len(), 4);
    }

    #[test]
    fn lists_that_differ_in_too_much_are_compared_by_position() {
        let (left, right): (Vec<usize>, Vec<usize>) =
            ((0..3_000).collect(), (5_000..8_000).collect());
        assert_eq!(common(&left, &right), Vec::<[usize; 2]>::new());
        let right: Vec<usize> = (0..3_000)
            .map(|it| it + (it % 2) * 10_000)
            .collect();
        assert_eq!(common(&left, &right).len(), 1_500);
    }
}
