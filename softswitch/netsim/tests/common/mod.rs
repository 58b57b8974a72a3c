// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Routers with the Quench pipeline, with tables as the control plane fills them, and networks to put them in.

#![allow(dead_code)]

use std::path::Path;
use std::sync::OnceLock;

use quench_dataplane::control::{
    ActionCall, CloneSession, Control, EntryData, MatchField, Replica, TableAction,
};
use quench_dataplane::Switch;
use quench_netsim::{NoController, Results, Scenario, Simulation};
use quench_p4_frontend::Options;
use serde_json::{json, Value};

pub const S: u64 = 1_000_000_000;
pub const MS: u64 = 1_000_000;

/// `quench.p4` as the workspace's compiler translates it.
pub fn program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../p4src/quench.p4");
        let compiled = quench_p4_bmv2::compile(&path, &Options::default());
        compiled.expect("the pipeline compiles").json
    })
}

fn number(value: u64) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}

fn insert(
    switch: &mut Switch,
    table: &str,
    key: Vec<MatchField>,
    priority: i32,
    action: &str,
    params: &[u64],
) {
    let call = ActionCall {
        name: action.to_owned(),
        params: params.iter().map(|&param| number(param)).collect(),
    };
    let data = EntryData::from(TableAction::Action(call));
    let done = switch.table_insert(table, &key, priority, data, 0);
    done.unwrap_or_else(|error| panic!("{table}: {error}"));
}

/// An action's arguments in their order; those without a value are 0.
fn arguments(switch: &Switch, action: &str, values: &[(&str, u64)]) -> Vec<u64> {
    let program = switch.program().expect("a program is loaded");
    let mut actions = program.actions.iter();
    let action = actions
        .find(|known| known.name == action)
        .expect("the program has it");
    let names: Vec<&str> = action.params.iter().map(|p| p.name.as_str()).collect();
    let value = |wanted: &str| values.iter().find(|(name, _)| *name == wanted);
    assert!(values.iter().all(|(name, _)| names.contains(name)));
    let in_order = names
        .iter()
        .map(|name| value(name).map_or(0, |(_, value)| *value));
    in_order.collect()
}

/// Sends packets for a network of 24 bits to a port.
pub fn add_route(switch: &mut Switch, net: [u8; 3], port: u32) {
    let macs = [0x0200_0000_0001, 0x0200_0000_0100 + u64::from(port)];
    insert(
        switch,
        "QuenchIngress.routing.ipv4_route",
        vec![MatchField::Lpm(vec![net[0], net[1], net[2], 0], 24)],
        0,
        "QuenchIngress.routing.forward",
        &[u64::from(port), macs[0], macs[1]],
    );
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

/// Copies for the CPU go there.
pub fn add_clone_session(switch: &mut Switch) {
    let session = CloneSession {
        replicas: vec![Replica { port: 510, rid: 0 }],
        ..CloneSession::default()
    };
    switch
        .clone_session_set(100, session)
        .expect("a valid session");
}

/// Rows of the table `curve`: lowest and highest key, then the arguments of `set_segment`. minth 15, maxth 45, maxp 0.1.
pub type Curve = [[u64; 11]; 3];

pub const ECN: Curve = [
    [240, 719, 983_040, 0, 894_785, 0, 0, 0, 0, 0, 0],
    [720, 1439, 2_949_120, 1_677_722, 5_368_709, 0, 0, 0, 1, 0, 0],
    [1440, 1_048_575, 5_898_240, 16_777_216, 0, 0, 0, 0, 1, 0, 0],
];

pub const BECN: Curve = [
    [240, 719, 983_040, 0, 894_785, 0, 0, 1, 0, 0, 0],
    [720, 1439, 2_949_120, 1_677_722, 5_368_709, 0, 0, 1, 1, 0, 0],
    [1440, 1_048_575, 5_898_240, 16_777_216, 0, 0, 0, 1, 1, 0, 0],
];

/// A profile for 10 Mb/s with decisions on arrival, wq 0.002, packets of 1000 bytes and byte mode.
pub fn add_profile(switch: &mut Switch, port: u32, curve: &Curve, isq_in_dataplane: bool) {
    let id = 1;
    let key = |low: u64, high: u64| {
        vec![
            MatchField::Exact(number(id)),
            MatchField::Range(number(low), number(high)),
        ]
    };
    let exact = |values: &[u64]| {
        let fields = values.iter().map(|&value| MatchField::Exact(number(value)));
        fields.collect::<Vec<_>>()
    };
    let set_parameters = "QuenchIngress.profile.set_parameters";
    let parameters = arguments(
        switch,
        set_parameters,
        &[
            ("weight", 33_554),
            ("mean_transmission_us", 800),
            ("count_per_byte", 16_777),
            ("wait", 1),
            ("mark_at_tail", 1),
            ("level1_codepoint", 3),
            ("level2_codepoint", 3),
            ("isq_in_dataplane", isq_in_dataplane.into()),
        ],
    );
    insert(
        switch,
        "QuenchIngress.profile.profile_parameters",
        exact(&[id]),
        0,
        set_parameters,
        &parameters,
    );
    for decay in [
        "QuenchIngress.arrival_decay",
        "QuenchEgress.average_queue.departure_decay",
    ] {
        for row in 0..67u64 {
            let (start, ratio) = (row * 2631, 0.9f64.powi(row as i32));
            let last = row == 66;
            let end = if last { (1 << 20) - 1 } else { start + 2630 };
            let (base, slope) = match last {
                true => (0, 0),
                false => ((ratio * 16_777_216.0) as u64, (ratio * 163_222.0) as u64),
            };
            insert(
                switch,
                &format!("{decay}.idle_decay"),
                key(start, end),
                1,
                &format!("{decay}.decay_by"),
                &[start, base, slope],
            );
        }
    }
    for decision in [
        "QuenchIngress.arrival_decision",
        "QuenchEgress.departure_decision",
    ] {
        for row in curve {
            insert(
                switch,
                &format!("{decision}.curve"),
                key(row[0], row[1]),
                1,
                &format!("{decision}.set_segment"),
                &row[2..],
            );
        }
    }
    insert(
        switch,
        "QuenchIngress.profile.queue_profile",
        exact(&[u64::from(port), 0]),
        0,
        "QuenchIngress.profile.use_profile",
        &[id],
    );
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
    let mut simulation = start(scenario);
    let flows = scenario["sources"].as_array().map_or(0, Vec::len);
    for (router, near, far) in [("r1", 1, 2), ("r2", 2, 1)] {
        let switch = simulation.router_mut(router).expect("there is this router");
        for flow in 1..=flows {
            add_route(switch, [10, near, flow as u8], flow as u32 + 1);
            add_route(switch, [10, far, flow as u8], 1);
        }
        add_clone_session(switch);
        if isq_in_dataplane {
            let address = ActionCall {
                name: "QuenchEgress.source_quench.use_address".to_owned(),
                params: vec![vec![10, 255, 255, near]],
            };
            let action = Some(TableAction::Action(address));
            let set = switch.table_set_default("QuenchEgress.source_quench.router", action);
            set.expect("the table has this action");
        }
    }
    if let Some(curve) = curve {
        let switch = simulation.router_mut("r1").expect("there is this router");
        add_profile(switch, 1, curve, isq_in_dataplane);
    }
    simulation
}
