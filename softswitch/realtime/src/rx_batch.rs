// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets that were read: from a packet socket, many per system call, or in another way.
//!
//! By libc, not nix: nix's `recvmmsg` gives control messages that it has no type for, and the VLAN tag comes in one, as
//! a new vector for each packet.

#![allow(unsafe_code)]

use std::io;
use std::mem::{size_of, zeroed};
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd};

use libc::{cmsghdr, iovec, mmsghdr, tpacket_auxdata};

use crate::offload::{Cutter, Refusal, VnetHeader, MAX_SEGMENTS, VNET_HEADER_BYTES};

/// Frames per system call.
const BATCH: usize = 32;
/// The number of frames that are read where they are as long as can be: the packets in them take their time.
const LEAST_BATCH: usize = 4;
/// The length of all frames beyond which fewer are read the next time.
const MUCH_BYTES: usize = 128 << 10;
/// A packet takes at least as much work as so many bytes.
const PACKET_WORK_BYTES: usize = 1024;
/// Longest frame: what a sender leaves to segmentation by hardware.
const MAX_LEN_BYTES: usize = 65_536 + 18;
/// The two addresses, before which a VLAN tag is not.
const ADDRESSES_BYTES: usize = 12;
const TAG_BYTES: usize = 4;
/// The kernel writes its header before the frame; a tag comes to lie in its place.
const SLOT_BYTES: usize = VNET_HEADER_BYTES + MAX_LEN_BYTES;
const CONTROL_BYTES: usize = 64;
/// The tag's protocol where the kernel does not say.
const ETH_P_8021Q: u16 = 0x8100;

/// Buffers for one batch, shared by all sockets of a switch.
#[derive(Debug)]
pub struct RxBatch {
    slots: Vec<u8>,
    frames: Vec<Frame>,
    /// The number of frames that are read at once.
    size: usize,
}

/// The place of a received frame in its slot, and what was left undone in it.
#[derive(Debug, Clone)]
struct Frame {
    place: Range<usize>,
    left: Result<VnetHeader, Fault>,
}

impl Frame {
    /// Its length, or more where it holds many short packets.
    fn work_bytes(&self) -> usize {
        let len_bytes = self.place.len();
        match &self.left {
            Ok(vnet) if vnet.gso.is_some() => {
                let packets = len_bytes / usize::from(vnet.segment_bytes.max(1));
                len_bytes.max(packets.min(MAX_SEGMENTS) * PACKET_WORK_BYTES)
            }
            _ => len_bytes,
        }
    }
}

/// The reason that a received frame is no packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Longer than the buffer: only its beginning is there.
    Oversize,
    /// Hardware should have cut it up or finished its checksum, and the switch cannot.
    Refused(Refusal),
}

/// One received packet.
#[derive(Debug, Clone, Copy)]
pub struct Received<'a> {
    /// With its VLAN tag, which the kernel took out, back in place.
    pub bytes: &'a [u8],
    /// The reason that it is none; `bytes` are of no use then.
    pub fault: Option<Fault>,
}

