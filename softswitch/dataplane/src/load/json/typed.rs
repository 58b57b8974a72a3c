// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Values with their types.

use serde::Deserialize;

use super::tree::Json;

/// A "type value object".
#[derive(Clone, Deserialize)]
pub struct Typed {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub value: Json,
    #[serde(default)]
    pub bitwidth: Option<u32>,
    #[serde(default)]
    pub name: Option<String>,
}
