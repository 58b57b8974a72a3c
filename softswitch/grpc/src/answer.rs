// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The answer of a call: messages, and the status in trailers (gRPC over HTTP2, "Responses").

use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use h2::{Reason, SendStream};
use http::HeaderMap;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::sleep;
use tonic::{Code, Status};

use crate::message::HEAD_BYTES;
use crate::open::Open;

/// Bytes that HTTP/2 gets at a time; it gets more only where the client has room.
const SLICE_BYTES: usize = 16 << 10;

/// The size of a message after which another, or the end, may follow before HTTP/2 has taken it.
pub const SMALL_BYTES: usize = 16 << 10;

/// A piece of the answer to a call.
pub enum Part {
    /// The sender is told when HTTP/2 has taken the last byte.
    Message(Bytes, oneshot::Sender<()>),
    /// Nothing follows it.
    End(Status),
}

/// The answer to a call, as its connection receives it.
pub struct Parts {
    pub parts: mpsc::UnboundedReceiver<Part>,
    /// Messages that HTTP/2 has not taken.
    pub waiting: Arc<AtomicUsize>,
    pub has_ended: watch::Receiver<bool>,
}

/// Waits until the call has ended for who answers it.
async fn ended(has_ended: &watch::Receiver<bool>) {
    // An error means that nobody answers the call any more.
    let _ = has_ended.clone().wait_for(|ended| *ended).await;
}

/// Send no faster than the client fetches, until it has the status or gave the call up. Once the call has ended, the
/// client has `patience` to fetch the rest.
pub async fn send(mut stream: Sending, mut parts: Parts, patience: Duration, open: Arc<Open>) {
    let has_ended = parts.has_ended.clone();
    let too_late = async {
        ended(&has_ended).await;
        sleep(patience).await;
    };
    tokio::select! {
        () = send_parts(&mut stream, &mut parts, &open) => {}
        () = too_late => stream.send_reset(Reason::CANCEL),
    }
}

async fn send_parts(stream: &mut Sending, from: &mut Parts, open: &Arc<Open>) {
    loop {
        let part = tokio::select! {
            part = from.parts.recv() => part,
            _ = poll_fn(|context| stream.poll_reset(context)) => return,
        };
        let status = match part {
            Some(Part::Message(message, taken)) => {
                let is_sent = tokio::select! {
                    is_sent = send_message(stream, &message, open) => is_sent,
                    // The writer waits no longer: the rest of it would take memory for nothing.
                    () = ended(&from.has_ended), if message.len() > SMALL_BYTES => true,
                };
                if !is_sent {
                    return;
                }
                from.waiting.fetch_sub(1, Ordering::Relaxed);
                // Whoever wrote has gone if it does not listen.
                let _ = taken.send(());
                continue;
            }
            Some(Part::End(status)) => status,
            None => Status::internal("the server gave the call up"),
        };
        // The stream is broken where there can be none.
        let _ = stream.send_trailers(trailers(&status));
        return;
    }
}

/// Whether the client has not given up.
async fn send_message(stream: &mut Sending, message: &Bytes, open: &Arc<Open>) -> bool {
    let length = u32::try_from(message.len()).expect("a message has less than 4 GiB");
    let (mut first, rest) = message.split_at(message.len().min(SLICE_BYTES - HEAD_BYTES));
    let mut head = BytesMut::with_capacity(HEAD_BYTES + first.len());
    head.put_u8(0);
    head.put_u32(length);
    head.put(&mut first);
    if !send_bytes(stream, &head, open).await {
        return false;
    }
    for slice in rest.chunks(SLICE_BYTES) {
        if !send_bytes(stream, slice, open).await {
            return false;
        }
    }
    true
}

async fn send_bytes(stream: &mut Sending, mut bytes: &[u8], open: &Arc<Open>) -> bool {
    while !bytes.is_empty() {
        stream.reserve_capacity(bytes.len());
        let Some(Ok(room)) = poll_fn(|context| stream.poll_capacity(context)).await else {
            return false;
        };
        let (now, later) = bytes.split_at(room.min(bytes.len()));
        // A copy: a part of the message would keep all of it.
        let data = Counted {
            bytes: Bytes::copy_from_slice(now),
            _open: Arc::clone(open),
        };
        if !now.is_empty() && stream.send_data(data, false).is_err() {
            return false;
        }
        bytes = later;
    }
    true
}

/// Bytes that keep their call open until the system has them.
pub struct Counted {
    bytes: Bytes,
    _open: Arc<Open>,
}

impl Buf for Counted {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}

pub type Sending = SendStream<Counted>;

fn trailers(status: &Status) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if status.add_header(&mut headers).is_err() {
        // Its text is no header's: it is percent-encoded, so this is for nothing that is known today.
        headers.clear();
        headers.insert("grpc-status", (Code::Unknown as i32).into());
    }
    headers
}
