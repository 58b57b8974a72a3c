// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Connections, and the calls on them.

use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::os::fd::RawFd;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{header, HeaderMap, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch, Notify};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tonic::codec::CompressionEncoding;
use tonic::Code;

use crate::call::Call;
use crate::listener::{AnySocket, BindError, Listener};
use crate::response::Body;
use crate::tls::{acceptor, Identity, IdentityError};

/// Until the next connection is accepted after one that could not be.
const AGAIN: Duration = Duration::from_millis(100);
/// Time between two lines of the log of one kind.
const QUIET: Duration = Duration::from_secs(60);
/// For a client to take its last frames when its connection is closed.
const FAREWELL: Duration = Duration::from_secs(1);
const ENCODING: &str = "grpc-encoding";
const ACCEPT_ENCODING: &str = "grpc-accept-encoding";
const ACCEPTED: &str = "identity,deflate,gzip";
/// What waits in HTTP/2 for a client to fetch, of one call.
const SEND_BYTES: usize = 64 << 10;
/// More would wake each other for each call: one takes all that Python can answer.
const THREADS: usize = 1;

/// What a client may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of all connections.
    pub calls: usize,
    pub calls_per_connection: u32,
    /// Of one call.
    pub metadata_bytes: u32,
    /// What a client may send of a call before somebody reads it.
    pub stream_window_bytes: u32,
    /// The same of a connection. HTTP/2's implementation closes one whose small frames are too many for it, which a
    /// small window makes of honest clients.
    pub connection_window_bytes: u32,
    /// In which a new connection has to begin a call.
    pub first_call: Duration,
    /// Silence after which a connection is probed.
    pub keepalive: Duration,
    /// In which a probed client has to answer.
    pub keepalive_answer: Duration,
}

/// Who decides about connections, and answers calls. All of it is called on the server's threads, and must not wait
/// for a client.
pub trait Handler: Send + Sync + 'static {
    /// Whether a new connection is served. The descriptor is its socket's, for the length of the call only.
    fn opened(&self, connection: &Arc<Connection>, socket: RawFd) -> bool;
    /// The client has shown its certificate.
    fn authenticated(&self, connection: &Arc<Connection>);
    /// A connection that was served is closed.
    fn closed(&self, connection: &Arc<Connection>);
    fn begun(&self, call: Call);
}

/// A client's connection.
#[derive(Debug, Default)]
pub struct Connection {
    calls: AtomicUsize,
    has_called: AtomicBool,
    closing: Notify,
}

impl Connection {
    /// How many calls are open on it.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Close it, whatever it does.
    pub fn close(&self) {
        self.closing.notify_one();
    }
}

/// Counts a call until the client has its end.
struct Open {
    connection: Arc<Connection>,
    of_all: Arc<AtomicUsize>,
}

