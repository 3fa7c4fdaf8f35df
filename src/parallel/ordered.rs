//! A list of items -> their results in order: a bounded reorder buffer.
//!
//! A chunk of items passes through these states. `next` and `turn` are the two ends of the window
//! of chunks that are under way; no chunk is claimed further than [`AHEAD`] items behind `turn`.
//!
//! ```text
//!            claim                put                take_turn           handed_out
//! unclaimed ───────▶ in progress ───────▶ in `done` ───────────▶ taken ───────────▶ over
//!    │                                        │
//!    │ the window is full                     │ an earlier chunk is not done
//!    ▼                                        ▼
//! workers wait for `room`                  the taker works itself, or waits for `ready`
//! ```
//!
//! The calling thread takes the results. While no result is ready, it works as well.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The number of items that workers may run ahead of the oldest unfinished one; their results wait
/// in memory.
const AHEAD: usize = 1024;

/// The number of items that a worker claims at once, so that workers seldom wait for the lock.
const CHUNK: usize = 8;

/// The reorder buffer that workers and taker share.
struct Queue<R> {
    window: Mutex<Window<R>>,
    /// Signalled when the window moves, or the work ends.
    room: Condvar,
    /// Signalled when the chunk to hand out next is done, or the work ends.
    ready: Condvar,
}

/// The chunks in progress.
struct Window<R> {
    /// The number of items.
    len: usize,
    /// The first item that is not claimed.
    next: usize,
    /// The first item whose result was not handed out.
    turn: usize,
    /// The results of chunks that are done, by their first items.
    done: BTreeMap<usize, Vec<R>>,
    /// Workers that wait for room.
    waiting: usize,
    stopped: bool,
}

/// The next action of the taker.
enum Turn<R> {
    /// Hands out results.
    HandOut(Vec<R>),
    /// Works on the chunk that starts with this item.
    Work(usize),
    Over,
}

impl<R> Window<R> {
    /// Returns the first item of a chunk to work on, where the window has room.
    fn claim(&mut self) -> Option<usize> {
        let first = self.next;
        let is_free = !self.is_claimed() && first < self.turn + AHEAD;
        is_free.then(|| {
            self.next += CHUNK;
            first
        })
    }

    /// Returns `true` if no chunk is left to claim.
    fn is_claimed(&self) -> bool {
        self.stopped || self.next >= self.len
    }
}

impl<R> Queue<R> {
    fn new(len: usize) -> Self {
        Self {
            window: Mutex::new(Window {
                len,
                next: 0,
                turn: 0,
                done: BTreeMap::new(),
                waiting: 0,
                stopped: false,
            }),
            room: Condvar::new(),
            ready: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Window<R>> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a chunk for a worker, and waits while the window has no room; `None` when all chunks
    /// are claimed.
    fn claim(&self) -> Option<usize> {
        let mut window = self.lock();
        while !window.is_claimed() {
            let chunk = window.claim();
            if chunk.is_some() {
                return chunk;
            }
            window.waiting += 1;
            window = wait(&self.room, window);
            window.waiting -= 1;
        }
        None
    }

    /// Stores the results of a chunk.
    fn put(&self, first: usize, results: Vec<R>) {
        let mut window = self.lock();
        window.done.insert(first, results);
        if window.turn == first {
            self.ready.notify_one();
        }
    }

    /// Returns the next action of the taker; waits while its turn is not done and no chunk is free.
    fn take_turn(&self) -> Turn<R> {
        let mut window = self.lock();
        while window.turn < window.len && !window.stopped {
            let turn = window.turn;
            if let Some(results) = window.done.remove(&turn) {
                return Turn::HandOut(results);
            }
            if let Some(first) = window.claim() {
                return Turn::Work(first);
            }
            window = wait(&self.ready, window);
        }
        Turn::Over
    }

    /// Moves the window past the chunk that was handed out, or ends the work.
    fn handed_out(&self, flow: ControlFlow<()>) {
        let mut window = self.lock();
        window.turn += CHUNK;
        window.stopped |= flow.is_break();
        if window.waiting > 0 {
            self.room.notify_all();
        }
    }

    /// Ends the work, so that no thread waits forever.
    fn stop(&self) {
        self.lock().stopped = true;
        self.room.notify_all();
        self.ready.notify_all();
    }
}

fn wait<'q, R>(signal: &Condvar, window: MutexGuard<'q, Window<R>>) -> MutexGuard<'q, Window<R>> {
    signal.wait(window).unwrap_or_else(PoisonError::into_inner)
}

/// A guard that ends the work when the thread that owns it panics.
struct StopAtPanic<'q, R>(&'q Queue<R>);

impl<R> Drop for StopAtPanic<'_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

/// Processes all items with several workers, each with its own state, and hands out the results in
/// order. The calling thread hands out the results, and is one of the workers. Where the system
/// gives fewer threads, there are fewer workers.
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
        let _ = items
            .iter()
            .try_for_each(|item| take(work(&mut state, item)));
        return;
    }
    let queue = Queue::new(items.len());
    let work_on = |state: &mut S, first: usize| {
        let chunk = items.iter().skip(first).take(CHUNK);
        queue.put(first, chunk.map(|item| work(state, item)).collect());
    };
    let help = || {
        let _stop = StopAtPanic(&queue);
        let mut state = new_state();
        while let Some(first) = queue.claim() {
            work_on(&mut state, first);
        }
    };
    thread::scope(|scope| {
        let _stop = StopAtPanic(&queue);
        for _ in 1..jobs {
            if thread::Builder::new().spawn_scoped(scope, help).is_err() {
                break;
            }
        }
        let mut state = new_state();
        loop {
            match queue.take_turn() {
                Turn::HandOut(results) => {
                    queue.handed_out(results.into_iter().try_for_each(&mut take));
                }
                Turn::Work(first) => work_on(&mut state, first),
                Turn::Over => break,
            }
        }
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
