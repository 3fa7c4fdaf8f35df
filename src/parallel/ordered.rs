//! A list of items -> their results in order, from a pipeline whose workers take items by chunks.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::pipeline;

/// The maximum number of chunks in progress: how far others may get ahead of one that takes long.
const AHEAD: usize = 128;

/// Items that a worker takes at a time.
const CHUNK: usize = 8;

/// Processes all items with several workers, each with its own state, and hands out the results in
/// order, on the calling thread. Where the system gives fewer threads, there are fewer workers.
pub(crate) fn in_order<T: Sync, S, R: Send>(
    items: &[T],
    jobs: NonZeroUsize,
    new_state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) {
    let jobs = jobs.get().min(items.len().div_ceil(CHUNK));
    if jobs <= 1 {
        let mut state = new_state();
        let mut items = items.iter();
        let _ = items.try_for_each(|item| take(work(&mut state, item)));
        return;
    }
    let is_over = AtomicBool::new(false);
    let goes_on = || !is_over.load(Ordering::Relaxed);
    pipeline(
        (jobs, AHEAD),
        &mut items.chunks(CHUNK),
        |chunks| chunks.next().filter(|_| goes_on()),
        new_state,
        |state, chunk| {
            let items = chunk.iter().take_while(|_| goes_on());
            items.map(|item| work(state, item)).collect::<Vec<R>>()
        },
        |_, results| {
            if goes_on() && results.into_iter().try_for_each(&mut take).is_break() {
                is_over.store(true, Ordering::Relaxed);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubled(count: usize, jobs: usize, stop_at: usize) -> Vec<usize> {
        let items: Vec<usize> = (0..count).collect();
        let mut taken = Vec::new();
        let jobs = NonZeroUsize::new(jobs).unwrap();
        in_order(
            &items,
            jobs,
            || (),
            |(), item| item * 2,
            |result| {
                taken.push(result);
                if taken.len() == stop_at {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        taken
    }

    #[test]
    fn results_keep_order_for_any_number_of_workers() {
        let expected: Vec<usize> = (0..5000).map(|item| item * 2).collect();
        for jobs in [1, 2, 3, 16] {
            assert_eq!(doubled(5000, jobs, usize::MAX), expected, "{jobs} jobs");
        }
        assert_eq!(doubled(0, 4, usize::MAX), [] as [usize; 0]);
    }

    #[test]
    fn panic_anywhere_ends_all_threads() {
        use std::panic::{AssertUnwindSafe, catch_unwind};
        let items: Vec<usize> = (0..5000).collect();
        let panics = |work_at: usize, take_at: usize| {
            let jobs = NonZeroUsize::new(3).unwrap();
            let work = |(): &mut (), item: &usize| assert_ne!(*item, work_at);
            let mut taken = 0;
            let take = |()| {
                taken += 1;
                assert_ne!(taken, take_at);
                ControlFlow::Continue(())
            };
            catch_unwind(AssertUnwindSafe(|| {
                in_order(&items, jobs, || (), work, take);
            }))
            .is_err()
        };
        assert!(panics(0, usize::MAX) && panics(4_999, usize::MAX) && panics(2_000, usize::MAX));
        assert!(panics(usize::MAX, 1) && panics(usize::MAX, 3_000));
        assert!(!panics(usize::MAX, usize::MAX));
    }

    #[test]
    fn work_stops_when_asked() {
        for jobs in [1, 2, 4] {
            assert_eq!(doubled(5000, jobs, 3), [0, 2, 4]);
        }
    }
}