impl Open {
    /// None beyond the limit.
    fn new(connection: &Arc<Connection>, shared: &Shared) -> Option<Self> {
        connection.has_called.store(true, Ordering::Relaxed);
        if shared.calls.fetch_add(1, Ordering::Relaxed) >= shared.limits.calls {
            shared.calls.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        connection.calls.fetch_add(1, Ordering::Relaxed);
        Some(Self {
            connection: Arc::clone(connection),
            of_all: Arc::clone(&shared.calls),
        })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.connection.calls.fetch_sub(1, Ordering::Relaxed);
        self.of_all.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Shared {
    handler: Box<dyn Handler>,
    limits: Limits,
    tls: Option<TlsAcceptor>,
    /// Whether TLS asks clients for certificates.
    asks: bool,
    calls: Arc<AtomicUsize>,
    is_stopping: watch::Sender<bool>,
}

/// A server with its threads. It accepts from [`Server::start`] to [`Server::stop`].
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
        let listener = {
            let _entered = runtime.enter();
            Listener::bind(address)?
        };
        let shared = Shared {
            handler,
            limits,
            tls,
            asks: identity.is_some_and(|identity| identity.client_authority.is_some()),
            calls: Arc::default(),
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
        let listener = self.listener.lock().expect("nobody panics with it").take();
        let runtime = self.runtime.lock().expect("nobody panics with it");
        if let (Some(listener), Some(runtime)) = (listener, runtime.as_ref()) {
            runtime.spawn(accept(listener, Arc::clone(&self.shared)));
        }
    }

    /// Close the port. Calls may go on for `grace`; then their connections are closed.
    pub fn stop(&self, grace: Duration) {
        self.listener.lock().expect("nobody panics with it").take();
        let runtime = self.runtime.lock().expect("nobody panics with it").take();
        let Some(runtime) = runtime else { return };
        self.shared.is_stopping.send_replace(true);
        runtime.block_on(async {
            // The last that listens for it is the last task.
            let _ = timeout(grace, self.shared.is_stopping.closed()).await;
        });
        runtime.shutdown_background();
    }
}

async fn stopped(is_stopping: &mut watch::Receiver<bool>) {
    // An error means that the server is gone.
    let _ = is_stopping.wait_for(|stopping| *stopping).await;
}

async fn accept(listener: Listener, shared: Arc<Shared>) {
    let mut is_stopping = shared.is_stopping.subscribe();
    let mut connections = JoinSet::new();
    let mut logged: Option<Instant> = None;
    loop {
        tokio::select! {
            () = stopped(&mut is_stopping) => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((socket, descriptor)) => {
                    let connection = Arc::new(Connection::default());
                    if shared.handler.opened(&connection, descriptor) {
                        let served = Served { connection, shared: Arc::clone(&shared) };
                        connections.spawn(serve(served, socket));
                    }
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
    while connections.join_next().await.is_some() {}
}

/// Tells of a connection's end, also where its task is dropped.
struct Served {
    connection: Arc<Connection>,
    shared: Arc<Shared>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.shared.handler.closed(&self.connection);
    }
}

async fn serve(served: Served, socket: AnySocket) {
    let began = Instant::now();
    let shared = Arc::clone(&served.shared);
    let connection = &served.connection;
    let socket = match &shared.tls {
        None => socket,
        Some(tls) => {
            let handshake = async {
                tokio::select! {
                    socket = tls.accept(socket) => socket.ok(),
                    () = connection.closing.notified() => None,
                }
            };
            match timeout(shared.limits.first_call, handshake).await {
                Ok(Some(socket)) => {
                    if shared.asks {
                        shared.handler.authenticated(connection);
                    }
                    Box::pin(socket)
                }
                // Strangers make most of them: no line of the log.
                _ => return,
            }
        }
    };
    let http = http(&shared.limits).serve_connection(
        TokioIo::new(socket),
        service_fn({
            let (connection, shared) = (Arc::clone(connection), Arc::clone(&shared));
            move |request| ready(Ok::<_, Infallible>(answer(request, &connection, &shared)))
        }),
    );
    let mut http = pin!(http);
    let mut is_stopping = shared.is_stopping.subscribe();
    let first_call = sleep(shared.limits.first_call.saturating_sub(began.elapsed()));
    let mut first_call = pin!(first_call);
    let mut is_due = false;
    loop {
        tokio::select! {
            // What a client did wrong is its own affair.
            _ = &mut http => return,
            () = connection.closing.notified() => break,
            () = stopped(&mut is_stopping) => {
                http.as_mut().graceful_shutdown();
                let _ = http.await;
                return;
            }
            () = &mut first_call, if !is_due => {
                is_due = true;
                if !connection.has_called.load(Ordering::Relaxed) {
                    break;
                }
            }
        }
    }
    http.as_mut().graceful_shutdown();
    if connection.calls() == 0 {
        let _ = timeout(FAREWELL, http).await;
    }
}

fn http(limits: &Limits) -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .initial_stream_window_size(limits.stream_window_bytes)
        .initial_connection_window_size(limits.connection_window_bytes)
        .max_concurrent_streams(limits.calls_per_connection)
        .max_header_list_size(limits.metadata_bytes)
        .max_send_buf_size(SEND_BYTES)
        .keep_alive_interval(limits.keepalive)
        .keep_alive_timeout(limits.keepalive_answer);
    builder
}

fn answer(
    request: Request<Incoming>,
    connection: &Arc<Connection>,
    shared: &Arc<Shared>,
) -> Response<Body<Option<Open>>> {
    let (parts, requests) = mpsc::unbounded_channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let is_grpc = request
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
    if request.method() != Method::POST || !is_grpc {
        let mut response = Response::new(Body::new(requests, waiting, None));
        *response.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return response;
    }
    let encoding = encoding(request.headers());
    let open = Open::new(connection, shared);
    let path = request.uri().path().to_owned();
    let is_known = encoding.is_ok();
    let call = Call::new(
        path,
        Arc::clone(connection),
        request.into_body(),
        encoding.unwrap_or(None),
        parts,
        Arc::clone(&waiting),
    );
    if open.is_none() {
        let message = format!("there are {} calls, the most", shared.limits.calls);
        call.end(Code::ResourceExhausted, &message, Bytes::new());
    } else if !is_known {
        let message = format!("messages may be compressed by {ACCEPTED}");
        call.end(Code::Unimplemented, &message, Bytes::new());
    } else {
        shared.handler.begun(call);
    }
    let mut response = Response::new(Body::new(requests, waiting, open));
    let kind = header::HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    let accepted = header::HeaderValue::from_static(ACCEPTED);
    response.headers_mut().insert(ACCEPT_ENCODING, accepted);
    response
}

/// How a client compresses its messages, if it does; an error for a way that nobody here knows.
fn encoding(headers: &HeaderMap) -> Result<Option<CompressionEncoding>, ()> {
    match headers.get(ENCODING).map(|encoding| encoding.as_bytes()) {
        None | Some(b"identity") => Ok(None),
        Some(b"gzip") => Ok(Some(CompressionEncoding::Gzip)),
        Some(b"deflate") => Ok(Some(CompressionEncoding::Deflate)),
        Some(_) => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compression_is_known_or_refused() {
        let encoding_of = |text: &'static [u8]| {
            let value = header::HeaderValue::from_bytes(text).expect("a header's value");
            encoding(&HeaderMap::from_iter([(
                header::HeaderName::from_static(ENCODING),
                value,
            )]))
        };
        assert_eq!(encoding(&HeaderMap::new()), Ok(None));
        assert_eq!(encoding_of(b"identity"), Ok(None));
        assert_eq!(encoding_of(b"gzip"), Ok(Some(CompressionEncoding::Gzip)));
        assert_eq!(
            encoding_of(b"deflate"),
            Ok(Some(CompressionEncoding::Deflate))
        );
        for unknown in [&b"zstd"[..], b"", b"\xff", b"gzip,deflate"] {
            assert_eq!(encoding_of(unknown), Err(()));
        }
    }
}
