// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages of a stream of bytes (gRPC over HTTP2, "Length-Prefixed-Message").

use std::io::{self, Read};

use bytes::{Bytes, BytesMut};
use flate2::read::{GzDecoder, ZlibDecoder};
use tonic::Code;

use crate::inbox::Inbox;

/// The size of the flag whether a message is compressed, and of its length.
pub const HEAD_BYTES: usize = 5;

/// The reason that there is no message.
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

/// The way in which a client compresses its messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compression {
    Gzip,
    Deflate,
}

/// Takes `size_bytes` bytes, fewer only at the end. An announced length takes no memory.
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::{GzEncoder, ZlibEncoder};
    use proptest::prelude::*;
    use tokio::runtime::Builder;

    use super::*;

    const LIMIT: usize = 1000;

    fn sent(flag: u8, message: &[u8]) -> Vec<u8> {
        let length = u32::try_from(message.len()).expect("short");
        [&[flag][..], &length.to_be_bytes(), message].concat()
    }

    fn packed(compression: Compression, message: &[u8]) -> Vec<u8> {
        let level = flate2::Compression::fast();
        let packed = match compression {
            Compression::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), level);
                encoder.write_all(message).and_then(|()| encoder.finish())
            }
            Compression::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), level);
                encoder.write_all(message).and_then(|()| encoder.finish())
            }
        };
        packed.expect("memory is enough")
    }

    /// The messages that are read of a stream that comes in pieces, up to its end or an error.
    fn all(pieces: &[&[u8]], compression: Option<Compression>) -> Result<Vec<Bytes>, ReadError> {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let inbox = Inbox::default();
            let put = async {
                for piece in pieces {
                    inbox.put(piece);
                    tokio::task::yield_now().await;
                }
                inbox.end(Ok(()));
            };
            let read_all = async {
                let mut messages = Vec::new();
                while let Some(message) = read(&inbox, compression, LIMIT).await? {
                    messages.push(message);
                }
                Ok(messages)
            };
            tokio::join!(put, read_all).1
        })
    }

    fn code(result: Result<Vec<Bytes>, ReadError>) -> Code {
        match result {
            Err(ReadError::Broken(code, _)) => code,
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        #[test]
        fn messages_come_whole_however_they_are_cut(
            messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..LIMIT), 0..5),
            pieces in 1_usize..700,
        ) {
            let stream: Vec<u8> = messages.iter().flat_map(|message| sent(0, message)).collect();
            let pieces: Vec<&[u8]> = stream.chunks(pieces).collect();
            let read: Vec<Vec<u8>> = all(&pieces, None)
                .expect("they are right")
                .iter()
                .map(|message| message.to_vec())
                .collect();
            prop_assert_eq!(read, messages);
        }

        #[test]
        fn any_bytes_are_messages_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..3000),
            gzip in any::<bool>(),
        ) {
            let compression = if gzip { Compression::Gzip } else { Compression::Deflate };
            if let Ok(messages) = all(&[&bytes], Some(compression)) {
                prop_assert!(messages.iter().all(|message| message.len() <= LIMIT));
            }
        }
    }

    #[test]
    fn a_compressed_message_is_limited_by_what_it_becomes() {
        for compression in [Compression::Gzip, Compression::Deflate] {
            for (length, fits) in [
                (0, true),
                (LIMIT, true),
                (LIMIT + 1, false),
                (1 << 20, false),
            ] {
                let message = vec![7; length];
                let bytes = sent(1, &packed(compression, &message));
                let expected = if fits {
                    Ok(vec![Bytes::from(message)])
                } else {
                    Err(ReadError::TooLong(LIMIT))
                };
                assert_eq!(all(&[&bytes], Some(compression)), expected);
            }
        }
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        assert_eq!(
            all(&[&sent(0, &[0; LIMIT + 1])], None),
            Err(ReadError::TooLong(LIMIT))
        );
        let gzip = Some(Compression::Gzip);
        let whole = sent(1, &packed(Compression::Gzip, b"message"));
        for (bytes, compression) in [
            (&whole[..], None),
            (&whole[..3], gzip),
            (&whole[..9], gzip),
            (&sent(1, b"no gzip"), gzip),
            (&sent(2, b"message"), gzip),
        ] {
            assert_eq!(code(all(&[bytes], compression)), Code::Internal);
        }
    }
}
