// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Samples at regular times: RED's average, queue lengths, and the windows of connections.

use quench_dataplane::control::PortState;
use quench_dataplane::Switch;

use crate::aqm::{self, Average};
use crate::cells::Cells;
use crate::error::Error;
use crate::measure::Series;
use crate::names::Names;
use crate::network::{Direction, Network, Node, Router};
use crate::scenario::Scenario;
use crate::time::{from_s, to_s, Ns};
use crate::traffic::ConnectionId;
use crate::transport::Socket;

const DIRECTION_COLUMNS: [&str; 7] = [
    "queue_pkts",
    "queue_bytes",
    "average_pkts",
    "marked_pkts",
    "dropped_pkts",
    "isq_pkts",
    "tx_bytes",
];
const WINDOW_COLUMNS: [&str; 4] = ["cwnd_pkts", "ssthresh_pkts", "flight_bytes", "srtt_s"];

/// Sources whose windows are kept.
const MAX_WINDOWS: usize = 16;

/// Sums of a value and of its square.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sampled {
    count: u64,
    sum: f64,
    sum_of_squares: f64,
}

impl Sampled {
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.sum_of_squares += value * value;
    }

    /// Mean and standard deviation; none without a sample.
    pub fn moments(&self) -> Option<(f64, f64)> {
        if self.count == 0 {
            return None;
        }
        let count = self.count as f64;
        let mean = self.sum / count;
        let variance = (self.sum_of_squares / count - mean * mean).max(0.0);
        Some((mean, variance.sqrt()))
    }
}

/// A direction that is sampled.
#[derive(Debug)]
pub struct Watched {
    /// Its number in the scenario.
    pub direction: usize,
    /// RED's average, summed over all queues, and of each queue.
    pub average: Sampled,
    pub queues: Vec<Sampled>,
    series: Option<Series>,
    /// Counts from before statistics began.
    before: Counted,
}

/// Counts of a direction. A series has them from the simulation's beginning on.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    /// By the P4 program, which never resets them; none if it does not count its marks.
    marked_pkts: Option<u64>,
    dropped_by_program_pkts: u64,
    /// By full queues, and by the egress of a program that counts no drops.
    dropped_by_port_pkts: u64,
    isq_pkts: u64,
    tx_bytes: u64,
}

#[derive(Debug)]
pub struct Sampling {
    interval_ns: Ns,
    next_sample: u64,
    pub watched: Vec<Watched>,
    /// The windows of sources, by the index of the source.
    windows: Vec<(usize, Series)>,
    wants_windows: bool,
    max_points: usize,
}

impl Sampling {
    /// RED's average is sampled in the directions between routers, and in those that `measure.series` names.
    pub fn new(
        scenario: &Scenario,
        names: &Names,
        directions: &[Direction],
        routers: &[Router],
        average: &Average,
    ) -> Result<Self, Error> {
        let measure = &scenario.measure;
        let interval_ns = from_s(measure.series_interval_s);
        let mut wanted = vec![false; directions.len()];
        for (index, name) in measure.series.iter().enumerate() {
            let direction = names.direction_named(name).ok_or_else(|| {
                let problem = format!("there is no direction \"{name}\": write LINK.ab or LINK.ba");
                Error::at(format!("measure.series[{index}]"), problem)
            })?;
            wanted[direction] = true;
        }
        let mut watched = Vec::new();
        for (index, direction) in directions.iter().enumerate() {
            let between = matches!(
                (direction.from, direction.to),
                (Node::Router(..), Node::Router(..))
            );
            if !wanted[index] && !between {
                continue;
            }
            let queues = match direction.from {
                Node::Router(router, port) if average.is_of(&routers[router as usize].switch) => {
                    usize::from(port_state(&routers[router as usize].switch, port, 0).queues)
                }
                _ => 0,
            };
            let series = wanted[index].then(|| {
                let interval_s = to_s(interval_ns);
                let name = direction.name.clone();
                Series::new(name, &DIRECTION_COLUMNS, interval_s, measure.max_points)
            });
            watched.push(Watched {
                direction: index,
                average: Sampled::default(),
                queues: vec![Sampled::default(); queues],
                series,
                before: Counted::default(),
            });
        }
        Ok(Self {
            interval_ns,
            next_sample: 0,
            watched,
            windows: Vec::new(),
            wants_windows: measure.cwnd,
            max_points: measure.max_points,
        })
    }

    /// Takes a sample; returns the time of the next.
    pub fn sample(&mut self, cells: &mut Cells) -> Ns {
        let sample = self.next_sample;
        self.next_sample += 1;
        let network = cells.any();
        let measures = network.now >= network.warmup_ns;
        for watched in &mut self.watched {
            watched.sample(sample, measures, cells);
        }
        if self.wants_windows {
            self.sample_windows(sample, cells);
        }
        self.next_sample * self.interval_ns
    }

    /// Keeps the counts of the network, which are about to be reset.
    pub fn keep_counts(&mut self, cells: &mut Cells) {
        for watched in &mut self.watched {
            let now = counted(cells, watched.direction);
            watched.before.dropped_by_port_pkts += now.dropped_by_port_pkts;
            watched.before.isq_pkts += now.isq_pkts;
            watched.before.tx_bytes += now.tx_bytes;
        }
    }

    pub fn series(&self) -> impl Iterator<Item = &Series> {
        let directions = self
            .watched
            .iter()
            .filter_map(|watched| watched.series.as_ref());
        directions.chain(self.windows.iter().map(|(_, series)| series))
    }

