// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A network in cells: its results are the same for any number of threads, and those of one cell where no two events
//! have one time.

use std::fs;
use std::path::Path;

use crate::common::random_network::{Network, Random};
use crate::common::*;
use proptest::prelude::*;
use quench_simulator::{Controller, NoController, Scenario, Simulation};
use serde_json::{json, Value};

fn start_cut(scenario: &Value) -> Simulation {
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new_cut(scenario, program()).unwrap_or_else(|error| panic!("{error}"))
}

/// Answers every second packet-in, and keeps a list of all.
#[derive(Default)]
struct Answers {
    asked: Vec<(usize, u64, Vec<u8>)>,
}

impl Controller for Answers {
    fn packet_in(&mut self, router: usize, now: u64, bytes: &[u8]) -> Option<Vec<u8>> {
        let number = self.asked.len();
        self.asked.push((router, now, bytes.to_vec()));
        let port = 1 + number as u16 / 2 % 2;
        let mut answer = (port << 7).to_be_bytes().to_vec();
        answer.extend_from_slice(&[0; 60]);
        (number % 2 == 0).then_some(answer)
    }
}

/// All that comes out of a run.
#[derive(Debug, PartialEq)]
struct Outcome {
    snapshot: String,
    results: String,
    asked: Vec<(usize, u64, Vec<u8>)>,
    captures: Vec<Vec<u8>>,
}

/// Runs a network in pieces of this many nanoseconds, with a look in the middle.
fn outcome(network: &Network, folder: &Path, threads: usize, piece_ns: u64) -> Outcome {
    let mut simulation = start_cut(&network.scenario(folder));
    simulation.set_threads(threads).expect("a few");
    network.program(&mut simulation);
    let mut controller = Answers::default();
    let end = simulation.duration_ns();
    let mut run_to = |simulation: &mut Simulation, end: u64| {
        while simulation.now_ns() < end {
            let next = end.min(simulation.now_ns().saturating_add(piece_ns));
            let ran = simulation.run_until(next, &mut controller);
            ran.unwrap_or_else(|error| panic!("{error}"));
        }
    };
    run_to(&mut simulation, end / 2);
    let snapshot = simulation.snapshot();
    run_to(&mut simulation, end);
    let results = simulation.results();
    Outcome {
        snapshot: serde_json::to_string(&snapshot).expect("plain numbers"),
        results: serde_json::to_string(&results).expect("plain numbers"),
        asked: controller.asked,
        captures: network
            .captures(folder)
            .map(|path| fs::read(path).expect("the capture was written"))
            .collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_number_of_threads_gives_the_same_bytes(seed in any::<u64>()) {
        let network = Network::new(&mut Random::new(seed));
        let folder = tempfile::tempdir().expect("a temporary directory");
        // Some networks have no link that is long enough to cut.
        prop_assume!(start_cut(&network.scenario(folder.path())).cells() > 1);
        let one = outcome(&network, folder.path(), 1, u64::MAX);
        prop_assert!(one.results.len() > 1000);
        for threads in [2, 3] {
            prop_assert_eq!(&one, &outcome(&network, folder.path(), threads, u64::MAX), "seed {}", seed);
        }
        let in_pieces = outcome(&network, folder.path(), 2, 33_333_333);
        prop_assert_eq!(&one, &in_pieces, "seed {}, in pieces", seed);
    }
}

#[test]
fn an_answer_of_the_controller_has_its_place_among_events_of_its_time_wherever_rounds_end() {
    // Host s is in the cell of r1. Each millisecond, r1 gets a packet for the controller at the half and one for c at the
    // end. The answer comes at the end of another millisecond.
    let mut scenario = chain();
    scenario["duration_s"] = json!(0.1);
    scenario["links"][0] =
        json!({"name": "left", "a": "s", "b": "r1", "delay_s": 0.0, "ab": {"rate_bps": 16e6}});
    scenario["routers"][0]["controller_latency_s"] = json!(0.0025);
    let hosts = scenario["hosts"].as_array_mut().expect("a list");
    hosts.push(json!({"name": "d", "address": "10.0.3.1"}));
    let links = scenario["links"].as_array_mut().expect("a list");
    links.push(json!({"name": "far", "a": "r2", "b": "d", "delay_s": 0.004}));
    let source = |name: &str, to: &str| json!({"name": name, "kind": "cbr", "from": "s", "to": to, "rate_bps": 8e6, "packet_bytes": 1000});
    scenario["sources"] = json!([source("asks", "d"), source("passes", "c")]);
    // The delay that the link gets later is more than the latency, but a run that begins then goes on as before.
    scenario["links"][1]["delay_s"] = json!(0.0022);
    scenario["changes"] = json!([
        {"at_s": 0.05, "link": "middle", "direction": "ab", "delay_s": 0.004},
        {"at_s": 0.05, "link": "middle", "direction": "ba", "delay_s": 0.004},
    ]);
    scenario["links"][2]["delay_s"] = json!(0.004);
    let outcomes = [u64::MAX, 1_700_000, 500_000].map(|piece_ns| {
        let mut simulation = start_cut(&scenario);
        let r1 = simulation.router_mut("r1").expect("there is this router");
        add_route(r1, [10, 0, 2], 2);
        add_route(r1, [10, 0, 3], 510);
        let r2 = simulation.router_mut("r2").expect("there is this router");
        add_route(r2, [10, 0, 2], 2);
        let mut controller = Answers::default();
        while simulation.now_ns() < simulation.duration_ns() {
            let end = simulation.now_ns().saturating_add(piece_ns);
            let ran = simulation.run_until(end, &mut controller);
            ran.unwrap_or_else(|error| panic!("{error}"));
        }
        let results = simulation.results();
        let delay_s = results.sources[1].delay_mean_s;
        (results.routers[0].packet_outs, delay_s, results.events)
    });
    assert!(outcomes[0].0 > 40, "{outcomes:?}");
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0], outcomes[2]);
}

