// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What a client has sent of a call, and nobody has read: at most a window of HTTP/2.
//!
//! Frames are copied as they arrive, for the smallest one keeps a buffer of thousands of bytes. Only the server's
//! thread touches HTTP/2: a thread that reads may have locks that HTTP/2's own thread waits for.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use h2::RecvStream;
use http_body::{Body, Frame};
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

    /// Take what comes until the client has sent all, or the stream is broken.
    pub async fn receive(&self, mut stream: RecvStream) {
        loop {
            tokio::select! {
                data = stream.data() => match data {
                    Some(Ok(data)) => self.change(|state| state.unread.extend_from_slice(&data)),
                    Some(Err(error)) => return self.change(|state| state.end = Some(Err(error))),
                    None => return self.change(|state| state.end = Some(Ok(()))),
                },
                () = self.taken.notified() => {
                    let taken_bytes = std::mem::take(&mut self.state().taken_bytes);
                    // A stream that is broken has no window.
                    let _ = stream.flow_control().release_capacity(taken_bytes);
                }
            }
        }
    }
}

/// The reader's end.
pub struct Reading(pub Arc<Inbox>);

impl Body for Reading {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let mut state = self.0.state();
        if !state.unread.is_empty() {
            let data = state.unread.split().freeze();
            state.taken_bytes += data.len();
            drop(state);
            self.0.taken.notify_one();
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
        match state.end.take() {
            None => {
                state.reader = Some(context.waker().clone());
                Poll::Pending
            }
            Some(Ok(())) => {
                state.end = Some(Ok(()));
                Poll::Ready(None)
            }
            Some(Err(error)) => {
                state.end = Some(Ok(()));
                Poll::Ready(Some(Err(error)))
            }
        }
    }
}
