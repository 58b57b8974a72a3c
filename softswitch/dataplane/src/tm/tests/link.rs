// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Delay and loss behind a port.

use super::*;

#[test]
fn a_link_delays_keeps_order_and_applies_changes_to_later_packets() {
    let mut link = Link::new(1);
    link.set_config(
        1,
        LinkConfig {
            delay_ns: 1_000,
            loss: 0.0,
        },
    )
    .expect("valid");
    assert!(link.send(0, 1, "a"));
    link.set_config(
        1,
        LinkConfig {
            delay_ns: 10,
            loss: 0.0,
        },
    )
    .expect("valid");
    assert!(link.send(500, 1, "b"));
    assert!(link.send(500, 2, "c"));
    assert_eq!(link.next_event_ns(), Some(500));
    assert_eq!(link.poll(400), None);
    let arrived: Vec<_> = std::iter::from_fn(|| link.poll(2_000))
        .map(|a| (a.packet, a.at_ns))
        .collect();
    assert_eq!(arrived, [("c", 500), ("a", 1_000), ("b", 1_000)]);
}

#[test]
fn a_link_that_hands_over_gives_packets_at_once_with_their_arrival() {
    let (mut link, mut other) = (Link::new(1), Link::new(1));
    let config = LinkConfig {
        delay_ns: 1_000,
        loss: 0.5,
    };
    for link in [&mut link, &mut other] {
        link.set_config(1, config).expect("valid");
    }
    link.hand_over(1);
    let mut at_once = Vec::new();
    for number in 0..100 {
        let sent = link.send(10 * number, 1, number);
        assert_eq!(sent, other.send(10 * number, 1, number));
        at_once.extend(std::iter::from_fn(|| link.poll(10 * number)));
        assert_eq!(link.next_event_ns(), None);
    }
    let later: Vec<_> = std::iter::from_fn(|| other.poll(10_000)).collect();
    assert_eq!(at_once, later);
}

#[test]
fn loss_is_seeded_per_port_and_has_the_frequency_asked_for() {
    let lost = |seed, port, loss| {
        let mut link = Link::new(seed);
        link.set_config(port, LinkConfig { delay_ns: 0, loss })
            .expect("valid");
        (0..100_000)
            .map(|i| !link.send(i, port, ()))
            .collect::<Vec<bool>>()
    };
    let a = lost(7, 1, 0.1);
    assert_eq!(a, lost(7, 1, 0.1));
    assert_ne!(a, lost(8, 1, 0.1));
    assert_ne!(a, lost(7, 2, 0.1));
    // Binomial: five standard deviations are 474.
    let count = a.iter().filter(|lost| **lost).count();
    assert!((9_526..=10_474).contains(&count), "{count} of 100000 lost");
    assert!(lost(7, 1, 1.0).iter().all(|lost| *lost));
    assert!(lost(7, 1, 0.0).iter().all(|lost| !*lost));
}

#[test]
fn a_loss_that_is_no_probability_is_refused() {
    let mut link = Link::<()>::new(1);
    for loss in [-0.1, 1.1, f64::NAN] {
        assert!(link
            .set_config(0, LinkConfig { delay_ns: 0, loss })
            .is_err());
    }
    assert_eq!(link.config(0), LinkConfig::default());
}

#[test]
fn clear_forgets_what_is_on_the_links() {
    let mut link = Link::new(1);
    link.send(0, 0, ());
    link.clear();
    assert_eq!((link.next_event_ns(), link.poll(u64::MAX)), (None, None));
    link.send(0, 0, ());
    assert_eq!(
        link.poll(0),
        Some(Arrived {
            port: 0,
            packet: (),
            at_ns: 0
        })
    );
}
