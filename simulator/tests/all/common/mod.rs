// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Routers with the pipeline, with tables as the control plane fills them, and networks to put them in.

#![allow(dead_code)]

pub mod random_network;

use std::sync::OnceLock;

use quench_dataplane::control::MatchField;
use quench_dataplane::Switch;
pub use quench_pipeline::tables::add_clone_session;
use quench_pipeline::tables::{self, average_parameters, insert, set_address, Row};
use quench_simulator::{NoController, Results, Scenario, Simulation};
use serde_json::{json, Value};

pub const S: u64 = 1_000_000_000;
pub const MS: u64 = 1_000_000;

/// `quench.p4` as JSON.
pub fn program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(quench_pipeline::program)
}

/// Sends packets for a network of 24 bits to a port.
pub fn add_route(switch: &mut Switch, net: [u8; 3], port: u32) {
    let prefix = MatchField::Lpm(vec![net[0], net[1], net[2], 0], 24);
    tables::add_route(switch, "ipv4_route", prefix, port);
}

/// As [`add_route`], of the IPv6 addresses that are made of the network's.
pub fn add_ipv6_route(switch: &mut Switch, net: [u8; 3], port: u32) {
    let mut address = vec![0xfd, 0x51, 0x75, 0x65, 0x6e, 0x63, 0x68, 0, 0, 0, 0, 0];
    address.extend([net[0], net[1], net[2], 0]);
    let prefix = MatchField::Lpm(address, 96 + 24);
    tables::add_route(switch, "ipv6_route", prefix, port);
}

/// Packets with a DSCP wait in a queue.
pub fn add_class(switch: &mut Switch, dscp: u8, queue: u64) {
    insert(
        switch,
        "QuenchIngress.classification.dscp_queue",
        vec![MatchField::Ternary(vec![dscp], vec![0x3f])],
        1,
        "QuenchIngress.classification.use_queue",
        &[queue],
    );
}

/// Rows with minth 15, maxth 45, maxp 0.1.
pub type Curve = [Row; 3];

pub const ECN: Curve = curve(false);
pub const BECN: Curve = curve(true);

const fn curve(isq: bool) -> Curve {
    let row = Row {
        pkts: [15.0, 45.0],
        level1: [0.0, 0.1],
        level2: [0.0, 0.0],
        isq,
        drop: false,
        isq_level: [0.0, 0.0],
    };
    [
        row,
        Row {
            pkts: [45.0, 90.0],
            level1: [0.1, 1.0],
            drop: true,
            ..row
        },
        Row {
            pkts: [90.0, f64::INFINITY],
            level1: [1.0, 1.0],
            drop: true,
            ..row
        },
    ]
}

/// A profile for 10 Mb/s with decisions on arrival, wq 0.002, packets of 1000 bytes and byte mode.
pub fn add_profile(switch: &mut Switch, port: u32, curve: &Curve, isq_in_dataplane: bool) {
    let mut parameters = average_parameters(10_000_000).to_vec();
    parameters.extend([
        ("wait", 1),
        ("mark_at_tail", 1),
        ("level1_codepoint", 3),
        ("level2_codepoint", 3),
        ("isq_in_dataplane", isq_in_dataplane.into()),
    ]);
    tables::add_profile(switch, port, curve, &parameters);
}

/// At the first port of r1 every ECT packet is marked from K on, on arrival, by the queue of the moment.
pub fn add_step(simulation: &mut Simulation, k_pkts: f64, rate_bps: u64) {
    add_ramp(simulation, [k_pkts, k_pkts], rate_bps);
}

/// As [`add_step`], with a probability that rises from 0 to 1 between two depths.
pub fn add_ramp(simulation: &mut Simulation, pkts: [f64; 2], rate_bps: u64) {
    let row = Row {
        pkts,
        level1: [0.0, 1.0],
        level2: [0.0, 0.0],
        isq: false,
        drop: false,
        isq_level: [0.0, 0.0],
    };
    let all = Row {
        pkts: [pkts[1], f64::INFINITY],
        level1: [1.0, 1.0],
        ..row
    };
    let rows = [row, all];
    let rows = if pkts[0] < pkts[1] {
        &rows[..]
    } else {
        &rows[1..]
    };
    let parameters = [
        ("weight", 1 << 32),
        ("mean_transmission_q8_us", 8_000_000_000 * 256 / rate_bps),
        ("decay_rate", (1 << 32) - 1),
        ("decay_shift", 0),
        ("count_per_byte", 4_294_967),
        ("mark_at_tail", 1),
        ("level1_codepoint", 3),
        ("level2_codepoint", 3),
    ];
    let switch = simulation.router_mut("r1").expect("there is this router");
    tables::add_profile(switch, 1, rows, &parameters);
}

