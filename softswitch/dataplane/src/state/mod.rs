// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A packet's state: where headers and metadata lie, and how numbers are read from there and written.
//!
//! In: the layout of a program. Out: the bytes of its headers and metadata for one packet. Begin with `layout.rs`, which
//! says where everything lies; `loc.rs` reads and writes one field, `phv.rs` holds a packet's whole state.

pub mod bytes;
pub mod cells;
pub mod key;
pub mod layout;
pub mod loc;
pub mod phv;
pub mod slot;
pub mod stored;
pub mod wide;
pub mod word;
