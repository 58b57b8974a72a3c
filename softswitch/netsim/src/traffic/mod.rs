// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Traffic: the programs on the hosts, and what they record.
//!
//! A source is an [`App`]: it sees both ends of its connections, acts through a [`Ctx`] and has random numbers of its
//! own, so that adding one source does not disturb another.

mod app;
mod record;

pub use app::{App, ConnectionId, Ctx, NodeId, Side, StackId};
pub use record::{Call, File, Object, Record};
