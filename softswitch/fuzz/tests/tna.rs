// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Random programs for Tofino: machine code does what the interpreter does, packet by packet, and leaves the same state.
//!
//! Every run draws a new seed and prints it; `QUENCH_TEST_SEED` repeats a run and `QUENCH_TNA_PROGRAMS` says how many programs
//! there are. What fails is shrunk to a small program, which is printed. `QUENCH_TNA_KEEP` names a folder for all programs.

use std::env;
use std::panic::catch_unwind;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};
use quench_fuzz::tna::{program, PIECE_BYTES};
use quench_fuzz::TNA;

const PROGRAMS: u32 = 100;
/// Three pieces of other parts, then those of the controls.
const PIECES: std::ops::Range<usize> = 3..20;

fn number(variable: &str) -> Option<u64> {
    let value = env::var(variable).ok()?;
    let parsed = value.parse();
    Some(parsed.unwrap_or_else(|_| panic!("{variable} is a number")))
}

fn keep(data: &[u8], number: u32) {
    if let Some(folder) = env::var_os("QUENCH_TNA_KEEP") {
        let path = Path::new(&folder).join(format!("{number}.p4"));
        std::fs::write(&path, program(data)).expect("the folder takes a file");
    }
}

#[test]
fn machine_code_does_what_the_interpreter_does() {
    let seed = number("QUENCH_TEST_SEED").unwrap_or_else(|| fastrand::u64(..));
    let cases = number("QUENCH_TNA_PROGRAMS").map_or(PROGRAMS, |count| count as u32);
    eprintln!("tna: QUENCH_TEST_SEED={seed} QUENCH_TNA_PROGRAMS={cases}");
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 3000,
        ..ProptestConfig::default()
    };
    let mut seeds = [0; 32];
    seeds[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seeds);
    let pieces = prop::collection::vec(prop::array::uniform::<_, PIECE_BYTES>(any::<u8>()), PIECES);
    let count = std::cell::Cell::new(0);
    let result = TestRunner::new_with_rng(config, rng).run(&pieces, |pieces| {
        let data = pieces.concat();
        keep(&data, count.replace(count.get() + 1));
        // Panics are caught for the sake of the shorter ones that shrinking tries.
        catch_unwind(|| (TNA.run)(&data)).map_err(|_| TestCaseError::fail("see above"))?;
        Ok(())
    });
    if let Err(TestError::Fail(_, pieces)) = result {
        let data = pieces.concat();
        eprintln!("the smallest program that fails:\n{}", program(&data));
        (TNA.run)(&data);
        panic!("it fails only sometimes");
    }
}
