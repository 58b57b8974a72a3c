// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TNA's units from packets, from the control plane, and from machine code.

mod common;
#[path = "common/units.rs"]
mod units;

use common::*;
use proptest::prelude::*;
use quench_dataplane::control::{
    Change, CounterValue, EntryData, EntryName, ErrorCode, FilterConfig, Group, GroupMember,
    LpfConfig, LpfKind, MeterRates, TableAction, WredConfig,
};
use quench_dataplane::trace::message::{Event, PacketTrace};
use quench_dataplane::trace::{Filter, Session};
use quench_dataplane::{Output, Switch, SwitchConfig};
use serde_json::{json, Value};
use units::{RESULTS, U_BYTES};

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
    switch.receive(now_ns, 1, &packet(a, b, c));
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

#[test]
fn filters_are_set_and_read() {
    for mut switch in both() {
        // 1.0737 ms are 1 310 000 cycles, 1.249 * 2^20.
        let config = lpf(1_073_741.0, 4_294_964.0, 2);
        switch
            .set_filter_config("smooth", 3, Some(config), 0)
            .expect("a cell");
        assert_eq!(switch.filter_config("smooth", 3), Ok(Some(config)));
        assert_eq!(switch.filter_config("smooth", 4), Ok(None));
        // A time constant has just gone by: 1 - 2^-2 - 2^-3 of the sample, shifted down.
        let out = at(&mut switch, 1_080_000, 3, 0, 8000);
        assert_eq!(result(&out, "lpf"), 5000 >> 2);
        assert_eq!(switch.filter_value("smooth", 3), Ok(5000));
        // Setting it anew forgets the average.
        switch
            .filter_fill("smooth", 0..256, None, 2_000_000)
            .expect("cells");
        assert_eq!(switch.filter_value("smooth", 3), Ok(0));

        switch
            .set_filter_config("red", 3, Some(wred(100, 100, 1.0)), 0)
            .expect("a cell");
        let drops = |switch: &mut Switch, now_ns, c| result(&at(switch, now_ns, 3, 0, c), "wred");
        assert_eq!(drops(&mut switch, 3_000_000, 100), 4);
        assert_eq!(drops(&mut switch, 4_000_000, 101), 9);
    }
}

#[test]
fn settings_that_are_impossible_change_nothing() {
    let mut switch = units::program().switch();
    let mut refused = |name: &str, index, config| {
        let result = switch.set_filter_config(name, index, config, 0);
        let error = result.expect_err("it is impossible");
        (error.code, error.message)
    };
    for (name, index, config, code, why) in [
        ("none", 0, None, ErrorCode::NotFound, "no filter called"),
        (
            "smooth",
            256,
            None,
            ErrorCode::OutOfRange,
            "256 cells, no number 256",
        ),
        (
            "smooth",
            0,
            Some(wred(1, 2, 1.0)),
            ErrorCode::InvalidArgument,
            "other kind",
        ),
        (
            "red",
            0,
            Some(lpf(1.0, 1.0, 0)),
            ErrorCode::InvalidArgument,
            "other kind",
        ),
        (
            "smooth",
            0,
            Some(lpf(1.0, 3e9, 0)),
            ErrorCode::InvalidArgument,
            "power of two",
        ),
        (
            "red",
            0,
            Some(wred(2, 1, 1.0)),
            ErrorCode::InvalidArgument,
            "above",
        ),
        (
            "direct_smooth",
            0,
            None,
            ErrorCode::InvalidArgument,
            "is direct",
        ),
    ] {
        let (got, message) = refused(name, index, config);
        assert_eq!(got, code, "{message}");
        assert!(message.contains(why), "{message}");
    }
    let direct = switch.direct_filter_config("smooth", &[exact(1)], 0);
    assert_eq!(
        direct.expect_err("not direct").code,
        ErrorCode::InvalidArgument
    );
    let direct = switch.direct_filter_config("direct_smooth", &[exact(1)], 0);
    assert_eq!(direct.expect_err("no entry").code, ErrorCode::NotFound);
}

