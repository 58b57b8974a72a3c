// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A packet socket and its batches, as plain as the kernel has them: the yardstick must not share the switch's code.

#![allow(unsafe_code)]

use std::io;
use std::mem::{size_of, size_of_val, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libc::{c_int, c_void, iovec, mmsghdr};
use nix::net::if_::if_nametoindex;

/// The largest that a kernel gives to one socket is half of an int.
const RX_BUFFER_BYTES: c_int = 256 << 20;
const CONTROL_BYTES: usize = 64;

/// The purpose of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Send,
    Receive,
    /// With the kernel's time of each arrival.
    ReceiveTimed,
}

/// Sees every packet that arrives on an interface, or only sends.
#[derive(Debug)]
pub struct PacketSocket {
    fd: OwnedFd,
}

impl PacketSocket {
    /// Needs CAP_NET_RAW.
    pub fn open(interface: &str, purpose: Use) -> io::Result<Self> {
        let ifindex = if_nametoindex(interface)? as c_int;
        // SAFETY: the call takes no pointers.
        let fd = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and nobody else's.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let socket = Self { fd };
        let receives = purpose != Use::Send;
        if receives {
            socket.set(libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, &1)?;
            socket.set(libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &RX_BUFFER_BYTES)?;
            let membership = libc::packet_mreq {
                mr_ifindex: ifindex,
                mr_type: libc::PACKET_MR_PROMISC as u16,
                mr_alen: 0,
                mr_address: [0; 8],
            };
            socket.set(libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &membership)?;
        }
        if purpose == Use::Send {
            socket.set(libc::SOL_PACKET, libc::PACKET_QDISC_BYPASS, &1)?;
        }
        if purpose == Use::ReceiveTimed {
            socket.set(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &1)?;
        }
        socket.bind(ifindex, if receives { libc::ETH_P_ALL as u16 } else { 0 })?;
        Ok(socket)
    }

    fn set<T>(&self, level: c_int, name: c_int, value: &T) -> io::Result<()> {
        let len = size_of::<T>() as libc::socklen_t;
        let place: *const T = value;
        // SAFETY: the value is valid for its length.
        check(unsafe { libc::setsockopt(self.fd.as_raw_fd(), level, name, place.cast(), len) })
    }

