// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Frames that are refused, headers of IPv6, and checksums.

use super::*;

#[test]
fn what_cannot_be_cut_is_refused() {
    let sender = Sender::default();
    let (vnet, frame) = sender.frame();
    let refused = |change: &dyn Fn(&mut VnetHeader, &mut Vec<u8>)| {
        let (mut vnet, mut frame) = (vnet, frame.clone());
        change(&mut vnet, &mut frame);
        cut(&vnet, &frame).expect_err("it is refused")
    };
    let start =
        |start| move |vnet: &mut VnetHeader, _: &mut Vec<u8>| vnet.checksum = Some((start, 16));
    assert_eq!(refused(&start(84)), Refusal::Tunnel);
    assert_eq!(refused(&start(0xffff)), Refusal::Tunnel);
    assert_eq!(
        refused(&|vnet, _| vnet.checksum = Some((34, 6))),
        Refusal::Checksum
    );
    assert_eq!(
        refused(&|vnet, _| vnet.gso = Some(Gso::Udp)),
        Refusal::Transport
    );
    assert_eq!(
        refused(&|vnet, _| vnet.gso = Some(Gso::Tcp6)),
        Refusal::Transport
    );
    assert_eq!(
        refused(&|vnet, _| vnet.segment_bytes = 0),
        Refusal::SegmentSize
    );
    assert_eq!(
        refused(&|vnet, _| vnet.segment_bytes = 4),
        Refusal::Segments
    );
    assert_eq!(refused(&|_, frame| frame.truncate(40)), Refusal::Length);
    assert_eq!(refused(&|_, frame| frame.truncate(20)), Refusal::Short);
    assert_eq!(refused(&|_, frame| frame.push(0)), Refusal::Length);
    assert_eq!(refused(&|_, frame| frame[20] = 0x20), Refusal::Fragment);
    assert_eq!(refused(&|_, frame| frame[23] = 132), Refusal::Transport);
    assert_eq!(refused(&|_, frame| frame[12] = 9), Refusal::Network);
    assert_eq!(refused(&|_, frame| frame[14] = 0x44), Refusal::Network);
    assert_eq!(refused(&|_, frame| frame[46] = 0x40), Refusal::Length);
    let whole = VnetHeader { gso: None, ..vnet };
    for place in [
        (0xffff, 0xffff),
        (frame.len() as u16 - 17, 16),
        (0, frame.len() as u16 - 1),
    ] {
        let vnet = VnetHeader {
            checksum: Some(place),
            ..whole
        };
        assert_eq!(cut(&vnet, &frame), Err(Refusal::Checksum), "{place:?}");
    }
    assert!(frame.len() / 4 > MAX_SEGMENTS);
}

#[test]
fn the_headers_of_ipv6_are_followed_within_limits() {
    let sender = |extensions: Vec<u8>| Sender {
        v6: true,
        extensions,
        ..Sender::default()
    };
    let refused = |extensions: Vec<u8>, change: &dyn Fn(&mut VnetHeader)| {
        let (mut vnet, frame) = sender(extensions).frame();
        change(&mut vnet);
        cut(&vnet, &frame).expect_err("it is refused")
    };
    let unchanged = |_: &mut VnetHeader| {};
    assert_eq!(refused(vec![0; 40], &unchanged), Refusal::Headers);
    assert_eq!(refused(vec![44], &unchanged), Refusal::Fragment);
    assert_eq!(refused(vec![60, 51], &unchanged), Refusal::Transport);
    // Only the sender knows where a routing header leads in the end.
    assert_eq!(
        refused(vec![43], &|vnet| vnet.checksum = None),
        Refusal::Routed
    );
    let routed = sender(vec![43]);
    let (vnet, frame) = routed.frame();
    assert_eq!(cut(&vnet, &frame), Ok(routed.packets()));
}

#[test]
fn a_checksum_alone_is_finished() {
    for (v6, tcp) in [(false, true), (false, false), (true, true), (true, false)] {
        let sender = Sender {
            v6,
            tcp,
            options: Vec::new(),
            payload: vec![3; 1001],
            ..Sender::default()
        };
        let (vnet, frame) = sender.frame();
        for gso in [None, vnet.gso] {
            let vnet = VnetHeader { gso, ..vnet };
            assert_eq!(cut(&vnet, &frame), Ok(sender.packets()));
        }
    }
    assert_eq!(cut(&VnetHeader::default(), &[1, 2]), Ok(vec![vec![1, 2]]));
}

#[test]
fn the_checksum_of_sctp_is_another() {
    let sender = Sender {
        options: Vec::new(),
        payload: Vec::new(),
        ..Sender::default()
    };
    let (_, mut frame) = sender.frame();
    frame[23] = 132;
    let vnet = VnetHeader {
        checksum: Some((34, 8)),
        ..VnetHeader::default()
    };
    let packets = cut(&vnet, &frame).expect("it is finished");
    let crc = super::super::checksum::crc32c(&[&frame[34..42], &[0; 4], &frame[46..]]);
    assert_eq!(packets[0][42..46], crc.to_le_bytes());
    frame.truncate(45);
    frame[16..18].copy_from_slice(&31u16.to_be_bytes());
    assert_eq!(cut(&vnet, &frame), Err(Refusal::Checksum));
}
