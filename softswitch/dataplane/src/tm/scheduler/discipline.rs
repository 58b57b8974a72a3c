// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The interface of a scheduler to its port.

use std::fmt::Debug;

use crate::tm::config::Weights;

/// The calls come in this order for each packet: `enqueued`, `select`, `dequeued`, `sent`; packets
/// may be enqueued between any two of them.
pub trait Scheduler: Debug + Send {
    /// A packet of `len_bytes` was appended to `queue`.
    fn enqueued(&mut self, queue: u8, len_bytes: u32);

    /// The queue to take a packet from; `None` when all are empty. Strict priority takes one of those whose bit is set
    /// in `free`; under the others no queue has a rate of its own.
    fn select(&mut self, free: u8) -> Option<u8>;

    /// The head of `queue` was taken; `next_len_bytes` is the length of the packet behind it.
    fn dequeued(&mut self, queue: u8, next_len_bytes: Option<u32>);

    /// The packet that was dequeued last is through egress and occupies the link as `len_bytes` do.
    /// Says nothing to a scheduler that did not see it dequeued.
    fn sent(&mut self, len_bytes: u32);

    /// Shares from now on.
    fn set_weights(&mut self, weights: &Weights);
}
