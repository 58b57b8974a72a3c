// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One program in two switches, with and without machine code: the same requests and packets, and what they see.

use quench_dataplane::control::{
    ActionCall, CloneSession, EntryData, FieldInfo, FilterConfig, Group, GroupMember, KeyFieldInfo,
    LpfConfig, LpfKind, MatchField, MatchKind, MeterRates, PortOptions, ProgramInfo, Replica,
    TableAction, TableInfo, WredConfig,
};
use quench_dataplane::{Output, SharedProgram, Switch, SwitchConfig};

use crate::mutate::Draw;

pub enum Outcome {
    Refused,
    Ran,
    /// A difference between the two switches.
    Differed(String),
}

const CPU_PORT: u32 = 510;
const PACKETS: u64 = 16;
/// Larger arrays are not compared cell by cell.
const CELLS: u64 = 2048;

type Pair = [Switch; 2];

/// Loads a program; where that works, runs packets and compares everything that can be seen.
pub fn compare(json: &str, packets: &[Vec<u8>], draw: &mut Draw) -> Outcome {
    let Ok(program) = SharedProgram::new(json) else {
        return Outcome::Refused;
    };
    let config = SwitchConfig {
        cpu_port: Some(CPU_PORT),
        seed: draw.bits(),
        ..SwitchConfig::default()
    };
    let mut pair = [Switch::new(config.clone()), Switch::new_interpreted(config)];
    pair.iter_mut().for_each(|switch| switch.load(&program));
    let info = pair[0].program().expect("a program is loaded").clone();
    match fill(&mut pair, &info, draw).and_then(|()| run(&mut pair, &info, packets, draw)) {
        Ok(()) => Outcome::Ran,
        Err(what) => Outcome::Differed(what),
    }
}

/// Asks both switches for the same.
fn both<T: std::fmt::Debug + PartialEq>(
    pair: &mut Pair,
    what: &str,
    ask: impl Fn(&mut Switch) -> T,
) -> Result<(), String> {
    let [compiled, interpreted] = pair;
    let (got, want) = (ask(compiled), ask(interpreted));
    match got == want {
        true => Ok(()),
        false => Err(format!(
            "{what}: machine code {got:?}, interpreter {want:?}"
        )),
    }
}

fn call(info: &ProgramInfo, name: &str, draw: &mut Draw) -> Option<ActionCall> {
    let action = info.actions.iter().find(|action| action.name == name)?;
    let params = action
        .params
        .iter()
        .map(|FieldInfo { bits, .. }| draw.number(*bits));
    Some(ActionCall {
        name: name.to_owned(),
        params: params.collect(),
    })
}

fn match_field(field: &KeyFieldInfo, draw: &mut Draw) -> MatchField {
    let bits = field.bits;
    let value = draw.number(bits);
    match field.kind {
        MatchKind::Exact | MatchKind::Valid => MatchField::Exact(value),
        _ if draw.one_in(4) => MatchField::DontCare,
        MatchKind::Lpm => MatchField::Lpm(value, draw.below(bits as usize + 1) as u32),
        MatchKind::Ternary => MatchField::Ternary(value, draw.number(bits)),
        MatchKind::Optional => MatchField::Optional(value),
        MatchKind::Range => {
            let other = draw.number(bits);
            MatchField::Range(value.clone().min(other.clone()), value.max(other))
        }
    }
}

fn table_action(info: &ProgramInfo, table: &TableInfo, draw: &mut Draw) -> Option<TableAction> {
    if table.profile.is_some() {
        return Some(match draw.one_in(2) {
            true => TableAction::Member(1 + draw.below(3) as u32),
            false => TableAction::Group(1),
        });
    }
    if table.actions.is_empty() {
        return None;
    }
    let name = draw.of(&table.actions);
    call(info, name, draw).map(TableAction::Action)
}

