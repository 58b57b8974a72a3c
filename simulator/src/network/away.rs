// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets between cells of the network.
//!
//! A packet leaves its cell when its transmission begins, and knows when it arrives: the delay of the link is the time
//! that another cell has to take notice of it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use quench_dataplane::PacketBytes;

use super::node::Node;
use crate::time::Ns;

/// A packet on its way to another cell.
#[derive(Debug)]
pub struct Message {
    /// The time of its arrival.
    pub at: Ns,
    /// The direction by which it comes, as the receiving cell numbers them.
    pub direction: u32,
    pub frame: PacketBytes,
}

/// Packets for other cells.
#[derive(Debug)]
pub struct Outbox {
    /// Each neighbour with the packets for it.
    pub slots: Vec<(u32, Vec<Message>)>,
}

impl Outbox {
    pub fn new(neighbours: &[u32]) -> Self {
        Self {
            slots: neighbours.iter().map(|&cell| (cell, Vec::new())).collect(),
        }
    }

    // Not a part of the way through a router, which most networks take without it.
    #[inline(never)]
    pub fn post(&mut self, to: Node, at: Ns, frame: PacketBytes) {
        if let Node::Away { slot, direction } = to {
            self.slots[slot as usize].1.push(Message {
                at,
                direction,
                frame,
            });
        }
    }
}

/// Packets that come from other cells, until their time. Those of one time come in the order of their directions, and
/// those of one direction in the order in which they were sent: however they got here.
#[derive(Debug, Default)]
pub struct Inbox {
    /// The packets of each direction.
    lines: Vec<VecDeque<(Ns, PacketBytes)>>,
    /// The time of the first packet of each direction that has any.
    heads: BinaryHeap<Reverse<(Ns, u32)>>,
}

impl Inbox {
    /// The next packet's arrival.
    #[inline]
    pub fn next_ns(&self) -> Option<Ns> {
        self.heads.peek().map(|Reverse((at, _))| *at)
    }

    pub fn put(&mut self, message: Message) {
        let index = message.direction as usize;
        if index >= self.lines.len() {
            self.lines.resize_with(index + 1, VecDeque::new);
        }
        let line = &mut self.lines[index];
        if line.is_empty() {
            self.heads.push(Reverse((message.at, message.direction)));
        }
        line.push_back((message.at, message.frame));
    }

    /// Takes out the next packet: the direction by which it comes, and its bytes.
    pub fn take(&mut self) -> Option<(u32, PacketBytes)> {
        let Reverse((_, direction)) = self.heads.pop()?;
        let line = &mut self.lines[direction as usize];
        let (_, frame) = line.pop_front()?;
        if let Some((at, _)) = line.front() {
            self.heads.push(Reverse((*at, direction)));
        }
        Some((direction, frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_come_by_time_then_direction_then_in_the_order_of_sending() {
        let sent = [(5, 2, 1), (5, 2, 2), (7, 0, 3), (5, 1, 4), (6, 2, 5)];
        let in_any_order = |order: [usize; 5]| {
            let mut inbox = Inbox::default();
            for index in order {
                let (at, direction, number) = sent[index];
                inbox.put(Message {
                    at,
                    direction,
                    frame: vec![number].into(),
                });
            }
            let mut taken = Vec::new();
            while let Some(at) = inbox.next_ns() {
                let (direction, frame) = inbox.take().expect("there is one");
                taken.push((at, direction, frame.real()[0]));
            }
            taken
        };
        let expected = [(5, 1, 4), (5, 2, 1), (5, 2, 2), (6, 2, 5), (7, 0, 3)];
        assert_eq!(in_any_order([0, 1, 2, 3, 4]), expected);
        assert_eq!(in_any_order([2, 0, 1, 4, 3]), expected);
    }
}
