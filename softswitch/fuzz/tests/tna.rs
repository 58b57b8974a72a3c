// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Random programs for Tofino: machine code does what the interpreter does, packet by packet, and leaves the same state.
//!
//! The programs are few, and the same in every run. `QUENCH_TNA_PROGRAMS` makes so many others, from the seed
//! `QUENCH_TEST_SEED`. What fails is shrunk to a small program, which is printed. `QUENCH_TNA_KEEP` names a folder for all.

use std::panic::{catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use fastrand::Rng;
use quench_fuzz::short::{number, seed};
use quench_fuzz::tna::{program, FIRST_PIECES, PIECE_BYTES};
use quench_fuzz::TNA;

const PROGRAMS: u64 = 20;
const SEED: u64 = 1;
/// Those behind the first are parts of the controls.
const PIECES: std::ops::Range<usize> = FIRST_PIECES..FIRST_PIECES + 17;
const SHRINKING: Duration = Duration::from_secs(60);

type Pieces = Vec<[u8; PIECE_BYTES]>;

fn fails(pieces: &Pieces) -> bool {
    catch_unwind(|| (TNA.run)(&pieces.concat())).is_err()
}

#[test]
fn machine_code_does_what_the_interpreter_does() {
    let (first, count) = match number("QUENCH_TNA_PROGRAMS") {
        Some(count) => (seed(), count),
        None => (SEED, PROGRAMS),
    };
    eprintln!("tna: QUENCH_TEST_SEED={first} QUENCH_TNA_PROGRAMS={count}");
    for seed in (0..count).map(|number| first.wrapping_add(number)) {
        let mut rng = Rng::with_seed(seed);
        let mut piece = || std::array::from_fn(|_| rng.u8(..));
        let mut pieces: Pieces = (0..PIECES.end).map(|_| piece()).collect();
        pieces.truncate(rng.usize(PIECES));
        if let Some(folder) = env::var_os("QUENCH_TNA_KEEP") {
            let path = Path::new(&folder).join(format!("{seed}.p4"));
            fs::write(path, program(&pieces.concat())).expect("the folder takes a file");
        }
        if fails(&pieces) {
            let pieces = shrunk(pieces);
            eprintln!("QUENCH_TEST_SEED={seed} fails; the rest of it that still does:");
            (TNA.run)(&pieces.concat());
            panic!("it fails only sometimes");
        }
    }
}

/// Less of the same that still fails: without parts, and with the first choice in place of others.
fn shrunk(mut pieces: Pieces) -> Pieces {
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let start = Instant::now();
    loop {
        let before = pieces.clone();
        for number in (0..pieces.len()).rev() {
            let mut less = pieces.clone();
            less.remove(number);
            if number >= PIECES.start && fails(&less) {
                pieces = less;
                continue;
            }
            // From coarse to fine: from the start of each part to the end of the piece, then the part alone.
            for length in [PIECE_BYTES, 16, 4, 1] {
                for from in (0..PIECE_BYTES).step_by(length) {
                    for to in [PIECE_BYTES, from + length] {
                        let mut less = pieces.clone();
                        less[number][from..to].fill(0);
                        let goes_on = start.elapsed() < SHRINKING;
                        if goes_on && less != pieces && fails(&less) {
                            pieces = less;
                        }
                    }
                }
            }
        }
        if pieces == before || start.elapsed() >= SHRINKING {
            set_hook(hook);
            return pieces;
        }
    }
}
