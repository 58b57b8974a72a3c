// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Registers, counters, meters, hashes, checksums, random numbers.

use crate::common::*;
use quench_dataplane::control::{CounterValue, ErrorCode, MeterRates};
use serde_json::{json, Value};

fn named(kind: &str, name: &str) -> Value {
    json!({"type": kind, "value": name})
}

#[test]
fn registers_keep_state_and_check_their_index() {
    let mut program = Program::new();
    program.push(
        "register_arrays",
        json!({"name": "r", "id": 1, "size": 4, "bitwidth": 12}),
    );
    let register = named("register_array", "r");
    program.ingress(vec![
        forward(2),
        prim(
            "register_read",
            vec![field("h", "c"), register.clone(), field("h", "a")],
        ),
        assign(field("meta", "y"), expr("+", field("h", "c"), hex(0x801))),
        prim(
            "register_write",
            vec![register, field("h", "a"), field("meta", "y")],
        ),
    ]);
    let mut switch = program.switch();
    let read: Vec<Vec<u8>> = (0..3)
        .map(|_| send(&mut switch, &[3, 0, 9, 9])[0].1[2..].to_vec())
        .collect();
    assert_eq!(read, [[0, 0], [8, 1], [0, 2]]);
    assert_eq!(switch.register_read("r", 3).unwrap(), [8, 3]);
    assert_eq!(stat(&switch, "register_index_out_of_range"), 0);
    assert_eq!(send(&mut switch, &[4, 0, 9, 9])[0].1, [4, 0, 0, 0]);
    assert_eq!(stat(&switch, "register_index_out_of_range"), 2);
    switch.register_write("r", 0, &[0, 0x0f, 0xff]).unwrap();
    assert_eq!(
        switch.register_read_all("r").unwrap(),
        [vec![0x0f, 0xff], vec![0, 0], vec![0, 0], vec![8, 3]]
    );
    assert_eq!(
        switch.register_write("r", 0, &[0x10, 0]).unwrap_err().code,
        ErrorCode::OutOfRange
    );
    assert_eq!(
        switch.register_read("r", 4).unwrap_err().code,
        ErrorCode::OutOfRange
    );
    assert_eq!(
        switch.register_read("s", 0).unwrap_err().code,
        ErrorCode::NotFound
    );
}

#[test]
fn counters_count_packets_and_bytes() {
    let mut program = Program::new();
    program.push(
        "counter_arrays",
        json!({"name": "c", "id": 1, "size": 2, "is_direct": false}),
    );
    program.ingress(vec![
        forward(2),
        prim("count", vec![named("counter_array", "c"), field("h", "a")]),
    ]);
    let mut switch = program.switch();
    for a in [1, 1, 2] {
        send(&mut switch, &[a, 0, 0, 0, 0]);
    }
    assert_eq!(
        switch.counter_read("c", 1).unwrap(),
        CounterValue {
            packets: 2,
            bytes: 10
        }
    );
    assert_eq!(stat(&switch, "counter_index_out_of_range"), 1);
    switch
        .counter_write(
            "c",
            0,
            CounterValue {
                packets: 7,
                bytes: 8,
            },
        )
        .unwrap();
    assert_eq!(switch.counter_read_all("c").unwrap()[0].packets, 7);
}

