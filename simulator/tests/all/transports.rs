// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Stacks of another transport than TCP, in whole simulations.

use crate::common::*;
use quench_simulator::traffic::Record;
use quench_simulator::{NoController, Scenario};
use serde_json::{json, Value};

/// A chain with one file over a fixed window, where the middle link loses packets both ways.
fn lossy() -> Value {
    let mut scenario = chain();
    scenario["duration_s"] = json!(60.0);
    scenario["stacks"] = json!({"window": {"transport": "fixed-window", "window_pkts": 8, "segment_bytes": 960, "timeout_s": 0.3}});
    scenario["sources"] = json!([
        {"name": "f", "kind": "ftp", "from": "s", "to": "c", "stack": "window", "bytes": 300_000},
    ]);
    scenario["measure"] = json!({"cwnd": true, "series_interval_s": 0.001});
    for way in ["ab", "ba"] {
        scenario["links"][1][way]["loss"] = json!(0.03);
    }
    scenario
}

#[test]
fn a_fixed_window_delivers_every_byte_over_a_lossy_path() {
    let results = run(start_chain(&lossy()));
    let counts = &results.sources[0].transport;
    assert_eq!(
        (counts.acked_bytes, counts.received_bytes),
        (300_000, 300_000)
    );
    assert!(counts.timeouts > 0 && counts.retransmitted_pkts >= counts.timeouts);
    let [(0, Record::File(file))] = &results.records[..] else {
        panic!("{:?}", results.records);
    };
    assert!(file.acked_ns.is_some_and(|acked| acked < 60 * S));
    assert!(results.sources[0].delay_mean_s.is_some());
}

#[test]
fn a_network_card_that_does_nothing_changes_nothing() {
    // Swift's target depends on the routers that a packet has passed: a card is none.
    let mut stacks = paced();
    stacks.retain(|(name, _)| ["bolt", "swift"].contains(name));
    for (name, stack) in stacks {
        let [plain, with_nics] = [false, true].map(|has_nics| {
            let mut scenario = lossy();
            scenario["stacks"] = json!({"window": stack});
            if has_nics {
                for (host, name) in [(0, "nic-s"), (1, "nic-c")] {
                    scenario["hosts"][host]["nic"] = json!(name);
                    let routers = scenario["routers"].as_array_mut().expect("a list");
                    routers.push(json!({"name": name}));
                }
            }
            let mut simulation = start_chain(&scenario);
            for (nic, own, other) in [("nic-s", 1, 2), ("nic-c", 2, 1)] {
                if let Some(switch) = simulation.router_mut(nic) {
                    add_route(switch, [10, 0, own], 2);
                    add_route(switch, [10, 0, other], 1);
                }
            }
            run(simulation)
        });
        assert_eq!(plain.sources, with_nics.sources, "{name}");
        let crossings = [&plain, &with_nics].map(|results| {
            let directions = results.directions.iter();
            directions.map(|each| each.crossing).collect::<Vec<_>>()
        });
        assert_eq!(crossings[0], crossings[1], "{name}");
        let forwarded = |router: usize| {
            let counts = with_nics.routers[router].switch.iter();
            counts.map(|(_, count)| count).max().copied()
        };
        assert!(
            forwarded(2) > Some(300) && forwarded(3) > Some(300),
            "{name}"
        );
    }
}

#[test]
fn a_fixed_window_is_never_exceeded() {
    let results = run(start_chain(&lossy()));
    let series = &results.series[0];
    let flights = series.values.chunks(series.columns.len());
    let most = flights
        .map(|row| (row[0], row[2] as u64))
        .max_by_key(|row| row.1);
    assert_eq!(most, Some((8.0, 8 * 960)));
}

