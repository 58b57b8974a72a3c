// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The fair schedulers against sequences worked out by hand.

use std::collections::VecDeque;

use super::*;
use crate::tm::config::Weight;
use crate::tm::limits::MAX_QUEUES;

pub(super) const FAIR: [SchedulerKind; 2] = [SchedulerKind::Drr, SchedulerKind::Scfq];

/// Weights of the first queues; the others weigh 1.
fn weights(first: &[f64]) -> Weights {
    let mut weights = [Weight::ONE; MAX_QUEUES as usize];
    for (weight, value) in weights.iter_mut().zip(first) {
        *weight = Weight::new(*value).expect("a valid weight");
    }
    weights
}

/// A scheduler with the lengths that wait in its queues.
pub(super) struct Bench {
    scheduler: Box<dyn Scheduler>,
    pub queues: [VecDeque<u32>; MAX_QUEUES as usize],
}

impl Bench {
    pub fn new(kind: SchedulerKind, first: &[f64]) -> Self {
        Self {
            scheduler: scheduler(kind, &weights(first)),
            queues: Default::default(),
        }
    }

    pub fn add(&mut self, queue: u8, len_bytes: u32) {
        self.queues[usize::from(queue)].push_back(len_bytes);
        self.scheduler.enqueued(queue, len_bytes);
    }

    fn add_all(&mut self, queue: u8, lens: &[u32]) {
        lens.iter().for_each(|len| self.add(queue, *len));
    }

    /// Take the next packet, up to where its transmission would start.
    fn take(&mut self) -> Option<(u8, u32)> {
        let queue = self.scheduler.select(u8::MAX)?;
        assert_eq!(
            self.scheduler.select(u8::MAX),
            Some(queue),
            "asking changes nothing"
        );
        let waiting = &mut self.queues[usize::from(queue)];
        let len_bytes = waiting.pop_front().expect("the queue has a packet");
        self.scheduler.dequeued(queue, waiting.front().copied());
        Some((queue, len_bytes))
    }

    pub fn serve(&mut self) -> Option<(u8, u32)> {
        let (queue, len_bytes) = self.take()?;
        self.scheduler.sent(len_bytes);
        Some((queue, len_bytes))
    }

    /// The queues of the next packets.
    fn order(&mut self, count: usize) -> Vec<u8> {
        (0..count)
            .filter_map(|_| self.serve())
            .map(|(queue, _)| queue)
            .collect()
    }

    pub fn drain(&mut self) -> Vec<u8> {
        std::iter::from_fn(|| self.serve())
            .map(|(queue, _)| queue)
            .collect()
    }
}

#[test]
fn drr_sends_what_the_deficit_covers_and_keeps_the_rest() {
    let mut bench = Bench::new(SchedulerKind::Drr, &[]);
    bench.add_all(0, &[1000, 1000, 1000]);
    bench.add_all(1, &[700, 900, 400, 700]);
    // Round 1: 1500 - 1000 leaves 500, too little; 1500 - 700 leaves 800, too little.
    // Round 2: 2000 covers the other two; 2300 covers the other three.
    assert_eq!(bench.drain(), [0, 1, 0, 0, 1, 1, 1]);
}

#[test]
fn drr_gives_a_quantum_of_1500_bytes_times_the_weight() {
    let mut bench = Bench::new(SchedulerKind::Drr, &[2.0, 1.0]);
    bench.add_all(0, &[500; 12]);
    bench.add_all(1, &[500; 6]);
    assert_eq!(
        bench.drain(),
        [0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1]
    );
}

#[test]
fn drr_with_quanta_below_a_packet_waits_as_many_rounds_as_it_takes() {
    // Quanta of 300 and 1.5 bytes: packets of 1500 bytes every 5 and every 1000 rounds.
    let mut bench = Bench::new(SchedulerKind::Drr, &[0.2, 0.001]);
    bench.add_all(0, &[1500; 400]);
    bench.add_all(1, &[1500; 2]);
    let order = bench.drain();
    let served: Vec<usize> = (0..order.len()).filter(|turn| order[*turn] == 1).collect();
    assert_eq!(served, [200, 401]);
}

#[test]
fn scfq_serves_by_finish_tags_and_ties_go_to_the_higher_queue() {
    let mut bench = Bench::new(SchedulerKind::Scfq, &[0.2, 0.8]);
    bench.add_all(0, &[1000, 1000]);
    bench.add_all(1, &[1000; 9]);
    // Tags of queue 1: 1250, 2500, 3750, 5000, ...; of queue 0: 5000, 10000.
    assert_eq!(bench.drain(), [1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1]);
}

#[test]
fn scfq_starts_an_arrival_at_the_tag_in_service() {
    let mut bench = Bench::new(SchedulerKind::Scfq, &[0.2, 0.8]);
    bench.add_all(0, &[1000; 5]);
    assert_eq!(bench.order(3), [0, 0, 0]);
    // The third packet, in service, has tag 15000: 15000 + 2000 / 0.8 = 17500 comes before 20000,
    // and the packet behind it, 17500 + 2400 / 0.8 = 20500, after it.
    bench.add_all(1, &[2000, 2400]);
    assert_eq!(bench.drain(), [1, 0, 1, 0]);
}