/// The packets of a batch, one after the other.
#[derive(Debug)]
pub struct Packets<'a> {
    slots: &'a mut [u8],
    frames: &'a [Frame],
    /// The number of frames that were begun.
    begun: usize,
    /// The last of them, if packets are left in it.
    cutter: Option<Cutter>,
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
            size: BATCH,
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
        let slots = self.slots.chunks_exact_mut(SLOT_BYTES);
        for (i, slot) in slots.take(self.size).enumerate() {
            iovecs[i] = iovec {
                iov_base: slot.as_mut_ptr().cast(),
                iov_len: slot.len(),
            };
            let header = &mut headers[i].msg_hdr;
            header.msg_iov = &raw mut iovecs[i];
            header.msg_iovlen = 1;
            header.msg_control = controls[i].0.as_mut_ptr().cast();
            header.msg_controllen = CONTROL_BYTES;
        }
        // SAFETY: every header up to the batch's size points at a buffer and a control area of the stated lengths, all of
        // which outlive the call; the timeout may be null.
        let count = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr(),
                self.size as u32,
                libc::MSG_DONTWAIT,
                std::ptr::null_mut(),
            )
        };
        if count < 0 {
            let error = io::Error::last_os_error();
            return match error.raw_os_error() {
                Some(libc::EAGAIN | libc::EINTR) => Ok(false),
                // One frame is lost this way, of which the kernel cannot say how it is to be cut. Others may follow it.
                Some(libc::EINVAL) => {
                    self.frames.push(Frame {
                        place: 0..0,
                        left: Err(Fault::Refused(Refusal::Undescribed)),
                    });
                    Ok(true)
                }
                _ => Err(error),
            };
        }
        let full = count as usize == self.size;
        let headers = &headers[..count as usize];
        for (slot, header) in self.slots.chunks_exact_mut(SLOT_BYTES).zip(headers) {
            self.frames.push(finish(slot, header));
        }
        let work_bytes: usize = self.frames.iter().map(Frame::work_bytes).sum();
        self.size = if work_bytes > MUCH_BYTES {
            (self.size / 2).max(LEAST_BATCH)
        } else {
            (self.size * 2).min(BATCH)
        };
        Ok(full)
    }

    /// Whether another packet can be put in.
    pub fn has_room(&self) -> bool {
        self.frames.len() < BATCH
    }

    /// Add a packet that was read in another way, with its VLAN tag in place, and what was left undone in it.
    pub fn put(&mut self, packet: &[u8], left: VnetHeader) {
        let start = self.frames.len() * SLOT_BYTES;
        let len = packet.len().min(SLOT_BYTES);
        self.slots[start..start + len].copy_from_slice(&packet[..len]);
        self.frames.push(Frame {
            place: 0..len,
            left: if len < packet.len() {
                Err(Fault::Oversize)
            } else {
                Ok(left)
            },
        });
    }

    /// Forget the packets that were read.
    pub fn clear(&mut self) {
        self.frames.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The packets that were read, complete: frames that were to be cut up are, and checksums finished.
    pub fn packets(&mut self) -> Packets<'_> {
        Packets {
            slots: &mut self.slots,
            frames: &self.frames,
            begun: 0,
            cutter: None,
        }
    }
}

impl Packets<'_> {
    /// Whether all were taken. Where a frame was cut, another look may be needed to see it.
    pub fn is_empty(&self) -> bool {
        self.cutter.is_none() && self.begun == self.frames.len()
    }

    /// The next packet, which comes to lie where the one before was.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Received<'_>> {
        if self.cutter.is_some() {
            let slot = (self.begun - 1) * SLOT_BYTES;
            if let Some(packet) = self.cut(slot) {
                return Some(Received {
                    bytes: &self.slots[packet],
                    fault: None,
                });
            }
        }
        let frame = self.frames.get(self.begun)?;
        let slot = self.begun * SLOT_BYTES;
        self.begun += 1;
        let place = slot + frame.place.start..slot + frame.place.end;
        let fault = match &frame.left {
            Err(fault) => Some(*fault),
            Ok(vnet) => match Cutter::start(&mut self.slots[place.clone()], vnet) {
                Ok(cutter) => {
                    self.cutter = cutter;
                    None
                }
                Err(refusal) => Some(Fault::Refused(refusal)),
            },
        };
        let packet = self.cut(slot).unwrap_or(place);
        Some(Received {
            bytes: &self.slots[packet],
            fault,
        })
    }

    /// The place of the next packet of the frame that is being cut.
    fn cut(&mut self, slot: usize) -> Option<Range<usize>> {
        let frame = &self.frames[self.begun - 1].place;
        let start = slot + frame.start;
        let frame = &mut self.slots[start..slot + frame.end];
        let packet = self.cutter.as_mut()?.next(frame);
        if packet.is_none() {
            self.cutter = None;
        }
        packet.map(|packet| start + packet.start..start + packet.end)
    }
}

