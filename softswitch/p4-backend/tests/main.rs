// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs, what they become in BMv2's JSON, and what the data plane then does: a module for each topic, in one executable.

mod arithmetic;
mod calls;
mod common;
mod large_programs;
mod names;
mod parsers;
mod tables;
mod tna;
mod values;
mod warnings;
