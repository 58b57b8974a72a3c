// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The bytes of a call that a client has sent, and nobody has read: at most a window of HTTP/2.
//!
//! Frames are copied as they arrive, for the smallest one keeps a buffer of thousands of bytes. Only the server's
//! thread touches HTTP/2: a thread that reads may have locks that HTTP/2's own thread waits for.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::BytesMut;
use h2::RecvStream;
use tokio::sync::Notify;

#[derive(Default)]
struct State {
    unread: BytesMut,
    /// Read, and not yet given back to the client's window.
    taken_bytes: usize,
    end: Option<Result<(), h2::Error>>,
    reader: Option<Waker>,
}

#[derive(Default)]
pub struct Inbox {
    state: Mutex<State>,
    taken: Notify,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    pub fn put(&self, data: &[u8]) {
        self.change(|state| state.unread.extend_from_slice(data));
    }

    /// Nothing follows; why, if the stream is broken.
    pub fn end(&self, end: Result<(), h2::Error>) {
        self.change(|state| state.end = Some(end));
    }

    /// Take what comes, and give back to the client's window what is read. It does not end by itself.
    pub async fn receive(&self, mut stream: RecvStream) {
        let mut is_open = true;
        loop {
            tokio::select! {
                data = stream.data(), if is_open => match data {
                    Some(Ok(data)) => self.put(&data),
                    other => {
                        is_open = false;
                        self.end(other.map_or(Ok(()), |data| data.map(drop)));
                    }
                },
                () = self.taken.notified() => {
                    let taken_bytes = std::mem::take(&mut self.state().taken_bytes);
                    // A stream that is broken has no window.
                    let _ = stream.flow_control().release_capacity(taken_bytes);
                }
            }
        }
    }

    fn poll_take(
        &self,
        most: usize,
        context: &Context<'_>,
    ) -> Poll<Result<Option<BytesMut>, String>> {
        let mut state = self.state();
        if !state.unread.is_empty() {
            let size_bytes = state.unread.len().min(most);
            let data = state.unread.split_to(size_bytes);
            state.taken_bytes += size_bytes;
            drop(state);
            self.taken.notify_one();
            return Poll::Ready(Ok(Some(data)));
        }
        match &state.end {
            Some(Ok(())) => Poll::Ready(Ok(None)),
            Some(Err(error)) => Poll::Ready(Err(error.to_string())),
            None => {
                state.reader = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Some of the next bytes; `None` at the end. For one reader.
    pub async fn take(&self, most: usize) -> Result<Option<BytesMut>, String> {
        poll_fn(|context| self.poll_take(most, context)).await
    }
}