/// The results as JSON without the number of events, which several cells count differently.
fn results(mut simulation: Simulation) -> Value {
    let end = simulation.duration_ns();
    let ran = simulation.run_until(end, &mut NoController);
    ran.unwrap_or_else(|error| panic!("{error}"));
    let mut results = serde_json::to_value(simulation.results()).expect("plain numbers");
    results["events"] = Value::Null;
    results
}

#[test]
fn a_network_in_cells_has_the_results_of_one_cell_where_no_two_events_have_one_time() {
    // TCP's timers run in ticks whose phase comes from the number of the connection, which its cell gives. So there are
    // no timeouts in the first network, and no ticks in the second.
    let window = json!({"transport": "fixed-window", "window_pkts": 12, "segment_bytes": 960, "timeout_s": 1.0});
    let networks = [
        ("ecn", &ECN, false, None),
        ("becn", &BECN, true, Some(window)),
    ];
    for (algorithm, curve, quenches, stack) in networks {
        let mut scenario = dumbbell(4, algorithm, 8.0, 1.5);
        if let Some(stack) = stack {
            scenario["stacks"]["tcp"] = stack;
        }
        scenario["measure"] = json!({"series": ["bottleneck.ab", "s1.ab"]});
        scenario["changes"] = json!([
            {"at_s": 3.000_000_123, "link": "bottleneck", "direction": "ab", "rate_bps": 7_654_321.0},
            {"at_s": 5.000_000_321, "link": "s2", "direction": "ba", "delay_s": 0.001_234_567},
            {"at_s": 6.000_000_321, "link": "s3", "direction": "ab", "loss": 0.001},
        ]);
        let links = scenario["links"].as_array_mut().expect("a list");
        for (number, link) in links.iter_mut().enumerate().skip(1) {
            link["delay_s"] = json!(0.002 + 0.000_123_457 * number as f64);
            link["ab"] = json!({"rate_bps": 1e8 + 12_347.0 * number as f64});
        }
        let one = start_dumbbell(&scenario, Some(curve), quenches);
        assert_eq!(one.cells(), 1);
        let several = program_dumbbell(start_cut(&scenario), 4, Some(curve), quenches);
        // Two routers, and the hosts of each source.
        assert_eq!(several.cells(), 6);
        assert_eq!(results(one), results(several), "{algorithm}");
    }
}

#[test]
fn there_are_1_to_256_threads() {
    let mut simulation = start(&chain());
    for threads in [0, 257] {
        let error = simulation.set_threads(threads).expect_err("refused");
        let expected = format!("threads: must be 1 to 256, not {threads}");
        assert_eq!(error.to_string(), expected);
    }
    simulation.set_threads(256).expect("allowed");
}