/// Packets that the first and the last of five flows get through the dumbbell's bottleneck; the last has this stack.
fn shares(last: Value) -> [f64; 2] {
    let mut scenario = dumbbell(5, "plain", 60.0, 20.0);
    scenario["stacks"]["last"] = last;
    scenario["sources"][4]["stack"] = json!("last");
    let results = run(start_dumbbell(&scenario, None, false));
    let utilisation = results.directions[0].utilisation;
    assert!(
        utilisation.is_some_and(|share| share > 0.95),
        "{utilisation:?}"
    );
    [0, 4].map(|flow| results.sources[flow].acked_pkts)
}

#[test]
fn tcp_gives_way_to_a_fixed_window() {
    let [first, last] = shares(json!({"preset": "ns2-2001"}));
    assert!((0.8..1.25).contains(&(first / last)), "{first} {last}");
    let [beside, fixed] = shares(json!(
        {"transport": "fixed-window", "window_pkts": 100, "segment_bytes": 960, "timeout_s": 1.0}
    ));
    assert!(fixed > 4.0 * beside, "{fixed} {beside}");
    assert!(beside < 0.7 * first, "{beside} {first}");
}

/// A stack of each transport of data centres, for the chain's links.
fn paced() -> Vec<(&'static str, Value)> {
    let stack = |transport: &str| {
        json!({"transport": transport, "rate_bps": 1e8, "base_rtt_s": 0.1, "segment_bytes": 960,
               "initial_window_bytes": 9600, "timeout_s": 0.3, "dscp": 10})
    };
    let with = |transport, field: &str, value: Value| {
        let mut stack = stack(transport);
        stack[field] = value;
        stack
    };
    vec![
        ("bolt", stack("bolt")),
        ("hpcc", with("hpcc", "min_rate_bps", json!(1e5))),
        ("swift", with("swift", "target_s", json!(0.1))),
        ("dctcp", with("dctcp", "min_rate_bps", json!(1e5))),
        ("becn", with("becn", "rule", json!("halve"))),
    ]
}

#[test]
fn transports_of_data_centres_deliver_every_byte_over_a_lossy_path() {
    for (name, stack) in paced() {
        let mut scenario = lossy();
        scenario["stacks"] = json!({"window": stack});
        for (link, way) in [(0, "ab"), (2, "ba")] {
            scenario["links"][link][way]["urgent_dscp"] = json!(46);
        }
        let mut simulation = start_chain(&scenario);
        let end = simulation.duration_ns();
        simulation
            .run_until(end, &mut NoController)
            .expect("no captures");
        // Both ends are finished, so the connection is freed.
        assert!(simulation.snapshot().sources[0].window.is_none(), "{name}");
        let results = simulation.results();
        let source = &results.sources[0];
        let counts = &source.transport;
        let bytes = (counts.acked_bytes, counts.received_bytes);
        assert_eq!(bytes, (300_000, 300_000), "{name}");
        assert!(counts.nacks_received > 0, "{name}");
        let [(0, Record::File(file))] = &results.records[..] else {
            panic!("{:?}", results.records);
        };
        assert!(file.acked_ns.is_some_and(|acked| acked < 60 * S), "{name}");
        assert!(source.delay_mean_s.is_some(), "{name}");
        // Its packets count by their payload, whatever the header.
        let right = results
            .directions
            .iter()
            .find(|each| each.name == "right.ab");
        let crossing = &right.expect("there is this link").crossing;
        let left = results
            .directions
            .iter()
            .find(|each| each.name == "left.ba");
        let acks = left.expect("there is this link").crossing.ack_pkts;
        assert_eq!(crossing.data_pkts, counts.data_pkts_received, "{name}");
        assert!(
            acks > 300 && acks <= counts.acks_sent + counts.nacks_sent,
            "{name}"
        );
        assert_eq!((crossing.other_pkts, crossing.ack_pkts), (0, 0), "{name}");
    }
}

/// Three messages of 50 KB at 0 s and at 30 s over the lossy chain, with a window of 9600 bytes at first.
fn messages_of_two_hosts(mut stack: Value, share_flows: bool) -> Value {
    stack["share_flows"] = json!(share_flows);
    let mut scenario = lossy();
    scenario["duration_s"] = json!(59.0);
    scenario["stacks"] = json!({"window": stack});
    scenario["sources"] = json!([
        {"name": "m", "kind": "incast", "stack": "window", "senders": ["s"], "receivers": ["c"], "degree": 1, "messages": 3,
         "message_bytes": 50_000, "period_s": 30},
    ]);
    scenario
}

