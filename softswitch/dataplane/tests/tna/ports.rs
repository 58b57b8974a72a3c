// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Ports that packets from outside do not come by: programs trust what does come by them.

use super::*;

#[test]
fn nothing_from_outside_comes_by_a_recirculation_port() {
    for mut switch in switches() {
        for port in [68, 71, 128 + 68, 3 * 128 + 71] {
            assert_eq!(send(&mut switch, port, &packet(SEND, 0, 2)), []);
        }
        assert_eq!(stat(&switch, "dropped_port"), 4);
        assert_eq!(stat(&switch, "ingress_pkts"), 0);
        let packet = packet(SEND, 0, 2);
        for port in [67, 128 + 3] {
            let seen = Seen::unicast(2).before(&packet);
            assert_eq!(send(&mut switch, port, &packet), [(2, seen)]);
        }
    }
}

#[test]
fn no_port_looks_like_another_because_its_number_has_more_bits() {
    for mut switch in switches() {
        for port in [512, 512 + 68, 512 + CPU_PORT] {
            assert_eq!(send(&mut switch, port, &packet(SEND, 0, 2)), []);
        }
        assert_eq!(stat(&switch, "dropped_port"), 3);
        assert_eq!(stat(&switch, "ingress_pkts"), 0);
    }
}
