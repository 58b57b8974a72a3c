// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Numbers that stand for parts of a program.

/// A header by its place in the layout.
pub type HeaderId = u32;

/// "No node" in pipelines, "accept" in parsers.
pub const END: u32 = u32::MAX;
