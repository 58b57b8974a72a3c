// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Scenarios that make no sense are refused with one line that says where and what.

use crate::common::*;
use quench_simulator::{Scenario, Simulation};
use serde_json::{json, Value};

/// The beginning of the message, and the change that brings it about.
type Fault = (&'static str, fn(&mut Value));

/// The error message for a chain of hosts and routers after a change of it.
fn refusal(change: impl FnOnce(&mut Value)) -> String {
    let mut scenario = chain();
    scenario["stacks"] = json!({"tcp": {}});
    scenario["sources"] =
        json!([{"name": "f", "kind": "ftp", "from": "s", "to": "c", "stack": "tcp"}]);
    change(&mut scenario);
    let made = Scenario::from_json(&scenario.to_string())
        .and_then(|scenario| Simulation::new(scenario, program()));
    let error = made.err().expect("the scenario is refused").to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn unknown_fields_are_named_with_their_place() {
    let error = refusal(|scenario| scenario["links"][1]["ab"]["rate"] = json!(5));
    assert!(
        error.starts_with("links[1].ab.rate: unknown field `rate`"),
        "{error}"
    );
    let error = refusal(|scenario| scenario["colour"] = json!("red"));
    assert!(
        error.starts_with("colour: unknown field `colour`"),
        "{error}"
    );
    let error = refusal(|scenario| scenario["links"][1]["delay_s"] = json!("long"));
    assert!(
        error.starts_with("links[1].delay_s: invalid type: string"),
        "{error}"
    );
}

#[test]
fn a_host_has_an_address_that_routers_forward_to() {
    for address in [
        "0.0.0.0",
        "0.1.2.3",
        "127.0.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
    ] {
        let error = refusal(|scenario| scenario["hosts"][1]["address"] = json!(address));
        let expected = format!("hosts[1].address: {address} is no address of a host");
        assert_eq!(error, expected);
    }
}

#[test]
fn times_that_round_to_nothing_are_refused() {
    let error = refusal(|scenario| scenario["duration_s"] = json!(1e-12));
    assert_eq!(error, "duration_s: must be 1e-9 seconds or more, not 1e-12");
    let error = refusal(|scenario| scenario["warmup_s"] = json!(9.999_999_999_9));
    assert!(error.starts_with("warmup_s: must be less"), "{error}");
    let error = refusal(|scenario| scenario["measure"] = json!({"series_interval_s": 1e-12}));
    let expected = "measure.series_interval_s: must be 1e-9 seconds or more, not 1e-12";
    assert_eq!(error, expected);
}

#[test]
fn a_text_that_is_no_json_is_refused() {
    let error = Scenario::from_json("{").expect_err("not JSON").to_string();
    assert!(error.starts_with("scenario: EOF"), "{error}");
    let error = Scenario::from_json("{} {}")
        .expect_err("two values")
        .to_string();
    assert!(!error.contains('\n'), "{error}");
}

#[test]
fn a_scenario_without_sense_gets_an_error() {
    let cases: [Fault; 30] = [
        ("duration_s: must be 0 to 1e9 seconds, not -1", |s| {
            s["duration_s"] = json!(-1.0);
        }),
        ("warmup_s: must be less than duration_s (10)", |s| {
            s["warmup_s"] = json!(10.0);
        }),
        ("hosts[1]: the name \"s\" is taken", |s| {
            s["hosts"][1]["name"] = json!("s")
        }),
        ("hosts[1]: \"s\" has the address 10.0.1.1, too", |s| {
            s["hosts"][1]["address"] = json!("10.0.1.1");
        }),
        ("hosts[0].nic: there is no router \"c\"", |s| {
            s["hosts"][0]["nic"] = json!("c");
        }),
        ("hosts[1].nic: \"r1\" is the network card of \"s\"", |s| {
            for host in 0..2 {
                s["hosts"][host]["nic"] = json!("r1");
            }
        }),
        (
            "links[0].b: \"r1\" is a network card: the link ends at its host",
            |s| {
                s["hosts"][0]["nic"] = json!("r1");
            },
        ),
        (
            "hosts[0].nic: \"nic\" has its host at port 2, below cpu_port",
            |s| {
                s["hosts"][0]["nic"] = json!("nic");
                s["routers"][1] = json!({"name": "nic", "cpu_port": 2});
            },
        ),
        ("routers[0]: the name \"c\" is taken", |s| {
            s["routers"][0]["name"] = json!("c")
        }),
        ("routers[0].slowdown: must be 1 or more, not 0", |s| {
            s["routers"][0]["slowdown"] = json!(0);
        }),
        ("routers[0].queues: a port has 1 to 8 queues, not 9", |s| {
            s["routers"][0]["queues"] = json!(9);
        }),
        ("links[1]: the name \"left\" is taken", |s| {
            s["links"][1]["name"] = json!("left")
        }),
        ("links[0].a: there is no host or router \"x\"", |s| {
            s["links"][0]["a"] = json!("x")
        }),
        ("links[0].b: both ends are \"s\"", |s| {
            s["links"][0]["b"] = json!("s")
        }),
        (
            "links[2].ba: \"s\" has another link: hosts have exactly one",
            |s| {
                s["links"][2]["b"] = json!("s");
            },
        ),
        ("hosts[2]: no link ends at \"lonely\"", |s| {
            let hosts = s["hosts"].as_array_mut().expect("a list");
            hosts.push(json!({"name": "lonely", "address": "10.0.9.1"}));
        }),
        (
            "links[1].ab: rate_bps: must be 1 to 1e15 bits per second, not 0",
            |s| {
                s["links"][1]["ab"]["rate_bps"] = json!(0.0);
            },
        ),
        (
            "links[1].ab: buffer_pkts: must be 1 or more; left out there is no limit",
            |s| {
                s["links"][1]["ab"]["buffer_pkts"] = json!(0);
            },
        ),
        (
            "links[0].ab: loss: must be a probability from 0 to 1, not 2",
            |s| {
                s["links"][0]["ab"]["loss"] = json!(2.0);
            },
        ),
        (
            "links[0].ab: scheduler: the link out of a host has one queue",
            |s| {
                s["links"][0]["ab"]["scheduler"] = json!("drr");
            },
        ),
        ("links[0].ab: urgent_dscp: must be 0 to 63, not 64", |s| {
            s["links"][0]["ab"]["urgent_dscp"] = json!(64);
        }),
        (
            "links[1].ab: urgent_dscp: it is for links out of hosts; a router's queues have classes",
            |s| {
                s["links"][1]["ab"]["urgent_dscp"] = json!(46);
            },
        ),
        (
            "links[1].ab: turns: they are for links out of hosts; a router's queues have a scheduler",
            |s| {
                s["links"][1]["ab"]["turns"] = json!(true);
            },
        ),
        (
            "routers[0]: shared_buffer_bytes: must be 1 or more; left out there is no limit",
            |s| {
                s["routers"][0]["shared_buffer_bytes"] = json!(0);
            },
        ),
        (
            "links[1].ab: scheduler: there is no \"wfq\", only strict, drr, scfq",
            |s| {
                s["links"][1]["ab"]["scheduler"] = json!("wfq");
            },
        ),
        (
            "sources[0]: source \"f\": to: there is no host \"r1\"",
            |s| {
                s["sources"][0]["to"] = json!("r1");
            },
        ),
        ("sources[1]: there is another source \"f\"", |s| {
            let source = s["sources"][0].clone();
            s["sources"].as_array_mut().expect("a list").push(source);
        }),
        ("changes[0].link: there is no link \"x\"", |s| {
            s["changes"] = json!([{"at_s": 1.0, "link": "x", "direction": "ab"}]);
        }),
        (
            "measure.series[0]: there is no direction \"left\": write LINK.ab or LINK.ba",
            |s| {
                s["measure"] = json!({"series": ["left"]});
            },
        ),
        (
            "measure.pcap[0].path: /nonexistent/x.pcap: No such file",
            |s| {
                let pcap = json!({"link": "left", "path": "/nonexistent/x.pcap"});
                s["measure"] = json!({"pcap": [pcap]});
            },
        ),
    ];
    for (expected, change) in cases {
        let error = refusal(change);
        assert!(error.starts_with(expected), "{error}\nexpected: {expected}");
    }
}

#[test]
fn a_program_that_cannot_be_loaded_gets_an_error() {
    let scenario = Scenario::from_json(&chain().to_string()).expect("a scenario");
    let error = Simulation::new(scenario, "{}").err().expect("no program");
    assert!(error.to_string().starts_with("program: "), "{error}");
}
