//! Runs in an order, and words -> the first runs whose texts have them.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::Service;
use super::asker::Asker;
use super::problem::Problem;
use crate::ground::finding::RunEntry;
use crate::ground::parallel::{cores, in_order};
use crate::ground::source::Artifact;
use crate::look::read::{RunFilter, SEARCHED};

/// The number of bytes after which a page of a search ends: the next page goes on from there.
const MAX_BYTES: u64 = 64 << 20;

/// The files that could not be searched that a page names, at most.
const MAX_UNREAD: usize = 100;

/// What a page of a search looked at.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct Searched {
    /// The files of each run that were searched.
    #[schemars(extend("examples" = [["events.jsonl", "state.json"]]))]
    files: Vec<&'static str>,
    /// The number of runs that were searched for this page, whether or not they have the words.
    pub(super) runs: usize,
    /// What could not be searched, and why; at most 100 files.
    unread: Vec<String>,
    /// The number of such files that are not listed.
    unread_more: usize,
}

/// The runs of a page, and what was searched for it.
#[derive(Default)]
pub(super) struct FoundRuns {
    pub(super) items: Vec<Arc<RunEntry>>,
    pub(super) searched: Searched,
}

impl Service {
    /// Searches runs in this order, until there are as many as the limit, or much was read.
    pub(super) fn search(
        &self,
        runs: &[(&Path, &RunEntry)],
        filter: &RunFilter,
        limit: usize,
        asker: &Asker,
    ) -> Result<FoundRuns, Problem> {
        let mut found = FoundRuns::default();
        found.searched.files = SEARCHED.map(Artifact::file_name).into();
        let (mut bytes, mut waits) = (0, Ok(()));
        in_order(
            runs,
            cores(),
            || (),
            |(), (path, _)| {
                self.open(path)
                    .map(|run| run.hits(&filter.text))
            },
            |hits| {
                waits = asker.check();
                let Some((_, run)) = runs
                    .get(found.searched.runs)
                    .filter(|_| waits.is_ok())
                else {
                    return ControlFlow::Break(());
                };

                found.searched.runs += 1;
                match hits {
                    Err(error) => found.searched.add(error.to_string()),
                    Ok(hits) => {
                        bytes += hits.bytes;
                        for error in hits.unread {
                            found.searched.add(error.to_string());
                        }

                        if !hits.first.is_empty() {
                            let mut run = (*run).clone();
                            filter.add_calls(&mut run);
                            run.add_hits(hits.first, hits.more);
                            found.items.push(Arc::new(run));
                        }
                    }
                }

                if found.items.len() == limit || bytes >= MAX_BYTES {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );

        waits.map(|()| found)
    }
}

impl Searched {
    fn add(&mut self, unread: String) {
        if self.unread.len() < MAX_UNREAD {
            self.unread.push(unread);
        } else {
            self.unread_more += 1;
        }
    }
}
