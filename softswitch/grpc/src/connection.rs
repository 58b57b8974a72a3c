// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A client's connection: TLS, HTTP/2, and the beginning of calls.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use h2::server::{Connection as Http2, SendResponse};
use h2::{Ping, PingPong, RecvStream};
use http::{header, HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use tokio::sync::watch;
use tokio::time::{sleep, sleep_until, timeout, Instant};
use tonic::Code;

use crate::answer::{send, Counted};
use crate::call::Call;
use crate::handler::Served;
use crate::listener::AnySocket;
use crate::message::Compression;
use crate::open::{Limits, Open};

/// For a client without a call to take its last frames when its connection is closed.
const FAREWELL: Duration = Duration::from_secs(1);
/// The bytes of one call that wait in HTTP/2 for a client to fetch.
const SEND_BYTES: usize = 64 << 10;
/// For small frames, each of which counts 256 bytes less its own, until they are copied. A call's whole window of the
/// smallest messages of gRPC is less.
const SMALL_FRAMES_BYTES: usize = 4 << 20;
const ENCODING: &str = "grpc-encoding";
const ACCEPT_ENCODING: &str = "grpc-accept-encoding";
const ACCEPTED: &str = "identity,deflate,gzip";

/// Serve a connection to its end.
pub async fn serve(served: Arc<Served>, socket: AnySocket) {
    let first_call = Instant::now() + served.shared.limits.first_call;
    let closing = served.connection.closing.notified();
    let all = async {
        let Some(socket) = without_tls(&served, socket, first_call).await else {
            return;
        };
        let handshake = http2(&served.shared.limits).handshake(socket);
        if let Ok(Ok(http)) = timeout(first_call - Instant::now(), handshake).await {
            calls(&served, http, first_call).await;
        }
    };
    tokio::select! {
        () = all => {}
        () = closing => {}
    }
}

async fn without_tls(served: &Served, socket: AnySocket, first_call: Instant) -> Option<AnySocket> {
    let Some(tls) = &served.shared.tls else {
        return Some(socket);
    };
    // Strangers make most of the failures: no line of the log.
    let socket = timeout(first_call - Instant::now(), tls.accept(socket))
        .await
        .ok()?
        .ok()?;
    if served.shared.asks {
        served.shared.handler.authenticated(&served.connection);
    }
    Some(Box::pin(socket))
}

fn http2(limits: &Limits) -> h2::server::Builder {
    let mut builder = h2::server::Builder::new();
    builder
        .initial_window_size(limits.stream_window_bytes)
        .initial_connection_window_size(limits.connection_window_bytes)
        .max_concurrent_streams(limits.calls_per_connection)
        .max_header_list_size(limits.metadata_bytes)
        .max_send_buffer_size(SEND_BYTES)
        .data_frame_budget(SMALL_FRAMES_BYTES);
    builder
}

async fn calls(served: &Arc<Served>, mut http: Http2<AnySocket, Counted>, first_call: Instant) {
    let shared = &served.shared;
    let mut is_stopping = shared.is_stopping.subscribe();
    let ping = http.ping_pong().expect("nobody took it before");
    let mut silence = pin!(silence(ping, &shared.limits));
    let (mut is_due, mut is_leaving) = (false, false);
    loop {
        tokio::select! {
            accepted = http.accept() => match accepted {
                Some(Ok((request, respond))) => begin(served, request, respond),
                // A client's fault is its own affair.
                Some(Err(_)) | None => return,
            },
            () = &mut silence => return,
            () = sleep_until(first_call), if !is_due => {
                is_due = true;
                if !served.connection.has_called.load(Ordering::Relaxed) {
                    http.graceful_shutdown();
                    let _ = timeout(FAREWELL, poll_fn(|context| http.poll_closed(context))).await;
                    return;
                }
            }
            () = stopped(&mut is_stopping), if !is_leaving => {
                is_leaving = true;
                http.graceful_shutdown();
            }
        }
    }
}

/// Waits until the server stops.
pub async fn stopped(is_stopping: &mut watch::Receiver<bool>) {
    // An error means that the server is gone.
    let _ = is_stopping.wait_for(|stopping| *stopping).await;
}

/// Waits until the client does not answer a probe.
async fn silence(mut ping: PingPong, limits: &Limits) {
    loop {
        sleep(limits.keepalive).await;
        let answered = timeout(limits.keepalive_answer, ping.ping(Ping::opaque())).await;
        if !matches!(answered, Ok(Ok(_))) {
            return;
        }
    }
}

fn begin(served: &Arc<Served>, request: Request<RecvStream>, mut respond: SendResponse<Counted>) {
    let (head, requests) = request.into_parts();
    let mut response = Response::new(());
    let kind = head.headers.get(header::CONTENT_TYPE);
    if head.method != Method::POST || !kind.is_some_and(is_grpc) {
        *response.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        // A client that is gone needs no answer, here and below.
        let _ = respond.send_response(response, true);
        return;
    }
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/grpc"),
    );
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED));
    let Ok(stream) = respond.send_response(response, false) else {
        return;
    };
    let compression = compression(&head.headers);
    let (call, inbox, parts) = Call::new(
        head.uri.path().to_owned(),
        Arc::clone(&served.connection),
        compression.unwrap_or(None),
    );
    let patience = served.shared.limits.answer;
    let (open, refusal) = Open::new(
        &served.connection,
        &served.peer,
        &served.shared.calls,
        &served.shared.limits,
    );
    if let Some(refusal) = refusal {
        call.end(Code::ResourceExhausted, &refusal, Bytes::new());
    } else if compression.is_err() {
        let message = format!("messages may be compressed by {ACCEPTED}");
        call.end(Code::Unimplemented, &message, Bytes::new());
    } else {
        served.shared.handler.begun(call);
    }
    tokio::spawn(async move {
        tokio::select! {
            () = send(stream, parts, patience, Arc::new(open)) => {}
            () = inbox.receive(requests) => {}
        }
    });
}

