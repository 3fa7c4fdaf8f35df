//! The episodes that a search found, and names that it left unopened -> the report of each, in
//! order.

use std::ops::ControlFlow;

use super::{Check, Discovery, Fault, Session};
use crate::finding::EpisodeReport;
use crate::parallel::in_order;
use crate::store::{Excludes, Item, Link, Name, Searched};

/// What a turn brought.
#[derive(Default)]
struct Judged {
    report: Option<Result<EpisodeReport, Fault>>,
    faults: Vec<Fault>,
    links: Vec<Link>,
    /// Whether it is a directory of runs, which is not judged but searched.
    is_group: bool,
}

/// Why turns ended.
enum End {
    /// All were taken.
    Over,
    /// The taker asked for it.
    Stopped,
    /// At this turn, a directory is no episode, and may hold some.
    Group(usize),
}

impl Check {
    /// Checks what a search found, as [`Check::each`] does. A directory that the search left
    /// unopened is opened when its turn comes, so some faults are known only then; those of links
    /// come last. Returns whether all was checked, and the number of directories that were left
    /// out on the way.
    pub(crate) fn each_found(
        &self,
        found: &Discovery,
        excludes: Excludes<'_>,
        mut take: impl FnMut(Result<EpisodeReport, Fault>) -> ControlFlow<()>,
    ) -> (bool, usize) {
        let jobs = self.parallelism();
        let unopened = &found.unopened;
        let order = unopened.order(&found.episodes);
        let mut links = Vec::new();
        let (mut taken, mut end) = (0, End::Over);
        in_order(
            &order,
            jobs,
            || Session::new(self, Some(jobs)),
            |session, turn| match unopened.item(*turn, &found.episodes) {
                Some(Item::Found(episode)) => Judged::of(session.episode(episode)),
                Some(Item::Name(name)) => session.open(name, excludes),
                None => Judged::default(),
            },
            |judged| {
                if judged.is_group {
                    end = End::Group(taken);
                    return ControlFlow::Break(());
                }
                taken += 1;
                links.extend(judged.links);
                let faults = judged.faults.into_iter().map(Err);
                let flow = faults.chain(judged.report).try_for_each(&mut take);
                if flow.is_break() {
                    end = End::Stopped;
                }
                flow
            },
        );
        let rest = match end {
            End::Stopped => return (false, 0),
            End::Over => Searched::default(),
            End::Group(at) => {
                let rest = order.get(at..).unwrap_or_default();
                unopened.search(rest, &found.episodes, jobs, excludes)
            }
        };
        let Searched {
            episodes,
            faults,
            links: of_rest,
            excluded,
        } = rest;
        links.extend(of_rest);
        let mut is_over = faults
            .into_iter()
            .map(Err)
            .try_for_each(&mut take)
            .is_continue();
        if is_over {
            self.each(&episodes, |checked| {
                let flow = take(checked);
                is_over = flow.is_continue();
                flow
            });
        }
        if is_over {
            let lists = [&*found.episodes, &*episodes];
            let faults = unopened.faults(links, lists, excludes);
            is_over = faults
                .into_iter()
                .map(Err)
                .try_for_each(&mut take)
                .is_continue();
        }
        (is_over, excluded)
    }
}

impl Judged {
    fn of(report: Result<EpisodeReport, Fault>) -> Self {
        Self {
            report: Some(report),
            ..Self::default()
        }
    }
}

impl Session {
    /// Opens a directory, and checks it if it is an episode.
    fn open(&mut self, name: Name<'_>, excludes: Excludes<'_>) -> Judged {
        let sight = name.open(self.follows_links(), excludes);
        let episode = sight.episode;
        Judged {
            report: episode.map(|(episode, directory)| self.opened(&episode, directory)),
            faults: sight.faults,
            links: sight.links,
            is_group: sight.is_group,
        }
    }
}
