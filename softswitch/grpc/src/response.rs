// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The answer of a call: messages, and the status in trailers (gRPC over HTTP2, "Responses").

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{BufMut, Bytes, BytesMut};
use http::HeaderMap;
use http_body::Frame;
use tokio::sync::{mpsc, oneshot};
use tonic::{Code, Status};

/// Bytes that HTTP/2 gets at a time; it asks for more only where the client has room.
const SLICE_BYTES: usize = 16 << 10;

/// What a call sends.
pub enum Part {
    /// The sender is told when HTTP/2 has taken the last byte.
    Message(Bytes, oneshot::Sender<()>),
    /// Nothing follows it.
    End(Status),
}

/// A body that is polled no faster than the client fetches.
pub struct Body<G> {
    parts: mpsc::UnboundedReceiver<Part>,
    slices: VecDeque<Bytes>,
    taken: Option<oneshot::Sender<()>>,
    waiting: Arc<AtomicUsize>,
    is_over: bool,
    /// Dropped with the body, when the call is over for the client.
    _guard: G,
}

impl<G> Body<G> {
    pub fn new(parts: mpsc::UnboundedReceiver<Part>, waiting: Arc<AtomicUsize>, guard: G) -> Self {
        Self {
            parts,
            slices: VecDeque::new(),
            taken: None,
            waiting,
            is_over: false,
            _guard: guard,
        }
    }

    fn begin(&mut self, message: &Bytes) {
        let mut head = BytesMut::with_capacity(5);
        head.put_u8(0);
        head.put_u32(u32::try_from(message.len()).expect("a message has less than 4 GiB"));
        self.slices.push_back(head.freeze());
        let starts = (0..message.len()).step_by(SLICE_BYTES);
        self.slices.extend(
            starts.map(|start| message.slice(start..message.len().min(start + SLICE_BYTES))),
        );
    }
}

impl<G: Unpin> http_body::Body for Body<G> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        loop {
            if let Some(slice) = this.slices.pop_front() {
                if this.slices.is_empty() {
                    this.waiting.fetch_sub(1, Ordering::Relaxed);
                    // Whoever writes has gone if it does not listen.
                    let _ = this.taken.take().map(|taken| taken.send(()));
                }
                return Poll::Ready(Some(Ok(Frame::data(slice))));
            }
            if this.is_over {
                return Poll::Ready(None);
            }
            match this.parts.poll_recv(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Part::Message(message, taken))) => {
                    this.begin(&message);
                    this.taken = Some(taken);
                }
                Poll::Ready(Some(Part::End(status))) => {
                    this.is_over = true;
                    return Poll::Ready(Some(Ok(Frame::trailers(trailers(&status)))));
                }
                Poll::Ready(None) => {
                    this.is_over = true;
                    let status = Status::internal("the server gave the call up");
                    return Poll::Ready(Some(Ok(Frame::trailers(trailers(&status)))));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_over
    }
}

fn trailers(status: &Status) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if status.add_header(&mut headers).is_err() {
        // Its text is no header's: it is percent-encoded, so this is for nothing that is known today.
        headers.clear();
        headers.insert("grpc-status", (Code::Unknown as i32).into());
    }
    headers
}
