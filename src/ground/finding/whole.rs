//! Episodes and faults -> data that has all of them, also what the JSON of a report leaves out, and
//! back: for reports that go from one process to another.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::entry::Unlisted;
use super::{EpisodeReport, FaultSort, ReportedFault, RunEntry};
use crate::ground::source::{Artifact, EpisodeKey, Excerpt};

/// The reports of episodes, and faults, in a form whose serialization loses nothing that a
/// renderer shows.
///
/// ```
/// use runvet::finding::Whole;
/// let report = runvet::gate::Gate::default().run(["corpus/demo"]).unwrap();
/// let text = serde_json::to_string(&Whole::new(&report.episodes, &report.faults)).unwrap();
/// let (episodes, _) = serde_json::from_str::<Whole>(&text).unwrap().restore();
/// let (restored, found) = (&episodes[2].findings[0], &report.episodes[2].findings[0]);
/// assert_eq!(restored.location.excerpt(), found.location.excerpt());
/// ```
#[derive(Debug, Serialize, Deserialize)]
pub struct Whole {
    episodes: Vec<(EpisodeReport, Beside)>,
    faults: Vec<(ReportedFault, FaultSort)>,
}

/// The parts of an episode's report that its JSON leaves out.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Beside {
    is_directory: bool,
    key: String,
    /// The rule of each finding, and then of each suppressed one, whether it is a cause, and
    /// whether a team declares the rule.
    ranks: Vec<(Option<usize>, bool, bool)>,
    /// The artifacts and excerpts of the places of each finding, in the same order.
    places: Vec<(Option<String>, Option<Excerpt>)>,
    card: Option<(RunEntry, Unlisted)>,
}

impl Whole {
    /// Returns all of these reports and faults.
    #[must_use]
    pub fn new<'e>(
        episodes: impl IntoIterator<Item = &'e EpisodeReport>,
        faults: &[ReportedFault],
    ) -> Self {
        let faults = faults
            .iter()
            .map(|fault| (fault.clone(), fault.sort));
        let episodes = episodes.into_iter();
        Self {
            episodes: episodes
                .map(|it| (it.clone(), Beside::of(it)))
                .collect(),
            faults: faults.collect(),
        }
    }

    /// Returns the reports and faults.
    #[must_use]
    pub fn restore(self) -> (Vec<EpisodeReport>, Vec<ReportedFault>) {
        let episodes = self.episodes.into_iter();
        let faults = self.faults.into_iter();
        let fault = |(fault, sort)| ReportedFault { sort, ..fault };

        (
            episodes
                .map(|(it, beside)| beside.restore(it))
                .collect(),
            faults.map(fault).collect(),
        )
    }
}

impl Beside {
    fn of(episode: &EpisodeReport) -> Self {
        let suppressed = episode
            .suppressed
            .iter()
            .map(|it| &it.finding);
        let findings = || {
            episode
                .findings
                .iter()
                .chain(suppressed.clone())
        };

        let places = findings().flat_map(|found| {
            let related = found
                .related
                .iter()
                .map(|it| &it.location);
            std::iter::once(&found.location).chain(related)
        });
        let file = |artifact: Artifact| artifact.file_name().to_owned();

        Self {
            is_directory: episode.key.dir().is_some(),
            key: episode.key.to_string(),
            ranks: findings()
                .map(|found| (found.rule_index, found.is_cause, found.is_of_team))
                .collect(),
            places: places
                .map(|at| (at.artifact.map(file), at.excerpt.clone()))
                .collect(),
            card: episode
                .entry
                .as_deref()
                .map(|it| (it.clone(), it.unlisted())),
        }
    }

    fn restore(self, mut episode: EpisodeReport) -> EpisodeReport {
        episode.key = if self.is_directory {
            EpisodeKey::Dir(self.key.into())
        } else {
            EpisodeKey::Text(self.key)
        };

        let entry = self
            .card
            .map(|(entry, unlisted)| entry.restored(unlisted));
        episode.entry = entry.map(Arc::new);

        let suppressed = episode
            .suppressed
            .iter_mut()
            .map(|it| &mut it.finding);
        let (mut ranks, mut places) = (self.ranks.into_iter(), self.places.into_iter());

        for found in episode
            .findings
            .iter_mut()
            .chain(suppressed)
        {
            (found.rule_index, found.is_cause, found.is_of_team) = ranks.next().unwrap_or_default();
            let related = found
                .related
                .iter_mut()
                .map(|it| &mut it.location);
            for location in std::iter::once(&mut found.location).chain(related) {
                let (artifact, excerpt) = places.next().unwrap_or_default();
                location.artifact = artifact.and_then(Artifact::from_file_name);
                // A renderer cuts the text there.
                location.excerpt = excerpt.filter(|it| it.text.get(it.span.clone()).is_some());
            }
        }

        episode
    }
}
