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

use crate::connection::{serve, stopped};
use crate::handler::{Handler, Served, Shared};
use crate::listener::{BindError, Listener};
use crate::open::{Calls, Connection, Limits};
use crate::tls::{acceptor, Identity, IdentityError};

/// The time until the next connection is accepted after one that could not be.
const AGAIN: Duration = Duration::from_millis(100);
/// Time between two lines of the log of one kind.
const QUIET: Duration = Duration::from_secs(60);
/// More would wake each other for each call, and call the [`Handler`] at the same time: one takes all that a handler in
/// Python can answer.
const THREADS: usize = 1;

/// A server with its thread. It accepts from [`Server::start`] to [`Server::stop`], or until it is dropped.
pub struct Server {
    runtime: Mutex<Option<Runtime>>,
    listener: Mutex<Option<Listener>>,
    shared: Arc<Shared>,
    address: String,
}

/// The reason that a server cannot be.
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
            calls: Arc::new(Calls::default()),
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
