// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! All that the control plane can see of two switches is the same.

use std::fmt::Debug;

use quench_dataplane::Switch;

pub(crate) fn assert_same(got: &Switch, want: &Switch) {
    let info = want.program().expect("a program is loaded");
    for register in &info.registers {
        let name = &register.name;
        same(
            name,
            got.register_read_all(name),
            want.register_read_all(name),
        );
    }
    for counter in &info.counters {
        let name = &counter.name;
        same(
            name,
            got.counter_read_all(name),
            want.counter_read_all(name),
        );
    }
    for table in &info.tables {
        let name = &table.name;
        let now_ns = u64::MAX / 2;
        same(
            name,
            got.table_entries(name, now_ns),
            want.table_entries(name, now_ns),
        );
        same(
            name,
            got.default_counter_read(name),
            want.default_counter_read(name),
        );
    }
    for port in want.ports() {
        let now_ns = u64::MAX / 2;
        same(
            "a port",
            got.port_get(port, now_ns),
            want.port_get(port, now_ns),
        );
    }
    same("statistics", Switch::stats(got), Switch::stats(want));
}

fn same<T: PartialEq + Debug>(what: &str, got: T, want: T) {
    assert!(
        got == want,
        "{what}: machine code leaves {got:x?}, the interpreter {want:x?}"
    );
}
