// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages of a stream of bytes (gRPC over HTTP2, "Length-Prefixed-Message").

use std::io::{self, Read};

use bytes::{Bytes, BytesMut};
use flate2::read::{GzDecoder, ZlibDecoder};
use tonic::Code;

use crate::inbox::Inbox;

/// Of the flag whether a message is compressed, and of its length.
pub const HEAD_BYTES: usize = 5;

/// Why there is no message.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum ReadError {
    #[error("the message is longer than {0} bytes")]
    TooLong(usize),
    /// The client broke gRPC's rules, or ended the call.
    #[error("{1}")]
    Broken(Code, String),
}

fn wrong(message: &str) -> ReadError {
    ReadError::Broken(Code::Internal, message.to_owned())
}

/// How a client compresses its messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compression {
    Gzip,
    Deflate,
}

/// So many bytes, fewer only at the end. What a client only announces takes no memory.
async fn take(inbox: &Inbox, size_bytes: usize) -> Result<BytesMut, ReadError> {
    let mut taken = BytesMut::new();
    while taken.len() < size_bytes {
        match inbox.take(size_bytes - taken.len()).await {
            Ok(Some(more)) => taken.extend_from_slice(&more),
            Ok(None) => break,
            Err(error) => return Err(ReadError::Broken(Code::Cancelled, error)),
        }
    }
    Ok(taken)
}

/// The next message, or `None` after the last.
pub async fn read(
    inbox: &Inbox,
    compression: Option<Compression>,
    limit_bytes: usize,
) -> Result<Option<Bytes>, ReadError> {
    let head = take(inbox, HEAD_BYTES).await?;
    let (flag, length) = match head[..] {
        [] => return Ok(None),
        [flag, a, b, c, d] => (flag, u32::from_be_bytes([a, b, c, d]) as usize),
        _ => return Err(wrong("the call ends within a message")),
    };
    if length > limit_bytes {
        return Err(ReadError::TooLong(limit_bytes));
    }
    let message = take(inbox, length).await?;
    if message.len() < length {
        return Err(wrong("the call ends within a message"));
    }
    match (flag, compression) {
        (0, _) => Ok(Some(message.freeze())),
        (1, Some(compression)) => decompress(&message, compression, limit_bytes).map(Some),
        (1, None) => Err(wrong(
            "a message is compressed, and the call does not say how",
        )),
        _ => Err(wrong("the flag of a message is neither 0 nor 1")),
    }
}

fn decompress(
    message: &[u8],
    compression: Compression,
    limit_bytes: usize,
) -> Result<Bytes, ReadError> {
    let most = limit_bytes as u64 + 1;
    let mut whole = Vec::new();
    let read: io::Result<usize> = match compression {
        Compression::Gzip => GzDecoder::new(message).take(most).read_to_end(&mut whole),
        Compression::Deflate => ZlibDecoder::new(message).take(most).read_to_end(&mut whole),
    };
    read.map_err(|error| wrong(&format!("a message cannot be decompressed: {error}")))?;
    if whole.len() > limit_bytes {
        return Err(ReadError::TooLong(limit_bytes));
    }
    Ok(whole.into())
}
