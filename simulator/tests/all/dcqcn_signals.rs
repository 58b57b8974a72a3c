// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! RoCEv2 with DCQCN over the pipeline: signals of switches, and their advice.

use crate::common::*;
use crate::dcqcn::{dcqcn, incast, stack, star, BY_QUEUE, MIN_PKTS};
use quench_dataplane::control::MatchField;
use quench_dataplane::PacketBytes;
use quench_pipeline::tables::{self, insert, set_address, set_default};
use quench_simulator::packet::roce::{write_switch_cnp, SwitchCnp};
use quench_simulator::packet::{Advice, Endpoint, IpVersion};
use quench_simulator::{NoController, Results};
use serde_json::{json, Value};

const US: u64 = 1000;

/// The first flow of the incast, as the network names it.
fn first_flow(version: IpVersion) -> SwitchCnp {
    SwitchCnp {
        version,
        local: Endpoint {
            address: 0x0a00_0201,
            port: 1024,
        },
        remote: Endpoint {
            address: 0x0a00_0101,
            port: 4791,
        },
        advice: Advice::None,
    }
}

/// Runs for 100 us, gives the router notifications to the first sender, and runs on.
fn notified(ip: u8, changes: Value, cnps: &[(SwitchCnp, bool)]) -> Results {
    let mut stack = dcqcn(json!({"ip": ip, "receiver_cnps": false}));
    let fields = stack.as_object_mut().expect("an object");
    fields.extend(changes.as_object().cloned().unwrap_or_default());
    let mut simulation = incast(stack);
    let mut nobody = NoController;
    simulation
        .run_until(100 * US, &mut nobody)
        .expect("no captures");
    let switch = simulation.router_mut("r").expect("there is this router");
    for (cnp, fast) in cnps {
        let mut frame = PacketBytes::default();
        write_switch_cnp(&mut frame, cnp, 0x0aff_ff01, *fast);
        switch.receive(100 * US, 1, frame.real());
    }
    simulation
        .run_until(300 * US, &mut nobody)
        .expect("no captures");
    simulation.results()
}

#[test]
fn notifications_of_switches_slow_the_flow_that_they_name() {
    for (ip, version, fast) in [
        (4, IpVersion::V4, false),
        (6, IpVersion::V6, false),
        (6, IpVersion::V6, true),
    ] {
        for (signals, reactions) in [("dcqcn", 1), ("cut", 1), ("ignore", 0)] {
            let cnp = (first_flow(version), fast);
            let results = notified(ip, json!({"switch_signals": signals}), &[cnp]);
            let [first, second] = [0, 1].map(|flow| &results.sources[flow].transport);
            assert_eq!(first.signals_received, 1, "{ip} {fast} {signals}");
            assert_eq!(first.reactions_signal, reactions, "{ip} {fast} {signals}");
            assert_eq!((second.signals_received, first.signals_refused), (0, 0));
            let share = first.data_pkts_sent as f64 / second.data_pkts_sent as f64;
            let expected = if reactions == 1 {
                0.6..0.75
            } else {
                0.99..1.01
            };
            assert!(expected.contains(&share), "{ip} {fast} {signals}: {share}");
            let signals = results.directions[2].crossing;
            assert_eq!((signals.signal_pkts, results.hosts[1].stray_pkts), (1, 0));
        }
    }
}

