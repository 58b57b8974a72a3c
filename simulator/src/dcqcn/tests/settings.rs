// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings: what is refused, and where.

use super::lab::stack;
use crate::packet::{Carrier, IpVersion};
use serde_json::json;

#[test]
fn a_fault_says_where_it_is_and_what_is_right() {
    for (changes, expected) in [
        (json!({"ip": 5}), "ip: must be 4 or 6, not 5"),
        (json!({"preset": "mine"}), "preset: unknown variant `mine`"),
        (json!({"rate_bps": 0}), "rate_bps: must be 1 to 1e15 bits per second, not 0"),
        (json!({"rate_bps": 1e8}), "min_rate_bps: must be rate_bps (100000000) at most, not 1000000000"),
        (json!({"segment_bytes": 0}), "segment_bytes: must be from 1 to 65000, not 0"),
        (json!({"base_rtt_s": 2}), "base_rtt_s: must be a time from 1e-9 to 1 seconds, not 2"),
        (json!({"gain": 1.5}), "gain: must be from 1e-6 to 1, not 1.5"),
        (json!({"cnp_dscp": 64}), "cnp_dscp: must be from 0 to 63, not 64"),
        (json!({"recovery_stages": 1001}), "recovery_stages: must be from 0 to 1000, not 1001"),
        (json!({"increase_interval_s": 1e-9}), "increase_interval_s: must be a time from 0.000001 to 1 seconds, not 0.000000001"),
        (json!({"alpha_interval_s": 0}), "alpha_interval_s: must be a time from 0.000000001 to 1 seconds, not 0"),
        (json!({"cnp_interval_s": -1}), "cnp_interval_s: must be a time from 0 to 1 seconds, not -1"),
        (json!({"nak_interval_s": 0}), "nak_interval_s: must be a time from 1e-9 to 3600 seconds, not 0"),
        (json!({"byte_counter_bytes": 1000}), "byte_counter_bytes: must be 0 or at least a packet (1064), not 1000"),
        (json!({"window_bytes": 5000}), "window_bytes: is for a window only"),
        (json!({"window": "rate", "window_bytes": 999}), "window_bytes: the window must be from segment_bytes (1000) to 1073741824 bytes, not 999"),
        (json!({"window": "rate", "base_rtt_s": 1}), "base_rtt_s: the window must be from segment_bytes (1000) to 1073741824 bytes, not 12500000000"),
        (json!({"cut_share": 0.5}), "cut_share: is for switch_signals \"cut\" only"),
        (json!({"switch_signals": "cut", "cut_share": 1}), "cut_share: must be from 0.001 to 0.999, not 1"),
        (json!({"share_flows": true}), "share_flows: unknown field `share_flows`"),
    ] {
        let error = stack(changes.clone()).expect_err("a fault");
        assert!(error.starts_with(expected), "{changes}: {error}");
        assert_eq!(error.lines().count(), 1);
    }
}

#[test]
fn a_packet_has_the_headers_of_its_version() {
    for (ip, version, bytes) in [(4, IpVersion::V4, 44), (6, IpVersion::V6, 64)] {
        let transport = stack(json!({"ip": ip})).expect("the settings are right");
        assert_eq!(transport.carrier(), Carrier::Roce(version));
        assert_eq!(
            (transport.segment_bytes(), transport.header_bytes()),
            (1000, bytes)
        );
        assert!(transport.header().is_none() && !transport.shares_flows());
    }
    let padded = stack(json!({"segment_bytes": 1001})).expect("the settings are right");
    assert_eq!(padded.header_bytes(), 67, "padding counts as headers");
}