#[test]
fn a_link_that_is_cut_may_not_lose_its_delay_by_hand() {
    let mut simulation = start_cut(&chain());
    let switch = simulation.router_mut("r1").expect("there is this router");
    let options = quench_dataplane::control::PortOptions {
        delay_ns: Some(0),
        ..Default::default()
    };
    switch.port_set(2, &options, 0).expect("the port is there");
    let error = simulation
        .run_until(S, &mut NoController)
        .expect_err("refused");
    assert_eq!(error.place, "middle.ab");
}

#[test]
fn a_clock_that_stands_still_ends_a_run_on_several_threads() {
    let mut scenario = chain();
    // Two routers that send a packet back and forth, in one cell.
    scenario["links"][1] = json!({"name": "middle", "a": "r1", "b": "r2", "delay_s": 0.0});
    scenario["sources"] = json!([{"name": "u", "kind": "cbr", "from": "s", "to": "c",
                                  "rate_bps": 1e5, "packet_bytes": 1000}]);
    scenario["hosts"][1]["address"] = json!("10.0.3.1");
    let errors = [1, 2, 3].map(|threads| {
        let mut simulation = start_cut(&scenario);
        simulation.set_threads(threads).expect("a few");
        for (router, port) in [("r1", 2), ("r2", 1)] {
            let switch = simulation.router_mut(router).expect("there is this router");
            add_route(switch, [10, 0, 3], port);
        }
        let ran = simulation.run_until(10 * S, &mut NoController);
        ran.map_err(|error| error.to_string())
    });
    // The packet's time to live ends it, after which the next one comes.
    assert_eq!(errors[0], errors[1]);
    assert_eq!(errors[0], errors[2]);
}

#[test]
fn a_packet_that_a_caller_gives_a_router_late_reaches_the_next_cell() {
    let crossed = [start, start_cut].map(|start| {
        let mut simulation = start(&chain());
        simulation
            .run_until(S, &mut NoController)
            .expect("to a second");
        let r1 = simulation.router_mut("r1").expect("there is this router");
        let packet_out = [&(2_u16 << 7).to_be_bytes()[..], &[0; 60]].concat();
        r1.receive(0, 510, &packet_out);
        simulation
            .run_until(2 * S, &mut NoController)
            .expect("it goes on");
        let results = simulation.results();
        let middle = results
            .directions
            .iter()
            .find(|each| each.name == "middle.ab");
        middle.expect("there is this link").crossing.other_pkts
    });
    assert_eq!(crossed, [1, 1]);
}

/// Answers each packet-in.
struct Echo(u64);

impl Controller for Echo {
    fn packet_in(&mut self, _router: usize, _now: u64, _bytes: &[u8]) -> Option<Vec<u8>> {
        self.0 += 1;
        let mut answer = (2_u16 << 7).to_be_bytes().to_vec();
        answer.extend_from_slice(&[0; 60]);
        Some(answer)
    }
}

#[test]
fn a_cell_that_waits_for_the_controller_goes_on_after_a_fault_elsewhere() {
    let mut scenario = chain();
    scenario["duration_s"] = json!(0.1);
    scenario["routers"][0]["controller_latency_s"] = json!(0.0);
    scenario["sources"] = json!([
        {"name": "asks", "kind": "cbr", "from": "s", "to": "c", "rate_bps": 8e6, "packet_bytes": 1000},
    ]);
    // A switch takes no delay of more than an hour. The packet-in of that round comes to r1 before.
    scenario["changes"] = json!([
        {"at_s": 0.005_2, "link": "right", "direction": "ab", "delay_s": 4000.0},
    ]);
    let mut simulation = start_cut(&scenario);
    let r1 = simulation.router_mut("r1").expect("there is this router");
    add_route(r1, [10, 0, 2], 510);
    let mut controller = Echo(0);
    let error = simulation
        .run_until(S, &mut controller)
        .expect_err("refused");
    assert_eq!(error.place, "changes[0]");
    let before = controller.0;
    simulation
        .run_until(S, &mut controller)
        .expect("it goes on");
    assert!(
        before < 10 && controller.0 > 90,
        "{before}, {}",
        controller.0
    );
}
