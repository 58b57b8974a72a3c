// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The bytes of a packet, of which the last may take no memory.
//!
//! A simulated packet is headers and a payload of zeros that nobody reads. So a packet is real bytes followed by a number
//! of bytes that are 0. Whoever needs one of these makes it real ([`PacketBytes::lengthen`]) or copies it. Two packets
//! with the same bytes are equal, however many of them are real.

use std::borrow::Cow;

#[derive(Debug, Clone, Default)]
pub struct PacketBytes {
    real: Vec<u8>,
    /// The number of bytes behind the real ones, all 0.
    zeros: usize,
}

impl PacketBytes {
    /// Real bytes, and a number of bytes behind them that are 0.
    pub fn new(real: Vec<u8>, zeros: usize) -> Self {
        Self { real, zeros }
    }

    /// The number of all bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.real.len() + self.zeros
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first bytes; those behind them are 0.
    #[inline(always)]
    pub fn real(&self) -> &[u8] {
        &self.real
    }

    #[inline(always)]
    pub fn real_mut(&mut self) -> &mut [u8] {
        &mut self.real
    }

    /// The pointer to the real bytes, for machine code.
    #[inline(always)]
    pub fn start(&mut self) -> *mut u8 {
        self.real.as_mut_ptr()
    }

    /// The number of bytes behind the real ones.
    #[inline(always)]
    pub fn zeros(&self) -> usize {
        self.zeros
    }

    /// The memory that the bytes take.
    #[inline(always)]
    pub fn capacity(&self) -> usize {
        self.real.capacity()
    }

    /// Makes the first `count` bytes real; false if there are not so many.
    #[inline(always)]
    pub fn lengthen(&mut self, count: usize) -> bool {
        count <= self.real.len() || self.make_real(count)
    }

    #[cold]
    #[inline(never)]
    fn make_real(&mut self, count: usize) -> bool {
        if count > self.len() {
            return false;
        }
        self.zeros = self.len() - count;
        self.real.resize(count, 0);
        true
    }

    /// All bytes, each of them real.
    #[inline(always)]
    pub fn into_vec(mut self) -> Vec<u8> {
        self.lengthen(self.len());
        self.real
    }

    /// All bytes. They are copied where not all are real.
    pub fn all(&self) -> Cow<'_, [u8]> {
        match self.zeros {
            0 => Cow::Borrowed(&self.real),
            _ => Cow::Owned(self.clone().into_vec()),
        }
    }

    /// The `N` bytes from `at` on, if there are so many.
    #[inline]
    pub fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        if let Some(bytes) = self.real.get(at..).and_then(|rest| rest.first_chunk()) {
            return Some(*bytes);
        }
        if at.checked_add(N)? > self.len() {
            return None;
        }
        let mut bytes = [0; N];
        let rest = self.real.get(at..).unwrap_or_default();
        bytes[..rest.len()].copy_from_slice(rest);
        Some(bytes)
    }

    #[inline(always)]
    pub fn clear(&mut self) {
        self.real.clear();
        self.zeros = 0;
    }

    /// Keeps the first `count` bytes.
    #[inline(always)]
    pub fn truncate(&mut self, count: usize) {
        self.zeros = self.zeros.min(count.saturating_sub(self.real.len()));
        self.real.truncate(count);
    }

    /// The bytes become `header_bytes` times 0, to be written by the caller, and `zeros` bytes more.
    #[inline]
    pub fn reset(&mut self, header_bytes: usize, zeros: usize) {
        self.real.clear();
        self.real.resize(header_bytes, 0);
        self.zeros = zeros;
    }

    /// Puts bytes that are 0, and take no memory, behind those that are there.
    #[inline(always)]
    pub fn append_zeros(&mut self, count: usize) {
        self.zeros += count;
    }

    #[inline(always)]
    pub fn append_slice(&mut self, bytes: &[u8]) {
        self.lengthen(self.len());
        self.real.extend_from_slice(bytes);
    }

    /// Puts a packet's bytes behind those that are there.
    #[inline(always)]
    pub fn append(&mut self, bytes: &Self) {
        self.append_slice(&bytes.real);
        self.zeros = bytes.zeros;
    }

    /// Puts a copy of the bytes from `at` on behind those that are there.
    pub fn append_from(&mut self, bytes: &Self, at: usize) {
        self.append_slice(bytes.real.get(at..).unwrap_or_default());
        self.zeros = bytes.len().saturating_sub(at).min(bytes.zeros);
    }

    /// Puts bytes before that at `at`, which is real or the first that is not.
    pub fn insert(&mut self, at: usize, bytes: &[u8]) {
        self.real.splice(at..at, bytes.iter().copied());
    }

    /// Puts room for `to` bytes in the place of the `from` bytes at the start, which are real.
    pub fn resize_start(&mut self, from: usize, to: usize) {
        if to <= from {
            self.real.copy_within(from.., to);
            self.real.truncate(self.real.len() - (from - to));
            return;
        }
        let rest = &self.real[from..];
        let mut longer = Vec::with_capacity(to + rest.len());
        longer.resize(to, 0);
        longer.extend_from_slice(rest);
        self.real = longer;
    }
}