/// Two hosts, two routers: s 10.0.1.1 - r1 - r2 - c 10.0.2.1. Links are called left, middle and right.
pub fn chain() -> Value {
    json!({
        "duration_s": 10.0,
        "hosts": [{"name": "s", "address": "10.0.1.1"}, {"name": "c", "address": "10.0.2.1"}],
        "routers": [{"name": "r1"}, {"name": "r2"}],
        "links": [
            {"name": "left", "a": "s", "b": "r1", "delay_s": 0.002,
             "ab": {"rate_bps": 1e8}, "ba": {"rate_bps": 1e8}},
            {"name": "middle", "a": "r1", "b": "r2", "delay_s": 0.04,
             "ab": {"rate_bps": 1e7}, "ba": {"rate_bps": 1e7}},
            {"name": "right", "a": "r2", "b": "c", "delay_s": 0.002,
             "ab": {"rate_bps": 1e8}, "ba": {"rate_bps": 1e8}},
        ],
    })
}

/// The simulation of a chain, with its routes.
pub fn start_chain(scenario: &Value) -> Simulation {
    let mut simulation = start(scenario);
    for (router, left, right) in [("r1", 1, 2), ("r2", 1, 2)] {
        let switch = simulation.router_mut(router).expect("there is this router");
        add_route(switch, [10, 0, 1], left);
        add_route(switch, [10, 0, 2], right);
        add_clone_session(switch);
    }
    simulation
}

pub fn start(scenario: &Value) -> Simulation {
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(scenario, program()).unwrap_or_else(|error| panic!("{error}"))
}

/// To the end of the scenario, without a controller.
pub fn run(mut simulation: Simulation) -> Results {
    let end = simulation.duration_ns();
    simulation
        .run_until(end, &mut NoController)
        .expect("no captures");
    simulation.results()
}

/// The text's dumbbell with `flows` FTP sources of which all use `algorithm`.
pub fn dumbbell(flows: usize, algorithm: &str, duration_s: f64, warmup_s: f64) -> Value {
    let mut scenario = json!({
        "duration_s": duration_s,
        "warmup_s": warmup_s,
        "hosts": [],
        "routers": [{"name": "r1"}, {"name": "r2"}],
        "links": [{"name": "bottleneck", "a": "r1", "b": "r2", "delay_s": 0.04,
                   "ab": {"rate_bps": 1e7, "buffer_bytes": 90_000}, "ba": {"rate_bps": 1e7}}],
        "stacks": {"tcp": {"preset": "ns2-2001", "algorithm": algorithm}},
        "sources": [],
    });
    let access = json!({"rate_bps": 1e8});
    for flow in 1..=flows {
        for (name, router, net) in [("s", "r1", 1), ("c", "r2", 2)] {
            let host = format!("{name}{flow}");
            let address = format!("10.{net}.{flow}.1");
            push(
                &mut scenario["hosts"],
                json!({"name": host, "address": address}),
            );
            let link = json!({"name": host, "a": host, "b": router, "delay_s": 0.002,
                              "ab": access, "ba": access});
            push(&mut scenario["links"], link);
        }
        let source = json!({"name": format!("f{flow}"), "kind": "ftp", "from": format!("s{flow}"),
                            "to": format!("c{flow}"), "stack": "tcp", "start_spread_s": 1.0});
        push(&mut scenario["sources"], source);
    }
    scenario
}

fn push(list: &mut Value, value: Value) {
    list.as_array_mut().expect("a list").push(value);
}

/// The simulation of a dumbbell, with routes, and the profile at the bottleneck if there is one.
pub fn start_dumbbell(
    scenario: &Value,
    curve: Option<&Curve>,
    isq_in_dataplane: bool,
) -> Simulation {
    let flows = scenario["sources"].as_array().map_or(0, Vec::len);
    program_dumbbell(start(scenario), flows, curve, isq_in_dataplane)
}

/// As [`start_dumbbell`], of a simulation that was made already.
pub fn program_dumbbell(
    mut simulation: Simulation,
    flows: usize,
    curve: Option<&Curve>,
    isq_in_dataplane: bool,
) -> Simulation {
    for (router, near, far) in [("r1", 1, 2), ("r2", 2, 1)] {
        let switch = simulation.router_mut(router).expect("there is this router");
        for flow in 1..=flows {
            add_route(switch, [10, near, flow as u8], flow as u32 + 1);
            add_route(switch, [10, far, flow as u8], 1);
        }
        add_clone_session(switch);
        if isq_in_dataplane {
            set_address(switch, [10, 255, 255, near]);
        }
    }
    if let Some(curve) = curve {
        let switch = simulation.router_mut("r1").expect("there is this router");
        add_profile(switch, 1, curve, isq_in_dataplane);
    }
    simulation
}
