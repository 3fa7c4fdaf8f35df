//! The steps of a run -> a table: the persisted plan beside the rebuilt one, and the actions of
//! each.

use maud::{Markup, html};

use super::badges::{badge, tone};
use super::charts::meter;
use super::findings::marked_up;
use super::records::lines;
use super::units::{duration, thousands};
use super::{ActionCell, unshown};
use crate::ground::printable::escape;
use crate::reading::dashboard::{DashboardStep, PlanPair, PlanSides, Rows};

/// The maximum number of differences that a page lists below the table.
const MAX_DIFFERENCES: usize = 50;

/// The maximum number of actions that a page shows.
const MAX_ACTIONS: usize = 500;

pub(super) fn steps(plan: &PlanSides, actions: &Rows<ActionCell>, prefix: &str) -> Markup {
    let shown = actions
        .first
        .get(..MAX_ACTIONS)
        .unwrap_or(&actions.first);

    html! {
        @if plan.rows.first.is_empty() && shown.is_empty() {
            p.empty { "There is no plan, and no action." }
        } @else {
            (table(plan, shown, prefix))
        }
        (unshown(actions.total - shown.len(), "more actions"))
        @if let Some(reason) = plan.unjudged.as_ref().filter(|_| plan.is_persisted) {
            p.note { "The plans could not be compared: " (escape(reason)) }
        }
        @if !plan.differences.is_empty() {
            div.differences {
                h3 { "Where the plans differ" }
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

fn table(plan: &PlanSides, actions: &[ActionCell], prefix: &str) -> Markup {
    let rows = &plan.rows.first;
    let parts = rows.iter().any(|row| row.differs);
    let has_rebuilt = rows
        .iter()
        .any(|row| row.rebuilt.is_some());
    let steps: Vec<&str> = rows.iter().map(id_of).collect();
    let of = |id: &str| -> Vec<&ActionCell> {
        let of_step = |action: &&ActionCell| action.step_id == id;
        actions.iter().filter(of_step).collect()
    };

    let lone: Vec<&ActionCell> = actions
        .iter()
        .filter(|it| !steps.contains(&&*it.step_id))
        .collect();
    let longest = steps
        .iter()
        .filter_map(|id| took(&of(id)))
        .reduce(f64::max);
    let width = 3 + usize::from(has_rebuilt) + usize::from(longest.is_some());

    html! {
        table.plan.parts[parts] {
            (caption(plan, has_rebuilt))
            thead {
                tr {
                    th scope="col" { "step" }
                    th scope="col" { "what it does" }
                    th scope="col" { "persisted" }
                    @if has_rebuilt { th scope="col" { "rebuilt" } }
                    @if longest.is_some() { th scope="col" { "time" } }
                }
            }
            tbody {
                @for (row, id) in rows.iter().zip(&steps) {
                    @let actions = of(id);
                    @let time = longest.map(|longest| time(took(&actions), longest));
                    (step(row, has_rebuilt, prefix, time.as_ref()))
                    (did(&actions, width, prefix))
                }
                @if !lone.is_empty() {
                    tr { th colspan=(width) scope="colgroup" { "Actions of no step" } }
                    (did(&lone, width, prefix))
                }
            }
        }
    }
}

/// Returns the sources of both plans.
fn caption(plan: &PlanSides, has_rebuilt: bool) -> Markup {
    html! {
        caption {
            "persisted in " code { "state.json" }
            @if let Some(source) = &plan.persisted_source { " by " (escape(source)) }
            @if has_rebuilt {
                ", rebuilt from " code { "events.jsonl" }
                @if let Some(source) = &plan.rebuilt_source { " by " (escape(source)) }
            }
        }
    }
}

fn id_of(row: &PlanPair) -> &str {
    row.persisted
        .as_ref()
        .or(row.rebuilt.as_ref())
        .map_or("", |step| &step.id)
}

fn step(row: &PlanPair, has_rebuilt: bool, prefix: &str, time: Option<&Markup>) -> Markup {
    let step = row
        .persisted
        .as_ref()
        .or(row.rebuilt.as_ref());

    html! {
        tr.differs[row.differs].unsure[row.is_unsure] {
            th scope="row" { code { (escape(id_of(row))) } }
            td {
                @if let Some(step) = step {
                    span.kind { (escape(&step.kind)) } " " bdi { (escape(&step.description)) }
                }
            }
            td { @if row.persisted.is_some() { (side(row.persisted.as_ref(), prefix)) }
                @else { span.dim { "not in the state" } } }
            @if has_rebuilt {
                td { (side(row.rebuilt.as_ref(), prefix)) }
            }
            @if let Some(time) = time { (time) }
        }
    }
}

/// Returns the sum of the durations of a step's actions, where one of them has a duration.
fn took(actions: &[&ActionCell]) -> Option<f64> {
    actions
        .iter()
        .filter_map(|action| action.took_sec)
        .reduce(|sum, time| sum + time)
}

fn time(took: Option<f64>, longest: f64) -> Markup {
    html! {
        td.time data-sec=[took] {
            @if let Some(took) = took {
                @let share = took / longest.max(f64::MIN_POSITIVE);
                (meter(&[("c1", share.clamp(0.0, 1.0))])) " " (duration(took))
            }
        }
    }
}

/// Returns a row for each action: its input, its output, and its event.
fn did(actions: &[&ActionCell], width: usize, prefix: &str) -> Markup {
    html! {
        @for action in actions {
            tr.did data-step=(escape(&action.step_id)) { td colspan=(width) { details {
                summary {
                    code { bdi { (escape(&action.tool)) } } " "
                    @if !matches!(&*action.status, "" | "ok") { (badge(&action.status, &action.status)) " " }
                    @if let Some(took) = action.took_sec { span.dim.took { (duration(took)) } " " }
                    @if let Some(input) = &action.input { span { bdi { (escape(&input.line)) } } }
                    @if let Some(error) = &action.error {
                        " " span.bad { "→ " bdi { (escape(error)) } }
                    } @else if let Some(output) = &action.output {
                        " " span.dim { "→ " bdi { (escape(&output.line)) } }
                    }
                }
                @if let Some(line) = action.line.filter(|_| action.is_in_event) {
                    div.values data-line=(line) {}
                } @else {
                    @for (name, value) in [("input", &action.input), ("output", &action.output)] {
                        @if let Some(value) = value {
                            h3 { (name) }
                            pre tabindex="0" { (lines(&value.text)) }
                            (unshown(value.unshown, "bytes more"))
                        }
                    }
                }
                p.note {
                    "action " code { (escape(&action.id)) }
                    @if let Some(line) = action.line {
                        " · " a href={ "#" (prefix) "L" (line) } { "events.jsonl:" (line) }
                    }
                }
            } } }
        }
    }
}

fn side(step: Option<&DashboardStep>, prefix: &str) -> Markup {
    html! {
        @if let Some(step) = step {
            span.badge.(tone(&step.status)) {
                @if step.status.is_empty() { "no status" } @else { (escape(&step.status)) }
            }
            @if let Some(line) = step.line {
                " " a.line href={ "#" (prefix) "L" (line) } { "line " (line) }
            }
        } @else {
            span.dim { "–" }
        }
    }
}