impl From<Vec<u8>> for PacketBytes {
    #[inline(always)]
    fn from(real: Vec<u8>) -> Self {
        Self { real, zeros: 0 }
    }
}

impl PartialEq for PacketBytes {
    fn eq(&self, other: &Self) -> bool {
        let both = self.real.len().min(other.real.len());
        let are_zeros = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
        self.len() == other.len()
            && self.real[..both] == other.real[..both]
            && are_zeros(&self.real[both..])
            && are_zeros(&other.real[both..])
    }
}

impl Eq for PacketBytes {}

/// A packet on its way into a switch.
pub enum Arriving<'a> {
    /// Bytes that are copied.
    Lent(&'a [u8]),
    /// A buffer that the packet keeps.
    Given(PacketBytes),
}

impl Arriving<'_> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Lent(bytes) => bytes.len(),
            Self::Given(bytes) => bytes.len(),
        }
    }

    /// Puts the bytes behind those that are there; a buffer takes the place of an empty one, without copying.
    #[inline(always)]
    pub(crate) fn put(self, data: &mut PacketBytes) {
        match self {
            Self::Lent(bytes) => data.append_slice(bytes),
            Self::Given(bytes) if data.is_empty() => *data = bytes,
            Self::Given(bytes) => data.append(&bytes),
        }
    }
}

impl<'a> From<&'a [u8]> for Arriving<'a> {
    #[inline(always)]
    fn from(bytes: &'a [u8]) -> Self {
        Self::Lent(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Arriving<'a> {
    #[inline(always)]
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Lent(bytes)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Arriving<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Lent(bytes)
    }
}

impl From<Vec<u8>> for Arriving<'_> {
    #[inline(always)]
    fn from(bytes: Vec<u8>) -> Self {
        Self::Given(bytes.into())
    }
}

impl From<PacketBytes> for Arriving<'_> {
    #[inline(always)]
    fn from(bytes: PacketBytes) -> Self {
        Self::Given(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of the same bytes, from all real to as few real ones as possible.
    fn ways(bytes: &[u8]) -> impl Iterator<Item = PacketBytes> + '_ {
        let last = bytes.iter().rposition(|&byte| byte != 0);
        let least = last.map_or(0, |last| last + 1);
        (least..=bytes.len())
            .map(|real| PacketBytes::new(bytes[..real].to_vec(), bytes.len() - real))
    }

    #[test]
    fn implied_zeros_are_like_real_ones() {
        for bytes in [&b""[..], b"\0", b"ab\0\0\0", b"\0a\0\0", b"\0\0\0", b"abc"] {
            for packet in ways(bytes) {
                assert_eq!(packet.len(), bytes.len());
                assert_eq!(packet.is_empty(), bytes.is_empty());
                assert_eq!(*packet.all(), *bytes);
                assert_eq!(packet.clone().into_vec(), bytes);
                assert!(ways(bytes).all(|other| other == packet));
                for at in 0..=bytes.len() + 1 {
                    assert_eq!(
                        packet.array::<2>(at),
                        bytes.get(at..).and_then(|rest| rest.first_chunk()).copied()
                    );
                    let mut longer = packet.clone();
                    assert_eq!(longer.lengthen(at), at <= bytes.len());
                    assert!(longer.real().len() >= at.min(packet.real().len()));
                    assert_eq!(longer, packet);
                    let mut shorter = packet.clone();
                    shorter.truncate(at);
                    assert_eq!(*shorter.all(), bytes[..at.min(bytes.len())]);
                    let mut joined = packet.clone();
                    joined.append_from(&packet, at);
                    let rest = bytes.get(at..).unwrap_or_default();
                    assert_eq!(*joined.all(), [bytes, rest].concat());
                }
                let mut joined = packet.clone();
                joined.append_zeros(3);
                assert_eq!(*joined.all(), [bytes, &[0; 3]].concat());
                joined.reset(2, 1);
                assert_eq!(*joined.all(), [0; 3]);
                let mut joined = packet.clone();
                joined.append(&packet);
                assert_eq!(*joined.all(), [bytes, bytes].concat());
                joined.insert(0, b"xy");
                assert_eq!(*joined.all(), [b"xy", bytes, bytes].concat());
                joined.resize_start(2, 3);
                assert_eq!(joined.all()[3..], [bytes, bytes].concat());
                joined.resize_start(3, 0);
                assert_eq!(*joined.all(), [bytes, bytes].concat());
            }
        }
    }

    #[test]
    fn packets_of_different_bytes_differ() {
        let packet = PacketBytes::new(vec![1], 2);
        for other in [&[1, 0][..], &[1, 0, 0, 0], &[1, 0, 1], &[0, 0, 0]] {
            assert_ne!(packet, PacketBytes::from(other.to_vec()));
            assert!(ways(other).all(|other| other != packet));
        }
    }
}
