// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Properties of a connection on a path that loses, marks, delays and quenches at random.

use proptest::prelude::*;

use super::lab::{is_data, End, Fate, Lab, Sent, MS, S};
use crate::packet::ecn;
use crate::transport::ConnectionEvent;

const PRESETS: [&str; 3] = ["modern", "ns2-2001", "linux-paper"];
const RECOVERIES: [&str; 3] = ["reno", "newreno", "sack"];
const ALGORITHMS: [&str; 8] = [
    "plain", "ecn", "becn", "ecn-becn", "mecn", "ecn-mod", "dctcp", "prague",
];

/// Probabilities of the path, in thousandths.
#[derive(Debug, Clone, Copy)]
struct Odds {
    lose: u32,
    mark: u32,
    quench: u32,
    delay: u32,
}

fn odds() -> impl Strategy<Value = Odds> {
    (
        0u32..300,
        0u32..500,
        0u32..200,
        prop_oneof![Just(0u32), 0u32..200],
    )
        .prop_map(|(lose, mark, quench, delay)| Odds {
            lose,
            mark,
            quench,
            delay,
        })
}

/// A path with a small random number generator of its own.
fn path(odds: Odds, seed: u64) -> impl FnMut(&Sent) -> Fate {
    let mut state = seed | 1;
    let mut draw = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as u32 % 1000
    };

    move |sent| {
        let can_be_marked = is_data(sent) && sent.segment.ecn != ecn::NOT_ECT;
        if draw() < odds.lose {
            if is_data(sent) && draw() < odds.quench {
                return Fate::LoseAndQuench;
            }
            return Fate::Lose;
        }
        if draw() < odds.delay {
            return Fate::Delay(u64::from(draw()) * MS / 4);
        }
        match draw() {
            d if can_be_marked && d < odds.mark / 3 => Fate::Mark(ecn::ECT1),
            d if can_be_marked && d < odds.mark => Fate::Mark(ecn::CE),
            d if can_be_marked && d < odds.mark + odds.quench => Fate::MarkAndQuench {
                level: (d % 128) as u8,
            },
            _ => Fate::Pass,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn all_data_arrives_once_in_order_and_the_connection_ends(
        (preset, recovery, algorithm) in (0usize..3, 0usize..3, 0..ALGORITHMS.len()),
        (delayed_ack, odds, seed) in (any::<bool>(), odds(), any::<u64>()),
        (forth, back) in (1u64..120_000, 0u64..60_000),
    ) {
        let settings = format!(
            r#"{{"preset": "{}", "recovery": "{}", "algorithm": "{}", "delayed_ack": {delayed_ack}, "max_timeouts": 0}}"#,
            PRESETS[preset], RECOVERIES[recovery], ALGORITHMS[algorithm]
        );
        let has_fin = preset != 1;
        let mut lab = Lab::new(&settings, path(odds, seed));
        // A window of one packet that is marked again and again opens only by the timer.
        let patience = 20_000_000 * S;

        lab.answer(back);
        lab.send(End::Opener, forth);
        lab.close(End::Opener);
        lab.run_until(patience / 2);
        prop_assert_eq!(lab.received(End::Acceptor), forth);
        prop_assert_eq!(lab.received(End::Opener), back);
        prop_assert_eq!(lab.acked(End::Opener), forth);
        lab.close(End::Acceptor);
        lab.run_until(patience);
        prop_assert_eq!(lab.acked(End::Acceptor), back);
        for end in [End::Opener, End::Acceptor] {
            prop_assert!(lab.has(end, ConnectionEvent::Closed), "{:?} does not end", end);
            prop_assert_eq!(lab.has(end, ConnectionEvent::PeerClosed), has_fin);
            prop_assert!(!lab.has(end, ConnectionEvent::Failed));
            let connection = lab.ends[end as usize].as_ref().expect("an end");
            prop_assert!(connection.is_finished());
            prop_assert_eq!(connection.timer_ns(), None);
            prop_assert_eq!(connection.flight_bytes(), 0);
        }
    }

    #[test]
    fn no_more_is_in_flight_than_the_windows_allow(
        (preset, recovery, algorithm) in (0usize..3, 0usize..3, 0..ALGORITHMS.len()),
        (window, odds, seed) in (1u32..40, odds(), any::<u64>()),
    ) {
        let settings = format!(
            r#"{{"preset": "{}", "recovery": "{}", "algorithm": "{}", "max_window_pkts": {window}, "max_timeouts": 0}}"#,
            PRESETS[preset], RECOVERIES[recovery], ALGORITHMS[algorithm]
        );
        let mut lab = Lab::new(&settings, path(odds, seed));
        let limit = u64::from(window) * u64::from(lab.stacks[0].segment_bytes);

        lab.send(End::Opener, u64::MAX);
        for step in 1..2000u64 {
            lab.run_until(step * 10 * MS);
            prop_assert!(lab.opener().flight_bytes() <= limit + 1);
            prop_assert!(lab.opener().cwnd_pkts() <= f64::from(window.max(10)));
        }
    }

    #[test]
    fn the_same_script_gives_the_same_segments(odds in odds(), seed in any::<u64>()) {
        let run = || {
            let mut lab = Lab::new(r#"{"algorithm": "ecn-becn"}"#, path(odds, seed));
            lab.send(End::Opener, u64::MAX);
            lab.run_until(5 * S);
            lab.log.iter().map(|sent| (sent.at, sent.segment)).collect::<Vec<_>>()
        };
        prop_assert_eq!(run(), run());
    }
}
