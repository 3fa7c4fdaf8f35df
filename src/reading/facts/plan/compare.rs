//! The persisted plan and the rebuilt plan -> their differences, as data.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::StateFacts;
use super::super::evidence::StepEvidence;
use super::super::listener::EventListener;
use super::super::slots::{InState, InStep};
use super::super::value::{RowItem, Value};
use super::rebuild::{FIELDS, PlanForm, Rebuilt, RebuiltStep};
use crate::ground::document::{Kind, Node};
use crate::ground::printable::{count, quote};
use crate::ground::record::StepStatus;
use crate::ground::source::{Line, Pointer};

/// A difference between the persisted plan and the rebuilt plan.
pub(crate) struct PlanMismatch {
    pub(crate) kind: MismatchKind,
    pub(crate) in_state: PlanSide,
    /// The line of the event that differs.
    pub(crate) line: Line,
    pub(crate) in_event: PlanSide,
}

/// A place that differs, and the value there as messages show it.
pub(crate) struct PlanSide {
    pub(crate) pointer: Pointer,
    pub(crate) shown: String,
}

/// The part of the plan that differs.
pub(crate) enum MismatchKind {
    Source,
    UpdatedAt,
    /// The number of steps, and of labels.
    LabelCount,
    /// The number of steps, and the id of the first one that only the state or the event has.
    StepCount(Option<Surplus>),
    /// The order of the same steps.
    Order,
    /// A field of a step, from its record or its label.
    Field {
        path: Pointer,
        is_of_label: bool,
    },
    /// The status of a step, which an act event sets.
    Status,
}

/// The id of a step that only one side has.
pub(crate) enum Surplus {
    InState(String),
    InEvent(String),
}

impl PlanSide {
    fn new(pointer: impl Into<Pointer>, shown: String) -> Self {
        Self {
            pointer: pointer.into(),
            shown,
        }
    }
}

impl Rebuilt<'_> {
    /// Returns `true` if there is anything that [`Self::differences`] compares.
    pub(crate) fn has_to_compare(&self, state: StateFacts<'_>, by_label: bool) -> bool {
        let Some(mut steps) = state.steps() else {
            return false;
        };
        let has_evidence = |step: RowItem<'_>| {
            step.text(InStep::Id).is_some_and(|id| {
                self.evidence(&id)
                    .is_some_and(|it| it.status.is_some())
            })
        };

        match (self.form, by_label) {
            (PlanForm::Records, false) | (PlanForm::Labels, true) => true,
            (PlanForm::Labels, false) => steps.any(has_evidence),
            (PlanForm::Records, true) | (PlanForm::Neither, _) => false,
        }
    }

    /// Finds the differences of the persisted plan from this one: what labels of older runtimes say
    /// of it, or all else.
    pub(crate) fn differences(
        &self,
        state: StateFacts<'_>,
        by_label: bool,
        differences: &mut EventListener<'_, PlanMismatch>,
    ) {
        let Some(persisted) = state.steps() else {
            return;
        };
        let mut comparison = PlanDifferences {
            rebuilt: self,
            differences,
        };

        match (self.form, by_label) {
            (PlanForm::Records, false) => {
                comparison.origin(state);
                comparison.records(&persisted);
            }
            (PlanForm::Labels, true) => comparison.labels(&persisted),
            (PlanForm::Labels, false) => {
                for (index, step) in persisted.enumerate() {
                    let evidence = step
                        .text(InStep::Id)
                        .and_then(|id| self.evidence(&id));
                    comparison.status(index, step, evidence);
                }
            }
            (PlanForm::Records, true) | (PlanForm::Neither, _) => {}
        }
    }
}

