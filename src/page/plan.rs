//! The persisted plan and the rebuilt one -> a table in which the same steps stand side by side.

use maud::{Markup, html};

use super::badges::tone;
use super::findings::marked_up;
use super::units::thousands;
use super::{PlanSides, StepCell, said};

/// The maximum number of differences that a page lists below the table.
const MAX_DIFFERENCES: usize = 50;

pub(super) fn plan(plan: &PlanSides, prefix: &str) -> Markup {
    html! {
        @if plan.rows.is_empty() {
            p.empty { "There is no plan." }
        } @else {
            (table(plan, prefix))
        }
        @if let Some(reason) = &plan.unjudged {
            p.note { "The plans could not be compared: " (said(reason)) }
        }
        @if !plan.differences.is_empty() {
            div.differences {
                h3 { "Where the plans part" }
                ul {
                    @for (message, line) in plan.differences.iter().take(MAX_DIFFERENCES) {
                        li {
                            (marked_up(message)) " "
                            a href={ "#" (prefix) "L" (line) } { "events.jsonl:" (line) }
                        }
                    }
                    @let unshown = plan.differences.len().saturating_sub(MAX_DIFFERENCES)
                        + plan.more_differences;
                    @if unshown > 0 { li { "and " (thousands(unshown as u64)) " more" } }
                }
            }
        }
    }
}

fn table(plan: &PlanSides, prefix: &str) -> Markup {
    let parts = plan.rows.iter().any(|row| row.differs);
    let has_rebuilt = plan.rows.iter().any(|row| row.rebuilt.is_some());
    html! {
        table.plan.parts[parts] {
            caption {
                "persisted in " code { "state.json" }
                @if let Some(source) = &plan.persisted_source { " by " (said(source)) }
                @if has_rebuilt {
                    ", rebuilt from " code { "events.jsonl" }
                    @if let Some(source) = &plan.rebuilt_source { " by " (said(source)) }
                }
            }
            thead {
                tr {
                    th scope="col" { "step" }
                    th scope="col" { "what it does" }
                    th scope="col" { "persisted" }
                    @if has_rebuilt { th scope="col" { "rebuilt" } }
                }
            }
            tbody {
                @for row in &plan.rows {
                    @let step = row.persisted.as_ref().or(row.rebuilt.as_ref());
                    @let is_known = row.persisted.is_some();
                    tr.differs[row.differs].unsure[row.is_unsure] {
                        th scope="row" { code { (said(step.map_or("", |step| &step.id))) } }
                        td {
                            @if let Some(step) = step {
                                span.kind { (said(&step.kind)) } " " (said(&step.description))
                            }
                        }
                        td { @if is_known { (side(row.persisted.as_ref(), prefix)) }
                            @else { span.dim { "not in the state" } } }
                        @if has_rebuilt {
                            td { (side(row.rebuilt.as_ref(), prefix)) }
                        }
                    }
                }
            }
        }
    }
}

fn side(step: Option<&StepCell>, prefix: &str) -> Markup {
    html! {
        @if let Some(step) = step {
            span.badge.(tone(&step.status)) {
                @if step.status.is_empty() { "no status" } @else { (said(&step.status)) }
            }
            @if let Some(line) = step.line {
                " " a.line href={ "#" (prefix) "L" (line) } { "line " (line) }
            }
        } @else {
            span.dim { "–" }
        }
    }
}
