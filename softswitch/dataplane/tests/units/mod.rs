// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TNA's units from packets, from the control plane, and from machine code.

mod compiled;
mod control;
mod refusals;
mod selectors;

use crate::common::units::{self, RESULTS, U_BYTES};
use crate::common::*;
use quench_dataplane::control::{
    CounterValue, EntryData, FilterConfig, LpfConfig, LpfKind, WredConfig,
};
use quench_dataplane::Switch;
use serde_json::json;

fn packet(a: u8, b: u8, c: u16) -> Vec<u8> {
    let mut bytes = vec![a, b];
    bytes.extend(c.to_be_bytes());
    bytes.resize(4 + U_BYTES, 0);
    bytes
}

/// A result by its name.
fn result(packet: &[u8], wanted: &str) -> u64 {
    let mut at = 4;
    for (name, bits) in RESULTS {
        let end = at + bits as usize / 8;
        if name == wanted {
            let bytes = packet[at..end].iter();
            return bytes.fold(0, |number, &byte| number << 8 | u64::from(byte));
        }
        at = end;
    }
    panic!("no result {wanted}");
}

fn at(switch: &mut Switch, now_ns: u64, a: u8, b: u8, c: u16) -> Vec<u8> {
    switch.receive(now_ns, 1, packet(a, b, c));
    packets(switch, now_ns).remove(0).1
}

fn both() -> [Switch; 2] {
    let program = units::program();
    [program.switch(), program.interpreted()]
}

fn lpf(gain: f64, decay: f64, out_scale_down_factor: u32) -> FilterConfig {
    FilterConfig::Lpf(LpfConfig {
        kind: LpfKind::Sample,
        gain_time_constant_ns: gain,
        decay_time_constant_ns: decay,
        out_scale_down_factor,
    })
}

fn wred(min_thresh: u32, max_thresh: u32, max_probability: f64) -> FilterConfig {
    FilterConfig::Wred(WredConfig {
        time_constant_ns: 0.0,
        min_thresh,
        max_thresh,
        max_probability,
    })
}

fn insert(switch: &mut Switch, key: u64, step: u64) {
    let data = EntryData::from(call("hit", &[step]));
    let inserted = switch.table_insert("t", &[exact(key)], 0, data, 0);
    inserted.expect("a valid entry");
}

#[test]
fn every_unit_gives_its_result() {
    for mut switch in both() {
        let out = at(&mut switch, 1000, 7, 1, 400);
        // An unset filter gives the sample, an unset meter the packet's colour.
        assert_eq!(result(&out, "lpf"), 400);
        assert_eq!(result(&out, "wred"), 4);
        // 400 has an even exponent, and row 12 of the table.
        assert_eq!(result(&out, "math"), 157 << 3);
        assert_eq!(result(&out, "color"), 20);
        assert_eq!(result(&out, "param"), 0xfe);
        assert_eq!(result(&out, "entry"), 0xffff);
        // Where the bits fill no whole bytes, zeros stand in front.
        assert_eq!(result(&out, "crc"), crc16(&[0x01, 0x90]) & 0xfff);
        let wide = crc16(&[0x05, 0x01, 0x90]);
        assert_eq!(result(&out, "wide"), wide * 0x1_0001_0001_0001);
        // 4 bytes more than the packet has.
        let count = switch.counter_read("c", 7).expect("a counter");
        let bytes = 4 + U_BYTES as u64 + 4;
        assert_eq!(count, CounterValue { packets: 1, bytes });
        let logged: Vec<u64> = (0..4)
            .map(|i| result(&at(&mut switch, 2000 + i, 7, 0, 5), "log"))
            .collect();
        assert_eq!(logged, [1, 2, 0, 1]);
        let log = switch.register_read_all("log").expect("a register");
        assert_eq!(log, [[0, 5]; 3]);
    }
}

/// CRC-16/ARC by its definition.
fn crc16(data: &[u8]) -> u64 {
    let mut rest = 0u16;
    for &byte in data {
        rest ^= u16::from(byte);
        for _ in 0..8 {
            rest = rest >> 1 ^ if rest & 1 == 1 { 0xa001 } else { 0 };
        }
    }
    rest.into()
}