#[test]
fn entries_have_a_number_and_cells() {
    for mut switch in both() {
        for key in [5, 6, 7] {
            insert(&mut switch, key, 0x1_0000);
        }
        let seen = |switch: &mut Switch, now_ns, a| {
            let out = at(switch, now_ns, a, 0, 640);
            ["entry", "direct", "average"].map(|name| result(&out, name))
        };
        assert_eq!(seen(&mut switch, 1000, 6), [1, 0x7_0005, 640]);
        assert_eq!(seen(&mut switch, 2000, 6), [1, 0x8_0005, 640]);
        assert_eq!(seen(&mut switch, 3000, 7), [2, 0x7_0005, 640]);
        assert_eq!(seen(&mut switch, 4000, 9), [0xffff, 0, 0]);
        let config = lpf(1e6, 1e6, 1);
        let set =
            switch.set_direct_filter_config("direct_smooth", &[exact(6)], 0, Some(config), 5000);
        set.expect("an entry");
        let read = switch.direct_filter_config("direct_smooth", &[exact(6)], 0);
        assert_eq!(read, Ok(Some(config)));
        // The number is free for the next entry, whose cells begin anew.
        switch.table_delete("t", &[exact(6)], 0).expect("an entry");
        insert(&mut switch, 200, 1);
        let read = switch.direct_filter_config("direct_smooth", &[exact(200)], 0);
        assert_eq!(read, Ok(None));
        assert_eq!(seen(&mut switch, 6_000, 200), [1, 0x7_0005, 640]);
    }
}

/// A batch whose last request is refused, and a rehearsal.
#[test]
fn batches_take_filters_and_cells_back() {
    let mut switch = units::program().switch();
    insert(&mut switch, 6, 1);
    at(&mut switch, 1000, 6, 0, 100);
    switch
        .set_filter_config("smooth", 6, Some(lpf(5e4, 5e4, 0)), 1000)
        .expect("a cell");
    at(&mut switch, 2_000_000, 6, 0, 100);
    let name = |key| EntryName {
        table: "t".to_owned(),
        key: vec![exact(key)],
        priority: 0,
    };
    let state = |switch: &Switch| {
        (
            switch.filter_config("smooth", 6),
            switch.filter_value("smooth", 6),
            switch.filter_value("direct_smooth", 0),
            switch.direct_filter_config("direct_smooth", &[exact(6)], 0),
            switch.register_read_all("per_entry"),
        )
    };
    let before = state(&switch);
    assert_eq!(before.1, Ok(100));
    let config = Some(lpf(1e6, 1e6, 0));
    let changes = vec![
        Change::FilterWrite("smooth".to_owned(), 0..9, None),
        Change::DirectFilterWrite("direct_smooth".to_owned(), vec![exact(6)], 0, config),
        Change::TableDelete(name(6)),
        Change::TableInsert(name(8), EntryData::from(call("hit", &[2]))),
        Change::RegisterWrite("per_entry".to_owned(), 0..4, vec![1]),
        Change::FilterWrite("smooth".to_owned(), 0..999, None),
    ];
    let refused = switch.change_all(changes.clone(), 3_000_000);
    assert_eq!(refused.expect_err("beyond the array").place, 5);
    assert_eq!(state(&switch), before);
    switch
        .rehearse(changes[..5].to_vec(), 3_000_000)
        .expect("it would work");
    assert_eq!(state(&switch), before);
    switch
        .change_all(changes[..5].to_vec(), 3_000_000)
        .expect("it works");
    assert_eq!(switch.filter_config("smooth", 6), Ok(None));
}

#[test]
fn the_program_says_what_filters_it_has() {
    let switch = units::program().switch();
    let info = switch.program().expect("a program is loaded");
    let filters = info.filters.iter().map(|filter| {
        let table = filter.direct_table.as_deref();
        (filter.name.as_str(), filter.kind, filter.size, table)
    });
    let want = [
        ("smooth", "lpf", 256, None),
        ("red", "wred", 256, None),
        ("direct_smooth", "lpf", 4, Some("t")),
    ];
    assert_eq!(filters.collect::<Vec<_>>(), want);
    // One cell for each entry of the table.
    assert_eq!(info.registers[1].size, 4);
}

#[test]
fn indices_beyond_an_array_are_counted_and_give_zero() {
    let mut program = units::program();
    program.json["filter_arrays"][0]["size"] = json!(2);
    for mut switch in [program.switch(), program.interpreted()] {
        assert_eq!(result(&at(&mut switch, 1000, 2, 0, 400), "lpf"), 0);
        assert_eq!(stat(&switch, "meter_index_out_of_range"), 1);
    }
}

