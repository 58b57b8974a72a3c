// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The server: its thread, and the connections that it accepts.

use std::io;
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::{yield_now, JoinError, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::call::Call;
use crate::connection::{serve, stopped, Calls, Connection, Served};
use crate::listener::{BindError, Listener};
use crate::tls::{acceptor, Identity, IdentityError};

/// Until the next connection is accepted after one that could not be.
const AGAIN: Duration = Duration::from_millis(100);
/// Time between two lines of the log of one kind.
const QUIET: Duration = Duration::from_secs(60);
/// More would wake each other for each call, and call the [`Handler`] at the same time: one takes all that a handler in
/// Python can answer.
const THREADS: usize = 1;

/// What a client may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of all connections.
    pub calls: usize,
    pub calls_of_peer: usize,
    pub calls_per_connection: u32,
    /// Of one call.
    pub metadata_bytes: u32,
    /// What a client may send of a call before somebody reads it.
    pub stream_window_bytes: u32,
    /// The same of a connection.
    pub connection_window_bytes: u32,
    /// In which a new connection has to begin a call.
    pub first_call: Duration,
    /// In which a client has to fetch the rest of an answer that is complete.
    pub answer: Duration,
    /// Silence after which a connection is probed.
    pub keepalive: Duration,
    /// In which a probed client has to answer.
    pub keepalive_answer: Duration,
}

/// Who decides about connections, and answers calls. All of it is called on the server's thread, and holds up all
/// connections meanwhile.
pub trait Handler: Send + Sync + 'static {
    /// Whom a new connection is counted for; `None` if it is not served. The descriptor is its socket's, for the length
    /// of the call only.
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
    pub calls: Calls,
    pub is_stopping: watch::Sender<bool>,
}

/// A server with its thread. It accepts from [`Server::start`] to [`Server::stop`], or until it is dropped.
pub struct Server {
    runtime: Mutex<Option<Runtime>>,
    listener: Mutex<Option<Listener>>,
    shared: Arc<Shared>,
    address: String,
}

/// Why a server cannot be.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error(transparent)]
    Identity(#[from] IdentityError),
    #[error("{0}")]
    Threads(io::Error),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    /// Listen at `HOST:PORT`, `unix:PATH` or `unix-abstract:NAME`.
    pub fn bind(
        address: &str,
        identity: Option<&Identity<'_>>,
        limits: Limits,
        handler: Box<dyn Handler>,
    ) -> Result<Self, OpenError> {
        let tls = identity.map(acceptor).transpose()?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("grpc")
            .enable_all()
            .build()
            .map_err(OpenError::Threads)?;
        let listener = runtime.block_on(Listener::bind(address))?;
        let shared = Shared {
            handler,
            limits,
            tls,
            asks: identity.is_some_and(|identity| identity.client_authority.is_some()),
            calls: Calls::default(),
            is_stopping: watch::Sender::new(false),
        };
        Ok(Self {
            runtime: Mutex::new(Some(runtime)),
            address: listener.address.clone(),
            listener: Mutex::new(Some(listener)),
            shared: Arc::new(shared),
        })
    }

    /// With the port that it got.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Begin to accept.
    pub fn start(&self) {
        let listener = lock(&self.listener).take();
        if let (Some(listener), Some(runtime)) = (listener, lock(&self.runtime).as_ref()) {
            let shared = Arc::clone(&self.shared);
            runtime.spawn(async move {
                let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
                // One that is cancelled belongs to a server that stops.
                if accepting.await.is_err_and(|error| error.is_panic()) {
                    let reason = "the thread that accepts gRPC's connections broke";
                    shared.handler.failed(reason.to_owned());
                }
            });
        }
    }

    /// Close the port. Calls may go on for `grace`; then their connections are closed.
    pub fn stop(&self, grace: Duration) {
        drop(lock(&self.listener).take());
        let runtime = lock(&self.runtime).take();
        let Some(runtime) = runtime else { return };
        self.shared.is_stopping.send_replace(true);
        runtime.block_on(async {
            // The last that listens for it is the last task.
            let _ = timeout(grace, self.shared.is_stopping.closed()).await;
        });
        runtime.shutdown_background();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its thread may wait for a lock that this one has.
        if let Some(runtime) = lock(&self.runtime).take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: Listener, shared: Arc<Shared>) {
    let mut is_stopping = shared.is_stopping.subscribe();
    let mut connections = JoinSet::new();
    let mut logged: Option<Instant> = None;
    loop {
        tokio::select! {
            () = stopped(&mut is_stopping) => break,
            Some(ended) = connections.join_next() => log(ended),
            accepted = listener.accept() => match accepted {
                Ok((socket, descriptor)) => {
                    if let Some(served) = admit(&shared, descriptor) {
                        connections.spawn(serve(served, socket));
                    }
                    // Those that made room have to go before there are more.
                    yield_now().await;
                }
                Err(error) => {
                    // The client was gone before, or the process has no descriptor left.
                    if logged.is_none_or(|last| last.elapsed() > QUIET) {
                        tracing::warn!("a gRPC connection was not accepted: {error}");
                        logged = Some(Instant::now());
                    }
                    sleep(AGAIN).await;
                }
            },
        }
    }
    drop(listener);
    while let Some(ended) = connections.join_next().await {
        log(ended);
    }
}

/// A connection that panicked is closed, and the others go on.
fn log(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        if error.is_panic() {
            tracing::error!("a gRPC connection broke: {error}");
        }
    }
}

fn admit(shared: &Arc<Shared>, descriptor: RawFd) -> Option<Arc<Served>> {
    let connection = Arc::new(Connection::default());
    let peer = shared.handler.opened(&connection, descriptor)?;
    Some(Arc::new(Served {
        connection,
        peer: peer.into(),
        shared: Arc::clone(shared),
    }))
}
