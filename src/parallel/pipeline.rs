//! Items from a source -> results in order, with a channel to the workers and one back for each
//! item.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use super::locked;

/// Processes the items of a source with several workers, each with its own state, and hands out the
/// results in order. The source and the taker run on the calling thread and share a state. Besides
/// the item that is read, at most `ahead` are in progress. Where the system gives fewer threads,
/// there are fewer workers; where it gives none, the calling thread does the work.
pub(crate) fn pipeline<C, T: Send, S, R: Send>(
    (workers, ahead): (usize, usize),
    state: &mut C,
    mut source: impl FnMut(&mut C) -> Option<T>,
    new_worker: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> R + Sync,
    mut take: impl FnMut(&mut C, R),
) {
    let (send, receive) = mpsc::channel::<(T, mpsc::Sender<R>)>();
    let receive = Arc::new(Mutex::new(receive));
    let (new_worker, work) = (&new_worker, &work);
    thread::scope(|scope| {
        let started = (0..workers).take_while(|_| {
            let receive = Arc::clone(&receive);
            let help = move || {
                let mut worker = new_worker();
                let next = || locked(&receive).recv();
                while let Ok((item, reply)) = next() {
                    let _ = reply.send(work(&mut worker, item));
                }
            };
            thread::Builder::new().spawn_scoped(scope, help).is_ok()
        });
        if started.count() == 0 {
            let mut worker = new_worker();
            while let Some(item) = source(state) {
                take(state, work(&mut worker, item));
            }
            return;
        }
        // When the last worker ends, even by a panic, this drops the remaining items, so that no
        // thread waits for them forever.
        drop(receive);
        let mut under_way = VecDeque::new();
        while let Some(item) = source(state) {
            let (reply, result) = mpsc::channel();
            let _ = send.send((item, reply));
            under_way.push_back(result);
            if under_way.len() > ahead
                && let Some(Ok(result)) = under_way.pop_front().map(|result| result.recv())
            {
                take(state, result);
            }
        }
        drop(send);
        for result in under_way {
            // A worker that panicked sends nothing; its panic resumes when all workers have ended.
            if let Ok(result) = result.recv() {
                take(state, result);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipeline_keeps_the_order_of_its_source() {
        for workers in [0, 1, 2, 5] {
            let mut state = (0..1000, Vec::new());
            pipeline(
                (workers, 2 * workers),
                &mut state,
                |(items, _)| items.next(),
                || (),
                |(), item| item * 2,
                |(_, taken), result| taken.push(result),
            );
            assert!(
                state.1.into_iter().eq((0..1000).map(|item| item * 2)),
                "{workers} workers"
            );
        }
    }

    #[test]
    fn panic_of_a_worker_ends_the_pipeline() {
        use std::panic::{AssertUnwindSafe, catch_unwind};
        for at in [0, 5] {
            let work = |(): &mut (), item: usize| assert!(item < at);
            let run = || {
                let mut items = 0..10;
                pipeline((2, 4), &mut items, Iterator::next, || (), work, |_, ()| {});
            };
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
    }
}