#[test]
fn traces_name_the_units() {
    let mut switch = units::program().switch();
    let session = switch.trace(Filter::default()).expect("a session");
    at(&mut switch, 1000, 1, 0, 400);
    let names = unit_events(&session);
    for (name, array) in [
        ("lpf", "smooth"),
        ("wred", "red"),
        ("count", "c"),
        ("execute_meter", "m"),
    ] {
        assert!(
            names.contains(&(name.to_owned(), Some(array.to_owned()))),
            "{names:?}"
        );
    }
    for name in ["math_unit", "hash", "next_index"] {
        assert!(names.contains(&(name.to_owned(), None)), "{names:?}");
    }
}

fn unit_events(session: &Session) -> Vec<(String, Option<String>)> {
    let traces = session.take(usize::MAX);
    let trace: PacketTrace = prost::Message::decode(&traces[0][..]).expect("a trace");
    let events = trace.root.expect("a tree").events.into_iter();
    let primitives = events.filter_map(|event| match event.event? {
        Event::Primitive(event) => Some((event.name, event.array.map(|array| array.name))),
        _ => None,
    });
    primitives.collect()
}

/// Units for hostile packets, at any times, with settings that change meanwhile.
#[derive(Clone, Debug)]
enum Step {
    Packet(u64, u8, u8, u16),
    Lpf(u64, u32, u32),
    Wred(u64, u32, u32, u8),
    Meter(u64, u64),
    Insert(u64),
    Delete(u64),
}

fn steps() -> impl Strategy<Value = Step> {
    let gap = prop_oneof![4 => 0u64..10_000, 2 => 0u64..3_000_000, 1 => 0u64..3_000_000_000];
    let packet = (gap, 0u8..6, any::<u8>(), any::<u16>())
        .prop_map(|(gap, a, b, c)| Step::Packet(gap, a, b, c));
    prop_oneof![
        12 => packet,
        1 => (0u64..6, 0u32..32, 0u32..4).prop_map(|(at, log, down)| Step::Lpf(at, log, down)),
        1 => (0u64..6, 0u32..30_000, 0u32..40_000, 1u8..101)
            .prop_map(|(at, low, more, percent)| Step::Wred(at, low, low + more, percent)),
        1 => (0u64..6, 1u64..1_000_000).prop_map(|(at, rate)| Step::Meter(at, rate)),
        1 => (0u64..6).prop_map(Step::Insert),
        1 => (0u64..6).prop_map(Step::Delete),
    ]
}

/// Everything that comes out and stays.
fn run(switch: &mut Switch, steps: &[Step]) -> (Vec<Output>, Vec<String>) {
    let (mut now_ns, mut out, mut seen) = (0, Vec::new(), Vec::new());
    for step in steps.iter().cloned() {
        let answer = match step {
            Step::Packet(gap, a, b, c) => {
                now_ns += gap;
                switch.receive(now_ns, 1, &packet(a, b, c));
                out.extend(outputs(switch, now_ns));
                Ok(())
            }
            Step::Lpf(index, log, down) => {
                let ns = f64::from(log).exp2();
                switch.set_filter_config("smooth", index, Some(lpf(ns, 2.0 * ns, down)), now_ns)
            }
            Step::Wred(index, min, max, percent) => {
                let config = wred(min, max, f64::from(percent) / 100.0);
                switch.set_filter_config("red", index, Some(config), now_ns)
            }
            Step::Meter(index, rate) => {
                let rates = MeterRates {
                    cir: rate,
                    cburst: 2000,
                    pir: 2 * rate,
                    pburst: 5000,
                    eburst: 0,
                };
                switch.meter_write("m", index, Some(rates))
            }
            Step::Insert(key) => {
                let data = EntryData::from(call("hit", &[key + 1]));
                switch.table_insert("t", &[exact(key)], 0, data, now_ns)
            }
            Step::Delete(key) => switch.table_delete("t", &[exact(key)], 0),
        };
        seen.push(format!("{answer:?}"));
    }
    for name in ["smooth", "red"] {
        seen.extend((0..6).map(|at| format!("{:?}", switch.filter_value(name, at))));
    }
    for name in ["log", "per_entry"] {
        seen.push(format!("{:?}", switch.register_read_all(name)));
    }
    seen.push(format!("{:?}", switch.counter_read_all("c")));
    seen.push(format!("{:?}", Switch::stats(switch)));
    (out, seen)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn units_do_the_same_from_machine_code(
        steps in prop::collection::vec(steps(), 1..120),
        seed in any::<u64>(),
    ) {
        let program = units::program().json.to_string();
        let config = SwitchConfig { seed, ..SwitchConfig::default() };
        let mut switches = [Switch::new(config.clone()), Switch::new_interpreted(config)];
        let [got, want] = switches.each_mut().map(|switch| {
            switch.load_json(&program).expect("the program loads");
            run(switch, &steps)
        });
        prop_assert_eq!(got, want);
    }
}

