// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::lab::{config, stack};
use serde_json::json;

#[test]
fn a_wrong_setting_gets_an_error_of_one_line() {
    for (transport, changes, expected) in [
        ("bolt", json!({"rate_bps": 0}), "rate_bps: must be 1 to 1e15 bits per second, not 0"),
        ("bolt", json!({"base_rtt_s": 0}), "base_rtt_s: must be a time from 1e-9 to 1 seconds, not 0"),
        ("swift", json!({"segment_bytes": 0}), "segment_bytes: must be from 1 to 65000, not 0"),
        (
            "hpcc",
            json!({"base_rtt_s": 1e-9}),
            "base_rtt_s: the initial window must be from segment_bytes (1000) to 1073741824 bytes, not 12",
        ),
        (
            "bolt",
            json!({"initial_window_bytes": 1458}),
            "initial_window_bytes: the initial window must be from segment_bytes (1459) to 1073741824 bytes, not 1458",
        ),
        ("bolt", json!({"ack_dscp": 64}), "ack_dscp: must be from 0 to 63, not 64"),
        ("bolt", json!({"min_window_bytes": 0}), "min_window_bytes: must be from 1 to segment_bytes (1459), not 0"),
        (
            "becn",
            json!({"rule": "halve", "max_window_bytes": 99_999}),
            "max_window_bytes: must be from the initial window (100000) to 1073741824, not 99999",
        ),
        ("becn", json!({}), "missing field `rule`"),
        ("becn", json!({"rule": "queue"}), "level_bytes: rule \"queue\" needs the bytes for which a level stands"),
        ("becn", json!({"rule": "level", "level_bytes": 80}), "level_bytes: is for rule \"queue\" only"),
        ("becn", json!({"rule": "queue", "level_bytes": 0}), "level_bytes: must be from 1 to 16777216, not 0"),
        ("dctcp", json!({"gain": 0}), "gain: must be from 0.000001 to 1, not 0"),
        ("dctcp", json!({"min_rate_bps": 2e11}), "min_rate_bps: must be rate_bps (100000000000) at most, not 200000000000"),
        ("hpcc", json!({"target_utilisation": 1.5}), "target_utilisation: must be from 0.01 to 1, not 1.5"),
        ("swift", json!({"max_scaling_pkts": 0.05}), "max_scaling_pkts: must be more than min_scaling_pkts (0.1), not 0.05"),
        ("swift", json!({"scaling_offset": "none"}), "scaling_offset: unknown variant `none`"),
        ("swift", json!({"rule": "halve"}), "rule: unknown field `rule`"),
        ("hpcc", json!({"share_flows": "yes"}), "share_flows: invalid type: string \"yes\", expected a boolean"),
        ("bolt", json!({"timeout_s": -1}), "timeout_s: must be a time from 1e-9 to 3600 seconds, not -1"),
    ] {
        let problem = stack(config(transport, changes)).expect_err(expected);
        assert!(problem.starts_with(expected), "{problem}");
    }
}

#[test]
fn the_sizes_of_a_packet_count_all_headers() {
    for (transport, payload_bytes) in [
        ("bolt", 1459),
        ("hpcc", 1000),
        ("swift", 1460),
        ("dctcp", 1460),
    ] {
        let stack = stack(config(transport, json!({}))).expect("the settings are right");
        assert_eq!(stack.segment_bytes(), payload_bytes);
    }
    let protocols = ["bolt", "hpcc", "swift"].map(|transport| {
        let stack = stack(config(transport, json!({}))).expect("the settings are right");
        stack.header().map(|header| (header.protocol, header.bytes))
    });
    assert_eq!(protocols, [Some((196, 21)), Some((254, 63)), None]);
}