impl Rebuilt<'_> {
    /// Returns the values of the persisted plan that can't be compared, at most `limit`: those that
    /// violate the schema, and the status of steps to which an act event gives an unknown one.
    pub(crate) fn uncompared(&self, state: StateFacts<'_>, limit: usize) -> Vec<Pointer> {
        let refused = |value: Option<Value<'_>>| value.is_some_and(|value| !value.is_fact());
        let plan = Pointer::new("/plan");
        let origin = [
            ("source", InState::PlanSource),
            ("updated_at", InState::PlanUpdatedAt),
        ]
        .into_iter()
        .filter(|(_, slot)| refused(state.value(*slot)))
        .map(|(field, _)| plan.field(field));
        let steps = state.steps();
        let no_steps = steps.is_none() && state.value(InState::Plan).is_some();
        let of_steps = steps
            .into_iter()
            .flatten()
            .enumerate()
            .flat_map(|(index, step)| {
                let at = Pointer::new("/plan/steps").item(index);
                let is_unknown = step
                    .text(InStep::Id)
                    .and_then(|id| self.evidence(&id))
                    .is_some_and(|evidence| evidence.status.is_none());
                let is_left_out = |(_, slot): &(&str, InStep)| {
                    refused(step.value(*slot)) || (*slot == InStep::Status && is_unknown)
                };
                let mut found: Vec<Pointer> = FIELDS
                    .into_iter()
                    .filter(is_left_out)
                    .map(|(field, _)| at.field(field))
                    .collect();
                // A field that the step lacks violates the schema at the step.
                if found.is_empty() && !step.whole().is_fact() {
                    found.push(at);
                }

                found
            });
        let no_steps = no_steps.then(|| plan.field("steps"));

        origin
            .chain(no_steps)
            .chain(of_steps)
            .take(limit)
            .collect()
    }
}

/// The id of a step, if it has one.
type Id<'a> = Option<Cow<'a, str>>;

struct PlanDifferences<'r, 't, 'a> {
    rebuilt: &'r Rebuilt<'a>,
    differences: &'r mut EventListener<'t, PlanMismatch>,
}