#[test]
fn messages_that_share_a_flow_arrive_one_after_another() {
    for (name, stack) in paced() {
        let results = run(start_chain(&messages_of_two_hosts(stack.clone(), true)));
        let (source, messages) = (&results.sources[0], &results.messages);
        assert_eq!(source.connections, 2, "{name}");
        let counts = &source.transport;
        let bytes = (counts.acked_bytes, counts.received_bytes);
        assert_eq!(bytes, (300_000, 300_000), "{name}");
        assert!(counts.retransmitted_pkts > 0, "{name}");
        assert_eq!(messages.bytes, [50_000; 6], "{name}");
        let acked = &messages.acked_ns;
        assert!(
            acked.windows(2).all(|two| two[0] < two[1]),
            "{name}: {acked:?}"
        );
        assert!(acked[2] < 30 * S && acked[5] < 60 * S, "{name}: {acked:?}");
        let apart = run(start_chain(&messages_of_two_hosts(stack, false)));
        assert_eq!(apart.sources[0].connections, 6, "{name}");
        assert_eq!(apart.messages.bytes, [50_000; 6], "{name}");
    }
}

#[test]
fn a_flow_begins_with_the_window_that_the_last_one_left() {
    let (_, stack) = paced().swap_remove(0);
    let window = |share_flows| {
        let mut simulation = start_chain(&messages_of_two_hosts(stack.clone(), share_flows));
        simulation
            .run_until(30 * S + 1, &mut NoController)
            .expect("no captures");
        let window = simulation.snapshot().sources[0].window.clone();
        window.expect("a flow is under way").cwnd_pkts
    };
    assert_eq!(window(false), 10.0);
    let left = window(true);
    assert!(left > 0.0 && left != 10.0, "{left}");
}

#[test]
fn source_quenches_of_the_pipeline_reach_becn() {
    let mut scenario = dumbbell(2, "plain", 10.0, 2.0);
    scenario["stacks"]["tcp"] = json!({"transport": "becn", "rate_bps": 1e8, "base_rtt_s": 0.088,
        "segment_bytes": 960, "initial_window_bytes": 9600, "timeout_s": 1, "rule": "halve"});
    let results = run(start_dumbbell(&scenario, Some(&BECN), true));
    let counts = &results.sources[0].transport;
    assert!(counts.reactions_isq_marked > 0, "{counts:?}");
    assert_eq!(
        counts.quench.isq_received,
        counts.quench.isq_accepted_marked
    );
    let utilisation = results.directions[0].utilisation;
    assert!(
        utilisation.is_some_and(|share| share > 0.5),
        "{utilisation:?}"
    );
}

#[test]
fn a_packet_of_an_unknown_protocol_is_a_stray_one() {
    let mut scenario = chain();
    scenario["duration_s"] = json!(1.0);
    let mut simulation = start_chain(&scenario);
    let r2 = simulation.router_mut("r2").expect("there is this router");
    let mut bolt = vec![0; 14 + 20 + 21];
    bolt[12..15].copy_from_slice(&[8, 0, 0x45]);
    bolt[17] = 41;
    bolt[22] = 64;
    bolt[23] = 196;
    bolt[30..34].copy_from_slice(&[10, 0, 2, 1]);
    let sum: u32 = bolt[14..34]
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]))
        .sum();
    let checksum = !((sum & 0xffff) + (sum >> 16)) as u16;
    bolt[24..26].copy_from_slice(&checksum.to_be_bytes());
    r2.receive(0, 1, &bolt);
    let results = run(simulation);
    let strays: Vec<_> = results.hosts.iter().map(|host| host.stray_pkts).collect();
    assert_eq!(strays, [0, 1]);
}

