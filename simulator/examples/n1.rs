// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The dumbbell of N1 (docs/glossary.md) with 45 FTP flows and ECN for 500 s: prints the time that it takes and the results
//! of the bottleneck.
//! `n1 [FLOWS [ALGORITHM [DURATION_S]]]`

#[path = "../tests/all/common/mod.rs"]
mod common;

use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let flows = arguments
        .next()
        .map_or(45, |text| text.parse().expect("a number"));
    let algorithm = arguments.next().unwrap_or_else(|| "ecn".to_owned());
    let duration_s = arguments
        .next()
        .map_or(500.0, |text| text.parse().expect("a number"));
    let scenario = common::dumbbell(flows, &algorithm, duration_s, duration_s / 5.0);
    let quenches = algorithm.contains("becn");
    let curve = match algorithm.as_str() {
        "taildrop" => None,
        _ if quenches => Some(&common::BECN),
        _ => Some(&common::ECN),
    };
    let started = Instant::now();
    let simulation = common::start_dumbbell(&scenario, curve, quenches);
    let loaded = Instant::now();
    let results = common::run(simulation);
    let wall_s = loaded.elapsed().as_secs_f64();
    println!("load {:.3} s", (loaded - started).as_secs_f64());
    let events = results.events;
    println!(
        "run {wall_s:.3} s, {events} events, {:.0} ns each",
        wall_s * 1e9 / events as f64
    );
    for name in ["bottleneck.ab", "bottleneck.ba"] {
        let direction = results
            .directions
            .iter()
            .find(|direction| direction.name == name);
        println!(
            "{}",
            serde_json::to_string(&direction).expect("plain numbers")
        );
    }
}