impl PlanDifferences<'_, '_, '_> {
    /// Compares the origin of the plan, and the time of its last update.
    fn origin(&mut self, state: StateFacts<'_>) {
        let (rebuilt, line) = (self.rebuilt, self.rebuilt.line());
        if let (Some((pointer, by_event)), Some(persisted)) =
            (&rebuilt.source, state.text(InState::PlanSource))
            && *by_event != persisted
        {
            self.differences.add(|| PlanMismatch {
                kind: MismatchKind::Source,
                in_state: PlanSide::new("/plan/source", quote(&persisted)),
                line,
                in_event: PlanSide::new(*pointer, quote(by_event)),
            });
        }

        let updated_at = state.stamp(InState::PlanUpdatedAt);
        if let (Some(by_event), Some(persisted)) = (rebuilt.updated_at(), updated_at)
            && by_event.instant != persisted.instant
        {
            self.differences.add(|| PlanMismatch {
                kind: MismatchKind::UpdatedAt,
                in_state: PlanSide::new("/plan/updated_at", quote(&persisted.text)),
                line,
                in_event: PlanSide::new("/timestamp", quote(&by_event.text)),
            });
        }
    }

    fn records<'s>(&mut self, persisted: &(impl ExactSizeIterator<Item = RowItem<'s>> + Clone)) {
        let rebuilt = self.rebuilt;
        let records = rebuilt.event.records();
        let (count, in_event) = (persisted.len(), records.len());
        let mut pairs = persisted.clone().zip(records);
        if count == in_event && pairs.all(|(step, record)| self.is_as_recorded(step, record)) {
            return;
        }

        let persisted_ids = || {
            persisted
                .clone()
                .map(|step| step.text(InStep::Id))
        };

        let rebuilt_ids = || {
            rebuilt
                .nodes()
                .map(|record| record.get("id")?.text())
        };

        if count != in_event {
            self.number(count, || {
                if count > in_event {
                    surplus(persisted_ids(), rebuilt_ids()).map(Surplus::InState)
                } else {
                    surplus(rebuilt_ids(), persisted_ids()).map(Surplus::InEvent)
                }
            });
            self.by_id(persisted.clone());
        } else if persisted_ids().ne(rebuilt_ids())
            && sorted(persisted_ids()) == sorted(rebuilt_ids())
        {
            self.order(persisted_ids().zip(rebuilt_ids()));
            self.by_id(persisted.clone());
        } else {
            for (index, (step, record)) in persisted
                .clone()
                .zip(rebuilt.nodes())
                .enumerate()
            {
                self.step(index, step, &rebuilt.step(index, record));
            }
        }
    }

    /// Returns `true` if a step is written as its record is, so that nothing differs. Most steps
    /// are.
    fn is_as_recorded(&self, step: RowItem<'_>, record: RowItem<'_>) -> bool {
        let evidence = record
            .value(InStep::Id)
            .and_then(Value::string)
            .and_then(|id| self.rebuilt.evidence(&id));
        let has_status =
            |status: StepStatus| step.text(InStep::Status).as_deref() == Some(status.word());

        evidence.is_none_or(|evidence| evidence.status.is_none_or(has_status))
            && FIELDS.iter().all(|(_, slot)| {
                let is_overruled = evidence.is_some() && *slot == InStep::Status;
                record
                    .value(*slot)
                    .filter(|_| !is_overruled)
                    .is_none_or(|record| {
                        step.value(*slot)
                            .is_some_and(|persisted| persisted.is_written_as(record))
                    })
            })
    }

    /// Compares each step with the record that has its id, the last one of several. Steps may share
    /// an id, and records may be long: each record is read once.
    fn by_id<'s>(&mut self, persisted: impl Iterator<Item = RowItem<'s>>) {
        let mut records: BTreeMap<Cow<'_, str>, (usize, Node<'_>)> = BTreeMap::new();
        for (place, record) in self.rebuilt.nodes().enumerate() {
            if let Some(id) = record.get("id").and_then(Node::text) {
                records.insert(id, (place, record));
            }
        }

        let mut steps: Vec<(Cow<'_, str>, usize, RowItem<'_>)> = persisted
            .enumerate()
            .filter_map(|(index, step)| Some((step.text(InStep::Id)?, index, step)))
            .collect();
        steps.sort_by(|(a, ..), (b, ..)| a.cmp(b));

        for same in steps.chunk_by(|(a, ..), (b, ..)| a == b) {
            let record = same
                .first()
                .and_then(|(id, ..)| records.get(id));
            let Some((place, record)) = record else {
                continue;
            };
            let record = self.rebuilt.step(*place, *record);
            for (_, index, step) in same {
                self.step(*index, *step, &record);
            }
        }
    }

    /// Adds that the persisted plan has another number of steps than the event.
    fn number(&mut self, persisted: usize, surplus: impl FnOnce() -> Option<Surplus>) {
        let rebuilt = self.rebuilt;
        let in_event = rebuilt.nodes().count();
        self.differences.add(|| PlanMismatch {
            kind: match rebuilt.form {
                PlanForm::Labels => MismatchKind::LabelCount,
                _ => MismatchKind::StepCount(surplus()),
            },
            in_state: PlanSide::new("/plan/steps", count(persisted as u64, "step")),
            line: rebuilt.line(),
            in_event: PlanSide::new(rebuilt.form.pointer(), count(in_event as u64, "step")),
        });
    }

    /// Adds that the same steps are in another order, given the ids of both sides.
    fn order<'i>(&mut self, mut pairs: impl Iterator<Item = (Id<'i>, Id<'i>)>) {
        let shown = |id: Id<'_>| id.map_or("a step without an id".into(), |id| quote(&id));
        let rebuilt = self.rebuilt;
        if let Some((in_state, in_event)) = pairs.find(|(persisted, rebuilt)| persisted != rebuilt)
        {
            self.differences.add(|| PlanMismatch {
                kind: MismatchKind::Order,
                in_state: PlanSide::new("/plan/steps", shown(in_state)),
                line: rebuilt.line(),
                in_event: PlanSide::new(rebuilt.form.pointer(), shown(in_event)),
            });
        }
    }

    /// Compares a persisted step with its record.
    fn step(&mut self, index: usize, step: RowItem<'_>, record: &RebuiltStep<'_>) {
        for (field, slot) in FIELDS {
            if slot != InStep::Status {
                self.field(index, step, (field, slot), record);
            }
        }

        let ids_differ = record
            .id()
            .zip(step.text(InStep::Id))
            .is_some_and(|(recorded, persisted)| recorded != persisted);

        if ids_differ {
            // It is unknown which step the status belongs to.
        } else if record.evidence.is_some() {
            self.status(index, step, record.evidence);
        } else {
            self.field(index, step, ("status", InStep::Status), record);
        }
    }

    fn field(
        &mut self,
        index: usize,
        step: RowItem<'_>,
        (field, slot): (&str, InStep),
        record: &RebuiltStep<'_>,
    ) {
        let Some(said) = record.field(field) else {
            return;
        };
        let may_be_absent = matches!(slot, InStep::Rationale | InStep::Inputs)
            && step.whole().kind() == Kind::Object;
        let persisted = step.value(slot);
        let differs = match persisted {
            Some(value) => value.is_fact() && !said.equals(value),
            None => may_be_absent && !said.is_null(),
        };

        if differs {
            let rebuilt = self.rebuilt;
            self.differences.add(|| {
                let at = Pointer::new("/plan/steps").item(index);
                let path = at.field(field);
                PlanMismatch {
                    in_state: match persisted {
                        Some(value) => PlanSide::new(path.clone(), value.show()),
                        None => PlanSide::new(at, "absent".into()),
                    },
                    line: rebuilt.line(),
                    in_event: PlanSide::new(record.pointer(field), said.show()),
                    kind: MismatchKind::Field {
                        path,
                        is_of_label: matches!(rebuilt.form, PlanForm::Labels),
                    },
                }
            });
        }
    }

    /// Compares the status of a persisted step with that in an act event.
    fn status(&mut self, index: usize, step: RowItem<'_>, evidence: Option<StepEvidence>) {
        let Some(StepEvidence {
            line,
            status: Some(by_event),
        }) = evidence
        else {
            return;
        };

        let persisted = step.text(InStep::Status);
        if let Some(persisted) = persisted.filter(|persisted| persisted != by_event.word()) {
            self.differences.add(|| {
                let status = Pointer::new("/plan/steps")
                    .item(index)
                    .field("status");
                PlanMismatch {
                    kind: MismatchKind::Status,
                    in_state: PlanSide::new(status, quote(&persisted)),
                    line,
                    in_event: PlanSide::new("/payload/step_status", quote(by_event.word())),
                }
            });
        }
    }

    fn labels<'s>(&mut self, persisted: &(impl ExactSizeIterator<Item = RowItem<'s>> + Clone)) {
        let count = persisted.len();
        if count != self.rebuilt.nodes().count() {
            return self.number(count, || None);
        }

        for (index, (step, label)) in persisted
            .clone()
            .zip(self.rebuilt.steps())
            .enumerate()
        {
            self.field(index, step, ("kind", InStep::Kind), &label);
            self.field(index, step, ("description", InStep::Description), &label);
        }
    }
}

fn sorted<'i>(ids: impl Iterator<Item = Id<'i>>) -> Vec<Cow<'i, str>> {
    let mut ids: Vec<_> = ids.flatten().collect();
    ids.sort_unstable();
    ids
}

/// Returns the first id that is more often there than among others.
fn surplus<'i>(
    ids: impl Iterator<Item = Id<'i>>,
    others: impl Iterator<Item = Id<'i>>,
) -> Option<String> {
    let mut left: BTreeMap<Cow<'_, str>, usize> = BTreeMap::new();
    for id in others.flatten() {
        *left.entry(id).or_default() += 1;
    }

    let is_surplus = |id: &Cow<'_, str>| match left.get_mut(&**id) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };

    ids.flatten()
        .find(is_surplus)
        .map(Cow::into_owned)
}
