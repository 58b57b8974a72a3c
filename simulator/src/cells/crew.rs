// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Threads that share the work of a round.
//!
//! In each round there is a list of things to do, which threads take one by one; the thread that made it takes part, and
//! goes on when all are done. Threads that have nothing to do look for the next list for a short time and then sleep, so
//! nothing is lost where there are fewer cores than threads. Nobody waits for a thread that sleeps.

use std::hint;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// Looks at a condition before a thread sleeps: some microseconds.
const SPINS: u32 = 400;

/// The list of a round, and those who wait for it or for its end.
pub struct Crew {
    list: Vec<AtomicU32>,
    /// The number of the round above, and how many things are still to be taken below.
    ticket: AtomicU64,
    /// Things of this round that are not done.
    left: AtomicUsize,
    /// The run is over, or a thread has panicked.
    over: AtomicBool,
    sleepers: AtomicUsize,
    asleep: Mutex<()>,
    wake: Condvar,
    spins: u32,
}

const TAKEN_BITS: u32 = 32;
const TAKEN_MASK: u64 = (1 << TAKEN_BITS) - 1;

/// Wakes all threads at the end of a run, however it ends.
struct Over<'a>(&'a Crew);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::SeqCst);
        self.0.notify();
    }
}

/// Calls `lead` with a crew of this many threads, this one among them. In each round of [`Crew::share`], `work` is called
/// for each thing of its list. Fails if the system has no more threads. A panic of a thread ends the run with a panic
/// here.
pub fn with_crew<R>(
    threads: usize,
    things: usize,
    work: &(impl Fn(usize) + Sync),
    lead: impl FnOnce(&Crew) -> R,
) -> io::Result<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let crew = Crew {
        list: (0..things).map(|_| AtomicU32::new(0)).collect(),
        ticket: AtomicU64::new(0),
        left: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        sleepers: AtomicUsize::new(0),
        asleep: Mutex::new(()),
        wake: Condvar::new(),
        spins: if threads > cores { 0 } else { SPINS },
    };
    if threads.min(things) <= 1 {
        return Ok(lead(&crew));
    }
    thread::scope(|scope| {
        let crew = &crew;
        let _over = Over(crew);
        for _ in 1..threads.min(things) {
            thread::Builder::new().spawn_scoped(scope, move || {
                let _over = Over(crew);
                while crew.wait(|| crew.has_work()) {
                    crew.take_part(work);
                }
            })?;
        }
        Ok(lead(crew))
    })
}

impl Crew {
    /// Has all things of a list done, and returns when they are.
    pub fn share(&self, list: &[u32], work: &impl Fn(usize)) {
        for (place, &thing) in self.list.iter().zip(list) {
            place.store(thing, Ordering::Relaxed);
        }
        let round = (self.ticket.load(Ordering::Relaxed) >> TAKEN_BITS).wrapping_add(1);
        self.left.store(list.len(), Ordering::Relaxed);
        let ticket = round << TAKEN_BITS | list.len() as u64;
        self.ticket.store(ticket, Ordering::SeqCst);
        if list.len() > 1 {
            self.notify();
        }
        self.take_part(work);
        let all_done = self.wait(|| self.left.load(Ordering::SeqCst) == 0);
        assert!(all_done, "a thread of the simulation has panicked");
    }

    fn take_part(&self, work: &impl Fn(usize)) {
        while let Some(thing) = self.take() {
            work(thing);
            if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
                self.notify();
            }
        }
    }

    /// Takes the next thing of the list. The first ones come first.
    fn take(&self) -> Option<usize> {
        let mut ticket = self.ticket.load(Ordering::Acquire);
        loop {
            let left = (ticket & TAKEN_MASK) as usize;
            if left == 0 {
                return None;
            }
            let next = ticket - 1;
            let order = (Ordering::AcqRel, Ordering::Acquire);
            match self
                .ticket
                .compare_exchange_weak(ticket, next, order.0, order.1)
            {
                // A ticket of this round: its list was complete before, and stays until all of it is done.
                Ok(_) => return Some(self.list[left - 1].load(Ordering::Relaxed) as usize),
                Err(other) => ticket = other,
            }
        }
    }

    fn has_work(&self) -> bool {
        self.ticket.load(Ordering::SeqCst) & TAKEN_MASK > 0
    }

    /// Waits for a condition; false if the run is over.
    fn wait(&self, ready: impl Fn() -> bool) -> bool {
        for _ in 0..self.spins {
            if ready() {
                return true;
            }
            if self.over.load(Ordering::SeqCst) {
                return false;
            }
            hint::spin_loop();
        }
        let mut asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let found = loop {
            if ready() {
                break true;
            }
            if self.over.load(Ordering::SeqCst) {
                break false;
            }
            asleep = self
                .wake
                .wait(asleep)
                .unwrap_or_else(PoisonError::into_inner);
        };
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        found
    }

    /// Wakes those who sleep: what they wait for may have come.
    fn notify(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            // A thread that is about to sleep holds the lock from its last look on.
            drop(self.asleep.lock().unwrap_or_else(PoisonError::into_inner));
            self.wake.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, AssertUnwindSafe};

    use super::*;

    #[test]
    fn all_is_done_once_in_each_round_however_many_threads_there_are() {
        for threads in [1, 2, 3, 16] {
            let done: Vec<AtomicUsize> = (0..40).map(|_| AtomicUsize::new(0)).collect();
            let work = |thing: usize| {
                done[thing].fetch_add(1, Ordering::Relaxed);
            };
            with_crew(threads, 40, &work, |crew| {
                for round in 1..=500 {
                    let list: Vec<u32> = (0..40)
                        .filter(|thing| round % (1 + thing % 3) == 0)
                        .collect();
                    crew.share(&list, &work);
                    let counted: usize = done.iter().map(|each| each.load(Ordering::Relaxed)).sum();
                    let expected = (0..40).map(|thing| (round / (1 + thing % 3)) as usize);
                    assert_eq!(
                        counted,
                        expected.sum::<usize>(),
                        "threads {threads}, round {round}"
                    );
                }
            })
            .expect("there are threads");
        }
    }

    #[test]
    fn a_panic_of_a_thread_ends_the_run() {
        for threads in [1, 2, 4] {
            let work = |thing: usize| assert_ne!(thing, 7, "a fault");
            let ran = catch_unwind(AssertUnwindSafe(|| {
                with_crew(threads, 20, &work, |crew| {
                    for _ in 0..100 {
                        crew.share(&(0..20).collect::<Vec<u32>>(), &work);
                    }
                })
            }));
            assert!(ran.is_err(), "threads {threads}");
        }
    }
}
