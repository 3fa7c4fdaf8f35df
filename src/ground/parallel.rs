//! Items -> results in order, computed in parallel, with a bounded number of them waiting.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;

/// Returns the number of threads that the machine runs at a time, as far as this process may use
/// it. The system is asked once: it takes as long as a small episode.
pub(crate) fn cores() -> NonZeroUsize {
    static CORES: OnceLock<NonZeroUsize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// Goes on with the next result as long as nothing has failed.
pub(crate) fn while_ok<E>(so_far: &Result<(), E>) -> ControlFlow<()> {
    match so_far {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

/// Locks a mutex, also one in whose lock a thread panicked: what is kept in one here is whole at
/// any time.
pub(crate) fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Held by the work that is on its own.
static ALONE: Mutex<()> = Mutex::new(());

/// A lock under which work goes on alone once it turns out to take much memory, until this is
/// dropped. Its holder waits for no other work.
#[derive(Debug, Default)]
pub(crate) struct Alone(OnceCell<MutexGuard<'static, ()>>);

impl Alone {
    /// Waits until no other such work goes on; once for all calls.
    pub(crate) fn enter(&self) {
        self.0.get_or_init(|| locked(&ALONE));
    }
}

/// The maximum number of items in progress: how far others may get ahead of one that takes long.
const AHEAD: usize = 1024;

/// The most items that a worker takes at a time: handing them out costs more than a small item.
const MAX_CHUNK: usize = 64;

/// The chunks for each worker, at least, so that one that takes long keeps no other waiting.
const CHUNKS_EACH: usize = 16;

/// The items that are worth a thread of their own.
const WORTH_A_THREAD: usize = 8;

/// Items that a worker takes at a time, and the channel for their results.
struct Chunk<'t, T, R> {
    items: &'t [T],
    reply: mpsc::Sender<Vec<R>>,
}

/// Works on chunks until there are none left.
fn help<T, S, R>(
    chunks: &Mutex<mpsc::Receiver<Chunk<'_, T, R>>>,
    mut state: S,
    work: &impl Fn(&mut S, &T) -> R,
    goes_on: &impl Fn() -> bool,
) {
    let next = || locked(chunks).recv();
    while let Ok(Chunk { items, reply }) = next() {
        let results = items
            .iter()
            .take_while(|_| goes_on())
            .map(|item| work(&mut state, item))
            .collect();
        let _ = reply.send(results);
    }
}

/// Processes all items with several workers, each with its own state, and hands out the results in
/// order, on the calling thread. Where the system gives fewer threads, there are fewer workers;
/// where it gives none, the calling thread does the work.
pub(crate) fn in_order<T: Sync, S, R: Send>(
    items: &[T],
    jobs: NonZeroUsize,
    new_state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) {
    let chunk_len = (items.len() / (CHUNKS_EACH * jobs.get())).clamp(1, MAX_CHUNK);
    let jobs = jobs
        .get()
        .min(items.len().div_ceil(WORTH_A_THREAD));
    let (send, receive) = mpsc::channel::<Chunk<'_, T, R>>();
    let receive = Arc::new(Mutex::new(receive));
    let is_over = AtomicBool::new(false);
    let goes_on = &|| !is_over.load(Ordering::Relaxed);
    let (new_state, work) = (&new_state, &work);

    thread::scope(|scope| {
        let started = (0..jobs).take_while(|_| {
            let chunks = Arc::clone(&receive);
            thread::Builder::new()
                .spawn_scoped(scope, move || help(&chunks, new_state(), work, goes_on))
                .is_ok()
        });
        if jobs <= 1 || started.count() == 0 {
            let mut state = new_state();
            let _ = (items.iter()).try_for_each(|item| take(work(&mut state, item)));
            return;
        }

        // When the last worker ends, even by a panic, this drops the remaining chunks, so that no
        // thread waits for them forever.
        drop(receive);
        let mut take_all = |results: mpsc::Receiver<Vec<R>>| {
            // A worker that panicked sends nothing; its panic resumes when all workers have ended.
            let mut results = results.recv().into_iter().flatten();
            if goes_on()
                && results
                    .try_for_each(&mut take)
                    .is_break()
            {
                is_over.store(true, Ordering::Relaxed);
            }
        };

        let mut under_way = VecDeque::new();
        for items in items
            .chunks(chunk_len)
            .take_while(|_| goes_on())
        {
            let (reply, results) = mpsc::channel();
            let _ = send.send(Chunk { items, reply });
            under_way.push_back(results);
            if under_way.len() * chunk_len > AHEAD {
                under_way
                    .pop_front()
                    .into_iter()
                    .for_each(&mut take_all);
            }
        }

        drop(send);
        under_way.into_iter().for_each(take_all);
    });
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
