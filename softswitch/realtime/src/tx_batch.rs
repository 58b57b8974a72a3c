// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Sending packets by a packet socket, many per system call; neighbours of one flow as one frame.
//!
//! By libc, not nix: nix's `sendmmsg` wants as many parts of each message.

#![allow(unsafe_code)]

use std::io;
use std::mem::{zeroed, MaybeUninit};
use std::os::fd::{AsRawFd, BorrowedFd};

use libc::{c_void, iovec, mmsghdr};

use crate::offload::{join, Gso, Joined, VNET_HEADER_BYTES};

/// Packets per system call.
pub const BATCH: usize = 64;
/// Each packet may be a message, which begins with a header.
const PARTS: usize = 2 * BATCH;
/// Nothing is left undone in a packet that is sent as it is.
const PLAIN: [u8; VNET_HEADER_BYTES] = [0; VNET_HEADER_BYTES];

/// The fate of a run of packets.
#[derive(Debug)]
pub struct Sent {
    /// The number of packets that were sent, from the first on.
    pub packets: usize,
    /// The number of packets behind them that were not, and the reason.
    pub failure: Option<(usize, io::Error)>,
}

/// The frames that packets are joined to, and what the kernel of this machine takes.
#[derive(Debug, Default)]
pub struct TxBatch {
    messages: Vec<Message>,
    /// The kernel is older than frames of UDP (Linux 6.2).
    without_udp: bool,
    /// Errors that were not those of a packet to send, but of frames that came and that the kernel cannot describe.
    strays: u64,
}

#[derive(Debug)]
struct Message {
    packets: usize,
    joined: Option<Joined>,
}

impl TxBatch {
    /// Send packets until one fails, for which `EAGAIN` is a reason: the interface has enough to send. Never blocks.
    pub fn send(&mut self, socket: BorrowedFd<'_>, packets: &[Vec<u8>], mtu_bytes: usize) -> Sent {
        let mut sent = Sent {
            packets: 0,
            failure: None,
        };
        let mut joining = true;
        let mut repeating = false;
        while sent.packets < packets.len() {
            let rest = &packets[sent.packets..];
            self.plan(&rest[..rest.len().min(BATCH)], joining.then_some(mtu_bytes));
            match self.hand_over(socket, rest) {
                Ok(messages) => {
                    let gone = self.messages[..messages].iter();
                    sent.packets += gone.map(|message| message.packets).sum::<usize>();
                    self.strays += u64::from(repeating);
                    repeating = false;
                }
                // An error of receiving is reported once, by whatever call comes first.
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) && !repeating => {
                    repeating = true;
                }
                Err(error) if self.is_joined() && !is_final(&error) => {
                    self.without_udp |= error.raw_os_error() == Some(libc::EINVAL) && self.is_udp();
                    joining = false;
                    repeating = false;
                }
                Err(error) => {
                    let failed = self.messages.first().map_or(1, |message| message.packets);
                    sent.failure = Some((failed, error));
                    break;
                }
            }
        }
        sent
    }

    /// The frames since the last call that came and that the kernel cannot describe.
    pub fn take_strays(&mut self) -> u64 {
        std::mem::take(&mut self.strays)
    }

    fn is_joined(&self) -> bool {
        self.messages
            .first()
            .is_some_and(|message| message.joined.is_some())
    }

    fn is_udp(&self) -> bool {
        let joined = self
            .messages
            .first()
            .and_then(|message| message.joined.as_ref());
        joined.is_some_and(|joined| joined.vnet.gso == Some(Gso::Udp))
    }

    /// Divide packets into messages; with an MTU, into longer ones where that can be.
    fn plan(&mut self, packets: &[Vec<u8>], mtu_bytes: Option<usize>) {
        self.messages.clear();
        let mut rest = packets;
        while !rest.is_empty() {
            let joined = mtu_bytes
                .and_then(|mtu_bytes| join(rest, mtu_bytes))
                .filter(|joined| !self.without_udp || joined.vnet.gso != Some(Gso::Udp));
            let packets = joined.as_ref().map_or(1, |joined| joined.packets);
            self.messages.push(Message { packets, joined });
            rest = &rest[packets..];
        }
    }

    /// The number of messages that the kernel took: at least one.
    fn hand_over(&self, socket: BorrowedFd<'_>, packets: &[Vec<u8>]) -> io::Result<usize> {
        // Most calls need few of them, and to clear all would take a tenth of the time of one packet.
        let mut parts = [const { MaybeUninit::<iovec>::uninit() }; PARTS];
        let mut headers = [const { MaybeUninit::<mmsghdr>::uninit() }; BATCH];
        let mut rest = packets.iter();
        let mut filled = 0;
        for (message, header) in self.messages.iter().zip(&mut headers) {
            let first = filled;
            let (head, payload) = match &message.joined {
                Some(joined) => (joined.head(), joined.payload()),
                None => (&PLAIN[..], 0),
            };
            parts[filled].write(part(head));
            filled += 1;
            for packet in rest.by_ref().take(message.packets) {
                parts[filled].write(part(&packet[payload..]));
                filled += 1;
            }
            // SAFETY: a plain C structure for which all zeros are valid.
            let header = header.write(unsafe { zeroed() });
            header.msg_hdr.msg_iov = (&raw mut parts[first]).cast();
            header.msg_hdr.msg_iovlen = (filled - first) as _;
        }
        // SAFETY: every header up to the number of messages was written, and points at parts of the array that were, which
        // point at bytes of the stated lengths; all outlive the call, which only reads them.
        let count = unsafe {
            libc::sendmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr().cast(),
                self.messages.len() as u32,
                libc::MSG_DONTWAIT,
            )
        };
        if count < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(count as usize)
    }
}

/// Whether the packets of a frame that fails so must not be sent one by one: the interface has no room, or its queue has
/// dropped some of them, and nobody knows which.
fn is_final(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::ENOBUFS))
}

/// Bytes that are only read, though the type could be written through.
fn part(bytes: &[u8]) -> iovec {
    iovec {
        iov_base: bytes.as_ptr().cast::<c_void>().cast_mut(),
        iov_len: bytes.len(),
    }
}
