// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The programs are examples for others: they compile without a warning.

use quench_p4_frontend::{load, Arch, Options};
use quench_pipeline::{compiled, path};

#[track_caller]
fn check(program: &str, arch: Arch) {
    let options = Options {
        arch,
        ..Options::default()
    };
    let loaded = match load(&path(program), &options) {
        Ok(loaded) => loaded,
        Err(failure) => panic!("refused:\n{failure}"),
    };
    let shown = loaded.warnings.iter().map(|w| w.render(&loaded.sources));
    assert_eq!(shown.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn the_program_for_software() {
    check("quench.p4", Arch::V1Model);
}

#[test]
fn the_program_for_tofino() {
    check("quench_tna.p4", Arch::Tna);
    let json = compiled("quench_tna.p4", Arch::Tna);
    assert!(json.contains("\"architecture\": \"tna\""));
    for object in [
        "pipe.QuenchEgress.average_queue.queue_average",
        "pipe.QuenchIngress.routing.ipv4_route",
    ] {
        assert!(json.contains(object), "{object}");
    }
}
