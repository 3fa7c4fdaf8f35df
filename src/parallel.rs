//! Work on many items at a time, with results in order and a bounded number of them waiting.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};

/// Items by which workers may run ahead of the oldest unfinished one: results wait in memory until
/// their turn comes.
const AHEAD: usize = 1024;

/// Items that a worker takes at a time, so that workers seldom meet at the lock.
const CHUNK: usize = 8;

struct Queue<R> {
    /// How many items there are.
    len: usize,
    /// The next item to be worked on.
    next: usize,
    /// The next item whose result is handed out.
    turn: usize,
    done: BTreeMap<usize, Vec<R>>,
    /// Workers that ran too far ahead.
    waiting: usize,
    stopped: bool,
}

impl<R> Queue<R> {
    fn is_over(&self) -> bool {
        self.stopped || self.next >= self.len
    }

    /// The first item of a chunk to be worked on.
    fn claim(&mut self) -> Option<usize> {
        let first = self.next;
        let is_free = !self.is_over() && first < self.turn + AHEAD;
        is_free.then(|| {
            self.next += CHUNK;
            first
        })
    }
}

/// Works on all items with several workers, each with a state of its own, and hands the results out
/// in order. This thread is one of the workers, and the one that hands out.
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
    let queue = Queue {
        len: items.len(),
        next: 0,
        turn: 0,
        done: BTreeMap::new(),
        waiting: 0,
        stopped: false,
    };
    let queue = Mutex::new(queue);
    let (work_wanted, result_ready) = (Condvar::new(), Condvar::new());
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let work_on = |state: &mut S, first: usize| -> Vec<R> {
        items
            .iter()
            .skip(first)
            .take(CHUNK)
            .map(|item| work(state, item))
            .collect()
    };
    // However a worker ends, nobody waits for it in vain.
    let stop_at_panic = || {
        OnDrop(|| {
            if std::thread::panicking() {
                lock().stopped = true;
                work_wanted.notify_all();
                result_ready.notify_all();
            }
        })
    };

    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(|| {
                let _stop = stop_at_panic();
                let mut state = new_state();
                let mut guard = lock();
                while !guard.is_over() {
                    let Some(first) = guard.claim() else {
                        guard.waiting += 1;
                        guard = work_wanted
                            .wait(guard)
                            .unwrap_or_else(PoisonError::into_inner);
                        guard.waiting -= 1;
                        continue;
                    };
                    drop(guard);
                    let results = work_on(&mut state, first);
                    guard = lock();
                    guard.done.insert(first, results);
                    if guard.turn == first {
                        result_ready.notify_one();
                    }
                }
            });
        }
        let _stop = stop_at_panic();
        let mut state = new_state();
        let mut guard = lock();
        while guard.turn < items.len() && !guard.stopped {
            let turn = guard.turn;
            if let Some(results) = guard.done.remove(&turn) {
                drop(guard);
                let flow = results.into_iter().try_for_each(&mut take);
                guard = lock();
                guard.turn += CHUNK;
                guard.stopped |= flow.is_break();
                if guard.waiting > 0 {
                    work_wanted.notify_all();
                }
            } else if let Some(first) = guard.claim() {
                drop(guard);
                let results = work_on(&mut state, first);
                guard = lock();
                guard.done.insert(first, results);
            } else {
                guard = result_ready
                    .wait(guard)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    });
}

/// Works on items as they come from a source, with several workers, and hands the results out in
/// order. Source and taker run on this thread and share a state; no more than a few items for each
/// worker are under way.
pub(crate) fn pipeline<C, T: Send, R: Send>(
    workers: usize,
    state: &mut C,
    mut source: impl FnMut(&mut C) -> Option<T>,
    work: impl Fn(T) -> R + Sync,
    mut take: impl FnMut(&mut C, R),
) {
    let (send, receive) = mpsc::channel::<(T, mpsc::Sender<R>)>();
    let (receive, work) = (Arc::new(Mutex::new(receive)), &work);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let receive = Arc::clone(&receive);
            scope.spawn(move || {
                let next = || {
                    receive
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .recv()
                };
                while let Ok((item, reply)) = next() {
                    let _ = reply.send(work(item));
                }
            });
        }
        // With the last worker, however it ends, the items that nobody works on are gone, and
        // nobody waits for them.
        drop(receive);
        let mut under_way = VecDeque::new();
        while let Some(item) = source(state) {
            let (reply, result) = mpsc::channel();
            let _ = send.send((item, reply));
            under_way.push_back(result);
            if under_way.len() > 2 * workers
                && let Some(Ok(result)) = under_way.pop_front().map(|result| result.recv())
            {
                take(state, result);
            }
        }
        drop(send);
        for result in under_way {
            // A worker that has panicked sends nothing; its panic goes on when all are done.
            if let Ok(result) = result.recv() {
                take(state, result);
            }
        }
    });
}

struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
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
    fn pipeline_keeps_the_order_of_its_source() {
        for workers in [1, 2, 5] {
            let mut state = (0..1000, Vec::new());
            pipeline(
                workers,
                &mut state,
                |(items, _)| items.next(),
                |item| item * 2,
                |(_, taken), result| taken.push(result),
            );
            assert!(
                state.1.into_iter().eq((0..1000).map(|item| item * 2)),
                "{workers} workers"
            );
        }
    }

    #[test]
    fn panic_anywhere_ends_the_pipeline() {
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
        for at in [0, 5] {
            let work = |item: usize| assert!(item < at);
            let run = || pipeline(2, &mut (0..10), Iterator::next, work, |_, ()| {});
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
    }

    #[test]
    fn work_stops_when_asked() {
        for jobs in [1, 2, 4] {
            assert_eq!(doubled(5000, jobs, 3), [0, 2, 4]);
        }
    }
}