/// The message for a program that is refused.
fn refusal(change: impl FnOnce(&mut Value)) -> String {
    let mut program = units::program();
    change(&mut program.json);
    let mut switch = Switch::new(SwitchConfig::default());
    let loaded = switch.load_json(&program.json.to_string());
    loaded.expect_err("it is refused").message
}

fn set(path: &'static str, value: Value) -> (&'static str, Value) {
    (path, value)
}

#[test]
fn what_the_hardware_cannot_do_is_refused() {
    for ((path, value), parts) in [
        (
            set("/math_units/0/shift", json!(-2)),
            ["math unit 'root'", "shift of -2"],
        ),
        (
            set("/math_units/0/scale", json!(32)),
            ["math unit 'root'", "6 bits"],
        ),
        (
            set("/math_units/0/bitwidth", json!(33)),
            ["math unit 'root'", "33 bits"],
        ),
        (
            set("/math_units/0/table", json!([1, 2])),
            ["not a BMv2 JSON", "16"],
        ),
        (
            set("/math_units/0/name", json!("other")),
            ["no math unit", "'root'"],
        ),
        (
            set("/filter_arrays/0/kind", json!("iir")),
            ["filter 'smooth'", "kind 'iir'"],
        ),
        (
            set("/filter_arrays/0/kind", json!("wred")),
            ["filter 'smooth'", "8 bits"],
        ),
        (
            set("/filter_arrays/1/bitwidth", json!(9)),
            ["filter 'red'", "8 bits"],
        ),
        (
            set("/filter_arrays/1/name", json!("smooth")),
            ["two filters", "'smooth'"],
        ),
        (
            set("/filter_arrays/1/size", json!(u64::MAX)),
            ["filter 'red'", "bytes of memory"],
        ),
        (
            set("/filter_arrays/2/binding", json!("u")),
            ["filter 'direct_smooth'", "table called 'u'"],
        ),
        (
            set("/filter_arrays/2/binding", Value::Null),
            ["filter 'direct_smooth'", "binding"],
        ),
        (
            set("/register_arrays/0/log", json!(false)),
            ["next_index", "'log' is no log"],
        ),
        (
            set("/register_arrays/1/fields/0/1", json!(15)),
            ["register 'per_entry'", "31 bits"],
        ),
        (
            set("/register_arrays/1/binding", json!("u")),
            ["register 'per_entry'", "table called 'u'"],
        ),
        (
            set("/register_arrays/2/size", json!(2)),
            ["register 'limit'", "one cell"],
        ),
        (
            set("/register_arrays/2/initial", json!("x")),
            ["register 'limit'", "hexadecimal"],
        ),
        (
            set("/calculations/0/crc", Value::Null),
            ["calculation 'cut'", "parameters"],
        ),
        (
            set("/calculations/0/crc/width", json!(7)),
            ["calculation 'cut'", "7 bits"],
        ),
        (
            set("/calculations/0/crc/width", json!(65)),
            ["calculation 'cut'", "65 bits"],
        ),
        (
            set("/calculations/0/crc/coeff", json!("0xg")),
            ["calculation 'cut'", "hexadecimal"],
        ),
        (
            set("/calculations/0/bits", json!(65)),
            ["calculation 'cut'", "64 bits"],
        ),
        (
            set("/pipelines/0/tables/0/entry_index", json!(["u", "none"])),
            ["table 't'", "no field 'none'"],
        ),
        (
            set("/pipelines/0/tables/0/entry_index", Value::Null),
            ["table 't'", "'entry_index'"],
        ),
        (
            set("/actions/2/primitives/1/op", json!("wred")),
            ["wred", "'smooth' is a lpf"],
        ),
        (
            set("/actions/2/primitives/3/parameters/1/value", json!("x")),
            ["math_unit", "'x'"],
        ),
    ] {
        let message = refusal(|json| *json.pointer_mut(path).expect(path) = value);
        for part in parts {
            assert!(message.contains(part), "{path}: {message}");
        }
    }
}

