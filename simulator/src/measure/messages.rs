// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages in columns: there may be millions.

use serde::Serialize;

use crate::time::Ns;
use crate::traffic::Message;

/// A place in each column for a message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Messages {
    /// The source's number in the scenario.
    pub source: Vec<u32>,
    /// The hosts' numbers.
    pub from: Vec<u32>,
    pub to: Vec<u32>,
    pub bytes: Vec<u64>,
    pub started_ns: Vec<Ns>,
    /// The time at which the sender had the acknowledgement of the last byte; [`Ns::MAX`]: never.
    pub acked_ns: Vec<Ns>,
}

impl Messages {
    pub fn add(&mut self, source: u32, message: &Message) {
        self.source.push(source);
        self.from.push(message.from.0 as u32);
        self.to.push(message.to.0 as u32);
        self.bytes.push(message.bytes);
        self.started_ns.push(message.started_ns);
        self.acked_ns.push(message.acked_ns.unwrap_or(Ns::MAX));
    }

    /// Adds the messages of a cell, whose hosts have these numbers in the scenario.
    pub fn append(&mut self, of_cell: &Self, hosts: &[u32]) {
        let number = |host: &u32| hosts[*host as usize];
        self.source.extend_from_slice(&of_cell.source);
        self.from.extend(of_cell.from.iter().map(number));
        self.to.extend(of_cell.to.iter().map(number));
        self.bytes.extend_from_slice(&of_cell.bytes);
        self.started_ns.extend_from_slice(&of_cell.started_ns);
        self.acked_ns.extend_from_slice(&of_cell.acked_ns);
    }

    /// One source's after another's, and those of a source as they are.
    pub fn sort_by_source(&mut self) {
        let mut order: Vec<usize> = (0..self.source.len()).collect();
        order.sort_by_key(|place| self.source[*place]);
        for column in [&mut self.source, &mut self.from, &mut self.to] {
            *column = order.iter().map(|place| column[*place]).collect();
        }
        for column in [&mut self.bytes, &mut self.started_ns, &mut self.acked_ns] {
            *column = order.iter().map(|place| column[*place]).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::NodeId;

    #[test]
    fn cells_are_joined_with_the_scenarios_hosts_and_one_source_after_another() {
        let message = |from: usize, bytes: u64| Message {
            from: NodeId(from),
            to: NodeId(1 - from),
            bytes,
            started_ns: bytes + 1,
            acked_ns: (bytes != 30).then_some(bytes + 2),
        };
        let (mut one, mut other, mut all) = <(Messages, Messages, Messages)>::default();
        one.add(2, &message(0, 10));
        one.add(0, &message(1, 20));
        one.add(2, &message(1, 30));
        other.add(1, &message(0, 40));
        all.append(&one, &[7, 9]);
        all.append(&other, &[3, 4]);
        all.sort_by_source();
        let expected = Messages {
            source: vec![0, 1, 2, 2],
            from: vec![9, 3, 7, 9],
            to: vec![7, 4, 9, 7],
            bytes: vec![20, 40, 10, 30],
            started_ns: vec![21, 41, 11, 31],
            acked_ns: vec![22, 42, 12, Ns::MAX],
        };
        assert_eq!(all, expected);
    }
}