/// Also `application/grpc+proto`, but nothing else that begins so.
fn is_grpc(kind: &HeaderValue) -> bool {
    let rest = kind.as_bytes().strip_prefix(b"application/grpc");
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'+' | b';')))
}

/// The way in which a client compresses its messages, if it does; an error for a way that nobody here knows.
fn compression(headers: &HeaderMap) -> Result<Option<Compression>, ()> {
    match headers.get(ENCODING).map(HeaderValue::as_bytes) {
        None | Some(b"identity") => Ok(None),
        Some(b"gzip") => Ok(Some(Compression::Gzip)),
        Some(b"deflate") => Ok(Some(Compression::Deflate)),
        Some(_) => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compression_is_known_or_refused() {
        let compression_of = |text: &'static [u8]| {
            let value = HeaderValue::from_bytes(text).expect("a header's value");
            let name = header::HeaderName::from_static(ENCODING);
            compression(&HeaderMap::from_iter([(name, value)]))
        };
        assert_eq!(compression(&HeaderMap::new()), Ok(None));
        assert_eq!(compression_of(b"identity"), Ok(None));
        assert_eq!(compression_of(b"gzip"), Ok(Some(Compression::Gzip)));
        assert_eq!(compression_of(b"deflate"), Ok(Some(Compression::Deflate)));
        for unknown in [&b"zstd"[..], b"", b"\xff", b"gzip,deflate"] {
            assert_eq!(compression_of(unknown), Err(()));
        }
    }

    #[test]
    fn the_kind_of_a_request_is_grpcs() {
        for (kind, is_ours) in [
            ("application/grpc", true),
            ("application/grpc+proto", true),
            ("application/grpc;x=y", true),
            ("application/grpc-web", false),
            ("text/html", false),
        ] {
            assert_eq!(is_grpc(&HeaderValue::from_static(kind)), is_ours);
        }
    }
}
