// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One call: messages are read and written one at a time.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch, Mutex};
use tonic::{Code, Status};

use crate::answer::{Part, Parts, SMALL_BYTES};
use crate::inbox::Inbox;
use crate::message::{read, Compression, ReadError};
use crate::open::Connection;

/// A call that a client began. Dropped before its [`Call::end`], it ends with INTERNAL.
pub struct Call {
    path: String,
    connection: Arc<Connection>,
    compression: Option<Compression>,
    unread: Mutex<Option<Arc<Inbox>>>,
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
        compression: Option<Compression>,
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
            compression,
            unread: Mutex::new(Some(Arc::clone(&inbox))),
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

    /// The next message, or `None` after the last and after the end of the call.
    ///
    /// One read at a time: another waits for it. After an error there is no message.
    pub async fn read(&self, limit_bytes: usize) -> Result<Option<Bytes>, ReadError> {
        let mut unread = self.unread.lock().await;
        let Some(inbox) = unread.take() else {
            return Ok(None);
        };
        let mut has_ended = self.has_ended.subscribe();
        let message = tokio::select! {
            message = read(&inbox, self.compression, limit_bytes) => message,
            () = self.over() => {
                return Err(ReadError::Broken(Code::Cancelled, "the call is over".to_owned()));
            }
            _ = has_ended.wait_for(|ended| *ended) => return Ok(None),
        };
        if let Ok(Some(_)) = message {
            *unread = Some(inbox);
        }
        message
    }

    /// Send a message. The receiver gets its word when HTTP/2 has taken all of it for a client that has room, and an
    /// error if the call is over. `None`: the message is small and the client has taken all before it, so that the next
    /// one may follow.
    pub fn write(&self, message: Bytes) -> Option<oneshot::Receiver<()>> {
        let is_first = self.waiting.fetch_add(1, Ordering::Relaxed) == 0;
        let may_follow = is_first && message.len() <= SMALL_BYTES;
        let (taken, is_taken) = oneshot::channel();
        // A call that is over drops `taken`.
        let _ = self.parts.send(Part::Message(message, taken));
        (!may_follow).then_some(is_taken)
    }

    /// End the call after what was written. `details` are those of `grpc-status-details-bin`.
    pub fn end(&self, code: Code, message: &str, details: Bytes) {
        self.has_ended.send_replace(true);
        // Nobody reads any more. A read that is under way ends by itself.
        if let Ok(mut unread) = self.unread.try_lock() {
            *unread = None;
        }
        // A call that is over needs no status.
        let _ = self
            .parts
            .send(Part::End(Status::with_details(code, message, details)));
    }

    /// Whether [`Call::end`] was called.
    pub fn has_ended(&self) -> bool {
        *self.has_ended.borrow()
    }

    /// Until HTTP/2 has all of the answer, or the client gave the call up.
    pub async fn over(&self) {
        self.parts.closed().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_that_has_ended_keeps_nothing_of_its_requests() {
        let (call, inbox, _parts) = Call::new("/s/m".to_owned(), Arc::default(), None);
        let call = Arc::new(call);
        let reading = tokio::spawn({
            let call = Arc::clone(&call);
            async move { call.read(10).await }
        });
        tokio::task::yield_now().await;
        assert_eq!(Arc::strong_count(&inbox), 2);
        call.end(Code::Ok, "", Bytes::new());
        assert_eq!(reading.await.expect("no panic"), Ok(None));
        assert_eq!(Arc::strong_count(&inbox), 1);
        assert_eq!(call.read(10).await, Ok(None));
    }
}