/// A group of a selector, with what the program says of it.
fn selector(mode: &str, extra: Value) -> Program {
    let mut program = Program::new();
    let go = program.action(
        "go",
        &[("port", 9)],
        vec![assign(std("egress_spec"), param(0))],
    );
    let mut profile = json!({"name": "p", "id": 1, "max_size": 16, "selector": {"algo": "crc", "bits": 51,
        "mode": mode, "input": [{"type": "field", "value": ["h", "c"]}],
        "crc": {"width": 32, "coeff": "0x04c11db7", "reversed": true, "extended": true,
                "init": "0xffffffff", "xor": "0xffffffff"}}});
    for (attribute, value) in extra.as_object().expect("an object") {
        profile[attribute] = value.clone();
    }
    program.json["pipelines"][0]["action_profiles"] = json!([profile]);
    let key = [("exact", field("h", "a"))];
    let extra = json!({"type": "indirect_ws", "action_profile": "p"});
    program.table("t", "exact", &key, &[go], extra);
    program
}

fn group(weights: &[u32]) -> Group {
    let members = weights.iter().zip(1..);
    let members = members.map(|(&weight, member)| GroupMember {
        member,
        weight,
        watch_port: Some(member),
    });
    Group {
        id: 1,
        members: members.collect(),
        max_size: 0,
    }
}

#[test]
fn selectors_of_tofino_share_packets() {
    for mode in ["fair", "resilient"] {
        let mut switch = selector(mode, json!({"max_group_size": 8})).switch();
        for member in 1..=3 {
            let call = action("go", &[member]);
            switch
                .member_insert("p", member as u32, call)
                .expect("a member");
        }
        let large = switch.group_insert("p", group(&[4, 4, 1]));
        assert_eq!(
            large.expect_err("9 in all").code,
            ErrorCode::ResourceExhausted
        );
        switch
            .group_insert("p", group(&[1, 1, 1]))
            .expect("a group");
        let to_group = EntryData::from(TableAction::Group(1));
        switch
            .table_insert("t", &[exact(1)], 0, to_group, 0)
            .expect("an entry");
        let ports = |switch: &mut Switch| -> Vec<u32> {
            (0..600u16)
                .map(|c| send(switch, &[1, 0, (c >> 8) as u8, c as u8])[0].0)
                .collect()
        };
        let before = ports(&mut switch);
        for port in 1..=3 {
            // 200 expected, with a standard deviation of 12.
            let share = before.iter().filter(|&&taken| taken == port).count();
            assert!(share.abs_diff(200) < 60, "{mode}: {share}");
        }
        switch.set_port_up(2, false);
        let after = ports(&mut switch);
        assert!(after.iter().all(|&port| port != 2));
        let moved = before
            .iter()
            .zip(&after)
            .filter(|(old, new)| old != new && **old != 2);
        // A fair selector counts its members anew.
        assert_eq!(moved.count() == 0, mode == "resilient");
    }
}

#[test]
fn selectors_have_limits() {
    let mut switch = selector("fair", json!({"num_groups": 1})).switch();
    switch
        .member_insert("p", 1, action("go", &[1]))
        .expect("a member");
    switch.group_insert("p", group(&[120])).expect("a group");
    let second = Group {
        id: 2,
        ..group(&[1])
    };
    let full = switch.group_insert("p", second).expect_err("one group");
    assert_eq!(full.code, ErrorCode::ResourceExhausted);
    for (mode, extra, why) in [
        ("odd", json!({}), "selector mode 'odd'"),
        (
            "fair",
            json!({"max_group_size": 1 << 20}),
            "members of a group",
        ),
        (
            "fair",
            json!({"max_group_size": 0}),
            "groups without members",
        ),
    ] {
        let program = selector(mode, extra).json.to_string();
        let loaded = Switch::new(SwitchConfig::default()).load_json(&program);
        let message = loaded.expect_err(why).message;
        assert!(
            message.contains(why) && message.contains("'p'"),
            "{message}"
        );
    }
}
