// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Memory that the switch and the kernel share.

#![allow(unsafe_code)]

use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;

/// A mapping, unmapped with its owner.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<u8>,
    len_bytes: usize,
}

// SAFETY: memory may be used by any one thread; nothing refers to the one that mapped it.
unsafe impl Send for Mapping {}
// SAFETY: a shared mapping only tells addresses.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// A part of a socket's memory, which the kernel made.
    pub fn of_socket(fd: &OwnedFd, offset: libc::off_t, len_bytes: usize) -> io::Result<Self> {
        let flags = libc::MAP_SHARED | libc::MAP_POPULATE;
        Self::map(fd.as_raw_fd(), offset, len_bytes, flags)
    }

    fn map(fd: i32, offset: libc::off_t, len_bytes: usize, flags: libc::c_int) -> io::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: without a wanted address it replaces no other mapping.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), len_bytes, access, flags, fd, offset) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, len_bytes })
    }

    /// The address of `count` elements that begin at `offset_bytes`; `None` where they are not inside or not aligned.
    pub fn elements<T>(&self, offset_bytes: usize, count: usize) -> Option<NonNull<T>> {
        let end_bytes = size_of::<T>()
            .checked_mul(count)?
            .checked_add(offset_bytes)?;
        // SAFETY: the offset is at most the length.
        let start = (end_bytes <= self.len_bytes).then(|| unsafe { self.start.add(offset_bytes) });
        start.map(NonNull::cast).filter(|first| first.is_aligned())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and whoever has an address in it lives no longer than it.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len_bytes) };
    }
}

/// Room for one packet each. A frame belongs to the kernel while its address is in a ring or the kernel holds it.
#[derive(Debug)]
pub struct Frames {
    mapping: Arc<Mapping>,
    /// Its own part of the mapping.
    bytes: Range<usize>,
}

impl Frames {
    /// The size of each, the largest that the kernel allows.
    pub const FRAME_BYTES: usize = 4096;

    pub fn new(count: usize) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let len_bytes = count * Self::FRAME_BYTES;
        let mapping = Arc::new(Mapping::map(-1, 0, len_bytes, flags)?);
        Ok(Self {
            mapping,
            bytes: 0..len_bytes,
        })
    }

    /// Keep the first `count` frames, and give the others, for another thread to use.
    pub fn split_off(&mut self, count: usize) -> Self {
        let middle = (self.bytes.start + count * Self::FRAME_BYTES).min(self.bytes.end);
        let others = middle..self.bytes.end;
        self.bytes.end = middle;
        Self {
            mapping: Arc::clone(&self.mapping),
            bytes: others,
        }
    }

    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.bytes
            .clone()
            .step_by(Self::FRAME_BYTES)
            .map(|address| address as u64)
    }

    /// The facts that the kernel has to know of the whole mapping.
    pub fn registration(&self) -> libc::xdp_umem_reg {
        libc::xdp_umem_reg {
            addr: self.mapping.start.as_ptr() as u64,
            len: self.mapping.len_bytes as u64,
            chunk_size: Self::FRAME_BYTES as u32,
            headroom: 0,
            flags: 0,
            tx_metadata_len: 0,
        }
    }

    /// The address of the frame that `address` lies in.
    pub fn frame_of(address: u64) -> u64 {
        address & !(Self::FRAME_BYTES as u64 - 1)
    }

    /// A packet that the kernel left in a frame. The caller must not have given that frame back.
    pub fn packet(&self, place: libc::xdp_desc) -> Option<&[u8]> {
        let len_bytes = place.len as usize;
        let start = self.own(place.addr, len_bytes)?;
        // SAFETY: the bytes are among its own, and the kernel writes only to frames that it was given.
        Some(unsafe { std::slice::from_raw_parts(start.as_ptr(), len_bytes) })
    }

    /// Put a packet into a frame, which the kernel must not have. False where it does not fit.
    pub fn put(&mut self, frame: u64, packet: &[u8]) -> bool {
        let room = self.own(frame, packet.len());
        let (Some(start), true) = (room, packet.len() <= Self::FRAME_BYTES) else {
            return false;
        };
        // SAFETY: the bytes are among its own, nobody else has them, and `packet` is not in them: it cannot be
        // borrowed from here while this is borrowed mutably.
        unsafe { std::ptr::copy_nonoverlapping(packet.as_ptr(), start.as_ptr(), packet.len()) };
        true
    }

    fn own(&self, address: u64, len_bytes: usize) -> Option<NonNull<u8>> {
        let start = usize::try_from(address).ok()?;
        let end = start.checked_add(len_bytes)?;
        let inside = self.bytes.start <= start && end <= self.bytes.end;
        inside.then(|| self.mapping.elements(start, len_bytes))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_read_or_written() {
        let mut frames = Frames::new(2).expect("there is memory");
        let place = |addr, len| libc::xdp_desc {
            addr,
            len,
            options: 0,
        };
        assert!(frames.put(4096, &[7; 4096]));
        assert_eq!(frames.packet(place(8190, 2)), Some(&[7, 7][..]));
        assert_eq!(frames.packet(place(8190, 3)), None);
        assert_eq!(frames.packet(place(u64::MAX, 1)), None);
        assert!(!frames.put(4096, &[7; 4097]));
        assert!(!frames.put(8192, &[7]));
        assert_eq!(Frames::frame_of(4096 + 256), 4096);
        assert!(frames.mapping.elements::<u64>(4, 1).is_none(), "unaligned");
        let mut others = frames.split_off(1);
        assert_eq!(others.addresses().collect::<Vec<_>>(), [4096]);
        assert!(!others.put(0, &[7]) && !frames.put(4096, &[7]));
        assert!(others.put(4096, &[8]) && frames.put(0, &[9]));
        assert_eq!(frames.packet(place(4095, 2)), None);
    }
}
