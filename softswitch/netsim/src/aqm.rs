// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The registers and counters of the P4 program that are measured, by name: RED's average, and the counts of marked and
//! dropped packets.
//!
//! A program may lack them: then the results have no such value, rather than a zero. Those that it has are checked when
//! a simulation is made.

use quench_dataplane::control::{ArrayInfo, ProgramInfo};
use quench_dataplane::Switch;

use crate::error::Error;
use crate::network::Router;
use crate::scenario::CounterNames;

/// The register of RED's average: a cell for each queue of each port, in packets with 16 fractional bits.
const AVERAGE: &str = "queue_average";
const AVERAGE_FRACTION: f64 = 65_536.0;
const QUEUES_PER_PORT: u64 = 8;

impl CounterNames {
    /// Those of `quench.p4`.
    pub fn of_quench() -> Self {
        Self {
            marked: Some("port_marked".to_owned()),
            dropped_early: Some("port_dropped_early".to_owned()),
            dropped_forced: Some("port_dropped_forced".to_owned()),
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &str> {
        let names = [&self.marked, &self.dropped_early, &self.dropped_forced];
        names.into_iter().flatten().map(String::as_str)
    }
}

/// Refuses a program whose register or counters have the wrong shape. The scenario's names of counters must be there;
/// without any, a program may have the counters of `quench.p4` or none of them.
pub fn check(router: &Router, named: Option<&CounterNames>) -> Result<(), Error> {
    let Some(program) = router.switch.program() else {
        return Ok(());
    };
    let ports = router.directions.len() as u64;
    check_average(program, &router.name, ports)
        .and_then(|()| match named {
            Some(names) => check_named(program, names, &router.name, ports),
            None => check_counters(program, &router.name, ports),
        })
        .map_err(|problem| Error::at("program", problem))
}

fn check_average(program: &ProgramInfo, router: &str, ports: u64) -> Result<(), String> {
    let mut registers = program.registers.iter();
    let register = registers.find(|register| register.name == AVERAGE);
    let needed = (ports + 1) * QUEUES_PER_PORT;
    match register {
        Some(register) if register.size < needed => Err(format!(
            "the register \"{AVERAGE}\" has {} cells, too few for the {ports} ports of \"{router}\": give it {needed}, \
             {QUEUES_PER_PORT} for each port from 0 on",
            register.size
        )),
        _ => Ok(()),
    }
}

fn find<'a>(program: &'a ProgramInfo, name: &str) -> Option<&'a ArrayInfo> {
    program.counters.iter().find(|counter| counter.name == name)
}

/// A program has all three counters of `quench.p4` or none: without one of them the measured loss would be too small.
fn check_counters(program: &ProgramInfo, router: &str, ports: u64) -> Result<(), String> {
    let names = CounterNames::of_quench();
    let Some(present) = names.all().find_map(|name| find(program, name)) else {
        return Ok(());
    };
    if let Some(missing) = names.all().find(|name| find(program, name).is_none()) {
        let wanted: Vec<&str> = names.all().collect();
        return Err(format!(
            "there is no counter \"{missing}\", but \"{}\": have all of {}, or none of them",
            present.name,
            wanted.join(", ")
        ));
    }
    check_named(program, &names, router, ports)
}

fn check_named(
    program: &ProgramInfo,
    names: &CounterNames,
    router: &str,
    ports: u64,
) -> Result<(), String> {
    for name in names.all() {
        let Some(counter) = find(program, name) else {
            return Err(format!(
                "there is no counter \"{name}\", which the scenario names"
            ));
        };
        if let Some(table) = &counter.direct_table {
            return Err(format!(
                "the counter \"{name}\" is a direct one of the table \"{table}\": declare a counter of {} cells, \
                 from port 0 on",
                ports + 1
            ));
        }
        if counter.size <= ports {
            return Err(format!(
                "the counter \"{name}\" has no cell for each of the {ports} ports of \"{router}\": give it {}, from \
                 port 0 on",
                ports + 1
            ));
        }
    }
    Ok(())
}

pub fn has_average(switch: &Switch) -> bool {
    switch.program().is_some_and(|program| {
        let mut registers = program.registers.iter();
        registers.any(|register| register.name == AVERAGE)
    })
}

/// RED's average in packets; none if the program has none.
pub fn average_pkts(switch: &Switch, port: u32, queue: u64) -> Option<f64> {
    let cell = u64::from(port) * QUEUES_PER_PORT + queue;
    let bytes = switch.register_read(AVERAGE, cell).ok()?;
    let fixed_point = bytes
        .iter()
        .fold(0.0, |sum, &byte| sum * 256.0 + f64::from(byte));
    Some(fixed_point / AVERAGE_FRACTION)
}

/// Packets of a port that one of the counters has counted; none if the program has no such counter.
pub fn counted_pkts(switch: &Switch, counter: Option<&String>, port: u32) -> Option<u64> {
    let value = switch.counter_read(counter?, u64::from(port)).ok()?;
    Some(value.packets)
}
