//! `strict/ending`: the end of the timeline contradicts the status.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Ending, Run, StateFacts};
use crate::finding::{Level, Lifecycle};
use crate::printable::quote;
use crate::record::RunStatus;
use crate::rule::{BuiltIn, Check, Need, Record, Rule};
use crate::source::{Artifact, Place};
use crate::words::Words as _;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/ending",
    level: Level::Off,
    title: "the end of the timeline contradicts the status",
    hint: "Emit one `terminate` event, with the status of the run, after all plan, act and direction events.",
    page: include_str!("ending.md"),
    check: Check::Run(check),
})
.reads(&[Record::State, Record::EveryEvent])
.needs(&[Need::Lifecycle, Need::WholeTimeline])
.follows_from(&["terminate", "phase"]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let (Some(strict), Some(_)) = (run.strict, run.timeline.read()) else {
        return Compared::Nothing;
    };
    if run.stage.lifecycle != Lifecycle::Terminal {
        return Compared::Nothing;
    }
    let status = run.state.read().and_then(StateFacts::status);
    let status = status.as_deref().unwrap_or_default();
    let Some(ending) = &strict.ending else {
        let message = format!(
            "the run has ended with the status {}, but events.jsonl has no `terminate` event",
            quote(status)
        );
        let draft = Draft::new(Place::whole(Artifact::Events), message)
            .help(Some("Emit a `terminate` event when the run ends.".into()));
        findings.push(draft.related(in_state(), "the status in the state"));
        return Compared::Something;
    };
    after(ending, findings);
    if let Some(said) = &ending.status
        && said != status
        && RunStatus::of_word(said).is_some()
    {
        let message = format!(
            "the `terminate` event on line {} has the status {}, but `outcomes.status` is {}",
            ending.line.number,
            quote(said),
            quote(status)
        );
        let draft = Draft::new(Place::event(ending.line, "/payload/status"), message);
        findings.push(draft.related(in_state(), "the status in the state"));
    }
    Compared::Something
}

/// What comes after the first terminate event.
fn after(ending: &Ending, findings: &mut Findings<'_>) {
    let first = Place::event(ending.line, "/phase");
    if let Some(second) = ending.second {
        let all = match ending.terminates {
            2 => String::new(),
            more => format!("; there are {more}"),
        };
        let message = format!(
            "the event on line {} is a second `terminate` event, after line {}{all}",
            second.number, ending.line.number
        );
        let draft = Draft::new(Place::event(second, "/phase"), message).besides(&ending.terminates);
        findings.push(draft.related(first.clone(), "the first `terminate` event"));
    }
    if let Some((line, phase)) = &ending.late {
        let all = match ending.late_events {
            1 => String::new(),
            more => format!("; {more} such events do"),
        };
        let message = format!(
            "the `{phase}` event on line {} comes after the `terminate` event on line {}{all}",
            line.number, ending.line.number
        );
        let draft = Draft::new(Place::event(*line, "/phase"), message).besides(&ending.late_events);
        findings.push(draft.related(first, "the first `terminate` event"));
    }
}

fn in_state() -> Place {
    Place::state("/outcomes/status")
}
