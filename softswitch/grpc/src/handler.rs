// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The handler, which decides about connections, and the state that all connections share.

use std::os::fd::RawFd;
use std::sync::Arc;

use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use crate::call::Call;
use crate::open::{Calls, Connection, Limits};

/// A handler decides about connections, and answers calls. All of it is called on the server's thread, and holds up all
/// connections meanwhile.
pub trait Handler: Send + Sync + 'static {
    /// The peer that a new connection is counted for; `None` if it is not served. The descriptor is its socket's, for
    /// the length of the call only.
    fn opened(&self, connection: &Arc<Connection>, socket: RawFd) -> Option<String>;
    /// The client has shown its certificate.
    fn authenticated(&self, connection: &Arc<Connection>);
    /// A connection that was served is closed.
    fn closed(&self, connection: &Arc<Connection>);
    fn begun(&self, call: Call);
    /// No connection is accepted any more, by a fault.
    fn failed(&self, reason: String);
}

pub struct Shared {
    pub handler: Box<dyn Handler>,
    pub limits: Limits,
    pub tls: Option<TlsAcceptor>,
    /// Whether TLS asks clients for certificates.
    pub asks: bool,
    pub calls: Arc<Calls>,
    pub is_stopping: watch::Sender<bool>,
}

/// A connection that the handler lets in, and whom its calls are counted for.
pub struct Served {
    pub connection: Arc<Connection>,
    pub peer: Arc<str>,
    pub shared: Arc<Shared>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.shared.handler.closed(&self.connection);
    }
}
