// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Values that cross the crate's border, errors, and numbers that name a program's parts.
//!
//! Nothing here does anything to a packet. All other rooms build on it.

pub mod config;
pub mod error;
pub mod generator;
pub mod ids;
pub mod info;
pub mod load_error;
pub mod packet_bytes;
pub mod values;
