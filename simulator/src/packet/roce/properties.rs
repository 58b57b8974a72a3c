// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! All packets, and frames that are nearly such.

use proptest::prelude::*;
use quench_dataplane::PacketBytes;

use super::super::layout::ROCE_PORT;
use super::super::types::IpVersion;
use super::super::{read, Advice, Endpoint, Formats, Received};
use super::tests::{frame_of, packet};
use super::types::*;
use super::*;

fn content() -> impl Strategy<Value = RoceContent> {
    let number = 0..=NUMBER_MASK;
    prop_oneof![
        (number.clone(), any::<[bool; 2]>(), 0u32..=65_000).prop_map(
            |(psn, [first, last], payload_bytes)| RoceContent::Data {
                psn,
                first,
                last: last || payload_bytes == 0,
                payload_bytes,
            }
        ),
        (number.clone(), number.clone()).prop_map(|(psn, msn)| RoceContent::Ack { psn, msn }),
        (number.clone(), number).prop_map(|(psn, msn)| RoceContent::Nak { psn, msn }),
        Just(RoceContent::Cnp),
    ]
}

fn version() -> impl Strategy<Value = IpVersion> {
    prop_oneof![Just(IpVersion::V4), Just(IpVersion::V6)]
}

fn advice() -> impl Strategy<Value = Advice> {
    prop_oneof![
        Just(Advice::None),
        (1u8..=100).prop_map(Advice::Reduce),
        (1u16..=0x7fff).prop_map(Advice::Pause),
    ]
}

fn ends() -> impl Strategy<Value = [Endpoint; 2]> {
    let port = any::<u16>().prop_filter("it is the other end's", |&port| port != ROCE_PORT);
    (any::<[u32; 2]>(), port, any::<bool>()).prop_map(|([a, b], port, turned)| {
        let opener = Endpoint { address: a, port };
        let acceptor = Endpoint {
            address: b,
            port: ROCE_PORT,
        };
        if turned {
            [acceptor, opener]
        } else {
            [opener, acceptor]
        }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        version in version(),
        [source, destination] in ends(),
        content in content(),
        ecn in 0u8..4,
        dscp in 0u8..64,
        hops in 0u8..=64,
    ) {
        let packet = RocePacket { version, source, destination, content, ecn, dscp, hops };
        let frame = frame_of(&packet);
        prop_assert_eq!(read(&frame, &Formats::default()), Received::Roce(packet));
        let whole = complete(frame.all()).into_owned();
        prop_assert_eq!(read(&whole.into(), &Formats::default()), Received::Roce(packet));
    }

    #[test]
    fn a_switchs_notification_is_read(
        version in version(),
        [local, remote] in ends(),
        switch in any::<u32>(),
        fast in any::<bool>(),
        advice in advice(),
    ) {
        let cnp = SwitchCnp { version, local, remote, advice };
        let mut frame = PacketBytes::default();
        write_switch_cnp(&mut frame, &cnp, switch, fast && version == IpVersion::V6);
        prop_assert_eq!(read(&frame, &Formats::default()), Received::SwitchCnp(cnp));
    }

    #[test]
    fn a_frame_that_is_cut_or_changed_is_read_without_harm(
        version in version(),
        content in content(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<bool>(),
    ) {
        let mut frame = frame_of(&packet(version, content)).into_vec();
        let at = at.index(frame.len());
        if cut {
            frame.truncate(at);
            let is_none = !matches!(read(&frame.into(), &Formats::default()), Received::Roce(_));
            prop_assert!(is_none);
        } else {
            frame[at] = byte;
            read(&frame.clone().into(), &Formats::default());
            complete(frame.clone().into());
            sort(&frame.into());
        }
    }
}
