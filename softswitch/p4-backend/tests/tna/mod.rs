// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The Tofino Native Architecture: what each of its parts becomes in the JSON (softswitch/docs/tna-json.md).

mod blocks;
mod counting;
mod deparsers;
mod functions;
mod hashes;
mod limits;
mod names;
mod parsers;
mod program;
mod programs;
mod registers;
mod tables;
