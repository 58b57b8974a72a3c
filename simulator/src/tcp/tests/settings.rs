// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings of a stack in a scenario, and the error messages for wrong ones.

use crate::tcp::{TcpConfig, TcpStack};

fn problem(json: &str) -> String {
    match serde_json::from_str::<TcpConfig>(json) {
        Err(error) => error.to_string(),
        Ok(config) => TcpStack::new(&config).expect_err(json).to_string(),
    }
}

#[test]
fn a_wrong_setting_gets_an_error_of_one_line() {
    for (json, expected) in [
        (r#"{"speed": 1}"#, "unknown field `speed`"),
        (r#"{"preset": "ns3"}"#, "unknown variant `ns3`"),
        (
            r#"{"algorithm": "cubic"}"#,
            "algorithm: there is no \"cubic\"; there are plain, ",
        ),
        (
            r#"{"parameters": {"speed": 1}}"#,
            "parameters: no parameter \"speed\"",
        ),
        (
            r#"{"parameters": {"hold_rule": "long"}}"#,
            "parameters: hold_rule cannot be \"long\"",
        ),
        (
            r#"{"parameters": {"alpha": 1}}"#,
            "parameters: alpha must be less than beta",
        ),
        (
            r#"{"segment_bytes": 0}"#,
            "segment_bytes: must be from 1 to 65000, not 0",
        ),
        (
            r#"{"max_window_pkts": 0}"#,
            "max_window_pkts: must be from 1",
        ),
        (
            r#"{"initial_window_pkts": 0}"#,
            "initial_window_pkts: must be from 1",
        ),
        (r#"{"dscp": 64}"#, "dscp: must be from 0 to 63, not 64"),
        (
            r#"{"dupack_threshold": 0}"#,
            "dupack_threshold: must be from 1",
        ),
        (r#"{"min_rto_s": 0}"#, "min_rto_s: must be a time from 1e-9"),
        (r#"{"clock_s": -1}"#, "clock_s: must be a time from 0"),
        (
            r#"{"delayed_ack_s": 2}"#,
            "delayed_ack_s: must be a time from 0 to 0.5 seconds, not 2",
        ),
        (
            r#"{"min_rto_s": 3, "max_rto_s": 2}"#,
            "min_rto_s: must not be more than max_rto_s",
        ),
        (
            r#"{"segment_bytes": 65000, "max_window_pkts": 100000}"#,
            "max_window_pkts: times segment_bytes is 6500000000, more than TCP's window can say",
        ),
    ] {
        let message = problem(json);
        assert!(message.starts_with(expected), "{json}: {message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn every_knob_can_be_set_and_survives_json() {
    let json = r#"{"preset":"linux-paper","algorithm":"mecn","parameters":{"beta1_percent":10,"echo_rule":"until-reduced","integer_cut":false},
        "recovery":"reno","ecn":"rfc3168","ect":"all","quench":"at-once","sender":"ns2-2001","growth":"ack","dscp":46,"segment_bytes":500,
        "handshake":false,"fin":false,"delayed_ack":true,"delayed_ack_s":0.2,"max_window_pkts":20,"initial_window_pkts":2,
        "timer":"ns2-2001","clock_s":0.5,"initial_rto_s":3.0,"min_rto_s":0.5,"max_rto_s":30.0,"max_timeouts":7,"dupack_threshold":2,
        "limited_transmit":false,"grow_when_idle":true,"restart_after_idle":false,"cwr_on_retransmissions":true,"window_may_close":true,
        "partial_deflation":true,"impatient":true,"bounded_exit":true}"#;
    let config: TcpConfig = serde_json::from_str(json).expect("all fields exist");

    TcpStack::new(&config).expect("all values are allowed");
    let again = serde_json::to_string(&config).expect("plain data");
    assert_eq!(
        serde_json::from_str::<TcpConfig>(&again).expect("the same"),
        config
    );
    let fields: serde_json::Map<_, _> = serde_json::from_str(&again).expect("an object");
    // A field that is missing in this test fails here.
    assert_eq!(fields.len(), 32);
}

#[test]
fn the_preset_of_2001_has_the_settings_of_the_reference_runs() {
    let config: TcpConfig = serde_json::from_str(r#"{"preset": "ns2-2001"}"#).expect("a preset");
    let stack = TcpStack::new(&config).expect("a stack");

    assert_eq!(stack.segment_bytes, 960);
    assert!(!stack.handshake && !stack.fin && !stack.limited_transmit);
    assert_eq!((stack.max_window_pkts, stack.initial_window_pkts), (100, 1));
    assert_eq!(stack.timer.min_ns, 1_000_000_000);
    assert_eq!(stack.timer.initial_ns, 6_000_000_000);
    assert_eq!(stack.timer.clock_ns, 100_000_000);
    assert_eq!(stack.delayed_ack_ns, None);
}