#[test]
fn meters_colour_by_their_rates() {
    let mut program = Program::new();
    program.push(
        "meter_arrays",
        json!({"name": "m", "id": 1, "size": 2, "type": "bytes", "rate_count": 2}),
    );
    program.ingress(vec![
        forward(2),
        prim(
            "execute_meter",
            vec![named("meter_array", "m"), field("h", "a"), field("h", "b")],
        ),
    ]);
    let mut switch = program.switch();
    let rates = MeterRates {
        cir: 4000,
        cburst: 4,
        pir: 4000,
        pburst: 8,
        ..MeterRates::default()
    };
    switch.meter_write("m", 1, Some(rates)).unwrap();
    let mut color = |now_ns, index| {
        switch.receive(now_ns, 1, &[index, 9, 0, 0]);
        packets(&mut switch, now_ns)[0].1[1]
    };
    assert_eq!(
        [color(0, 1), color(0, 1), color(0, 1), color(0, 0)],
        [0, 1, 2, 0]
    );
    // A millisecond earns 4 bytes for each bucket.
    assert_eq!([color(MS, 1), color(MS, 1)], [0, 2]);
    assert_eq!(color(MS, 2), 9);
    assert_eq!(stat(&switch, "meter_index_out_of_range"), 1);
    assert_eq!(switch.meter_read_all("m").unwrap(), [None, Some(rates)]);
    let bytes = switch
        .meter_colors("m", 1)
        .unwrap()
        .map(|count| count.bytes);
    assert_eq!(bytes, [8, 4, 8]);
    assert_eq!(switch.meter_colors("m", 0).unwrap()[0].packets, 1);
    switch.meter_write("m", 1, None).unwrap();
    assert_eq!(switch.meter_colors("m", 1).unwrap()[0].packets, 2);
    switch.meter_colors_clear("m", 0..2).unwrap();
    assert_eq!(
        switch.meter_colors("m", 1).unwrap(),
        [CounterValue::default(); 3]
    );
    let single = MeterRates { eburst: 4, ..rates };
    let refused = switch.meter_write("m", 1, Some(single)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    let inverted = MeterRates { pir: 1, ..rates };
    assert_eq!(
        switch.meter_write("m", 1, Some(inverted)).unwrap_err().code,
        ErrorCode::InvalidArgument
    );
}

#[test]
fn hashes_take_fields_constants_and_a_range() {
    let mut program = Program::new();
    program.push(
        "calculations",
        json!({"name": "k", "id": 1, "algo": "crc16", "input": [
        {"type": "hexstr", "value": "0x313233343536", "bitwidth": 48},
        {"type": "field", "value": ["h", "a"]}, {"type": "field", "value": ["h", "c"]}]}),
    );
    let hash = |base, size| {
        prim(
            "modify_field_with_hash_based_offset",
            vec![
                field("meta", "y"),
                hex(base),
                named("calculation", "k"),
                hex(size),
            ],
        )
    };
    let run = |base, size| {
        let mut program_json = Program::new();
        program_json.json = program.json.clone();
        program_json.ingress(vec![
            forward(2),
            hash(base, size),
            assign(field("h", "c"), field("meta", "y")),
        ]);
        let out = send(&mut program_json.switch(), b"7_89");
        u16::from_be_bytes([out[0].1[2], out[0].1[3]])
    };
    // The CRC-16/ARC of "123456789".
    assert_eq!(run(0, 0x10000), 0xbb3d);
    assert_eq!(run(5, 100), 0xbb3d % 100 + 5);
    assert_eq!(run(5, 0), 5);
}

/// A program whose `h.c` is the checksum of `h.a`, `h.b` and the payload.
fn checksum(verify: bool, update: bool) -> Program {
    let mut program = Program::new();
    program.push("calculations", json!({"name": "k", "id": 1, "algo": "csum16", "input": [
        {"type": "field", "value": ["h", "a"]}, {"type": "field", "value": ["h", "b"]}, {"type": "payload"}]}));
    let wanted = json!({"type": "expression", "value": {"op": "!=", "left": field("h", "a"), "right": hex(0xff)}});
    program.push(
        "checksums",
        json!({"name": "s", "id": 1, "target": ["h", "c"], "type": "generic",
        "calculation": "k", "verify": verify, "update": update, "if_cond": wanted}),
    );
    program
}

#[test]
fn checksums_are_updated_where_their_condition_holds() {
    let mut program = checksum(false, true);
    program.ingress(vec![forward(2)]);
    let mut switch = program.switch();
    assert_eq!(
        send(&mut switch, &[1, 2, 0, 0, 0x10, 0x20, 0x30])[0].1[2..4],
        (!0x4122u16).to_be_bytes()
    );
    assert_eq!(send(&mut switch, &[0xff, 2, 7, 7])[0].1[2..4], [7, 7]);
}

#[test]
fn wrong_checksums_are_noticed() {
    let mut program = checksum(true, false);
    program.ingress(vec![
        forward(2),
        assign(field("h", "b"), std("checksum_error")),
    ]);
    let mut switch = program.switch();
    assert_eq!(send(&mut switch, &[1, 2, 0xfe, 0xfd])[0].1[1], 0);
    assert_eq!(send(&mut switch, &[1, 2, 0xfe, 0xfc])[0].1[1], 1);
    assert_eq!(send(&mut switch, &[0xff, 2, 0xfe, 0xfc])[0].1[1], 0);
    assert_eq!(send(&mut switch, &[1])[0].1, [1]);
    assert_eq!(stat(&switch, "checksum_errors"), 1);
}

#[test]
fn random_numbers_cover_their_range() {
    let mut program = Program::new();
    program.ingress(vec![
        forward(2),
        prim(
            "modify_field_rng_uniform",
            vec![field("h", "a"), hex(3), hex(5)],
        ),
    ]);
    let mut switch = program.switch();
    let mut seen = [0; 256];
    for _ in 0..300 {
        seen[usize::from(send(&mut switch, &[0; 4])[0].1[0])] += 1;
    }
    assert_eq!(seen.iter().sum::<u32>(), seen[3..=5].iter().sum::<u32>());
    assert!(
        seen[3..=5].iter().all(|&count| count > 70),
        "{:?}",
        &seen[3..=5]
    );
}

#[test]
fn registers_wider_than_any_machine_word() {
    let mut program = Program::new();
    program.header("w", json!([["v", 256, false]]));
    program.push(
        "register_arrays",
        json!({"name": "r", "id": 1, "size": 1, "bitwidth": 256}),
    );
    let register = named("register_array", "r");
    program.json["parsers"][0]["parse_states"][0]["parser_ops"] = json!([
        {"op": "extract", "parameters": [{"type": "regular", "value": "w"}]}]);
    let doubled = expr("*", field("w", "v"), hex(2));
    program.ingress(vec![
        forward(2),
        prim("register_write", vec![register.clone(), hex(0), doubled]),
        prim("register_read", vec![field("w", "v"), register, hex(0)]),
    ]);
    let mut switch = program.switch();
    let mut packet = [0x81; 32];
    packet[31] = 0x80;
    let mut want = [0x03; 32];
    want[0] = 0x03;
    want[30] = 0x03;
    want[31] = 0;
    assert_eq!(send(&mut switch, &packet)[0].1, want);
    assert_eq!(switch.register_read("r", 0).unwrap(), want);
}

#[test]
fn a_loop_without_end_drops_the_packet_and_not_the_switch() {
    let mut program = Program::new();
    program.ingress(vec![forward(2), prim("_jump", vec![hex(1)])]);
    let mut switch = program.switch();
    assert!(send(&mut switch, &[1, 0, 0, 0]).is_empty());
    assert_eq!(stat(&switch, "dropped_endless_loop"), 1);
}