    fn bind(&self, ifindex: c_int, protocol: u16) -> io::Result<()> {
        // SAFETY: a plain C structure for which all zeros are valid.
        let mut address: libc::sockaddr_ll = unsafe { zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = protocol.to_be();
        address.sll_ifindex = ifindex;
        let len = size_of_val(&address) as libc::socklen_t;
        // SAFETY: the address is valid for its length.
        check(unsafe { libc::bind(self.fd.as_raw_fd(), (&raw const address).cast(), len) })
    }

    /// Packets that were dropped since the last call because the receive buffer was full.
    pub fn take_overruns(&self) -> io::Result<u64> {
        let mut found = libc::tpacket_stats {
            tp_packets: 0,
            tp_drops: 0,
        };
        let mut len = size_of_val(&found) as libc::socklen_t;
        // SAFETY: both places are valid, and the first for the length that the second states.
        check(unsafe {
            libc::getsockopt(
                self.fd.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut found).cast(),
                &raw mut len,
            )
        })?;
        Ok(u64::from(found.tp_drops))
    }
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn check(status: c_int) -> io::Result<()> {
    if status < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Control messages need the alignment of their header.
#[repr(C, align(8))]
#[derive(Debug, Clone, Copy)]
struct Control([u8; CONTROL_BYTES]);

/// Frames that go through one system call, in places that never move.
#[derive(Debug)]
pub struct Batch {
    slot_bytes: usize,
    bytes: Box<[u8]>,
    /// Held for the kernel, which `headers` point it to.
    iovecs: Box<[iovec]>,
    controls: Box<[Control]>,
    headers: Box<[mmsghdr]>,
}

impl Batch {
    /// A batch of so many frames, each of at most so many bytes.
    pub fn new(frames: usize, slot_bytes: usize) -> Self {
        let mut bytes = vec![0; frames * slot_bytes].into_boxed_slice();
        let mut iovecs: Box<[iovec]> = bytes
            .chunks_exact_mut(slot_bytes)
            .map(|slot| iovec {
                iov_base: slot.as_mut_ptr().cast::<c_void>(),
                iov_len: slot_bytes,
            })
            .collect();
        let controls = vec![Control([0; CONTROL_BYTES]); frames].into_boxed_slice();
        let headers = iovecs
            .iter_mut()
            .map(|each| {
                // SAFETY: a plain C structure for which all zeros are valid.
                let mut header: mmsghdr = unsafe { zeroed() };
                header.msg_hdr.msg_iov = each;
                header.msg_hdr.msg_iovlen = 1;
                header
            })
            .collect();
        Self {
            slot_bytes,
            bytes,
            iovecs,
            controls,
            headers,
        }
    }

    /// Read what is there, never waiting, and return how many frames.
    pub fn receive(&mut self, socket: &PacketSocket) -> io::Result<usize> {
        self.receive_with(socket, 0)
    }

    /// The same with control messages, for `arrival_ns`.
    pub fn receive_timed(&mut self, socket: &PacketSocket) -> io::Result<usize> {
        self.receive_with(socket, CONTROL_BYTES)
    }

    fn receive_with(&mut self, socket: &PacketSocket, control_bytes: usize) -> io::Result<usize> {
        for i in 0..self.headers.len() {
            self.iovecs[i].iov_len = self.slot_bytes;
            let header = &mut self.headers[i].msg_hdr;
            // Whatever used these places last, the kernel gets pointers of now.
            self.iovecs[i].iov_base = self.bytes[i * self.slot_bytes..].as_mut_ptr().cast();
            header.msg_iov = &raw mut self.iovecs[i];
            header.msg_control = self.controls[i].0.as_mut_ptr().cast();
            header.msg_controllen = control_bytes;
        }
        // SAFETY: every header points at a buffer and a control area of the stated lengths, which outlive the call.
        let count = unsafe {
            libc::recvmmsg(
                socket.fd.as_raw_fd(),
                self.headers.as_mut_ptr(),
                self.headers.len() as u32,
                libc::MSG_DONTWAIT,
                std::ptr::null_mut(),
            )
        };
        if count >= 0 {
            return Ok(count as usize);
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(0),
            _ => Err(error),
        }
    }

    /// The frames of the last `receive` become those of the next `send`.
    pub fn turn(&mut self, count: usize) {
        for (iovec, header) in self.iovecs.iter_mut().zip(&mut self.headers[..count]) {
            iovec.iov_len = (header.msg_len as usize).min(self.slot_bytes);
            header.msg_hdr.msg_controllen = 0;
        }
    }

    /// Send frames `first` to `end`, and return how many went before the kernel refused one. Waits for room.
    pub fn send(&mut self, socket: &PacketSocket, first: usize, end: usize) -> io::Result<usize> {
        let headers = &mut self.headers[first..end];
        // SAFETY: every header points at a buffer of the stated length, which outlives the call.
        let count = unsafe {
            libc::sendmmsg(
                socket.fd.as_raw_fd(),
                headers.as_mut_ptr(),
                headers.len() as u32,
                0,
            )
        };
        check(count)?;
        Ok(count as usize)
    }

    /// Room for frame i.
    pub fn slot(&mut self, i: usize) -> &mut [u8] {
        &mut self.bytes[i * self.slot_bytes..(i + 1) * self.slot_bytes]
    }

    /// Received frame i.
    pub fn frame(&self, i: usize) -> &[u8] {
        let len = (self.headers[i].msg_len as usize).min(self.slot_bytes);
        &self.bytes[i * self.slot_bytes..][..len]
    }

    /// The kernel's time at which received frame i came, by CLOCK_REALTIME.
    pub fn arrival_ns(&self, i: usize) -> Option<u64> {
        // SAFETY: the kernel filled the control area that the header points at and set its length.
        let message = unsafe { libc::CMSG_FIRSTHDR(&self.headers[i].msg_hdr) };
        // SAFETY: where it is not null, it lies within the control area and is aligned.
        let found = unsafe { message.as_ref() }?;
        // SAFETY: only computes a length.
        let expected = unsafe { libc::CMSG_LEN(size_of::<libc::timespec>() as u32) } as usize;
        if (found.cmsg_level, found.cmsg_type) != (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS)
            || found.cmsg_len < expected
        {
            return None;
        }
        // SAFETY: the message is of this type and long enough; its alignment is not promised.
        let time = unsafe {
            libc::CMSG_DATA(message)
                .cast::<libc::timespec>()
                .read_unaligned()
        };
        Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }
}
