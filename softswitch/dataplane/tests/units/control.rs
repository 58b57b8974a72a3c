// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Filters and cells of entries from the control plane, and in traces.

use quench_dataplane::control::{Change, EntryName, ErrorCode};
use quench_dataplane::trace::message::{Event, PacketTrace};
use quench_dataplane::trace::{Filter, Session};

use super::*;

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
            "an Lpf, and",
        ),
        (
            "red",
            0,
            Some(lpf(1.0, 1.0, 0)),
            ErrorCode::InvalidArgument,
            "a Wred, and",
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
        Change::RegisterReset("per_entry".to_owned(), 0..2),
        Change::FilterWrite("smooth".to_owned(), 0..999, None),
    ];
    let refused = switch.change_all(changes.clone(), 3_000_000);
    assert_eq!(refused.expect_err("beyond the array").place, 6);
    assert_eq!(state(&switch), before);
    switch
        .rehearse(changes[..6].to_vec(), 3_000_000)
        .expect("it would work");
    assert_eq!(state(&switch), before);
    switch
        .change_all(changes[..6].to_vec(), 3_000_000)
        .expect("it works");
    assert_eq!(switch.filter_config("smooth", 6), Ok(None));
    let cells = switch.register_read_all("per_entry").expect("a register");
    let (reset, written) = ([0, 7, 0, 5], [0, 0, 0, 1]);
    assert_eq!(cells, [reset, reset, written, written]);
    let beyond = switch.register_reset("per_entry", 0..5);
    assert_eq!(beyond.expect_err("4 cells").code, ErrorCode::OutOfRange);
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
