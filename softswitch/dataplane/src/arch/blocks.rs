// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The programmable blocks of an architecture.

/// Their names in the JSON, in the order of their numbers.
pub struct Blocks {
    pub parsers: &'static [&'static str],
    pub pipelines: &'static [&'static str],
    pub deparsers: &'static [&'static str],
}