fn finish(slot: &mut [u8], header: &mmsghdr) -> Frame {
    let vnet: [u8; VNET_HEADER_BYTES] =
        slot[..VNET_HEADER_BYTES].try_into().expect("it is as long");
    let mut left = VnetHeader::parse(&vnet).map_err(Fault::Refused);
    let aux = auxdata(header);
    let status = aux.map_or(0, |aux| aux.tp_status);
    let mut start = VNET_HEADER_BYTES;
    let end = (header.msg_len as usize).clamp(start, SLOT_BYTES);
    let tag =
        aux.filter(|_| status & libc::TP_STATUS_VLAN_VALID != 0 && end >= start + ADDRESSES_BYTES);
    if let Some(aux) = tag {
        let protocol = match status & libc::TP_STATUS_VLAN_TPID_VALID {
            0 => ETH_P_8021Q,
            _ => aux.tp_vlan_tpid,
        };
        start -= TAG_BYTES;
        insert_tag(&mut slot[start..], protocol, aux.tp_vlan_tci);
        left.iter_mut()
            .for_each(|vnet| vnet.shift(TAG_BYTES as u16));
    }
    if header.msg_hdr.msg_flags & libc::MSG_TRUNC != 0 {
        left = Err(Fault::Oversize);
    }
    Frame {
        place: start..end,
        left,
    }
}

/// The packet begins `TAG_BYTES` behind the start; afterwards it begins there.
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
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixDatagram;

    use super::*;
    use crate::offload::tests::Sender;

    /// The packets of frames that are read from a socket, each behind its header.
    fn received(
        batch: &mut RxBatch,
        frames: &[(VnetHeader, Vec<u8>)],
    ) -> Vec<(Vec<u8>, Option<Fault>)> {
        let (far, near) = UnixDatagram::pair().expect("there are sockets");
        let mut received = Vec::new();
        for (vnet, frame) in frames {
            let message = [&vnet.bytes()[..], frame].concat();
            far.send(&message).expect("the socket has room for one");
        }
        drop(far);
        loop {
            let more = batch.receive(near.as_fd()).expect("it is a socket");
            let mut packets = batch.packets();
            while let Some(packet) = packets.next() {
                received.push((packet.bytes.to_vec(), packet.fault));
            }
            if !more {
                return received;
            }
        }
    }

    #[test]
    fn frames_become_packets_in_their_order() {
        let senders = [false, true].map(|tcp| Sender {
            tcp,
            options: Vec::new(),
            ..Sender::default()
        });
        let plain = (VnetHeader::default(), vec![7; 60]);
        let frames = [senders[0].frame(), plain.clone(), senders[1].frame(), plain];
        let expected = [
            senders[0].packets(),
            vec![vec![7; 60]],
            senders[1].packets(),
            vec![vec![7; 60]],
        ];
        let expected: Vec<_> = expected
            .concat()
            .into_iter()
            .map(|packet| (packet, None))
            .collect();
        assert_eq!(received(&mut RxBatch::new(), &frames), expected);
    }

    #[test]
    fn what_is_no_packet_is_a_fault_and_the_others_come() {
        let sender = Sender::default();
        let (vnet, frame) = sender.frame();
        let tunnel = VnetHeader {
            checksum: Some((84, 16)),
            ..vnet
        };
        let plain = (VnetHeader::default(), vec![7; 60]);
        let frames = [
            (tunnel, frame.clone()),
            (vnet, frame[..100].to_vec()),
            (VnetHeader::default(), vec![1; MAX_LEN_BYTES + 1]),
            (vnet, Vec::new()),
            plain,
        ];
        let faults: Vec<_> = received(&mut RxBatch::new(), &frames)
            .into_iter()
            .map(|(_, fault)| fault)
            .collect();
        let refused = |refusal| Some(Fault::Refused(refusal));
        let expected = [
            refused(Refusal::Tunnel),
            refused(Refusal::Length),
            Some(Fault::Oversize),
            refused(Refusal::Short),
            None,
        ];
        assert_eq!(faults, expected);
    }

    #[test]
    fn fewer_frames_are_read_at_once_where_they_are_long() {
        let mut batch = RxBatch::new();
        let long = (VnetHeader::default(), vec![1; MAX_LEN_BYTES]);
        let sizes = [0; 4].map(|_| {
            received(&mut batch, &[long.clone(), long.clone(), long.clone()]);
            batch.size
        });
        assert_eq!(sizes, [BATCH / 2, BATCH / 4, LEAST_BATCH, LEAST_BATCH]);
        received(&mut batch, &[(VnetHeader::default(), vec![1; 60])]);
        assert_eq!(batch.size, 2 * LEAST_BATCH);
    }

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