/// Writes of a control plane: entries, defaults, members, sessions, rates.
fn fill(pair: &mut Pair, info: &ProgramInfo, draw: &mut Draw) -> Result<(), String> {
    for profile in &info.profiles {
        let tables = info.tables.iter();
        let mut of = tables.filter(|table| table.profile.as_ref() == Some(&profile.name));
        let Some(table) = of.find(|table| !table.actions.is_empty()) else {
            continue;
        };
        for id in 1..4 {
            let name = draw.of(&table.actions);
            if let Some(call) = call(info, name, draw) {
                both(pair, "member", |switch| {
                    switch.member_insert(&profile.name, id, call.clone())
                })?;
            }
        }
        let members = (1..4).map(|member| GroupMember {
            member,
            weight: 1 + draw.below(5) as u32,
            watch_port: None,
        });
        let group = Group {
            id: 1,
            members: members.collect(),
            max_size: 0,
        };
        both(pair, "group", |switch| {
            switch.group_insert(&profile.name, group.clone())
        })?;
    }
    for table in &info.tables {
        for _ in 0..draw.below(4) {
            let key: Vec<MatchField> = table
                .key
                .iter()
                .map(|field| match_field(field, draw))
                .collect();
            let Some(action) = table_action(info, table, draw) else {
                continue;
            };
            let priority = draw.below(3) as i32;
            let data = EntryData::from(action);
            both(pair, "entry", |switch| {
                switch.table_insert(&table.name, &key, priority, data.clone(), 0)
            })?;
        }
        if draw.one_in(3) {
            let action = table_action(info, table, draw);
            both(pair, "default", |switch| {
                switch.table_set_default(&table.name, action.clone())
            })?;
        }
    }
    for set in &info.value_sets {
        let members: Vec<Vec<MatchField>> = (0..2)
            .map(|_| {
                set.key_bits
                    .iter()
                    .map(|&bits| MatchField::Exact(draw.number(bits)))
                    .collect()
            })
            .collect();
        both(pair, "value set", |switch| {
            switch.value_set_write(&set.name, &members)
        })?;
    }
    for meter in info.meters.iter().filter(|meter| meter.size > 0) {
        let rates = MeterRates {
            cir: 1000,
            cburst: 100,
            pir: 10_000,
            pburst: 200,
            ..MeterRates::default()
        };
        both(pair, "meter", |switch| {
            switch.meter_write(&meter.name, 0, Some(rates))
        })?;
    }
    for filter in &info.filters {
        let config = match filter.kind {
            "lpf" => FilterConfig::Lpf(LpfConfig {
                kind: *draw.of(&[LpfKind::Sample, LpfKind::Rate]),
                gain_time_constant_ns: 1e5,
                decay_time_constant_ns: 1e5,
                out_scale_down_factor: draw.below(33) as u32,
            }),
            _ => FilterConfig::Wred(WredConfig {
                time_constant_ns: 1e4,
                min_thresh: draw.below(300) as u32,
                max_thresh: 300 + draw.below(300) as u32,
                max_probability: 0.1,
            }),
        };
        both(pair, "filter", |switch| {
            switch.set_filter_config(&filter.name, 1, Some(config), 0)
        })?;
    }
    let replicas = |ports: &[u32]| -> Vec<Replica> {
        let replicas = ports.iter().zip(1..);
        replicas.map(|(&port, rid)| Replica { port, rid }).collect()
    };
    for session in [1, 5, 100] {
        let clone = CloneSession {
            replicas: replicas(&[CPU_PORT, 3]),
            truncate_bytes: draw.below(3) as u32 * 20,
            class_of_service: 0,
        };
        both(pair, "session", |switch| {
            switch.clone_session_set(session, clone.clone())
        })?;
    }
    both(pair, "group", |switch| {
        switch.multicast_group_set(1, replicas(&[1, 2, 2]))
    })?;
    let slow = PortOptions {
        rate_bps: Some(1_000_000),
        ..PortOptions::default()
    };
    both(pair, "port", |switch| switch.port_set(1, &slow, 0))?;
    Ok(())
}

/// Any bytes, or a packet of the program's own tests with some bytes changed.
fn packet(packets: &[Vec<u8>], draw: &mut Draw) -> Vec<u8> {
    if packets.is_empty() || draw.one_in(4) {
        let length = draw.below(200) as u32;
        return draw.number(8 * length);
    }
    let mut packet = draw.of(packets).clone();
    for _ in 0..draw.below(3) {
        let at = draw.below(packet.len());
        packet[at] = draw.number(8)[0];
    }
    match draw.below(6) {
        0 => packet.truncate(draw.below(packet.len())),
        1 => packet.resize(packet.len() + draw.below(100), 0xa5),
        _ => (),
    }
    packet
}

fn run(
    pair: &mut Pair,
    info: &ProgramInfo,
    packets: &[Vec<u8>],
    draw: &mut Draw,
) -> Result<(), String> {
    let mut now_ns = 1_000_000;
    for _ in 0..PACKETS {
        let bytes = packet(packets, draw);
        let port = *draw.of(&[0, 1, 2, CPU_PORT]);
        now_ns += draw.below(1_000_000) as u64;
        both(pair, "packets", |switch| {
            switch.receive(now_ns, port, &bytes);
            advance(switch, now_ns)
        })?;
    }
    both(pair, "packets", |switch| {
        advance(switch, now_ns + 1_000_000_000)
    })?;
    both(pair, "stats", |switch| Switch::stats(switch))?;
    for array in info.registers.iter().filter(|array| array.size <= CELLS) {
        both(pair, &array.name, |switch| {
            switch.register_read_all(&array.name)
        })?;
    }
    for array in info.counters.iter().filter(|array| array.size <= CELLS) {
        both(pair, &array.name, |switch| {
            switch.counter_read_all(&array.name)
        })?;
    }
    for filter in info.filters.iter().filter(|filter| filter.size > 1) {
        both(pair, &filter.name, |switch| {
            switch.filter_value(&filter.name, 1)
        })?;
    }
    for table in &info.tables {
        both(pair, &table.name, |switch| {
            switch.table_entries(&table.name, now_ns)
        })?;
    }
    Ok(())
}

fn advance(switch: &mut Switch, now_ns: u64) -> Vec<Output> {
    let mut all = Vec::new();
    switch.advance(now_ns, &mut |output| all.push(output));
    all
}
