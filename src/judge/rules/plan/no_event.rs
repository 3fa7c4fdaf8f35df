//! `plan/no-event`: the plan has steps, but no plan event lists them.

use crate::ground::printable::count;
use crate::judge::rule::{Artifact, BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::reading::facts::Topic;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "plan/no-event",
    level: Level::Warning,
    title: "the plan has steps, but no plan event lists them",
    hint: "Emit a `plan` event with all steps each time the plan is created or changed.",
    page: include_str!("no_event.md"),
    check,
})
.follows_from(&["plan", "phase", "payload", "step_records", "steps"])
.misses("plan");

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let state = ctx.state()?;
    let (timeline, reach) = ctx.reach()?;
    let has_step = state
        .steps()
        .is_some_and(|mut it| it.next().is_some());
    if !reach.may_differ(Topic::PlanEvent) {
        return Compared::when(has_step);
    }

    let steps = timeline.steps_without_event(&reach);
    if steps > 0 {
        let range = reach
            .event
            .map_or(String::new(), |event| {
                format!(" up to the projection event on line {}", event.number)
            });
        let has = count(steps as u64, "step");
        let (lacks, place) = match timeline.plan_line(&reach) {
            Some(line) => {
                let number = line.number;
                let lacks =
                    format!("the latest `plan` event{range}, on line {number}, lists no steps");
                (lacks, Place::event(line, ""))
            }
            None => (
                format!("events.jsonl has no `plan` event{range}"),
                Place::whole(Artifact::Events),
            ),
        };

        let message = format!("{lacks}, but the plan in the state has {has}");
        let draft = Draft::new(place, message);
        ctx.push(draft.related(Place::state("/plan/steps"), "the steps in the state"));
    }

    Compared::when(has_step)
}
