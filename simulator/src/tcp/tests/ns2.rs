// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The preset ns2-2001 against ns-2: the packets that ns-2 2.35 sends with the settings of bench/ns2/settings.tcl through
//! a link of 10 Mb/s and 50 ms, which loses and marks some packets.

use super::lab::{End, Fate, Lab, Sent};
use crate::packet::ecn;
use crate::time::Ns;

/// A run of ns-2.
struct Case<'a> {
    recovery: &'a str,
    algorithm: &'a str,
    /// The numbers of the sent packets that are lost, from 0.
    losses: &'a [usize],
    /// The numbers of the packets that get through and are marked.
    marks: &'a [usize],
    from_ms: Ns,
    /// The packets sent from then on: the time in milliseconds, rounded down, and the number.
    sent: &'a [(Ns, u32)],
}

/// NewReno without signals and without losses.
const NEWRENO: Case<'static> = Case {
    recovery: "newreno",
    algorithm: "plain",
    losses: &[],
    marks: &[],
    from_ms: 0,
    sent: &[],
};

fn compare(case: &Case<'_>) {
    let (losses, marks) = (case.losses.to_vec(), case.marks.to_vec());
    let mut through = 0;
    let script = move |sent: &Sent| {
        if sent.from == End::Acceptor {
            return Fate::Pass;
        }
        if losses.contains(&sent.number) {
            return Fate::Lose;
        }
        through += 1;
        if marks.contains(&(through - 1)) {
            Fate::Mark(ecn::CE)
        } else {
            Fate::Pass
        }
    };
    let settings = format!(
        r#"{{"preset": "ns2-2001", "recovery": "{}", "algorithm": "{}"}}"#,
        case.recovery, case.algorithm
    );
    let mut lab = Lab::new(&settings, script);
    // 1000 and 40 bytes at 10 Mb/s.
    (lab.data_time, lab.ack_time) = (800_000, 32_000);
    lab.send(End::Opener, u64::MAX);
    let last_ms = case.sent.last().map_or(0, |sent| sent.0);
    lab.run_until((last_ms + 1) * super::lab::MS);

    let sent: Vec<_> = lab
        .data_log(End::Opener)
        .into_iter()
        .filter(|sent| sent.0 >= case.from_ms && sent.0 <= last_ms)
        .take(case.sent.len())
        .collect();
    assert_eq!(sent, case.sent);
}

#[test]
fn newreno_recovers_three_losses_of_a_window() {
    compare(&Case {
        losses: &[14, 26, 28],
        from_ms: 400,
        sent: &[
            (403, 15),
            (403, 16),
            (404, 17),
            (404, 18),
            (404, 19),
            (404, 20),
            (405, 21),
            (405, 22),
            (406, 23),
            (406, 24),
            (407, 25),
            (407, 26),
            (408, 27),
            (408, 28),
            (505, 14),
            (510, 29),
            (511, 30),
            (512, 31),
            (512, 32),
            (606, 26),
            (611, 33),
            (612, 34),
            (612, 35),
            (613, 36),
            (707, 28),
            (713, 37),
            (714, 38),
            (808, 39),
            (808, 40),
            (808, 41),
            (808, 42),
            (808, 43),
            (814, 44),
            (815, 45),
            (909, 46),
            (909, 47),
            (910, 48),
            (911, 49),
            (912, 50),
            (912, 51),
            (915, 52),
            (916, 53),
        ],
        ..NEWRENO
    });
}

#[test]
fn reno_waits_for_the_timer_after_a_second_loss() {
    compare(&Case {
        recovery: "reno",
        losses: &[14, 18, 22],
        from_ms: 500,
        sent: &[
            (505, 14),
            (510, 29),
            (511, 30),
            (512, 31),
            (512, 32),
            (1606, 18),
            (1707, 22),
            (1707, 23),
            (1808, 33),
            (1808, 34),
            (1808, 35),
            (1909, 36),
            (1909, 37),
            (1910, 38),
            (2009, 39),
            (2009, 40),
            (2010, 41),
            (2011, 42),
        ],
        ..NEWRENO
    });
}

#[test]
fn a_timeout_goes_back_to_the_first_lost_packet() {
    compare(&Case {
        losses: &[5, 6, 7, 8, 9],
        from_ms: 300,
        sent: &[
            (302, 7),
            (302, 8),
            (303, 9),
            (303, 10),
            (1303, 5),
            (1404, 6),
            (1404, 7),
            (1504, 8),
            (1504, 9),
            (1505, 10),
            (1605, 11),
            (1606, 12),
            (1606, 13),
            (1706, 14),
            (1706, 15),
            (1707, 16),
            (1708, 17),
        ],
        ..NEWRENO
    });
}

