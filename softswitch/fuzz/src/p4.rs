// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! P4 text: the compiler gives JSON that the data plane loads, or errors with their places.

use std::path::PathBuf;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Mutex, OnceLock, PoisonError};

use quench_dataplane::{Switch, SwitchConfig};
use quench_p4_backend::compile_text;
use quench_p4_frontend::{with_stack, Failure, Options, Severity};

use crate::counts::COUNTS;
use crate::seeds;

/// Errors about the whole program, which have no place.
const WITHOUT_PLACE: [&str; 1] = ["the program has no `main`"];

/// Room that one switch has and another may not: the data plane may refuse a correct program for want of it.
const CAPACITIES: [&str; 6] = [
    " bytes of memory; at most ",
    " entries; at most ",
    " bytes of JSON; at most ",
    " JSON values; at most ",
    " members of a group; at most ",
    " different CRCs are kept in one process",
];

/// A thread with the compiler's stack, which is made once: inputs to it, what [`compile_and_load`] says of each from it.
struct Worker {
    inputs: SyncSender<Vec<u8>>,
    answers: Receiver<bool>,
}

impl Worker {
    fn start() -> Mutex<Self> {
        let (inputs, next) = sync_channel::<Vec<u8>>(1);
        let (answer, answers) = sync_channel(1);
        std::thread::spawn(move || {
            with_stack(move || {
                while let Ok(data) = next.recv() {
                    if answer.send(compile_and_load(&data)).is_err() {
                        break;
                    }
                }
            })
            .expect("there is room for the compiler's stack");
        });
        Mutex::new(Self { inputs, answers })
    }
}

pub(crate) fn run(data: &[u8]) -> bool {
    static WORKER: OnceLock<Mutex<Worker>> = OnceLock::new();
    COUNTS.input();
    let worker = WORKER.get_or_init(Worker::start);
    let worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = worker
        .inputs
        .send(data.to_vec())
        .ok()
        .and_then(|()| worker.answers.recv().ok());
    // The thread's own message says which oracle is broken.
    answer.expect("the oracle holds for this input")
}

fn compile_and_load(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else {
        return false;
    };
    let arch = seeds::arch_of(text);
    let options = Options {
        arch,
        // Inputs that earlier runs kept include files from there, and seeds from a folder beside their own.
        include_dirs: vec![seeds::programs(arch)],
        ..Options::default()
    };
    let path: PathBuf = seeds::programs(arch).join("tables/mutant.p4");
    match compile_text(&path, text, &options) {
        Ok(compiled) => {
            COUNTS.accept();
            let mut switch = Switch::new_interpreted(SwitchConfig::default());
            if let Err(error) = switch.load_json(&compiled.json) {
                let message = error.to_string();
                let full = CAPACITIES.iter().any(|unit| message.contains(unit));
                assert!(
                    full,
                    "the data plane does not load what the compiler made: {message}"
                );
            }
            true
        }
        Err(failure) => {
            check(&failure);
            false
        }
    }
}

fn check(failure: &Failure) {
    let errors: Vec<_> = failure
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    assert!(!errors.is_empty(), "the compiler failed without an error");
    for error in errors {
        let whole = WITHOUT_PLACE
            .iter()
            .any(|text| error.message.contains(text));
        assert!(
            error.span.is_some() || whole,
            "an error without a place: {}",
            error.message
        );
    }
    // Rendering looks into the source.
    assert!(!failure.to_string().is_empty());
}
