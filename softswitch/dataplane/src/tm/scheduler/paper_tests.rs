// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The fair schedulers against the papers' algorithms, written down plainly, and the papers' bounds.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::tests::{Bench, FAIR};
use super::*;

/// SCFQ as the paper has it: a tag for every packet when it arrives, exact in units of
/// `1 / 2520` byte, for weights of tenths.
struct Tags {
    tenths: Vec<u64>,
    waiting: Vec<VecDeque<u64>>,
    last: Vec<u64>,
    in_service: u64,
}

impl Tags {
    fn add(&mut self, queue: u8, len_bytes: u32) {
        let index = usize::from(queue);
        let start = self.last[index].max(self.in_service);
        self.last[index] = start + u64::from(len_bytes) * 10 * 2520 / self.tenths[index];
        self.waiting[index].push_back(self.last[index]);
    }

    fn serve(&mut self, queue: u8) -> (u64, u64) {
        let least = self.waiting.iter().filter_map(|tags| tags.front()).min();
        let least = *least.expect("a packet waits");
        let tag = self.waiting[usize::from(queue)].pop_front();
        self.in_service = tag.expect("the queue has a packet");
        (self.in_service, least)
    }
}

/// DRR as the paper has it, round by round; quanta of 150 bytes for each tenth.
struct Rounds {
    tenths: Vec<u64>,
    waiting: Vec<VecDeque<u64>>,
    active: VecDeque<u8>,
    deficit: Vec<u64>,
    granted: bool,
}

impl Rounds {
    fn add(&mut self, queue: u8, len_bytes: u32) {
        self.waiting[usize::from(queue)].push_back(u64::from(len_bytes));
        if !self.active.contains(&queue) {
            self.active.push_back(queue);
        }
    }

    fn serve(&mut self) -> Option<u8> {
        loop {
            let queue = *self.active.front()?;
            let index = usize::from(queue);
            if !self.granted {
                self.deficit[index] += 150 * self.tenths[index];
                self.granted = true;
            }
            match self.waiting[index].front() {
                Some(len) if *len <= self.deficit[index] => {
                    self.deficit[index] -= self.waiting[index].pop_front().expect("just seen");
                    if self.waiting[index].is_empty() {
                        self.deficit[index] = 0;
                        self.active.pop_front();
                        self.granted = false;
                    }
                    return Some(queue);
                }
                _ => {
                    self.active.rotate_left(1);
                    self.granted = false;
                }
            }
        }
    }
}

const QUEUES: usize = 4;

#[derive(Debug, Clone)]
enum Step {
    Add(u8, u32),
    Serve,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..QUEUES as u8, 1u32..3_000).prop_map(|(queue, len)| Step::Add(queue, len)),
        (0..QUEUES as u8, Just(1_500)).prop_map(|(queue, len)| Step::Add(queue, len)),
        Just(Step::Serve),
        Just(Step::Serve),
    ];
    prop::collection::vec(step, 1..400)
}

fn tenths() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(1u64..=10, QUEUES)
}

fn as_weights(tenths: &[u64]) -> Vec<f64> {
    tenths.iter().map(|tenth| *tenth as f64 / 10.0).collect()
}

fn queues<T: Default + Clone>() -> Vec<T> {
    vec![T::default(); QUEUES]
}

/// The bytes that two queues sent, divided by their weights, while both are backlogged.
#[derive(Default, Clone)]
struct Difference {
    now: f64,
    least: f64,
    most: f64,
}

proptest! {
    #![proptest_config(ProptestConfig { ..ProptestConfig::default() })]

    #[test]
    fn scfq_always_serves_the_least_tag_of_the_paper(steps in steps(), tenths in tenths()) {
        let mut bench = Bench::new(SchedulerKind::Scfq, &as_weights(&tenths));
        let mut tags = Tags { tenths, waiting: queues(), last: queues(), in_service: 0 };
        for step in steps {
            match step {
                Step::Add(queue, len_bytes) => {
                    bench.add(queue, len_bytes);
                    tags.add(queue, len_bytes);
                }
                Step::Serve => {
                    if let Some((queue, _)) = bench.serve() {
                        let (served, least) = tags.serve(queue);
                        prop_assert_eq!(served, least);
                    }
                }
            }
        }
    }

    #[test]
    fn drr_serves_in_the_order_of_the_papers_rounds(steps in steps(), tenths in tenths()) {
        let mut bench = Bench::new(SchedulerKind::Drr, &as_weights(&tenths));
        let mut rounds =
            Rounds { tenths, waiting: queues(), active: VecDeque::new(), deficit: queues(), granted: false };
        for step in steps {
            match step {
                Step::Add(queue, len_bytes) => {
                    bench.add(queue, len_bytes);
                    rounds.add(queue, len_bytes);
                }
                Step::Serve => prop_assert_eq!(bench.serve().map(|(queue, _)| queue), rounds.serve()),
            }
        }
        for queue in bench.drain() {
            prop_assert_eq!(Some(queue), rounds.serve());
        }
    }

    /// Theorem 1 of both papers, over every interval in which two queues stay backlogged.
    #[test]
    fn shares_keep_the_bound_of_the_paper(steps in steps(), tenths in tenths(), fill in 0usize..20) {
        for kind in FAIR {
            let weights = as_weights(&tenths);
            let mut bench = Bench::new(kind, &weights);
            let mut longest = [0u32; QUEUES];
            let mut differences = vec![vec![Difference::default(); QUEUES]; QUEUES];
            let first = (0..fill).flat_map(|_| (0..QUEUES as u8).map(|queue| Step::Add(queue, 1_500)));
            for step in first.chain(steps.iter().cloned()) {
                let served = match step {
                    Step::Add(queue, len_bytes) => {
                        longest[usize::from(queue)] = longest[usize::from(queue)].max(len_bytes);
                        bench.add(queue, len_bytes);
                        continue;
                    }
                    Step::Serve => bench.serve(),
                };
                let Some((served, len_bytes)) = served else { continue };
                let served = usize::from(served);
                let sent = f64::from(len_bytes) / weights[served];
                for other in (0..QUEUES).filter(|other| *other != served) {
                    let backlogged = !bench.queues[other].is_empty();
                    let (low, high) = (served.min(other), served.max(other));
                    let difference = &mut differences[low][high];
                    difference.now += if served == low { sent } else { -sent };
                    if !backlogged {
                        *difference = Difference::default();
                        continue;
                    }
                    difference.least = difference.least.min(difference.now);
                    difference.most = difference.most.max(difference.now);
                    let rounds = if kind == SchedulerKind::Drr { 1_500.0 } else { 0.0 };
                    let bound = rounds
                        + f64::from(longest[low]) / weights[low]
                        + f64::from(longest[high]) / weights[high];
                    prop_assert!(difference.most - difference.least <= bound + 1e-6);
                    if bench.queues[served].is_empty() {
                        *difference = Difference::default();
                    }
                }
            }
        }
    }
}
