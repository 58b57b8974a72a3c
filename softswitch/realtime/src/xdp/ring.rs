// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A ring in which the switch and the kernel hand each other frames, one producing and the other consuming.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use super::memory::Mapping;

/// A ring of `T`: either plain addresses or places of packets.
#[derive(Debug)]
struct Ring<T> {
    _mapping: Mapping,
    producer: NonNull<AtomicU32>,
    consumer: NonNull<AtomicU32>,
    flags: NonNull<AtomicU32>,
    entries: NonNull<T>,
    /// A power of two.
    len: u32,
    /// The switch's own index; the kernel sees it when it is published.
    own: u32,
    /// The kernel's index as it was last seen.
    other: u32,
}

// SAFETY: what the pointers lead to is the mapping's, which goes with them, and may be used by any one thread.
unsafe impl<T: Send> Send for Ring<T> {}

/// The switch puts in, the kernel takes out.
#[derive(Debug)]
pub struct Outgoing<T>(Ring<T>);

/// The kernel puts in, the switch takes out.
#[derive(Debug)]
pub struct Incoming<T>(Ring<T>);

impl<T: Copy> Ring<T> {
    fn map(
        fd: &OwnedFd,
        page: libc::off_t,
        offsets: &libc::xdp_ring_offset,
        len: u32,
    ) -> io::Result<Self> {
        assert!(len.is_power_of_two());
        let first_bytes = offsets.desc as usize;
        let len_bytes = first_bytes + size_of::<T>() * len as usize;
        let mapping = Mapping::of_socket(fd, page, len_bytes)?;
        let index = |offset: u64| {
            let found = mapping.elements::<AtomicU32>(offset as usize, 1);
            found.ok_or(io::ErrorKind::InvalidData)
        };
        Ok(Self {
            producer: index(offsets.producer)?,
            consumer: index(offsets.consumer)?,
            flags: index(offsets.flags)?,
            entries: mapping
                .elements(first_bytes, len as usize)
                .ok_or(io::ErrorKind::InvalidData)?,
            len,
            own: 0,
            other: 0,
            _mapping: mapping,
        })
    }

    fn entry(&self, index: u32) -> NonNull<T> {
        // SAFETY: the mask keeps it among the `len` entries of the mapping.
        unsafe { self.entries.add((index & (self.len - 1)) as usize) }
    }

    fn index(&self, which: NonNull<AtomicU32>) -> &AtomicU32 {
        // SAFETY: it lies in the mapping, which lives as long as `self`.
        unsafe { which.as_ref() }
    }

    /// The kernel does not look at the ring by itself: a call must wake it.
    fn needs_wakeup(&self) -> bool {
        self.index(self.flags).load(Ordering::Relaxed) & libc::XDP_RING_NEED_WAKEUP != 0
    }
}

impl<T: Copy> Outgoing<T> {
    pub fn map(
        fd: &OwnedFd,
        page: libc::off_t,
        offsets: &libc::xdp_ring_offset,
        len: u32,
    ) -> io::Result<Self> {
        Ok(Self(Ring::map(fd, page, offsets, len)?))
    }

    pub fn needs_wakeup(&self) -> bool {
        self.0.needs_wakeup()
    }

    /// Put an entry in; it is the kernel's from [`Self::publish`] on. False when the ring is full.
    pub fn put(&mut self, value: T) -> bool {
        let ring = &mut self.0;
        if ring.own.wrapping_sub(ring.other) == ring.len {
            ring.other = ring.index(ring.consumer).load(Ordering::Acquire);
            if ring.own.wrapping_sub(ring.other) == ring.len {
                return false;
            }
        }
        // SAFETY: the entry is the switch's: the kernel has taken out what was in it.
        unsafe { ring.entry(ring.own).write_volatile(value) };
        ring.own = ring.own.wrapping_add(1);
        true
    }

    pub fn publish(&mut self) {
        let ring = &self.0;
        ring.index(ring.producer).store(ring.own, Ordering::Release);
    }

    /// Entries that the kernel has not taken out.
    pub fn left(&mut self) -> u32 {
        let ring = &mut self.0;
        ring.other = ring.index(ring.consumer).load(Ordering::Acquire);
        ring.own.wrapping_sub(ring.other)
    }
}

impl<T: Copy> Incoming<T> {
    pub fn map(
        fd: &OwnedFd,
        page: libc::off_t,
        offsets: &libc::xdp_ring_offset,
        len: u32,
    ) -> io::Result<Self> {
        Ok(Self(Ring::map(fd, page, offsets, len)?))
    }

    /// Take an entry out; the kernel may use its room again from [`Self::publish`] on.
    pub fn take(&mut self) -> Option<T> {
        let ring = &mut self.0;
        if ring.own == ring.other {
            ring.other = ring.index(ring.producer).load(Ordering::Acquire);
            if ring.own == ring.other {
                return None;
            }
        }
        // SAFETY: the kernel has put the entry in and does not change it until it is published as taken.
        let value = unsafe { ring.entry(ring.own).read_volatile() };
        ring.own = ring.own.wrapping_add(1);
        Some(value)
    }

    pub fn publish(&mut self) {
        let ring = &self.0;
        ring.index(ring.consumer).store(ring.own, Ordering::Release);
    }
}