#[test]
fn scfq_does_not_round_tags() {
    let mut bench = Bench::new(SchedulerKind::Scfq, &[0.7, 1.0]);
    bench.add_all(0, &[1; 8]);
    bench.add(1, 10);
    // Seven times 1 / 0.7 is 10, the tag of queue 1, and ties go to the higher queue.
    assert_eq!(bench.drain(), [0, 0, 0, 0, 0, 0, 1, 0, 0]);
}

#[test]
fn scfq_continues_a_queue_whose_last_packet_is_in_service() {
    let mut bench = Bench::new(SchedulerKind::Scfq, &[]);
    bench.add(0, 3000);
    bench.add_all(1, &[1000, 1000]);
    assert_eq!(bench.order(2), [1, 1]);
    bench.add(1, 1500);
    let (_, len_bytes) = bench.take().expect("the packet of queue 0");
    // It starts where the packet in service ends, at 3000, and not later because 2000 has passed:
    // its tag of 3400 is before the 3500 of queue 1.
    bench.add(0, 400);
    bench.scheduler.sent(len_bytes);
    assert_eq!(bench.drain(), [0, 1]);
}

#[test]
fn drr_does_not_keep_what_is_left_of_a_larger_quantum() {
    let mut bench = Bench::new(SchedulerKind::Drr, &[1000.0, 1.0]);
    bench.add_all(0, &[1500; 40]);
    bench.add_all(1, &[1500; 40]);
    assert_eq!(bench.order(2), [0, 0]);
    bench.scheduler.set_weights(&weights(&[1.0, 1.0]));
    assert_eq!(bench.order(6), [0, 1, 0, 1, 0, 1]);
}

#[test]
fn a_queue_that_was_empty_comes_back_without_credit() {
    for kind in FAIR {
        let mut bench = Bench::new(kind, &[]);
        bench.add(1, 1500);
        bench.add_all(0, &[1500; 150]);
        assert_eq!(
            bench.order(101).iter().filter(|queue| **queue == 1).count(),
            1
        );
        bench.add_all(1, &[1500; 20]);
        let next = bench.order(20);
        assert_eq!(
            next.iter().filter(|queue| **queue == 1).count(),
            10,
            "{kind:?}: {next:?}"
        );
    }
}

#[test]
fn weights_change_under_a_backlog_and_count_at_once() {
    for kind in FAIR {
        let mut bench = Bench::new(kind, &[0.001, 1.0]);
        bench.add_all(0, &[1000; 500]);
        bench.add_all(1, &[1000; 500]);
        bench.order(105);
        for (first, second, share) in [(1.0, 1.0, 50), (0.2, 0.8, 20), (0.9, 0.1, 90)] {
            bench.scheduler.set_weights(&weights(&[first, second]));
            let served = bench.order(100).iter().filter(|queue| **queue == 0).count();
            assert!(served.abs_diff(share) <= 2, "{kind:?}: {served} of {share}");
        }
    }
}

#[test]
fn what_egress_drops_is_not_charged() {
    for kind in FAIR {
        let mut bench = Bench::new(kind, &[]);
        bench.add_all(0, &[1000; 120]);
        bench.add_all(1, &[1000; 120]);
        let mut sent = [0; 2];
        for turn in 0..60 {
            let (queue, len_bytes) = bench.take().expect("a backlog");
            // Every other packet of queue 0 is dropped.
            let dropped = queue == 0 && turn % 2 == 0;
            bench.scheduler.sent(if dropped { 0 } else { len_bytes });
            sent[usize::from(queue)] += u32::from(!dropped);
        }
        assert!(sent[0].abs_diff(sent[1]) <= 2, "{kind:?}: {sent:?}");
    }
}

#[test]
fn a_packet_that_arrives_during_the_last_service_continues_the_backlog() {
    for kind in FAIR {
        let mut bench = Bench::new(kind, &[]);
        bench.add(0, 1000);
        let (_, len_bytes) = bench.take().expect("a packet");
        bench.add(0, 1000);
        bench.add(1, 400);
        bench.scheduler.sent(len_bytes);
        // For DRR the visit goes on: 500 of 1500 are left, too little. For SCFQ 1400 is less than 2000.
        assert_eq!(bench.drain(), [1, 0], "{kind:?}");
    }
}

#[test]
fn a_scheduler_that_did_not_see_a_packet_dequeued_charges_nobody() {
    for kind in FAIR {
        let mut bench = Bench::new(kind, &[]);
        bench.add_all(0, &[1500; 2]);
        bench.scheduler.sent(9000);
        bench.add_all(1, &[1500; 2]);
        assert_eq!(
            bench.drain().iter().filter(|queue| **queue == 0).count(),
            2,
            "{kind:?}"
        );
    }
}
