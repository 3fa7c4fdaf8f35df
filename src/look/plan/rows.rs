//! The steps of two plans -> the rows of a table, in which a step stands beside the one with its
//! id.

use std::collections::{BTreeMap, BTreeSet};

use super::{PlanComparison, RebuiltPlan};
use crate::ground::Own;
use crate::reading::dashboard::PlanPair;

/// A row of a table of two plans: the indices of the steps.
type PlanRow = PlanPair<usize>;

impl PlanComparison {
    /// Returns the rows for both plans, given the ids of the persisted steps. A step that only one
    /// plan has takes a row of its own.
    pub(in crate::look) fn rows(&self, persisted: &[&str]) -> Vec<PlanRow> {
        let rebuilt: Vec<Option<&str>> = self
            .rebuilt
            .as_ref()
            .map(ids)
            .unwrap_or_default();
        let mut rows = aligned(persisted, &rebuilt);
        let unsure: BTreeSet<usize> = self
            .uncompared
            .iter()
            .filter_map(|at| step_of(at))
            .collect();

        for row in &mut rows {
            row.is_unsure = row
                .persisted
                .is_some_and(|index| unsure.contains(&index));
        }

        // A plan that is compared with nothing has no steps that differ.
        if self.differences.is_empty() {
            return rows;
        }

        let differing: BTreeSet<usize> = self
            .differences
            .iter()
            .filter_map(|difference| step_of(&difference.pointer))
            .collect();
        let are_as_many = persisted.len() == rebuilt.len();

        for row in &mut rows {
            let ids = (
                row.persisted
                    .map(|index| persisted.own(index)),
                row.rebuilt
                    .and_then(|index| *rebuilt.own(index)),
            );
            row.differs = match (row.persisted, row.rebuilt) {
                // Of as many steps, those at the same place were compared, else those with one id.
                (Some(here), Some(there)) => {
                    matches!(ids, (Some(a), Some(b)) if *a != b && !a.is_empty())
                        || ((here == there || !are_as_many) && differing.contains(&here))
                }
                _ => true,
            };
        }

        rows
    }
}

/// Returns the ids of the steps of a rebuilt plan; labels have none.
fn ids(plan: &RebuiltPlan) -> Vec<Option<&str>> {
    plan.steps
        .iter()
        .map(|step| step.id.as_deref())
        .collect()
}

/// Returns the step of the persisted plan that a pointer leads into, counted from 0.
fn step_of(pointer: &str) -> Option<usize> {
    pointer
        .strip_prefix("/plan/steps/")?
        .split('/')
        .next()?
        .parse()
        .ok()
}

/// Pairs steps in their order. Where two ids differ, a step whose id the other plan does not have,
/// or has fewer times, stands alone; other steps are paired by their place.
fn aligned(persisted: &[&str], rebuilt: &[Option<&str>]) -> Vec<PlanRow> {
    let has_labels = rebuilt.iter().all(Option::is_none);
    let unsaid = surplus(persisted.iter().copied().map(Some), rebuilt.iter().copied());
    let unknown = surplus(rebuilt.iter().copied(), persisted.iter().copied().map(Some));
    let (mut left, mut right) = (0, 0);
    let mut rows = Vec::new();

    while left < persisted.len() || right < rebuilt.len() {
        let (here, there) = (persisted.get(left).copied(), rebuilt.get(right).copied());
        // Labels have no ids, and are paired by their place.
        let is_unsaid = !has_labels && unsaid.contains(&left);
        let is_unknown = unknown.contains(&right);
        let (takes_left, takes_right) = match (here, there) {
            (None, _) => (false, true),
            (_, None) => (true, false),
            // Each plan has a step here that the other lacks: the same step, by another id.
            (Some(_), Some(_)) if is_unsaid == is_unknown => (true, true),
            (Some(_), Some(_)) => (is_unsaid, is_unknown),
        };

        rows.push(PlanRow {
            persisted: takes_left.then_some(left),
            rebuilt: takes_right.then_some(right),
            ..PlanRow::default()
        });
        left += usize::from(takes_left);
        right += usize::from(takes_right);
    }

    rows
}

/// Returns the places of the steps whose id the other plan does not have, or has fewer times.
fn surplus<'i>(
    ids: impl Iterator<Item = Option<&'i str>>,
    others: impl Iterator<Item = Option<&'i str>>,
) -> BTreeSet<usize> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for id in others.flatten() {
        *left.entry(id).or_default() += 1;
    }

    let mut is_surplus = |id: &str| match left.get_mut(id) {
        Some(number) if *number > 0 => {
            *number -= 1;
            false
        }
        _ => true,
    };

    ids.enumerate()
        .filter_map(|(place, id)| is_surplus(id?).then_some(place))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(persisted: &[&str], rebuilt: &[&str]) -> Vec<String> {
        let ids: Vec<Option<&str>> = rebuilt
            .iter()
            .map(|id| Some(*id))
            .collect();
        let id = |ids: &[&str], index: Option<usize>| {
            index.map_or_else(String::new, |index| ids[index].to_owned())
        };
        let rows = aligned(persisted, &ids).into_iter();
        rows.map(|row| {
            format!(
                "{}|{}",
                id(persisted, row.persisted),
                id(rebuilt, row.rebuilt)
            )
        })
        .collect()
    }

    #[test]
    fn step_stands_beside_the_one_with_its_id() {
        assert_eq!(pairs(&["a", "c"], &["a", "b", "c"]), ["a|a", "|b", "c|c"]);
        assert_eq!(pairs(&["x", "a"], &["a", "b"]), ["x|", "a|a", "|b"]);
        assert_eq!(pairs(&["a", "b"], &["b", "a"]), ["a|b", "b|a"]);
        assert_eq!(pairs(&["a", "x"], &["a", "y"]), ["a|a", "x|y"]);
        assert_eq!(pairs(&["a"], &[]), ["a|"]);
        assert_eq!(
            pairs(&["a", "a", "c"], &["a", "b", "c"]),
            ["a|a", "a|b", "c|c"]
        );
        assert_eq!(pairs(&["a", "a", "c"], &["a", "c"]), ["a|a", "a|", "c|c"]);
        let labels = aligned(&["a", "b"], &[None, None, None]);
        assert_eq!(labels.len(), 3, "labels are paired by their place");
        assert_eq!((labels[1].persisted, labels[1].rebuilt), (Some(1), Some(1)));
    }
}
