//! A run that is loaded -> the findings of a team's judges in it.

use crate::ground::draft::{Compared, Findings};
use crate::ground::finding::{SkipKind, SkipReason};
use crate::ground::source::Artifact;
use crate::judge::load::Loaded;
use crate::policy::team::{RunFacts, TeamCheck};
use crate::reading::facts::Usable;

impl TeamCheck {
    /// Reports the findings; `None` where nothing could be judged.
    pub(in crate::judge) fn judge(
        self,
        loaded: &Loaded<'_, '_>,
        findings: &mut Findings<'_>,
    ) -> Option<Compared> {
        // Who looks at all runs reports that.
        if loaded.judges.is_across(self) {
            return None;
        }

        let timeline = loaded.run.timeline.read();
        let facts = RunFacts {
            lifecycle: loaded.run.stage.lifecycle,
            has_events: timeline.is_some_and(|timeline| timeline.kept.tally.events > 0),
            broken_line: timeline.and_then(|timeline| timeline.kept.broken_line),
            unjudged: &|artifact| unjudged(artifact, loaded),
        };

        loaded
            .judges
            .judge(self)
            .report(Some(&facts), findings)
    }
}

/// Returns why an artifact, or a part of it, is not judged.
fn unjudged(artifact: Artifact, loaded: &Loaded<'_, '_>) -> Option<SkipReason> {
    let of = |usable: &Usable<()>| match usable {
        Usable::Unjudged(reason) => Some(reason.clone()),
        Usable::Read(()) | Usable::NotDue => None,
    };

    match artifact {
        // What violates the schema of the reference, or is of another version, is there.
        Artifact::State => of(&loaded.state.shape).filter(|_| !loaded.state.is_read()),
        Artifact::Summary => of(&loaded.summary.shape).filter(|_| !loaded.summary.is_read()),
        Artifact::Events => of(&loaded.run.timeline.as_ref().map(|_| ())),
        Artifact::Learn => of(&loaded.learn.lines),
        Artifact::Manifest => of(&loaded.manifest.files).filter(|reason| {
            reason.kind != SkipKind::Missing && loaded.manifest.document.is_none()
        }),
    }
}
