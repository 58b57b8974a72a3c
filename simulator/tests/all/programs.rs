// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs that are not quite `quench.p4`: what they do not count is absent from the results, or they are refused.

use crate::common::*;
use quench_simulator::measure::DirectionResults;
use quench_simulator::{NoController, Results, Scenario, Simulation};
use serde_json::{json, Value};

/// `quench.p4` with other names of its registers and counters.
fn renamed(names: &[(&str, &str)]) -> String {
    names
        .iter()
        .fold(program().to_owned(), |program, (name, other)| {
            assert!(program.contains(name), "{name}");
            program.replace(name, other)
        })
}

/// `quench.p4` with an array of another size.
fn resized(arrays: &str, name: &str, size: u64) -> String {
    let mut program: Value = serde_json::from_str(program()).expect("JSON");
    let arrays = program[arrays].as_array_mut().expect("a list");
    let array = arrays.iter_mut().find(|array| array["name"] == name);
    array.expect("there is this array")["size"] = json!(size);
    program.to_string()
}

fn scenario_with(counters: Option<Value>) -> Scenario {
    let mut scenario = chain();
    scenario["sources"] = json!([{"name": "f", "kind": "cbr", "from": "s", "to": "c",
                                  "rate_bps": 2e7, "packet_bytes": 1000}]);
    scenario["links"][1]["ab"]["buffer_pkts"] = json!(50);
    scenario["measure"] = json!({"series": ["middle.ab", "left.ab"]});
    if let Some(counters) = counters {
        scenario["counters"] = counters;
    }
    Scenario::from_json(&scenario.to_string()).expect("a scenario")
}

fn new(program: &str) -> Result<Simulation, quench_simulator::Error> {
    Simulation::new(scenario_with(None), program)
}

fn run_with(program: &str) -> Results {
    results_of(new(program).unwrap_or_else(|error| panic!("{error}")))
}

fn results_of(mut simulation: Simulation) -> Results {
    for router in ["r1", "r2"] {
        let switch = simulation.router_mut(router).expect("there is this router");
        add_route(switch, [10, 0, 1], 1);
        add_route(switch, [10, 0, 2], 2);
    }
    let end = simulation.duration_ns();
    let ended = simulation.run_until(end, &mut NoController);
    ended.expect("no captures");
    simulation.results()
}

fn refusal(program: &str) -> String {
    new(program).err().expect("it is refused").to_string()
}

fn middle(results: &Results) -> &DirectionResults {
    let mut directions = results.directions.iter();
    let found = directions.find(|direction| direction.name == "middle.ab");
    found.expect("there is this direction")
}

/// The last value of a column.
fn last(results: &Results, series: &str, column: &str) -> f64 {
    let mut all = results.series.iter();
    let series = all.find(|known| known.name == series).expect("it is kept");
    let mut columns = series.columns.iter();
    let place = columns.position(|name| name == column).expect("a column");
    series.values[series.values.len() - series.columns.len() + place]
}

const COUNTERS: [(&str, &str); 3] = [
    ("port_marked", "Painter.painted"),
    ("port_dropped_early", "Painter.lost_early"),
    ("port_dropped_forced", "Painter.lost_forced"),
];

#[test]
fn an_average_of_another_name_is_absent_and_not_0() {
    let results = run_with(&renamed(&[("queue_average", "queue_mean")]));
    let middle = middle(&results);
    assert_eq!(
        (middle.queue.average_mean_pkts, middle.queue.average_sd_pkts),
        (None, None)
    );
    assert!(last(&results, "middle.ab", "average_pkts").is_nan());
    assert_eq!(middle.marked_pkts, Some(0), "there is no profile");
}

#[test]
fn counts_that_a_program_does_not_have_are_absent_and_not_0() {
    let plain = run_with(program());
    let results = run_with(&renamed(&COUNTERS));
    let (expected, middle) = (middle(&plain), middle(&results));
    assert_eq!(
        (
            expected.marked_pkts,
            expected.dropped_early_pkts,
            expected.dropped_forced_pkts
        ),
        (Some(0), Some(0), Some(0))
    );
    assert_eq!(
        (
            middle.marked_pkts,
            middle.dropped_early_pkts,
            middle.dropped_forced_pkts
        ),
        (None, None, None)
    );
    assert!(last(&results, "middle.ab", "marked_pkts").is_nan());
    // The drops of the full buffer are counted all the same.
    assert!(expected.dropped_full_pkts > 1000);
    assert_eq!(
        (middle.loss, middle.offered_pkts),
        (expected.loss, expected.offered_pkts)
    );
    let dropped = middle.dropped_full_pkts as f64;
    assert!((last(&results, "middle.ab", "dropped_pkts") - dropped).abs() <= 200.0);
    // Hosts run no program: they have marked nothing.
    let left = &results.directions[0];
    assert_eq!((left.name.as_str(), left.marked_pkts), ("left.ab", Some(0)));
    assert_eq!(last(&results, "left.ab", "marked_pkts"), 0.0);
}

