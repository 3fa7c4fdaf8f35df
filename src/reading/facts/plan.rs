//! The plan of a run: rebuilt from the timeline, and compared with the persisted one.

mod compare;
mod rebuild;

pub(crate) use compare::{MismatchKind, PlanMismatch, Surplus};
pub(crate) use rebuild::{PlanForm, Rebuilt, RebuiltStep};