#[test]
fn notifications_of_other_flows_are_stray_packets() {
    let right = first_flow(IpVersion::V6);
    let with = |change: fn(&mut SwitchCnp)| {
        let mut cnp = right;
        change(&mut cnp);
        cnp
    };
    let forged = [
        with(|cnp| cnp.local.port = 1025),
        with(|cnp| cnp.remote.address = 0x0a00_0301),
        // It is about what the accepting end has sent, and this host has accepted nothing.
        with(|cnp| (cnp.local.port, cnp.remote.port) = (4791, 1024)),
        with(|cnp| cnp.version = IpVersion::V4),
    ];
    let cnps: Vec<_> = forged.into_iter().map(|cnp| (cnp, false)).collect();
    let results = notified(6, json!({}), &cnps);
    assert_eq!(results.hosts[1].stray_pkts, 4);
    for source in &results.sources {
        assert_eq!(source.transport.signals_received, 0);
    }
    // The accepting end has sent nothing, so a notification about it is refused.
    let mut of_acceptor = right;
    of_acceptor.local = right.remote;
    of_acceptor.remote = right.local;
    let results = notified(6, json!({}), &[(of_acceptor, false)]);
    let counts = &results.sources[0].transport;
    assert_eq!((counts.signals_received, counts.signals_refused), (1, 1));
    assert_eq!(results.hosts[0].stray_pkts, 0);
}

#[test]
fn source_quenches_of_the_pipeline_slow_flows_over_ipv4() {
    let mut scenario = dumbbell(2, "plain", 10.0, 2.0);
    scenario["stacks"]["tcp"] = stack(4);
    scenario["stacks"]["tcp"]["switch_signals"] = json!("cut");
    scenario["stacks"]["tcp"]["window_bytes"] = json!(100_000);
    let results = run(start_dumbbell(&scenario, Some(&BECN), true));
    let counts = &results.sources[0].transport;
    assert!(counts.reactions_isq_marked > 0, "{counts:?}");
    let quench = &counts.quench;
    let accepted = quench.isq_accepted_marked + quench.isq_accepted_dropped;
    assert_eq!(quench.isq_received, accepted, "{quench:?}");
    let utilisation = results.directions[0].utilisation.expect("it is limited");
    assert!(utilisation > 0.5, "{utilisation}");
}

/// The pipeline sends source quenches of ICMP or ICMPv6 with this advice about all packets that find 40 in the queue.
fn advised(ip: u8, advice: Advice) -> Results {
    let settings = json!({"ip": ip, "switch_signals": "advice", "receiver_cnps": false});
    let mut simulation = star(dcqcn(settings));
    let switch = simulation.router_mut("r").expect("there is this router");
    add_clone_session(switch);
    set_address(switch, [10, 255, 255, 1]);
    set_default(
        switch,
        "QuenchIngress.isq_format.isq_domain.ipv6_domain",
        "QuenchIngress.isq_format.isq_domain.inside",
        vec![vec![1], vec![0]],
    );
    let mut parameters = BY_QUEUE.to_vec();
    parameters.extend([("mark_at_tail", 1), ("isq_in_dataplane", 1)]);
    tables::add_profile(switch, 1, &[], &parameters);
    let bytes = |value: u64| value.to_be_bytes().to_vec();
    let start = MIN_PKTS as u64;
    insert(
        switch,
        "QuenchIngress.arrival_decision.curve",
        vec![
            MatchField::Exact(bytes(1)),
            MatchField::Range(bytes(start << 4), bytes((1 << 24) - 1)),
        ],
        1,
        "QuenchIngress.arrival_decision.set_segment",
        &[
            start << 28,
            1 << 40,
            0,
            0,
            0,
            1,
            0,
            0,
            0,
            advice.bits().into(),
        ],
    );
    run(simulation)
}

#[test]
fn advice_of_the_pipeline_keeps_the_queue_short_and_the_link_in_use() {
    for (ip, advice) in [
        (4, Advice::Reduce(30)),
        (4, Advice::Pause(20)),
        (6, Advice::Reduce(30)),
    ] {
        let results = advised(ip, advice);
        for source in &results.sources {
            let counts = &source.transport;
            assert!(counts.reactions_isq_marked > 0, "{advice:?}: {counts:?}");
        }
        let direction = &results.directions[0];
        let max_pkts = direction.queue.max_pkts as f64;
        assert!(max_pkts < MIN_PKTS * 1.5, "{advice:?}: {max_pkts}");
        let utilisation = direction.utilisation.expect("the rate is limited");
        assert!(utilisation > 0.9, "{advice:?}: {utilisation}");
    }
}
