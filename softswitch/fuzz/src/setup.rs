// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A controller's writes and the packets that arrive, all from one seed. Without entries most tables of a program do nothing.

use fastrand::Rng;
use quench_dataplane::control::{
    ActionCall, CloneSession, EntryData, FieldInfo, FilterConfig, GeneratorApp, Group, GroupMember,
    LpfConfig, LpfKind, MatchField, MatchKind, MeterRates, PortOptions, ProgramInfo, Replica,
    TableAction, TableInfo, Trigger, WredConfig, GENERATOR_APPS,
};
use quench_dataplane::Switch;

const ENTRIES_PER_TABLE: usize = 4;
const MAX_TABLES: usize = 64;
const CELLS_PER_ARRAY: u64 = 8;
const MEMBERS_PER_VALUE_SET: u64 = 4;
const PORTS: u32 = 4;
/// Drawn values are no longer; the switch fills up with zeros.
const MAX_VALUE_BYTES: usize = 32;

/// Entries, default actions, members, groups, value sets, clone sessions, multicast groups, rates and time constants. Those that the switch refuses are left out: a mutant may
/// have a table that nothing fits.
pub(crate) fn fill(switch: &mut Switch, packets: &[u8], rng: &mut Rng) {
    let Some(info) = switch.program().cloned() else {
        return;
    };
    for table in info.tables.iter().take(MAX_TABLES) {
        for _ in 0..ENTRIES_PER_TABLE {
            let Some(action) = action(switch, &info, table, rng) else {
                break;
            };
            let key: Vec<_> = table
                .key
                .iter()
                .map(|field| match_field(field.kind, field.bits, packets, rng))
                .collect();
            let ordered = table.key.iter().any(|field| {
                matches!(
                    field.kind,
                    MatchKind::Ternary | MatchKind::Range | MatchKind::Optional
                )
            });
            let priority = if ordered { rng.i32(1..100) } else { 0 };
            let _refused =
                switch.table_insert(&table.name, &key, priority, EntryData::from(action), 0);
        }
        if rng.u8(..3) == 0 {
            let action = action(switch, &info, table, rng);
            let _refused = switch.table_set_default(&table.name, action);
        }
    }
    for id in 1..4 {
        let replicas = vec![Replica {
            port: rng.u32(..PORTS),
            rid: rng.u16(..4),
        }];
        let session = CloneSession {
            replicas: replicas.clone(),
            truncate_bytes: rng.u32(..64),
            class_of_service: 0,
        };
        let _refused = switch.clone_session_set(id, session);
        let _refused = switch.multicast_group_set(id, replicas);
    }
    arrays(switch, &info, rng);
    for port in 0..PORTS {
        let _refused = switch.set_port_metadata(port, rng.u64(..));
        let _refused = switch.set_level2_exclusion(port as u16, &[rng.u32(..PORTS)]);
    }
    let app = GeneratorApp {
        trigger: Trigger::OneShot {
            after_ns: rng.u32(..10_000_000),
        },
        packet: vec![rng.u8(..); rng.usize(1..64)],
        batches: rng.u32(1..3),
        packets: rng.u32(1..4),
        batch_gap_ns: rng.u32(..1_000_000),
        packet_gap_ns: rng.u32(..1_000_000),
        source_port: rng.u16(..PORTS as u16),
        increments_port: rng.bool(),
    };
    let _refused = switch.set_generator(rng.usize(..GENERATOR_APPS), Some(app), 0);
    // A queue, so that depths and waiting times are not always 0.
    let slow = PortOptions {
        rate_pps: Some(100_000),
        ..PortOptions::default()
    };
    let _refused = switch.port_set(1, &slow, 0);
    for set in &info.value_sets {
        let member = |rng: &mut Rng| -> Vec<_> {
            let kind = if rng.bool() {
                MatchKind::Exact
            } else {
                MatchKind::Ternary
            };
            let each = set.key_bits.iter();
            each.map(|&bits| match_field(kind, bits, packets, rng))
                .collect()
        };
        let members: Vec<_> = (0..set.size.min(MEMBERS_PER_VALUE_SET))
            .map(|_| member(rng))
            .collect();
        let _refused = switch.value_set_write(&set.name, &members);
    }
}

/// Rates of meters and time constants of filters, for the first cells of each.
fn arrays(switch: &mut Switch, info: &ProgramInfo, rng: &mut Rng) {
    for meter in &info.meters {
        for index in 0..meter.size.min(CELLS_PER_ARRAY) {
            let rates = MeterRates {
                cir: rng.u64(..100_000),
                cburst: rng.u64(..1000),
                pir: rng.u64(..1_000_000),
                pburst: rng.u64(..1000),
                ..MeterRates::default()
            };
            let _refused = switch.meter_write(&meter.name, index, Some(rates));
        }
    }
    for filter in &info.filters {
        for index in 0..filter.size.min(CELLS_PER_ARRAY) {
            let config = match filter.kind {
                "lpf" => FilterConfig::Lpf(LpfConfig {
                    kind: if rng.bool() {
                        LpfKind::Sample
                    } else {
                        LpfKind::Rate
                    },
                    gain_time_constant_ns: 1e5,
                    decay_time_constant_ns: 1e5,
                    out_scale_down_factor: rng.u32(..3),
                }),
                _ => FilterConfig::Wred(WredConfig {
                    time_constant_ns: 1e4,
                    min_thresh: rng.u32(..100),
                    max_thresh: 100 + rng.u32(..300),
                    max_probability: 0.5,
                }),
            };
            let _refused = switch.set_filter_config(&filter.name, index, Some(config), 0);
        }
    }
}