    fn sample_windows(&mut self, sample: u64, cells: &mut Cells) {
        let interval_s = to_s(self.interval_ns);
        for index in 0..cells.sources() {
            let (network, place) = cells.source(index);
            let source = &network.sources[place];
            let Some(id) = source.newest else { continue };
            let known = self.windows.iter().position(|(source, _)| *source == index);
            let series = match known {
                Some(known) => &mut self.windows[known].1,
                None if self.windows.len() < MAX_WINDOWS => {
                    let name = source.name.clone();
                    let series = Series::new(name, &WINDOW_COLUMNS, interval_s, self.max_points);
                    self.windows.push((index, series));
                    match self.windows.last_mut() {
                        Some((_, series)) => series,
                        None => continue,
                    }
                }
                None => continue,
            };
            if !series.wants(sample) {
                continue;
            }
            let sender = newest_sender(network, id);
            if let Some(socket) = sender {
                let values = [
                    socket.cwnd_pkts(),
                    socket.ssthresh_pkts(),
                    socket.flight_bytes() as f64,
                    socket.srtt_ns().map_or(f64::NAN, to_s),
                ];
                series.add(sample, &values);
            }
        }
    }
}

/// The socket of a source's newest connection: the end that has sent more stands for both.
pub fn newest_sender(network: &Network, newest: ConnectionId) -> Option<&dyn Socket> {
    let key = network.connections.find(newest)?;
    let pair = network.connections.get(key)?;
    let ends = pair.ends.iter().filter_map(|end| end.socket.as_deref());
    ends.max_by_key(|socket| socket.counters().data_bytes_sent)
}

impl Watched {
    fn sample(&mut self, sample: u64, measures: bool, cells: &mut Cells) {
        let mut average = f64::NAN;
        let (network, direction) = cells.beginning(self.direction);
        if let (Node::Router(router, port), false) =
            (network.directions[direction].from, self.queues.is_empty())
        {
            let switch = &network.routers[router as usize].switch;
            average = 0.0;
            for (number, queue) in (0..).zip(&mut self.queues) {
                let value = network.average.pkts(switch, port, number);
                average += value.unwrap_or(f64::NAN);
                if let (true, Some(value)) = (measures, value) {
                    queue.add(value);
                }
            }
            if measures && !average.is_nan() {
                self.average.add(average);
            }
        }
        let Some(series) = self.series.as_mut().filter(|series| series.wants(sample)) else {
            return;
        };
        let (pkts, bytes) = depth(network, direction);
        let counted = counted(cells, self.direction);
        let dropped_by_port_pkts = self.before.dropped_by_port_pkts + counted.dropped_by_port_pkts;
        let values = [
            pkts as f64,
            bytes as f64,
            average,
            counted.marked_pkts.map_or(f64::NAN, |pkts| pkts as f64),
            (counted.dropped_by_program_pkts + dropped_by_port_pkts) as f64,
            (self.before.isq_pkts + counted.isq_pkts) as f64,
            (self.before.tx_bytes + counted.tx_bytes) as f64,
        ];
        series.add(sample, &values);
    }
}

fn port_state(switch: &Switch, port: u32, now: Ns) -> PortState {
    switch
        .port_get(port, now)
        .expect("the port was set up when the scenario was loaded")
}

fn depth(network: &mut Network, direction: usize) -> (u64, u64) {
    let now = network.now;
    match network.directions[direction].from {
        Node::Host(host) => network.wires[host as usize].depth(now),
        Node::Router(router, port) => {
            let state = port_state(&network.routers[router as usize].switch, port, now);
            let depths = state.per_queue.iter().map(|queue| queue.depth);
            depths.fold((0, 0), |(pkts, bytes), depth| {
                (pkts + depth.pkts, bytes + depth.bytes)
            })
        }
        Node::Away { .. } => (0, 0),
    }
}

/// The counts of a direction: those of the P4 program from the beginning, the others since statistics began.
fn counted(cells: &mut Cells, direction: usize) -> Counted {
    let (network, end) = cells.end(direction);
    let isq_pkts = network.directions[end].crossing.isq_pkts;
    let (network, direction) = cells.beginning(direction);
    let now = network.now;
    let this = &network.directions[direction];
    let names = &network.counters;
    match this.from {
        Node::Host(host) => {
            let (stats, _) = network.wires[host as usize].stats(now);
            Counted {
                // Hosts mark nothing, and drop only packets that find the queue full.
                marked_pkts: Some(0),
                dropped_by_port_pkts: stats.dropped_full_pkts,
                isq_pkts,
                tx_bytes: stats.tx_bytes,
                ..Counted::default()
            }
        }
        Node::Router(router, port) => {
            let switch = &network.routers[router as usize].switch;
            let stats = port_state(switch, port, now).stats;
            let dropped_pkts = [&names.dropped_early, &names.dropped_forced]
                .into_iter()
                .filter_map(|names| aqm::counted_pkts(switch, names, port))
                .reduce(|sum, each| sum + each);
            let in_egress_pkts = match dropped_pkts {
                Some(_) => 0,
                None => stats.dropped_egress_pkts,
            };
            Counted {
                marked_pkts: aqm::counted_pkts(switch, &names.marked, port),
                dropped_by_program_pkts: dropped_pkts.unwrap_or(0),
                dropped_by_port_pkts: stats.dropped_full_pkts
                    + stats.given_up_pkts
                    + in_egress_pkts,
                isq_pkts,
                tx_bytes: stats.tx_bytes,
            }
        }
        Node::Away { .. } => Counted::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_samples() {
        let mut sampled = Sampled::default();
        assert_eq!(sampled.moments(), None);
        for value in [1.0, 3.0] {
            sampled.add(value);
        }
        assert_eq!(sampled.moments(), Some((2.0, 1.0)));
    }
}