#[test]
fn the_fault_of_a_stack_says_where_it_is() {
    for (stack, expected) in [
        (
            json!({"transport": "udp"}),
            "stacks.x: transport: there is no \"udp\", only tcp, fixed-window, bolt, hpcc, swift, dctcp, becn, dcqcn",
        ),
        (
            json!({"transport": "fixed-window", "window_pkts": "four"}),
            "stacks.x: window_pkts: invalid type: string \"four\", expected u32",
        ),
        (
            json!({"segment_bytes": -1}),
            "stacks.x: segment_bytes: invalid value: integer `-1`, expected u32",
        ),
        (
            json!({"window_pkts": 4}),
            "stacks.x: window_pkts: unknown field `window_pkts`, expected",
        ),
    ] {
        let mut scenario = chain();
        scenario["stacks"] = json!({"x": stack});
        let error = Scenario::from_json(&scenario.to_string()).expect_err("a fault");
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

/// A host has 64512 ports. Each message takes one of them, at both ends.
#[test]
fn the_ends_of_messages_are_free_when_they_are_acknowledged() {
    let access = json!({"rate_bps": 1e10});
    for stack in [
        // TCP waits for four RTOs after its end.
        json!({"clock_s": 0, "initial_rto_s": 0.001, "min_rto_s": 0.001}),
        json!({"transport": "fixed-window", "window_pkts": 10, "segment_bytes": 1460, "timeout_s": 0.01}),
    ] {
        let scenario = json!({
            "duration_s": 0.13,
            "hosts": [{"name": "s", "address": "10.0.1.1"}, {"name": "c", "address": "10.0.2.1"}],
            "routers": [{"name": "r"}],
            "links": [
                {"name": "left", "a": "s", "b": "r", "delay_s": 1e-6, "ab": access, "ba": access},
                {"name": "right", "a": "c", "b": "r", "delay_s": 1e-6, "ab": access, "ba": access},
            ],
            "stacks": {"any": stack},
            "sources": [{"name": "m", "kind": "messages", "stack": "any", "senders": ["s"], "receivers": ["c"],
                         "message_bytes": 1000, "load": 0.5, "stop_s": 0.12}],
        });
        let mut simulation = start(&scenario);
        let switch = simulation.router_mut("r").expect("there is this router");
        add_route(switch, [10, 0, 1], 1);
        add_route(switch, [10, 0, 2], 2);
        let messages = run(simulation).messages;
        assert!(messages.bytes.len() > 70_000, "{}", messages.bytes.len());
        assert!(messages
            .acked_ns
            .iter()
            .all(|&acked_ns| acked_ns < u64::MAX));
    }
}

/// Two long flows and, after 100 us, a short one at the same host, each over a connection of its own: the times of all.
fn times_at_one_host_ns(turns: bool) -> Vec<u64> {
    let access = json!({"rate_bps": 1e10});
    let of_sender = json!({"rate_bps": 1e10, "turns": turns, "urgent_dscp": 46});
    let flow = |name: &str, bytes: u32, start_s: f64| json!({"name": name, "kind": "ftp", "from": "s", "to": "c", "stack": "any", "bytes": bytes, "start_s": start_s});
    let scenario = json!({
        "duration_s": 0.1,
        "hosts": [{"name": "s", "address": "10.0.1.1"}, {"name": "c", "address": "10.0.2.1"}],
        "routers": [{"name": "r"}],
        "links": [
            {"name": "left", "a": "s", "b": "r", "delay_s": 1e-6, "ab": of_sender, "ba": access},
            {"name": "right", "a": "c", "b": "r", "delay_s": 1e-6, "ab": access, "ba": access},
        ],
        "stacks": {"any": {"transport": "dctcp", "rate_bps": 1e10, "base_rtt_s": 2e-4, "segment_bytes": 1000}},
        "sources": [flow("a", 1_000_000, 0.0), flow("b", 1_000_000, 0.0), flow("short", 1000, 1e-4)],
    });
    let mut simulation = start(&scenario);
    let switch = simulation.router_mut("r").expect("there is this router");
    add_route(switch, [10, 0, 1], 1);
    add_route(switch, [10, 0, 2], 2);
    let results = run(simulation);
    let dropped = results.directions.iter().map(|each| each.dropped_pkts);
    assert_eq!(dropped.sum::<u64>(), 0);
    let time = |record: &(usize, Record)| match record {
        (source, Record::File(file)) => {
            (*source, file.acked_ns.expect("it ends") - file.started_ns)
        }
        other => panic!("{other:?}"),
    };
    let mut times: Vec<_> = results.records.iter().map(time).collect();
    times.sort_unstable();
    times.into_iter().map(|(_, time_ns)| time_ns).collect()
}

#[test]
fn a_short_message_waits_for_its_turn_and_not_for_the_windows_of_others() {
    const US: u64 = 1000;
    let [a, b, short] = times_at_one_host_ns(false)[..] else {
        panic!("three flows");
    };
    // The long flows have given 250 KB by then, of which half has left.
    assert!((95 * US..120 * US).contains(&short), "{short}");
    let [a_in_turn, b_in_turn, short] = times_at_one_host_ns(true)[..] else {
        panic!("three flows");
    };
    // 4 us of links, its packet twice, its ACK, and a packet of each of the others.
    assert!((5 * US..9 * US).contains(&short), "{short}");
    let (all, all_in_turn) = (a.max(b), a_in_turn.max(b_in_turn));
    assert!(all.abs_diff(all_in_turn) < 2 * US, "{all} {all_in_turn}");
    assert!(
        a_in_turn.abs_diff(b_in_turn) < 2 * US,
        "{a_in_turn} {b_in_turn}"
    );
}

/// Two hosts at one router, each with two senders: the router's two queues share 30 kB.
#[test]
fn queues_share_the_buffer_of_their_router() {
    let link = |name: &str, rate_bps: f64| {
        json!({"name": name, "a": format!("h-{name}"), "b": "r", "delay_s": 1e-3,
               "ab": {"rate_bps": rate_bps}, "ba": {"rate_bps": rate_bps}})
    };
    let longest = |shared: Value| {
        let scenario = json!({
            "duration_s": 1.0,
            "hosts": [{"name": "h-from", "address": "10.0.1.1"}, {"name": "h-x", "address": "10.0.2.1"},
                      {"name": "h-y", "address": "10.0.3.1"}],
            "routers": [{"name": "r", "shared_buffer_bytes": shared}],
            "links": [link("from", 1e8), link("x", 1e6), link("y", 1e6)],
            "sources": [
                {"name": "to-x", "kind": "cbr", "from": "h-from", "to": "h-x", "rate_bps": 2e6, "packet_bytes": 1000},
                {"name": "to-y", "kind": "cbr", "from": "h-from", "to": "h-y", "rate_bps": 2e6, "packet_bytes": 1000},
            ],
        });
        let mut simulation = start(&scenario);
        let switch = simulation.router_mut("r").expect("there is this router");
        for (port, network) in [(1, 1), (2, 2), (3, 3)] {
            add_route(switch, [10, 0, network], port);
        }
        let results = run(simulation);
        let of = |name: &str| {
            let found = results.directions.iter().find(|each| each.name == name);
            let each = found.expect("there is this direction");
            (each.queue.max_bytes, each.dropped_full_pkts)
        };
        [of("x.ba"), of("y.ba")]
    };
    let [(x, x_dropped), (y, y_dropped)] = longest(Value::Null);
    assert!(x > 100_000 && y > 100_000, "{x} {y}");
    assert_eq!((x_dropped, y_dropped), (0, 0));
    let [(x, x_dropped), (y, y_dropped)] = longest(json!(30_000));
    assert!((29_000..=31_000).contains(&(x + y)), "{x} {y}");
    assert!(x_dropped > 0 && y_dropped > 0, "{x_dropped} {y_dropped}");
}