fn action(
    switch: &mut Switch,
    info: &ProgramInfo,
    table: &TableInfo,
    rng: &mut Rng,
) -> Option<TableAction> {
    let name = rng.choice(&table.actions)?;
    let params = info.actions.iter().find(|action| action.name == *name)?;
    let call = ActionCall {
        name: name.clone(),
        params: params
            .params
            .iter()
            .map(|FieldInfo { bits, .. }| value(*bits, &[], rng))
            .collect(),
    };
    let Some(profile) = &table.profile else {
        return Some(TableAction::Action(call));
    };
    let id = rng.u32(1..5);
    let _refused = switch.member_insert(profile, id, call);
    let member = GroupMember {
        member: id,
        weight: 1,
        watch_port: None,
    };
    let group = Group {
        id,
        members: vec![member],
        max_size: 0,
    };
    if switch.group_insert(profile, group).is_ok() && rng.bool() {
        return Some(TableAction::Group(id));
    }
    Some(TableAction::Member(id))
}

fn match_field(kind: MatchKind, bits: u32, packets: &[u8], rng: &mut Rng) -> MatchField {
    if !matches!(kind, MatchKind::Exact | MatchKind::Valid) && rng.u8(..4) == 0 {
        return MatchField::DontCare;
    }
    let drawn = value(bits, packets, rng);
    match kind {
        MatchKind::Exact | MatchKind::Valid => MatchField::Exact(drawn),
        MatchKind::Optional => MatchField::Optional(drawn),
        MatchKind::Range => {
            let other = value(bits, packets, rng);
            MatchField::Range(drawn.clone().min(other.clone()), drawn.max(other))
        }
        MatchKind::Ternary => {
            let mask = value(bits, &[], rng);
            let masked = drawn.iter().zip(&mask).map(|(a, b)| a & b).collect();
            MatchField::Ternary(masked, mask)
        }
        MatchKind::Lpm => {
            let length = rng.u32(..=bits.min(8 * drawn.len() as u32));
            let mut masked = drawn;
            let spare = (8 - bits % 8) % 8;
            for (at, byte) in masked.iter_mut().enumerate() {
                let kept = (length + spare).saturating_sub(8 * at as u32).min(8);
                *byte &= !(0xffu16 >> kept) as u8;
            }
            MatchField::Lpm(masked, length)
        }
    }
}

/// A value of so many bits: a small one, a random one, or a piece of a packet, which is then found.
fn value(bits: u32, packets: &[u8], rng: &mut Rng) -> Vec<u8> {
    let length = (bits.div_ceil(8) as usize).min(MAX_VALUE_BYTES);
    let mut bytes = vec![0; length];
    let Some(last) = length.checked_sub(1) else {
        return bytes;
    };
    match rng.u8(..3) {
        0 => bytes[last] = rng.u8(..4),
        1 if packets.len() >= length => {
            let from = rng.usize(..=packets.len() - length);
            bytes.copy_from_slice(&packets[from..from + length]);
        }
        _ => bytes.iter_mut().for_each(|byte| *byte = rng.u8(..)),
    }
    if bits % 8 != 0 && length == bits.div_ceil(8) as usize {
        bytes[0] &= (1 << (bits % 8)) - 1;
    }
    bytes
}

pub(crate) struct Arrival {
    pub gap_ns: u64,
    pub port: u32,
    pub bytes: Vec<u8>,
}

/// First the packets of the input, then changed copies of them.
pub(crate) struct Arrivals {
    given: Vec<(u32, Vec<u8>)>,
    next: usize,
    rng: Rng,
}

impl Arrivals {
    pub(crate) fn new(mut packets: &[u8], rng: Rng) -> Self {
        let mut given = Vec::new();
        while let [port, length, rest @ ..] = packets {
            let (bytes, after) = rest.split_at(usize::from(*length).min(rest.len()));
            given.push((u32::from(*port) % PORTS, bytes.to_vec()));
            packets = after;
        }
        if given.is_empty() {
            given.push((0, (0..64).collect()));
        }
        Self {
            given,
            next: 0,
            rng,
        }
    }

    pub(crate) fn next(&mut self) -> Arrival {
        let (port, mut bytes) = self.given[self.next % self.given.len()].clone();
        if self.next >= self.given.len() {
            for _ in 0..self.rng.usize(1..4) {
                crate::bytes::change(&mut bytes, &self.given[0].1, &mut self.rng);
            }
            bytes.truncate(512);
            if self.rng.u8(..4) == 0 {
                let longer = bytes.len() + self.rng.usize(..256);
                bytes.resize(longer, 0);
            }
        }
        self.next += 1;
        // Now and then long enough for what decays with time.
        let gap_ns = match self.rng.u8(..16) {
            0 => self.rng.u64(..50_000_000),
            _ => self.rng.u64(..20_000),
        };
        Arrival {
            gap_ns,
            port,
            bytes,
        }
    }
}
