// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The pipeline's tables as the control plane fills them.

use quench_dataplane::control::{
    ActionCall, CloneSession, EntryData, MatchField, OneShotMember, OneShotSet, Replica,
    TableAction,
};
use quench_dataplane::Switch;

pub const CPU_PORT: u32 = 510;

fn number(value: u64) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}

pub fn insert(
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

/// Forwards what matches to a port.
pub fn add_route(switch: &mut Switch, table: &str, prefix: MatchField, port: u32) {
    let macs = [0x0200_0000_0001, 0x0200_0000_0100 + u64::from(port)];
    insert(
        switch,
        &format!("QuenchIngress.routing.{table}"),
        vec![prefix],
        0,
        "QuenchIngress.routing.forward",
        &[u64::from(port), macs[0], macs[1]],
    );
}

/// A group of next hops, at these ports, which share flows by their five-tuple.
pub fn add_group(switch: &mut Switch, group: u64, ports: &[u32]) {
    let control = "QuenchIngress.next_hop";
    let member = |&port: &u32| OneShotMember {
        action: ActionCall {
            name: format!("{control}.use_next_hop"),
            params: [u64::from(port), 0x0200_0000_0001, 0x0200_0000_0100]
                .map(number)
                .to_vec(),
        },
        weight: 1,
        watch_port: None,
    };
    let members = OneShotSet {
        members: ports.iter().map(member).collect(),
        ..OneShotSet::default()
    };
    let key = [MatchField::Exact(number(group))];
    let data = EntryData::from(TableAction::OneShot(members));
    let done = switch.table_insert(&format!("{control}.next_hop"), &key, 0, data, 0);
    done.expect("the table takes sets of next hops");
    let seed = TableAction::Action(ActionCall {
        name: format!("{control}.use_seed"),
        params: vec![number(0x9E37_79B1)],
    });
    let set = switch.table_set_default(&format!("{control}.flow_seed"), Some(seed));
    set.expect("the table has this action");
}

/// Forwards what matches to a group of next hops.
pub fn add_group_route(switch: &mut Switch, table: &str, prefix: MatchField, group: u64) {
    insert(
        switch,
        &format!("QuenchIngress.routing.{table}"),
        vec![prefix],
        0,
        "QuenchIngress.routing.use_group",
        &[group],
    );
}

/// Copies for the CPU go there.
pub fn add_clone_session(switch: &mut Switch) {
    let session = CloneSession {
        replicas: vec![Replica {
            port: CPU_PORT,
            rid: 0,
        }],
        ..CloneSession::default()
    };
    let set = switch.clone_session_set(100, session);
    set.expect("a valid session");
}

/// The source of the router's own source quenches.
pub fn set_address(switch: &mut Switch, address: [u8; 4]) {
    set_default(
        switch,
        "QuenchEgress.source_quench.router",
        "QuenchEgress.source_quench.use_address",
        vec![address.to_vec(), vec![0; 16]],
    );
}

pub fn set_default(switch: &mut Switch, table: &str, action: &str, params: Vec<Vec<u8>>) {
    let call = ActionCall {
        name: action.to_owned(),
        params,
    };
    let set = switch.table_set_default(table, Some(TableAction::Action(call)));
    set.expect("the table has this action");
}

/// One row of the table `curve`: its range of averages in packets, and what each end of it has.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// From the first up to but without the second; infinity is the end of the table.
    pub pkts: [f64; 2],
    pub level1: [f64; 2],
    pub level2: [f64; 2],
    pub isq: bool,
    pub drop: bool,
    pub isq_level: [f64; 2],
}

impl Row {
    /// Key, and arguments of `set_segment`, in the fixed point of `v1model/types.p4`.
    fn entry(&self) -> ([u64; 2], [u64; 10]) {
        let [from, to] = self.pkts;
        let scaled = |value: f64, bits: i32| (value * 2f64.powi(bits)).round() as u64;
        let slope = |ends: [f64; 2], bits: i32| match to.is_finite() {
            true => scaled((ends[1] - ends[0]) / (to - from), bits),
            false => 0,
        };
        let high = match to.is_finite() {
            true => scaled(to, 4) - 1,
            false => (1 << 24) - 1,
        };
        let arguments = [
            scaled(from, 28),
            scaled(self.level1[0], 40),
            slope(self.level1, 56),
            scaled(self.level2[0], 40),
            slope(self.level2, 56),
            self.isq.into(),
            self.drop.into(),
            scaled(self.isq_level[0], 8),
            slope(self.isq_level, 32),
            0,
        ];
        ([scaled(from, 4), high], arguments)
    }
}

/// Parameters of the average: the weight 0.002, and the time of a packet of 1000 bytes at a rate.
pub fn average_parameters(rate_bps: u64) -> [(&'static str, u64); 5] {
    let weight = 0.002f64;
    let transmission_q8_us = 8e9 * 256.0 / rate_bps as f64;
    let halvings = -(1.0 - weight).log2() / transmission_q8_us;
    let shift = -halvings.log2().floor() - 1.0;
    [
        ("weight", (weight * 4_294_967_296.0).round() as u64),
        ("mean_transmission_q8_us", transmission_q8_us.round() as u64),
        (
            "decay_rate",
            (halvings * (32.0 + shift).exp2()).round() as u64,
        ),
        ("decay_shift", shift as u64),
        ("count_per_byte", 4_294_967),
    ]
}

/// A profile for queue 0 of a port.
pub fn add_profile(switch: &mut Switch, port: u32, curve: &[Row], parameters: &[(&str, u64)]) {
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
    let parameters = arguments(switch, set_parameters, parameters);
    insert(
        switch,
        "QuenchIngress.profile.profile_parameters",
        exact(&[id]),
        0,
        set_parameters,
        &parameters,
    );
    for decision in [
        "QuenchIngress.arrival_decision",
        "QuenchEgress.departure_decision",
    ] {
        for row in curve {
            let ([low, high], arguments) = row.entry();
            insert(
                switch,
                &format!("{decision}.curve"),
                key(low, high),
                1,
                &format!("{decision}.set_segment"),
                &arguments,
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
