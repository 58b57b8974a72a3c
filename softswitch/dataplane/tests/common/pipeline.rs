// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The Quench pipeline, and its tables as the control plane fills them.

use std::path::Path;

use quench_dataplane::control::{
    ActionCall, CloneSession, EntryData, MatchField, Replica, TableAction,
};
use quench_dataplane::Switch;
use quench_p4_frontend::Options;

pub const CPU_PORT: u32 = 510;

/// `quench.p4` as the workspace's compiler translates it.
pub fn compile() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../p4src/quench.p4");
    let compiled = quench_p4_bmv2::compile(&path, &Options::default());
    compiled.expect("the pipeline compiles").json
}

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
    let call = ActionCall {
        name: "QuenchEgress.source_quench.use_address".to_owned(),
        params: vec![address.to_vec()],
    };
    let action = Some(TableAction::Action(call));
    let set = switch.table_set_default("QuenchEgress.source_quench.router", action);
    set.expect("the table has this action");
}

/// One row of the table `curve`: lowest and highest key, then the arguments of `set_segment`.
pub type Row = [u64; 11];

/// How an average decays while its queue is empty: by a tenth in each row.
#[derive(Clone, Copy)]
pub struct Decay {
    /// The length of one row, in the table's units of time.
    pub step: u64,
    /// The slope of the first row.
    pub slope: f64,
}

/// A profile for queue 0 of a port.
pub fn add_profile(
    switch: &mut Switch,
    port: u32,
    curve: &[Row],
    decay: Decay,
    parameters: &[(&str, u64)],
) {
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
    for control in [
        "QuenchIngress.arrival_decay",
        "QuenchEgress.average_queue.departure_decay",
    ] {
        for row in 0..67u64 {
            let (start, ratio) = (row * decay.step, 0.9f64.powi(row as i32));
            let (end, base, slope) = match row {
                66 => ((1 << 20) - 1, 0, 0),
                _ => (
                    start + decay.step - 1,
                    (ratio * 16_777_216.0) as u64,
                    (ratio * decay.slope) as u64,
                ),
            };
            insert(
                switch,
                &format!("{control}.idle_decay"),
                key(start, end),
                1,
                &format!("{control}.decay_by"),
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
