// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Traffic: the applications on the hosts.
//!
//! Each source of the scenario has an application ([`App`]). It gets the events of both ends of its connections, and
//! acts through a [`Ctx`]. It has a random number generator of its own, so that adding one source does not disturb
//! another.
//!
//! In: a source of the scenario, and events of its connections. Out: data to send, and records. Begin with `app.rs`,
//! then `ftp.rs`, the simplest source.

mod app;
mod bursts;
mod check;
mod distribution;
mod files;
mod ftp;
mod ids;
mod incast;
mod messages;
mod on_off;
mod record;
mod source;
mod start;
mod transfer;
mod udp_flow;
mod under_way;
mod voip;
mod web;

#[cfg(test)]
mod tests;

pub use app::{App, Ctx, Progress, Side};
pub use check::{Names, SourceError};
pub use distribution::{Between, Distribution};
pub use files::Files;
pub use ftp::Ftp;
pub use ids::{ConnectionId, NodeId, StackId};
pub use incast::Incast;
pub use messages::{LoadOf, Messages};
pub use on_off::{Cbr, ConstantRate, OnOff};
pub use record::{Call, File, Message, Object, Record};
pub use source::{check as check_source, SourceConfig};
pub use udp_flow::UdpFlow;
pub use voip::Voip;
pub use web::{PageEvent, Web};
