// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One call: messages are read and written one at a time.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch, Mutex};
use tonic::codec::{CompressionEncoding, DecodeBuf, Decoder, Streaming};
use tonic::{Code, Status};

use crate::answer::{Part, Parts, SMALL_BYTES};
use crate::connection::Connection;
use crate::inbox::{Inbox, Reading};

/// Why there is no message.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum ReadError {
    #[error("the message is longer than {0} bytes")]
    TooLong(usize),
    /// The client broke gRPC's rules, or ended the call.
    #[error("{1}")]
    Broken(Code, String),
}

enum Requests {
    Unread(Reading, Option<CompressionEncoding>),
    Read(Box<Streaming<Bytes>>, usize),
}

/// A call that a client began. Dropped before its [`Call::end`], it ends with INTERNAL.
pub struct Call {
    path: String,
    connection: Arc<Connection>,
    requests: Mutex<Option<Requests>>,
    parts: mpsc::UnboundedSender<Part>,
    /// Messages that HTTP/2 has not taken.
    waiting: Arc<AtomicUsize>,
    has_ended: watch::Sender<bool>,
    threads: Handle,
}

impl Call {
    pub(crate) fn new(
        path: String,
        connection: Arc<Connection>,
        encoding: Option<CompressionEncoding>,
    ) -> (Self, Arc<Inbox>, Parts) {
        let inbox = Arc::new(Inbox::default());
        let waiting = Arc::new(AtomicUsize::new(0));
        let (parts, receiver) = mpsc::unbounded_channel();
        let (has_ended, ended) = watch::channel(false);
        let ends = Parts {
            parts: receiver,
            waiting: Arc::clone(&waiting),
            has_ended: ended,
        };
        let call = Self {
            path,
            connection,
            requests: Mutex::new(Some(Requests::Unread(
                Reading(Arc::clone(&inbox)),
                encoding,
            ))),
            parts,
            waiting,
            has_ended,
            threads: Handle::current(),
        };
        (call, inbox, ends)
    }

    /// Run what belongs to the call on the server's threads.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.threads.spawn(task);
    }

    /// `/SERVICE/METHOD`, as the client wrote it.
    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// The next message, or `None` after the last. The first read's limit is that of all reads.
    ///
    /// One read at a time: another waits for it. After an error there is no message.
    pub async fn read(&self, limit_bytes: usize) -> Result<Option<Bytes>, ReadError> {
        let mut requests = self.requests.lock().await;
        let (mut stream, limit) = match requests.take() {
            None => return Ok(None),
            Some(Requests::Unread(reading, encoding)) => {
                let stream =
                    Streaming::new_request(BytesDecoder, reading, encoding, Some(limit_bytes));
                (Box::new(stream), limit_bytes)
            }
            Some(Requests::Read(stream, limit)) => (stream, limit),
        };
        let message = tokio::select! {
            message = stream.message() => message,
            () = self.over() => {
                return Err(ReadError::Broken(Code::Cancelled, "the call is over".to_owned()));
            }
        };
        match message {
            Ok(Some(message)) => {
                *requests = Some(Requests::Read(stream, limit));
                Ok(Some(message))
            }
            Ok(None) => Ok(None),
            // What tonic says of a message beyond its limit.
            Err(status) if status.code() == Code::OutOfRange => Err(ReadError::TooLong(limit)),
            Err(status) => Err(ReadError::Broken(
                status.code(),
                status.message().to_owned(),
            )),
        }
    }

    /// Send a message. The receiver gets its word when HTTP/2 has taken all of it for a client that has room, and an
    /// error if the call is over. `None`: the message is small and the client has taken all before it, so that the next
    /// one may follow.
    pub fn write(&self, message: Bytes) -> Option<oneshot::Receiver<()>> {
        let may_follow = message.len() <= SMALL_BYTES && self.waiting.load(Ordering::Relaxed) == 0;
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let (taken, is_taken) = oneshot::channel();
        // A call that is over drops `taken`.
        let _ = self.parts.send(Part::Message(message, taken));
        (!may_follow).then_some(is_taken)
    }

    /// End the call after what was written. `details` are those of `grpc-status-details-bin`.
    pub fn end(&self, code: Code, message: &str, details: Bytes) {
        self.has_ended.send_replace(true);
        // A call that is over needs no status.
        let _ = self
            .parts
            .send(Part::End(Status::with_details(code, message, details)));
    }

    /// Whether [`Call::end`] was called.
    pub fn has_ended(&self) -> bool {
        *self.has_ended.borrow()
    }

    /// Until the client has its status, or gave the call up.
    pub async fn over(&self) {
        self.parts.closed().await;
    }
}

struct BytesDecoder;

impl Decoder for BytesDecoder {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, message: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(message.copy_to_bytes(message.remaining())))
    }
}