#[test]
fn repeated_timeouts_double_the_wait() {
    compare(&Case {
        losses: &[5, 6, 7, 8, 9, 10, 11, 12],
        from_ms: 300,
        sent: &[
            (302, 7),
            (302, 8),
            (303, 9),
            (303, 10),
            (1303, 5),
            (2303, 5),
            (3503, 5),
            (3604, 6),
            (3604, 7),
            (3704, 8),
            (3705, 9),
            (3805, 10),
            (3805, 11),
            (3806, 12),
        ],
        ..NEWRENO
    });
}

#[test]
fn a_mark_halves_once_per_window() {
    compare(&Case {
        algorithm: "ecn",
        marks: &[9, 10, 11],
        from_ms: 400,
        sent: &[
            (403, 15),
            (403, 16),
            (404, 17),
            (404, 18),
            (408, 19),
            (504, 20),
            (504, 21),
            (505, 22),
            (506, 23),
            (509, 24),
            (604, 25),
            (605, 26),
            (606, 27),
            (607, 28),
            (610, 29),
            (610, 30),
            (705, 31),
            (706, 32),
            (707, 33),
            (708, 34),
            (711, 35),
            (712, 36),
            (712, 37),
        ],
        ..NEWRENO
    });
}

#[test]
fn a_loss_after_a_mark_is_repaired_without_another_cut() {
    compare(&Case {
        algorithm: "ecn",
        losses: &[11],
        marks: &[8],
        from_ms: 400,
        sent: &[
            (403, 15),
            (403, 16),
            (408, 11),
            (408, 17),
            (504, 18),
            (504, 19),
            (508, 20),
            (509, 21),
            (604, 22),
            (605, 23),
            (609, 24),
            (609, 25),
            (610, 26),
            (705, 27),
            (706, 28),
            (710, 29),
            (711, 30),
            (711, 31),
            (712, 32),
            (806, 33),
            (807, 34),
            (811, 35),
            (812, 36),
            (813, 37),
            (813, 38),
            (813, 39),
        ],
        ..NEWRENO
    });
}

#[test]
fn a_mark_at_one_packet_closes_the_window() {
    compare(&Case {
        algorithm: "ecn",
        losses: &[2],
        marks: &[3, 4],
        from_ms: 200,
        sent: &[
            (201, 3),
            (201, 4),
            (1201, 2),
            (2302, 5),
            (2403, 6),
            (2403, 7),
            (2504, 8),
            (2504, 9),
            (2604, 10),
            (2604, 11),
            (2605, 12),
            (2705, 13),
            (2706, 14),
            (2706, 15),
            (2707, 16),
        ],
        ..NEWRENO
    });
}

#[test]
fn marks_that_go_on_at_one_packet_make_the_wait_longer() {
    compare(&Case {
        algorithm: "ecn",
        losses: &[3, 4],
        marks: &[4, 5, 6, 7, 8, 9, 10, 11],
        from_ms: 200,
        sent: &[
            (201, 3),
            (201, 4),
            (202, 5),
            (202, 6),
            (1202, 3),
            (2303, 4),
            (4804, 7),
            (9704, 8),
        ],
        ..NEWRENO
    });
}

#[test]
fn a_packet_that_is_lost_twice_waits_for_the_timer() {
    compare(&Case {
        losses: &[9, 10, 11, 12, 13, 14, 15, 16, 19],
        from_ms: 300,
        sent: &[
            (302, 7),
            (302, 8),
            (303, 9),
            (303, 10),
            (304, 11),
            (304, 12),
            (304, 13),
            (304, 14),
            (403, 15),
            (403, 16),
            (404, 17),
            (404, 18),
            (1404, 9),
            (2404, 9),
            (2504, 10),
            (2504, 11),
            (2605, 12),
            (2606, 13),
        ],
        ..NEWRENO
    });
}

#[test]
fn a_mark_that_ends_recovery_starts_from_the_inflated_window() {
    compare(&Case {
        algorithm: "ecn",
        losses: &[9],
        marks: &[29],
        from_ms: 400,
        sent: &[
            (403, 15),
            (403, 16),
            (404, 17),
            (404, 18),
            (406, 9),
            (504, 19),
            (504, 20),
            (505, 21),
            (506, 22),
            (507, 23),
            (604, 24),
            (605, 25),
            (606, 26),
            (607, 27),
            (608, 28),
            (608, 29),
            (705, 30),
            (706, 31),
            (707, 32),
            (708, 33),
            (709, 34),
            (808, 35),
            (809, 36),
            (809, 37),
            (909, 38),
            (909, 39),
            (910, 40),
        ],
        ..NEWRENO
    });
}
