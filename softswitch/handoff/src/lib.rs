// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Items that several threads put in one order, and that one of them at a time sends in that order.
//!
//! In: items. Out: calls of `send` with them. Nobody waits for a sender: a thread that finds another one sending leaves
//! its items to it. The sender looks again after it has let go, so that no item stays behind. Its test lets Loom try
//! every order of the steps.

#![forbid(unsafe_code)]

#[cfg(feature = "loom")]
use loom::sync::{Mutex, MutexGuard};
#[cfg(not(feature = "loom"))]
use std::sync::{Mutex, MutexGuard};
use std::sync::{PoisonError, TryLockError};

/// The items that wait, and the state `S` of the sender.
#[derive(Debug)]
pub struct Handoff<T, S> {
    /// Never locked while `sender` is waited for.
    waiting: Mutex<Vec<T>>,
    sender: Mutex<Sender<T, S>>,
}

#[derive(Debug)]
struct Sender<T, S> {
    state: S,
    /// Room for what is taken from those that wait; empty in between.
    taken: Vec<T>,
}

impl<T, S> Handoff<T, S> {
    pub fn new(state: S) -> Self {
        let taken = Vec::new();
        Self {
            waiting: Mutex::new(Vec::new()),
            sender: Mutex::new(Sender { state, taken }),
        }
    }

    /// Put an item behind those that wait, for the next [`Self::flush`]. Returns how many wait now.
    pub fn put(&self, item: T) -> usize {
        let mut waiting = lock(&self.waiting);
        waiting.push(item);
        waiting.len()
    }

    /// See that all that waits is sent: by this thread, or by the one that is sending. `send` empties the vector.
    pub fn flush(&self, mut send: impl FnMut(&mut S, &mut Vec<T>)) {
        loop {
            let mut sender = match self.sender.try_lock() {
                Ok(sender) => sender,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            self.drain(&mut sender, &mut send);
            // Loom tries other threads at its operations, of which letting go of a mutex is none.
            #[cfg(feature = "loom")]
            loom::thread::yield_now();
            drop(sender);
            if lock(&self.waiting).is_empty() {
                return;
            }
        }
    }

    /// The sender's state, after all that waited was sent.
    pub fn with<R>(
        &self,
        mut send: impl FnMut(&mut S, &mut Vec<T>),
        look: impl FnOnce(&mut S) -> R,
    ) -> R {
        let mut sender = lock(&self.sender);
        self.drain(&mut sender, &mut send);
        look(&mut sender.state)
    }

    fn drain(&self, sender: &mut Sender<T, S>, send: &mut impl FnMut(&mut S, &mut Vec<T>)) {
        loop {
            std::mem::swap(&mut *lock(&self.waiting), &mut sender.taken);
            if sender.taken.is_empty() {
                return;
            }
            send(&mut sender.state, &mut sender.taken);
            sender.taken.clear();
        }
    }
}

/// A panic while it was held has stopped the switch: the others only end.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn append(sent: &mut Vec<u8>, items: &mut Vec<u8>) {
        sent.append(items);
    }

    #[cfg(not(feature = "loom"))]
    #[test]
    fn what_waits_is_sent_in_order_before_the_state_is_seen() {
        let handoff = Handoff::new(Vec::new());
        assert_eq!((handoff.put(1), handoff.put(2)), (1, 2));
        handoff.flush(append);
        assert_eq!(handoff.put(3), 1);
        assert_eq!(handoff.with(append, |sent| sent.clone()), [1, 2, 3]);
    }

    #[cfg(feature = "loom")]
    #[test]
    fn nothing_stays_behind_and_the_order_is_that_of_the_puts() {
        use loom::sync::Arc;
        let mut orders = loom::model::Builder::new();
        // Without a limit there are more orders than an afternoon has room for.
        orders.preemption_bound = Some(3);
        orders.check(|| {
            // The machine's lock gives the order of the puts.
            let handoff = Arc::new((Mutex::new(()), Handoff::new(Vec::new())));
            let threads: Vec<_> = [vec![1, 2], vec![11]]
                .into_iter()
                .map(|items| {
                    let handoff = Arc::clone(&handoff);
                    loom::thread::spawn(move || {
                        for item in items {
                            let ordered = lock(&handoff.0);
                            handoff.1.put(item);
                            drop(ordered);
                            handoff.1.flush(append);
                        }
                    })
                })
                .collect();
            for thread in threads {
                thread.join().expect("it does not panic");
            }
            // The threads themselves sent them, not this look.
            let sent = lock(&handoff.1.sender).state.clone();
            assert_eq!(sent.len(), 3);
            let of_one: Vec<u8> = sent.into_iter().filter(|&item| item < 10).collect();
            assert_eq!(of_one, [1, 2]);
        });
    }
}