#[test]
fn a_program_that_counts_only_some_of_its_drops_is_refused() {
    assert_eq!(
        refusal(&renamed(&COUNTERS[1..2])),
        "program: there is no counter \"port_dropped_early\", but \"port_marked\": have all of port_marked, \
         port_dropped_early, port_dropped_forced, or none of them"
    );
    assert_eq!(
        refusal(&renamed(&COUNTERS[..2])),
        "program: there is no counter \"port_marked\", but \"port_dropped_forced\": have all of port_marked, \
         port_dropped_early, port_dropped_forced, or none of them"
    );
}

#[test]
fn packets_whose_egress_is_ended_are_losses_whatever_the_program_counts() {
    let mut ended: Value = serde_json::from_str(program()).expect("JSON");
    let egress = &ended["pipelines"][1];
    assert_eq!(egress["name"], "egress");
    let first = egress["init_table"].clone();
    let mut tables = egress["tables"].as_array().expect("a list").iter();
    let table = tables.find(|table| table["name"] == first);
    let first_action = table.expect("egress begins with a table")["action_ids"][0].clone();
    let never = json!({"op": "not", "left": null, "right": {"type": "bool", "value": true}});
    let never = json!({"type": "expression", "value": {"type": "expression", "value": never}});
    let mut actions = ended["actions"].as_array_mut().expect("a list").iter_mut();
    let action = actions.find(|action| action["id"] == first_action);
    let steps = &mut action.expect("there is this action")["primitives"];
    let steps = steps.as_array_mut().expect("a list");
    steps.insert(0, json!({"op": "assert", "parameters": [never]}));
    let ended = ended.to_string();
    let unknown = COUNTERS.iter().fold(ended.clone(), |ended, (name, other)| {
        ended.replace(name, other)
    });
    for program in [ended, unknown] {
        let results = run_with(&program);
        let at_router = middle(&results);
        assert!(at_router.offered_pkts > 100);
        assert_eq!((at_router.tx_pkts, at_router.loss), (0, Some(1.0)));
        let kept = last(&results, "middle.ab", "dropped_pkts");
        assert_eq!(kept, at_router.dropped_pkts as f64);
    }
}

#[test]
fn a_scenario_names_the_counters_of_another_program() {
    let program = renamed(&COUNTERS);
    let named = |counters: Value| scenario_with(Some(counters));
    let counters =
        json!({"marked": ["Painter.painted"], "dropped_forced": ["Painter.lost_forced"]});
    let results = results_of(Simulation::new(named(counters), &program).expect("it is right"));
    let middle = middle(&results);
    assert_eq!(
        (
            middle.marked_pkts,
            middle.dropped_early_pkts,
            middle.dropped_forced_pkts
        ),
        (Some(0), None, Some(0))
    );
    assert_eq!(last(&results, "middle.ab", "marked_pkts"), 0.0);
    let error = Simulation::new(named(json!({"marked": ["port_marked"]})), &program);
    assert_eq!(
        error.err().expect("it is refused").to_string(),
        "program: there is no counter \"port_marked\", which the scenario names"
    );
}

#[test]
fn arrays_with_too_few_cells_are_refused() {
    assert_eq!(
        refusal(&resized("register_arrays", "queue_average", 23)),
        "program: the register \"queue_average\" has 23 cells, too few for the 2 ports of \"r1\": give it 24, 8 for \
         each port from 0 on"
    );
    assert!(new(&resized("register_arrays", "queue_average", 24)).is_ok());
    assert_eq!(
        refusal(&resized("counter_arrays", "port_marked", 2)),
        "program: the counter \"port_marked\" has no cell for each of the 2 ports of \"r1\": give it 3, from port 0 on"
    );
    assert!(new(&resized("counter_arrays", "port_marked", 3)).is_ok());
}

#[test]
fn a_direct_counter_counts_no_ports_and_is_refused() {
    let mut program: Value = serde_json::from_str(&renamed(&COUNTERS[..1])).expect("JSON");
    let counters = program["counter_arrays"].as_array_mut().expect("a list");
    let table = "QuenchIngress.classification.dscp_queue";
    counters.push(
        json!({"name": COUNTERS[0].0, "id": counters.len(), "is_direct": true, "binding": table}),
    );
    assert_eq!(
        refusal(&program.to_string()),
        format!(
            "program: the counter \"{}\" is a direct one of the table \"{table}\": declare a counter of 3 cells, from \
             port 0 on",
            COUNTERS[0].0
        )
    );
}
