// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Random programs for Tofino: the compiler takes each, and machine code then does what the interpreter does.
//!
//! An input decides by pieces: the first are about headers, stacks, parsers and deparsers, and each further one adds a part to a
//! control. So what is left of an input without a piece is a program without that part. Each file uses only those above it, and
//! `choices.rs`:
//!
//! | file | makes |
//! |---|---|
//! | `scope.rs`, `shape.rs` | the names that code may use; headers, stacks and metadata |
//! | `expression.rs` | expressions of a type |
//! | `callable.rs` | parameters of all directions, and arguments for them |
//! | `control.rs` | a control that grows |
//! | `assignment.rs` | assignments |
//! | `registers.rs`, `direct.rs`, `externs.rs` | objects and what uses them |
//! | `routine.rs` | functions and actions, and calls of them |
//! | `table.rs` | tables and their actions |
//! | `statements.rs` | blocks, branches, loops, and code behind each outcome of a table |
//! | `parts.rs` | parts of a control, controls within it among them |
//! | `states.rs`, `select.rs`, `stack_states.rs` | states of parsers: where they lead, and how they read a stack |
//! | `parser.rs`, `deparser.rs` | the blocks around the controls |
//! | `program.rs` | the whole; begin here |

mod assignment;
mod callable;
mod choices;
mod control;
mod deparser;
mod direct;
mod expression;
mod externs;
mod parser;
mod parts;
mod program;
mod registers;
mod routine;
mod scope;
mod select;
mod shape;
mod stack_states;
mod statements;
mod states;
mod table;

use std::path::Path;

use choices::Pieces;
pub use choices::PIECE_BYTES;
use fastrand::Rng;
pub use program::{program, FIRST_PIECES};
use quench_dataplane::{SharedProgram, Switch, SwitchConfig};
use quench_p4_backend::compile_text;
use quench_p4_frontend::{Arch, Failure, Options};

use crate::counts::COUNTS;
use crate::{bytes, packets};

/// Programs are the point, not packets: more of these find little more.
const PACKETS: usize = 60;

pub(crate) fn run(data: &[u8]) -> bool {
    COUNTS.input();
    let text = program(data);
    let options = Options {
        arch: Arch::Tna,
        ..Options::default()
    };
    let compiled = compile_text(Path::new("random.p4"), &text, &options)
        .unwrap_or_else(|failure| panic!("{text}\nis not taken: {}", errors(&failure)));
    let loaded = SharedProgram::new(&compiled.json)
        .unwrap_or_else(|error| panic!("{text}\nis not loaded: {error}"));
    COUNTS.accept();
    let arrivals = arrivals(data, program::shape(&mut Pieces::new(data)).bytes());
    let native = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    let mut switch = Switch::new(SwitchConfig::default());
    switch.load(&loaded);
    assert_eq!(
        switch.is_compiled(),
        native,
        "{text}\ngives no machine code"
    );
    if let Err(difference) = packets::compare(&loaded, &arrivals, PACKETS) {
        panic!("{text}\n{difference}");
    }
    true
}

/// Warnings are no fault: random code has much to warn of.
fn errors(failure: &Failure) -> String {
    let rendered = failure.to_string();
    let lines = rendered.lines().filter(|line| line.contains(" error: "));
    lines.collect::<Vec<_>>().join("\n")
}

/// Behind the headers, for parsers that look ahead or step on.
const SPARE_BYTES: usize = 48;

/// Packets with all headers, in the form of the target `packets`.
fn arrivals(data: &[u8], header_bytes: usize) -> Vec<u8> {
    let seed = data.iter().fold(1, |seed: u64, &byte| {
        seed.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte)
    });
    let mut rng = Rng::with_seed(seed);
    let mut out = Vec::new();
    for _ in 0..20 {
        let length = (header_bytes + rng.usize(..SPARE_BYTES)).min(usize::from(u8::MAX));
        out.extend([rng.u8(..), length as u8]);
        // Values that entries and cases of `select` have, too.
        out.extend((0..length).map(|_| match rng.u8(..4) {
            0 => rng.u8(..4),
            1 => 0xff,
            2 => 0x80,
            _ => rng.u8(..),
        }));
    }
    out
}

/// A piece more, less or again, or another byte in one.
pub(crate) fn mutate(data: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut pieces: Vec<Vec<u8>> = data.chunks(PIECE_BYTES).map(<[u8]>::to_vec).collect();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(..=pieces.len());
        let fresh = || {
            std::iter::repeat_with(|| 0)
                .take(PIECE_BYTES)
                .collect::<Vec<u8>>()
        };
        match rng.u8(..4) {
            0 => {
                let mut piece = fresh();
                piece.iter_mut().for_each(|byte| *byte = rng.u8(..));
                pieces.insert(at, piece);
            }
            1 if at < pieces.len() => drop(pieces.remove(at)),
            2 => {
                if let Some(piece) = rng.choice(donor.chunks(PIECE_BYTES).collect::<Vec<_>>()) {
                    pieces.insert(at, piece.to_vec());
                }
            }
            _ => {
                if let Some(piece) = pieces.get_mut(at) {
                    bytes::change(piece, donor, rng);
                    piece.resize(PIECE_BYTES, 0);
                }
            }
        }
    }
    pieces.truncate(MAX_PIECES);
    pieces.concat()
}

const MAX_PIECES: usize = 26;

pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let seed = |number: u64| {
        let mut rng = Rng::with_seed(number);
        let bytes = rng.usize(FIRST_PIECES..MAX_PIECES) * PIECE_BYTES;
        let data = (0..bytes).map(|_| rng.u8(..)).collect();
        (format!("random-{number}"), data)
    };
    (0..16).map(seed).collect()
}
