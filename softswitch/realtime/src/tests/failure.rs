// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A part that broke stops the whole switch, loudly.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::{Duration, Instant};

use quench_dataplane::switch::SwitchConfig;

use super::bench::{load, CPU_PORT, PATIENCE};
use crate::{IoOptions, RealtimeSwitch, StartError, Threads};

fn running() -> RealtimeSwitch {
    let config = SwitchConfig {
        cpu_port: Some(CPU_PORT),
        ..SwitchConfig::default()
    };
    let switch = RealtimeSwitch::new(config, Threads::default(), IoOptions::default())
        .expect("nothing is asked of the system but descriptors");
    load(&switch);
    switch.start().expect("it did not run");
    assert_eq!(switch.failure(), None);
    switch
}

fn assert_failed(switch: &RealtimeSwitch, reason: &str) {
    let deadline = Instant::now() + PATIENCE;
    while switch.failure().is_none() {
        assert!(Instant::now() < deadline, "the failure goes unnoticed");
        std::thread::sleep(Duration::from_millis(1));
    }
    let failure = switch.failure().expect("it failed");
    assert!(failure.contains(reason), "{failure}");
    // Waits end at once, and for good.
    assert!(!switch.is_open());
    let started = Instant::now();
    assert!(switch.wait_cpu(PATIENCE).is_empty());
    assert!(switch.wait_digests(PATIENCE).is_empty());
    assert!(started.elapsed() < PATIENCE);
    switch.stop();
    assert!(matches!(switch.start(), Err(StartError::Failed(_))));
}

#[test]
fn a_panic_in_the_thread_is_a_failure() {
    let switch = running();
    switch.shared.lock().fault = Some(Box::new(|| panic!("injected")));
    switch.control(|_, _| ());
    assert_failed(&switch, "internal error");
}

#[test]
fn a_panic_with_the_switch_in_hand_is_a_failure_too() {
    let switch = running();
    let call = || switch.control(|_, _| panic!("injected"));
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
    assert_failed(&switch, "internal error");
}

#[test]
fn a_refused_call_is_none() {
    let switch = running();
    assert!(switch.control(|switch, _| switch.load_json("{")).is_err());
    assert_eq!(switch.failure(), None);
    assert!(switch.is_open());
}
