// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `quench-bench-wire ROLE key=value...`

use std::env::args;
use std::process::ExitCode;

use quench_bench_wire::arguments::Arguments;
use quench_bench_wire::{count, forward, round_trip, send, tcp};

const ROLES: &str = "send, count, forward, echo, ask, tcp-send, tcp-receive";

fn main() -> ExitCode {
    let mut words = args().skip(1);
    let role = words.next().unwrap_or_default();
    let ended = Arguments::parse(words).and_then(|arguments| match role.as_str() {
        "send" => send::run(&arguments),
        "count" => count::run(&arguments),
        "forward" => forward::run(&arguments),
        "echo" => round_trip::echo(&arguments),
        "ask" => round_trip::ask(&arguments),
        "tcp-send" => tcp::send(&arguments),
        "tcp-receive" => tcp::receive(&arguments),
        _ => Err(format!("unknown role: choose one of {ROLES}").into()),
    });
    match ended {
        Ok(measured) => {
            println!("{measured}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("quench-bench-wire {role}: {error}");
            ExitCode::FAILURE
        }
    }
}
