// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading packets from a packet socket, many per system call.
//!
//! By libc, not nix: nix's `recvmmsg` gives control messages that it has no type for, and the VLAN tag comes in one, as
//! a new vector for each packet.

#![allow(unsafe_code)]

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use libc::{cmsghdr, iovec, mmsghdr, tpacket_auxdata};

use crate::line::is_link_loss;
use crate::packet_socket::PacketSocket;

/// Packets per system call.
const BATCH: usize = 32;
/// Longest packet: what a segmentation offload on the other side of a veth may hand over.
const MAX_LEN_BYTES: usize = 65_536 + 18;
/// The two addresses, before which a VLAN tag is not.
const ADDRESSES_BYTES: usize = 12;
const TAG_BYTES: usize = 4;
const SLOT_BYTES: usize = TAG_BYTES + MAX_LEN_BYTES;
const CONTROL_BYTES: usize = 64;
/// The tag's protocol where the kernel does not say.
const ETH_P_8021Q: u16 = 0x8100;

/// Buffers for one batch, shared by all sockets of a switch.
#[derive(Debug)]
pub struct RxBatch {
    slots: Vec<u8>,
    frames: Vec<Frame>,
}

/// The place of a received packet in its slot, and its faults.
#[derive(Debug, Clone, Copy)]
struct Frame {
    start: usize,
    end: usize,
    oversize: bool,
    unfinished_checksum: bool,
}

/// One received packet.
#[derive(Debug, Clone, Copy)]
pub struct Received<'a> {
    /// With its VLAN tag, which the kernel took out, back in place.
    pub bytes: &'a [u8],
    /// Longer than the buffer: `bytes` is only its beginning.
    pub oversize: bool,
    /// The sender left the TCP or UDP checksum to hardware that is not there.
    pub unfinished_checksum: bool,
}

/// Control messages need the alignment of their header.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
struct Control([u8; CONTROL_BYTES]);

impl RxBatch {
    pub fn new() -> Self {
        Self {
            slots: vec![0; BATCH * SLOT_BYTES],
            frames: Vec::with_capacity(BATCH),
        }
    }

    /// Read what is there, up to one batch, replacing what was read before. Never blocks: with
    /// nothing to read the batch is empty. Returns whether there may be more.
    pub fn receive(&mut self, socket: BorrowedFd<'_>) -> io::Result<bool> {
        self.frames.clear();
        let mut controls = [Control([0; CONTROL_BYTES]); BATCH];
        let mut iovecs = [iovec {
            iov_base: std::ptr::null_mut(),
            iov_len: 0,
        }; BATCH];
        // SAFETY: plain C structures for which all zeros are valid.
        let mut headers: [mmsghdr; BATCH] = unsafe { zeroed() };
        for (i, slot) in self.slots.chunks_exact_mut(SLOT_BYTES).enumerate() {
            let room = &mut slot[TAG_BYTES..];
            iovecs[i] = iovec {
                iov_base: room.as_mut_ptr().cast(),
                iov_len: room.len(),
            };
            let header = &mut headers[i].msg_hdr;
            header.msg_iov = &raw mut iovecs[i];
            header.msg_iovlen = 1;
            header.msg_control = controls[i].0.as_mut_ptr().cast();
            header.msg_controllen = CONTROL_BYTES;
        }
        // SAFETY: every header points at a buffer and a control area of the stated lengths, all of
        // which outlive the call; the timeout may be null.
        let count = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr(),
                BATCH as u32,
                libc::MSG_DONTWAIT,
                std::ptr::null_mut(),
            )
        };
        if count < 0 {
            let error = io::Error::last_os_error();
            return match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(false),
                _ => Err(error),
            };
        }
        let count = count as usize;
        for (slot, header) in self
            .slots
            .chunks_exact_mut(SLOT_BYTES)
            .zip(&headers[..count])
        {
            let frame = finish(slot, header);
            self.frames.push(frame);
        }
        Ok(count == BATCH)
    }

    /// Read the waiting packets of a port's socket; true when there may be more.
    pub fn receive_from(&mut self, socket: &PacketSocket, port: u32) -> bool {
        self.receive(socket.as_fd()).unwrap_or_else(|error| {
            // The kernel reports a lost interface this way; the port says so once.
            if !is_link_loss(&error) {
                tracing::warn!("port {port}: receiving: {error}");
            }
            false
        })
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub fn packets(&self) -> impl Iterator<Item = Received<'_>> {
        self.slots
            .chunks_exact(SLOT_BYTES)
            .zip(&self.frames)
            .map(|(slot, frame)| Received {
                bytes: &slot[frame.start..frame.end],
                oversize: frame.oversize,
                unfinished_checksum: frame.unfinished_checksum,
            })
    }
}

