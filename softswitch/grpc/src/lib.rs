// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A gRPC server whose calls are streams of bytes: what messages mean is the affair of its [`Handler`].
//!
//! What nobody has read of a call fills its window of HTTP/2 (`inbox.rs`), and the rest stays with the client. What a
//! client does not fetch stays with who writes it ([`Call::write`], `answer.rs`). Only this crate's thread touches
//! HTTP/2.
//!
//! In: connections of strangers. Out: [`Handler`]'s calls. Begin with `server.rs`; `connection.rs` has one connection,
//! `call.rs` one call, and `open.rs` counts both.

#![forbid(unsafe_code)]

mod answer;
mod call;
mod connection;
mod handler;
mod inbox;
mod listener;
mod message;
mod open;
mod server;
mod tls;

pub use call::Call;
pub use handler::Handler;
pub use listener::BindError;
pub use message::ReadError;
pub use open::{Connection, Limits};
pub use server::{OpenError, Server};
pub use tls::{Identity, IdentityError};
pub use tonic::Code;
