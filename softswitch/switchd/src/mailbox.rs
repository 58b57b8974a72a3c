// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A bounded queue from the switch's thread to those who wait for it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// Keeps the oldest items: one that finds the mailbox full is dropped and counted.
#[derive(Debug)]
pub struct Mailbox<T> {
    capacity: usize,
    state: Mutex<State<T>>,
    filled: Condvar,
}

#[derive(Debug)]
struct State<T> {
    items: VecDeque<T>,
    dropped: u64,
    closed: bool,
}

impl<T> Mailbox<T> {
    pub fn new(capacity: usize) -> Self {
        let state = State {
            items: VecDeque::new(),
            dropped: 0,
            closed: false,
        };
        Self {
            capacity,
            state: Mutex::new(state),
            filled: Condvar::new(),
        }
    }

    pub fn put(&self, item: T) {
        let mut state = self.state.lock();
        if state.items.len() >= self.capacity {
            state.dropped += 1;
            return;
        }
        state.items.push_back(item);
        self.filled.notify_one();
    }

    /// All items, waiting up to `timeout` for the first. Empty after the timeout or when closed.
    pub fn take(&self, timeout: Duration) -> Vec<T> {
        let mut state = self.state.lock();
        match Instant::now().checked_add(timeout) {
            Some(deadline) => {
                while state.items.is_empty() && !state.closed {
                    if self.filled.wait_until(&mut state, deadline).timed_out() {
                        break;
                    }
                }
            }
            None => self
                .filled
                .wait_while(&mut state, |state| state.items.is_empty() && !state.closed),
        }
        state.items.drain(..).collect()
    }

    /// Nobody waits any longer, from now on.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.filled.notify_all();
    }

    /// Items are waited for again.
    pub fn open(&self) {
        self.state.lock().closed = false;
    }

    pub fn is_open(&self) -> bool {
        !self.state.lock().closed
    }

    /// How many items found the mailbox full.
    pub fn dropped(&self) -> u64 {
        self.state.lock().dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_does_not_fit_is_counted_and_the_oldest_stay() {
        let mailbox = Mailbox::new(2);
        (0..5).for_each(|item| mailbox.put(item));
        assert_eq!(mailbox.take(Duration::ZERO), [0, 1]);
        assert_eq!(mailbox.dropped(), 3);
        assert!(mailbox.take(Duration::ZERO).is_empty());
    }

    #[test]
    fn a_waiter_gets_what_arrives_and_close_frees_it() {
        let mailbox = Arc::new(Mailbox::new(2));
        let waiter = Arc::clone(&mailbox);
        let waiting = std::thread::spawn(move || {
            (
                waiter.take(Duration::MAX),
                waiter.take(Duration::from_secs(60)),
            )
        });
        mailbox.put(7);
        // The second wait ends only by the closing below; items sent after it are still kept.
        while !mailbox.state.lock().items.is_empty() {
            std::thread::yield_now();
        }
        mailbox.close();
        assert_eq!(waiting.join().expect("the waiter ends"), (vec![7], vec![]));
    }

    #[test]
    fn the_wait_ends_at_the_timeout() {
        let started = Instant::now();
        assert!(Mailbox::<()>::new(1)
            .take(Duration::from_millis(20))
            .is_empty());
        assert!(started.elapsed() >= Duration::from_millis(20));
    }
}
