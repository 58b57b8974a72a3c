// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sources of a scenario, and the error messages for wrong ones.

use serde_json::{json, Value};

use super::harness::{source, Hosts};
use crate::traffic::*;

fn problem(value: Value) -> String {
    match source(value).build(&Hosts) {
        Ok(_) => panic!("was built"),
        Err(error) => error.to_string(),
    }
}

fn ftp() -> Value {
    json!({"kind": "ftp", "name": "f", "from": "s1", "to": "c1", "stack": "ecn"})
}

fn files() -> Value {
    json!({"kind": "files", "name": "f", "from": "s1", "to": "c1", "stack": "ecn", "file_bytes": 1e6, "pause_s": 0})
}

fn web() -> Value {
    json!({"kind": "web", "name": "w", "servers": ["s1"], "clients": ["c1"], "stack": "ecn", "object_pkts": 8,
           "packet_bytes": 960})
}

fn cbr() -> Value {
    json!({"kind": "cbr", "name": "u", "from": "s1", "to": "c1", "rate_bps": 1e6, "packet_bytes": 100})
}

fn on_off() -> Value {
    json!({"kind": "on_off", "name": "u", "from": "s1", "to": "c1", "rate_bps": 1e6, "packet_bytes": 100,
           "on_s": {"distribution": "pareto", "mean": 0.5, "shape": 1.4}, "off_s": 0.5})
}

fn voip() -> Value {
    json!({"kind": "voip", "name": "v", "from": "s1", "to": "c1", "calls_per_s": 1, "holding_s": 180})
}

fn with(mut value: Value, field: &str, change: Value) -> Value {
    value[field] = change;
    value
}

#[test]
fn every_kind_is_built_and_written_as_it_was_read() {
    for value in [ftp(), files(), web(), cbr(), on_off(), voip()] {
        let config = source(value);
        assert!(config.build(&Hosts).is_ok());
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<SourceConfig>(&text).unwrap(), config);
    }
}

#[test]
fn unknown_fields_and_kinds_are_refused() {
    for value in [ftp(), files(), web(), cbr(), on_off(), voip()] {
        let value = with(value, "colour", json!("red"));
        let error = serde_json::from_value::<SourceConfig>(value).unwrap_err();
        assert!(
            error.to_string().contains("unknown field `colour`"),
            "{error}"
        );
    }
    let error = serde_json::from_value::<SourceConfig>(with(ftp(), "kind", json!("gopher")));
    assert!(error.unwrap_err().to_string().contains(
        "kind: must be ftp, files, web, cbr, on_off, voip, messages or incast, not \"gopher\""
    ));
}

#[test]
fn a_wrong_value_gets_one_line_with_the_source_and_the_field() {
    let heavy = json!({"distribution": "pareto_ii", "mean": 12, "shape": 0.9});
    for (value, line) in [
        (
            with(ftp(), "from", json!("x1")),
            r#"source "f": from: there is no host "x1""#,
        ),
        (
            with(ftp(), "to", json!("s1")),
            r#"source "f": to: must be another host than from ("s1")"#,
        ),
        (
            with(ftp(), "stack", json!("tahoe")),
            r#"source "f": stack: there is no stack "tahoe""#,
        ),
        (
            with(ftp(), "start_s", json!(-1)),
            r#"source "f": start_s: must be 0 or more, not -1"#,
        ),
        (
            with(ftp(), "stop_s", json!(0)),
            r#"source "f": stop_s: must be later than start_s (0), not 0"#,
        ),
        (
            with(ftp(), "bytes", json!(0)),
            r#"source "f": bytes: must be 1 or more, not 0"#,
        ),
        (
            with(files(), "file_bytes", json!(0)),
            r#"source "f": file_bytes: must be greater than 0, not 0"#,
        ),
        (
            with(files(), "pause_s", json!(-1)),
            r#"source "f": pause_s: the value must be 0 or more, not -1"#,
        ),
        (
            with(web(), "servers", json!([])),
            r#"source "w": servers: at least one host is needed"#,
        ),
        (
            with(web(), "clients", json!(["c1", "s1"])),
            r#"source "w": clients: "s1" is a server too"#,
        ),
        (
            with(web(), "object_pkts", heavy),
            r#"source "w": object_pkts: shape must be greater than 1 (or there is no mean), not 0.9"#,
        ),
        (
            with(cbr(), "on_s", json!(10)),
            r#"source "u": off_s: is needed beside on_s"#,
        ),
        (
            with(cbr(), "packet_bytes", json!(40)),
            r#"source "u": packet_bytes: must be 48 or more, not 40"#,
        ),
        (
            with(cbr(), "rate_bps", json!(0)),
            r#"source "u": rate_bps: must be greater than 0, not 0"#,
        ),
        (
            with(cbr(), "ecn", json!(4)),
            r#"source "u": ecn: must be 0..3, not 4"#,
        ),
        (
            with(on_off(), "on_s", json!(0)),
            r#"source "u": on_s: must be greater than 0, not 0"#,
        ),
        (
            with(on_off(), "on_s", json!(1e-12)),
            r#"source "u": on_s: must be 1e-9 seconds or more, not 1e-12"#,
        ),
        (
            with(with(cbr(), "on_s", json!(1e-12)), "off_s", json!(0)),
            r#"source "u": on_s: must be 1e-9 seconds or more, not 1e-12"#,
        ),
        (
            with(voip(), "calls_per_s", json!(1e12)),
            r#"source "v": calls_per_s: must be 1e9 or less, not 1e12"#,
        ),
        (
            with(voip(), "packet_s", json!(1)),
            r#"source "v": packet_s: must be 0.002..0.175, not 1"#,
        ),
        (
            with(voip(), "dscp", json!(64)),
            r#"source "v": dscp: must be 0..63, not 64"#,
        ),
        (
            with(
                with(voip(), "max_calls", json!(5)),
                "initial_calls",
                json!(6),
            ),
            r#"source "v": initial_calls: is more than max_calls: 6"#,
        ),
    ] {
        assert_eq!(problem(value), line);
    }
}
