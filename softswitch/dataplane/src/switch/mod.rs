// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The v1model packet life around the two pipelines.

mod config;

pub use config::{Output, SwitchConfig};
