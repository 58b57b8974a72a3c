// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Places in the source.

use serde::Serialize;

/// The place in the source, for BMv2's logs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceInfo {
    pub filename: String,
    pub line: u32,
    pub column: u32,
    pub source_fragment: String,
}
