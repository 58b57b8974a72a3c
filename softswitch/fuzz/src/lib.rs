// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Fuzz targets: inputs from outside, and properties that hold for each.
//!
//! A [`Target`] runs one input and panics where its oracle is broken. `targets/` gives each to libFuzzer, for long runs that
//! are guided by coverage (`make fuzz`); `targets.rs` runs a few of each without it. A target of another crate is given to
//! both in the same way.
//!
//! In: bytes of a fuzzer. Out: nothing, or a panic. Begin with `loader.rs`, the shortest target.

#![forbid(unsafe_code)]

pub mod bytes;
mod counts;
mod json;
mod loader;
mod offload;
mod p4;
mod packets;
mod patience;
pub mod seeds;
mod setup;
pub mod short;
mod state;
mod target;
pub mod tna;
mod tokens;

pub use counts::COUNTS;
pub use patience::{processor_time, PATIENCE};
pub use target::Target;

/// P4 text into the compiler; what it makes of it into the data plane's loader.
pub const P4: Target = Target {
    name: "p4",
    run: p4::run,
    keeps_refused: true,
    mutate: tokens::mutate,
    seeds: seeds::p4,
};

/// BMv2 JSON into the data plane's loader, and some packets through the interpreter.
pub const LOADER: Target = Target {
    name: "loader",
    run: loader::run,
    keeps_refused: true,
    mutate: json::mutate,
    seeds: seeds::json,
};

/// BMv2 JSON and packets: machine code against the interpreter.
pub const PACKETS: Target = Target {
    name: "packets",
    run: packets::run,
    keeps_refused: false,
    mutate: packets::mutate,
    seeds: seeds::packets,
};

/// Frames that a sender left to hardware to cut up, and packets to join: cut and joined again.
pub const OFFLOAD: Target = Target {
    name: "offload",
    run: offload::run,
    keeps_refused: false,
    mutate: offload::mutate,
    seeds: offload::seeds,
};

/// Programs for Tofino, made from bytes: machine code against the interpreter.
pub const TNA: Target = Target {
    name: "tna",
    run: tna::run,
    keeps_refused: false,
    mutate: tna::mutate,
    seeds: tna::seeds,
};

/// A target as a program of libFuzzer: one mutant in eight is libFuzzer's own, of bytes.
#[macro_export]
macro_rules! fuzz {
    ($target:expr) => {
        libfuzzer_sys::fuzz_target!(
            init: $crate::seeds::write(&$target),
            |data: &[u8]| -> libfuzzer_sys::Corpus {
                let before = $crate::processor_time();
                let accepted = ($target.run)(data);
                let took = $crate::processor_time() - before;
                assert!(took < $crate::PATIENCE, "the input took {took:?}");
                $crate::COUNTS.report();
                if accepted || $target.keeps_refused {
                    libfuzzer_sys::Corpus::Keep
                } else {
                    libfuzzer_sys::Corpus::Reject
                }
            }
        );
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            let mut rng = fastrand::Rng::with_seed(seed.into());
            if rng.u8(..8) == 0 {
                return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
            }
            let donor = $crate::seeds::any(&$target, &mut rng);
            // Most inputs that were found are refused, so every second mutant is one of a correct input.
            let origin = if rng.bool() { donor } else { &data[..size] };
            let mutant = ($target.mutate)(origin, donor, &mut rng);
            let size = mutant.len().min(max_size);
            data[..size].copy_from_slice(&mutant[..size]);
            size
        });
    };
}
