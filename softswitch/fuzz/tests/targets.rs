// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Each target without coverage.

use quench_dataplane::{Switch, SwitchConfig};
use quench_fuzz::{short, Target, LOADER, OFFLOAD, P4, PACKETS, TNA};

#[test]
fn p4_text_holds() {
    holds(&P4, 100);
}

#[test]
fn json_holds() {
    holds(&LOADER, 100);
}

#[test]
fn json_and_packets_hold() {
    holds(&PACKETS, 100);
}

#[test]
fn frames_and_their_packets_hold() {
    holds(&OFFLOAD, 3000);
}

#[test]
fn programs_for_tofino_hold() {
    holds(&TNA, 10);
}

/// Otherwise the target `packets`, and the programs with tests in STF, compare the interpreter with itself.
#[test]
fn every_seed_becomes_machine_code() {
    let native = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    for (name, json) in (LOADER.seeds)() {
        let json = String::from_utf8(json).expect("JSON is text");
        let mut switch = Switch::new(SwitchConfig::default());
        let loaded = switch.load_json(&json);
        loaded.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(switch.is_compiled(), native, "{name}");
    }
}

fn holds(target: &Target, mutants: u64) {
    short::holds(
        target,
        mutants,
        env!("CARGO_MANIFEST_DIR"),
        env!("CARGO_TARGET_TMPDIR"),
    );
}
