//! `projection/digest`: the state of a run that has ended was changed after its projection event.

use crate::ground::digest::FileDigest;
use crate::ground::digest::{KEEP_LINE_ENDS, ONLY_LINE_ENDS};
use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Draft, Level, Lifecycle, Place, Rule, Subject,
};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "projection/digest",
    level: Level::Error,
    title: "the state of a run that has ended was changed after its projection event",
    hint: "Restore the state.json that the run wrote; if the run wrote it again, let it emit another projection event.",
    page: include_str!("digest.md"),
    check,
})
.follows_from(super::COPIES)
.applies_to(Subject::EndedRuns);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, timeline) = (ctx.state()?, ctx.whole_timeline()?);
    if ctx.lifecycle() != Lifecycle::Terminal {
        return None;
    }

    let projection = timeline.projection_event()?;
    let in_event = projection.state_sha256()?;
    let actual = state.sha256();
    if in_event != actual {
        let mut message = format!(
            "`payload.state_sha256` is {in_event} in the projection event on line {}, but the SHA-256 of state.json is {actual}",
            projection.line.number
        );
        let text = ctx.loaded().state.bytes;
        let by_line_ends = FileDigest::with_other_line_ends(text).contains(&in_event);
        message += if by_line_ends { ONLY_LINE_ENDS } else { "" };

        let place = Place::event(projection.line, "/payload/state_sha256");
        let draft = Draft::new(place, message)
            .besides(&actual)
            .help(by_line_ends.then(|| KEEP_LINE_ENDS.into()));
        ctx.push(draft.related(Place::whole(Artifact::State), "the state"));
    }

    Some(Compared)
}
