// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A gRPC server whose calls are streams of bytes: what messages mean is the affair of its [`Handler`].
//!
//! A message that nobody asked for stays with the client: HTTP/2's windows are small, and a call's body is polled
//! only while [`Call::read`] waits. What a client does not fetch stays with who writes it: see [`Call::write`].
//!
//! In: connections of strangers. Out: [`Handler`]'s calls. Begin with `server.rs`; `call.rs` has one call,
//! `response.rs` what goes back.

#![forbid(unsafe_code)]

mod call;
mod listener;
mod response;
mod server;
mod tls;

pub use call::{Call, ReadError};
pub use listener::BindError;
pub use server::{Connection, Handler, Limits, OpenError, Server};
pub use tls::{Identity, IdentityError};
pub use tonic::Code;
