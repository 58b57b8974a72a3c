// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A bounded queue from the switch's thread to those who wait for it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// An item of a mailbox, whose capacity is in bytes.
pub trait Parcel {
    /// The memory behind it, roughly: at least what its sender chose.
    fn size_bytes(&self) -> usize;
}

/// Keeps the oldest items: one that does not fit is dropped and counted.
#[derive(Debug)]
pub struct Mailbox<T> {
    capacity_bytes: usize,
    state: Mutex<State<T>>,
    filled: Condvar,
}

#[derive(Debug)]
struct State<T> {
    items: VecDeque<T>,
    size_bytes: usize,
    dropped: u64,
    closed: bool,
}

impl<T: Parcel> Mailbox<T> {
    pub fn new(capacity_bytes: usize) -> Self {
        let state = State {
            items: VecDeque::new(),
            size_bytes: 0,
            dropped: 0,
            closed: false,
        };
        Self {
            capacity_bytes,
            state: Mutex::new(state),
            filled: Condvar::new(),
        }
    }

    pub fn put(&self, item: T) {
        let mut state = self.state.lock();
        let size_bytes = state.size_bytes.saturating_add(item.size_bytes());
        if size_bytes > self.capacity_bytes {
            state.dropped += 1;
            return;
        }
        state.size_bytes = size_bytes;
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
        state.size_bytes = 0;
        // The room goes with the items: a burst does not keep its memory.
        std::mem::take(&mut state.items).into()
    }

    /// Ends all waiting, now and later.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.filled.notify_all();
    }

    /// Allows waiting again.
    pub fn open(&self) {
        self.state.lock().closed = false;
    }

    pub fn is_open(&self) -> bool {
        !self.state.lock().closed
    }

    /// The number of items that found the mailbox full.
    pub fn dropped(&self) -> u64 {
        self.state.lock().dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outlets::{CpuPacket, DigestMessage};
    use std::sync::Arc;

    /// A number is a parcel of that size.
    impl Parcel for usize {
        fn size_bytes(&self) -> usize {
            *self
        }
    }

    #[test]
    fn what_does_not_fit_is_counted_and_the_oldest_stay() {
        let mailbox = Mailbox::new(12);
        [5, 6, 2, 1, 9]
            .into_iter()
            .for_each(|item| mailbox.put(item));
        assert_eq!(mailbox.take(Duration::ZERO), [5, 6, 1]);
        assert_eq!(mailbox.dropped(), 2);
        assert!(mailbox.take(Duration::ZERO).is_empty());
        mailbox.put(12);
        assert_eq!(mailbox.take(Duration::ZERO), [12]);
    }

    #[test]
    fn packets_and_digests_take_what_they_hold() {
        let packet = |length| CpuPacket {
            bytes: vec![0; length],
            time_ns: 0,
        };
        assert!(packet(0).size_bytes() > 0);
        assert_eq!(packet(1500).size_bytes() - packet(0).size_bytes(), 1500);
        let digest = |fields: &[usize]| DigestMessage {
            id: 1,
            fields: fields.iter().map(|&length| vec![0; length]).collect(),
            time_ns: 0,
        };
        assert!(digest(&[0, 0]).size_bytes() > digest(&[0]).size_bytes());
        assert_eq!(digest(&[70]).size_bytes() - digest(&[0]).size_bytes(), 70);
    }

    #[test]
    fn a_waiter_gets_what_arrives_and_close_frees_it() {
        let mailbox = Arc::new(Mailbox::new(9));
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
        assert!(Mailbox::<usize>::new(1)
            .take(Duration::from_millis(20))
            .is_empty());
        assert!(started.elapsed() >= Duration::from_millis(20));
    }
}