fn finish(slot: &mut [u8], header: &mmsghdr) -> Frame {
    let aux = auxdata(header);
    let status = aux.map_or(0, |aux| aux.tp_status);
    let end = TAG_BYTES + (header.msg_len as usize).min(MAX_LEN_BYTES);
    let tag = aux
        .filter(|_| status & libc::TP_STATUS_VLAN_VALID != 0 && end >= TAG_BYTES + ADDRESSES_BYTES);
    if let Some(aux) = tag {
        let protocol = match status & libc::TP_STATUS_VLAN_TPID_VALID {
            0 => ETH_P_8021Q,
            _ => aux.tp_vlan_tpid,
        };
        insert_tag(slot, protocol, aux.tp_vlan_tci);
    }
    Frame {
        start: if tag.is_some() { 0 } else { TAG_BYTES },
        end,
        oversize: header.msg_hdr.msg_flags & libc::MSG_TRUNC != 0,
        unfinished_checksum: status & libc::TP_STATUS_CSUMNOTREADY != 0,
    }
}

/// The packet begins `TAG_BYTES` into the slot; afterwards it begins at the slot's start.
fn insert_tag(slot: &mut [u8], protocol: u16, tci: u16) {
    slot.copy_within(TAG_BYTES..TAG_BYTES + ADDRESSES_BYTES, 0);
    slot[ADDRESSES_BYTES..ADDRESSES_BYTES + 2].copy_from_slice(&protocol.to_be_bytes());
    slot[ADDRESSES_BYTES + 2..ADDRESSES_BYTES + 4].copy_from_slice(&tci.to_be_bytes());
}

/// The kernel's remarks on a packet: VLAN tag, state of the checksum.
fn auxdata(header: &mmsghdr) -> Option<tpacket_auxdata> {
    // SAFETY: the kernel filled the control area that the header points at and set its length.
    let message: *const cmsghdr = unsafe { libc::CMSG_FIRSTHDR(&header.msg_hdr) };
    // SAFETY: where it is not null, it lies within the control area and is aligned.
    let found = unsafe { message.as_ref() }?;
    // SAFETY: only computes a length.
    let expected = unsafe { libc::CMSG_LEN(size_of::<tpacket_auxdata>() as u32) } as usize;
    if (found.cmsg_level, found.cmsg_type) != (libc::SOL_PACKET, libc::PACKET_AUXDATA)
        || found.cmsg_len < expected
    {
        return None;
    }
    // SAFETY: the message is of this type and long enough; its alignment is not promised.
    Some(unsafe {
        libc::CMSG_DATA(message)
            .cast::<tpacket_auxdata>()
            .read_unaligned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_goes_between_the_addresses_and_the_type() {
        let mut slot = vec![0; TAG_BYTES];
        slot.extend(1..=12u8);
        slot.extend([0x08, 0x00, 0xaa]);
        insert_tag(&mut slot, 0x88a8, 0x6064);
        let mut expected: Vec<u8> = (1..=12).collect();
        expected.extend([0x88, 0xa8, 0x60, 0x64, 0x08, 0x00, 0xaa]);
        assert_eq!(slot, expected);
    }
}
