// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The state of headers and metadata of one packet.

use super::bytes::StateBytes;
use super::layout::{Layout, StackDef, UnionStackDef};
use super::loc::copy_bits;
use crate::model::ids::HeaderId;

/// All headers and metadata of a packet, laid out by a [`Layout`].
#[derive(Debug, Clone, Default)]
pub struct Phv {
    pub bytes: StateBytes,
    /// Length in bits of every variable-length field.
    pub var_bits: Vec<u32>,
    /// First free index of every stack.
    pub next: Vec<u32>,
}

impl Phv {
    pub fn new(layout: &Layout) -> Self {
        Self {
            bytes: StateBytes::new(layout.bytes, layout.fixed_bytes),
            var_bits: vec![0; layout.var_slots],
            next: vec![0; layout.stack_slots],
        }
    }

    /// All fields 0. Of variable-length ones it is enough that they are empty: nobody reads beyond their ends.
    pub fn clear(&mut self) {
        self.bytes.clear();
        // Programs may have none of either, and memset takes its time to write nothing to an empty vector's address.
        for numbers in [&mut self.var_bits, &mut self.next] {
            if !numbers.is_empty() {
                numbers.fill(0);
            }
        }
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.bytes.copy_from_slice(&other.bytes);
        self.var_bits.copy_from_slice(&other.var_bits);
        self.next.copy_from_slice(&other.next);
    }

    pub fn clear_metadata(&mut self, layout: &Layout) {
        self.bytes[layout.metadata.clone()].fill(0);
        for &slot in &layout.metadata_var_slots {
            self.var_bits[slot as usize] = 0;
        }
    }

    /// Metadata is always valid.
    #[inline]
    pub fn is_valid(&self, layout: &Layout, header: HeaderId) -> bool {
        let def = &layout.headers[header as usize];
        def.metadata || self.bytes[def.valid.byte as usize] != 0
    }

    #[inline]
    fn set_flag(&mut self, layout: &Layout, header: HeaderId, valid: bool) {
        let def = &layout.headers[header as usize];
        self.bytes[def.valid.byte as usize] = u8::from(valid);
    }

    /// Marks a header valid as it stands; the other members of its union become invalid.
    pub fn set_valid(&mut self, layout: &Layout, header: HeaderId) {
        if let Some(union) = layout.headers[header as usize].union {
            for &member in &layout.unions[union as usize].headers {
                self.set_flag(layout, member, false);
            }
        }
        self.set_flag(layout, header, true);
    }

    pub fn set_invalid(&mut self, layout: &Layout, header: HeaderId) {
        self.set_flag(layout, header, false);
    }

    /// The valid member of a union, by its index.
    pub fn union_member(&self, layout: &Layout, union: u32) -> Option<usize> {
        let members = &layout.unions[union as usize].headers;
        members
            .iter()
            .position(|&header| self.is_valid(layout, header))
    }

    /// Bytes that a header takes in a packet.
    #[inline]
    pub fn header_bytes(&self, layout: &Layout, header: HeaderId) -> u32 {
        let def = &layout.headers[header as usize];
        def.fixed_bytes
            + def
                .var
                .map_or(0, |var| self.var_bits[var.slot as usize] / 8)
    }

    /// All fields 0, the variable-length one empty.
    pub fn zero_header(&mut self, layout: &Layout, header: HeaderId) {
        let def = &layout.headers[header as usize];
        let start = def.byte as usize;
        self.bytes[start..start + def.fixed_bytes as usize].fill(0);
        if let Some(var) = def.var {
            self.var_bits[var.slot as usize] = 0;
        }
    }

    /// Copies fields and validity between headers of one type.
    pub fn copy_header(&mut self, layout: &Layout, src: HeaderId, dst: HeaderId) {
        if src == dst {
            return;
        }
        if !self.is_valid(layout, src) {
            self.set_invalid(layout, dst);
            return;
        }
        self.set_valid(layout, dst);
        let (from, to) = (&layout.headers[src as usize], &layout.headers[dst as usize]);
        let start = from.byte as usize;
        self.bytes
            .copy_within(start..start + from.fixed_bytes as usize, to.byte as usize);
        self.copy_var(layout, src, dst);
    }

    /// Copies the variable-length field between headers of one type.
    pub fn copy_var(&mut self, layout: &Layout, src: HeaderId, dst: HeaderId) {
        if let (Some(from), Some(to)) = (
            layout.headers[src as usize].var,
            layout.headers[dst as usize].var,
        ) {
            let bits = self.var_bits[from.slot as usize].min(to.max_bytes * 8);
            self.var_bits[to.slot as usize] = bits;
            let start = from.byte as usize;
            self.bytes
                .copy_within(start..start + bits as usize / 8, to.byte as usize);
        }
    }

    /// Copies a variable-length field from another packet.
    pub fn copy_var_from(&mut self, layout: &Layout, other: &Self, header: HeaderId) {
        if let Some(var) = layout.headers[header as usize].var {
            let (slot, start) = (var.slot as usize, var.byte as usize);
            let end = start + other.var_bits[slot] as usize / 8;
            self.var_bits[slot] = other.var_bits[slot];
            self.bytes[start..end].copy_from_slice(&other.bytes[start..end]);
        }
    }

    /// Both invalid, or both valid with equal fields.
    pub fn headers_equal(&self, layout: &Layout, a: HeaderId, b: HeaderId) -> bool {
        let (valid_a, valid_b) = (self.is_valid(layout, a), self.is_valid(layout, b));
        if !(valid_a && valid_b) {
            return valid_a == valid_b;
        }
        let (x, y) = (&layout.headers[a as usize], &layout.headers[b as usize]);
        let fixed = |start: u32| &self.bytes[start as usize..(start + x.fixed_bytes) as usize];
        if x.kind != y.kind || fixed(x.byte) != fixed(y.byte) {
            return false;
        }
        self.vars_equal(layout, a, b)
    }

    /// Variable-length fields of the same length and content.
    pub fn vars_equal(&self, layout: &Layout, a: HeaderId, b: HeaderId) -> bool {
        let content = |header: HeaderId| {
            layout.headers[header as usize].var.map(|var| {
                let start = var.byte as usize;
                &self.bytes[start..start + self.var_bits[var.slot as usize] as usize / 8]
            })
        };
        content(a) == content(b)
    }

    /// Both without a valid member, or with the same member valid and equal.
    pub fn unions_equal(&self, layout: &Layout, a: u32, b: u32) -> bool {
        match (self.union_member(layout, a), self.union_member(layout, b)) {
            (None, None) => true,
            (Some(i), Some(j)) if i == j => {
                let header = |union: u32| layout.unions[union as usize].headers[i];
                self.headers_equal(layout, header(a), header(b))
            }
            _ => false,
        }
    }

    /// Copies a header from a packet. `data` has at least the header's bytes, `var_bits` of them variable.
    #[inline]
    pub fn extract(&mut self, layout: &Layout, header: HeaderId, data: &[u8], var_bits: u32) {
        let def = &layout.headers[header as usize];
        let (start, fixed) = (def.byte as usize, def.fixed_bytes as usize);
        match def.var {
            None => self.bytes[start..start + fixed].copy_from_slice(&data[..fixed]),
            Some(var) => {
                let before = var.before_bits as usize;
                let after = fixed * 8 - before;
                let var_start = var.byte as usize * 8;
                copy_bits(data, 0, &mut self.bytes, start * 8, before);
                copy_bits(data, before, &mut self.bytes, var_start, var_bits as usize);
                copy_bits(
                    data,
                    before + var_bits as usize,
                    &mut self.bytes,
                    start * 8 + before,
                    after,
                );
                self.var_bits[var.slot as usize] = var_bits;
            }
        }
        self.set_valid(layout, header);
    }

    /// Writes a header as it is sent to the start of `out`; gives its length.
    #[inline]
    pub fn write_header(&self, layout: &Layout, header: HeaderId, out: &mut [u8]) -> usize {
        let def = &layout.headers[header as usize];
        let (start, fixed) = (def.byte as usize, def.fixed_bytes as usize);
        let Some(var) = def.var else {
            out[..fixed].copy_from_slice(&self.bytes[start..start + fixed]);
            return fixed;
        };
        let bits = self.var_bits[var.slot as usize] as usize;
        let before = var.before_bits as usize;
        copy_bits(&self.bytes, start * 8, out, 0, before);
        copy_bits(&self.bytes, var.byte as usize * 8, out, before, bits);
        copy_bits(
            &self.bytes,
            start * 8 + before,
            out,
            before + bits,
            fixed * 8 - before,
        );
        fixed + bits / 8
    }

    /// Appends a header as it is sent.
    #[inline]
    pub fn emit(&self, layout: &Layout, header: HeaderId, out: &mut Vec<u8>) {
        let at = out.len();
        out.resize(at + self.header_bytes(layout, header) as usize, 0);
        self.write_header(layout, header, &mut out[at..]);
    }

    /// Copies the valid member of a union; without one the destination has none either.
    pub fn copy_union(&mut self, layout: &Layout, src: u32, dst: u32) {
        if src == dst {
            return;
        }
        let (from, to) = (&layout.unions[src as usize], &layout.unions[dst as usize]);
        for &header in &to.headers {
            self.set_invalid(layout, header);
        }
        if let Some(member) = self.union_member(layout, src) {
            self.copy_header(layout, from.headers[member], to.headers[member]);
        }
    }

    fn invalidate_union(&mut self, layout: &Layout, union: u32) {
        for &header in &layout.unions[union as usize].headers {
            self.set_invalid(layout, header);
        }
    }

    /// Moves a stack's elements `count` places towards the back; the front becomes invalid.
    pub fn push_front(&mut self, layout: &Layout, stack: &StackDef, count: u64) {
        let size = stack.headers.len();
        shift_back(size, count, |from, to| match from {
            Some(from) => self.copy_header(layout, stack.headers[from], stack.headers[to]),
            None => self.set_invalid(layout, stack.headers[to]),
        });
        self.grow(stack.next, size, count);
    }

    /// Moves a stack's elements `count` places towards the front; the back becomes invalid.
    pub fn pop_front(&mut self, layout: &Layout, stack: &StackDef, count: u64) {
        shift_front(stack.headers.len(), count, |from, to| match from {
            Some(from) => self.copy_header(layout, stack.headers[from], stack.headers[to]),
            None => self.set_invalid(layout, stack.headers[to]),
        });
        self.shrink(stack.next, count);
    }

    pub fn push_front_union(&mut self, layout: &Layout, stack: &UnionStackDef, count: u64) {
        let size = stack.unions.len();
        shift_back(size, count, |from, to| match from {
            Some(from) => self.copy_union(layout, stack.unions[from], stack.unions[to]),
            None => self.invalidate_union(layout, stack.unions[to]),
        });
        self.grow(stack.next, size, count);
    }

    pub fn pop_front_union(&mut self, layout: &Layout, stack: &UnionStackDef, count: u64) {
        shift_front(stack.unions.len(), count, |from, to| match from {
            Some(from) => self.copy_union(layout, stack.unions[from], stack.unions[to]),
            None => self.invalidate_union(layout, stack.unions[to]),
        });
        self.shrink(stack.next, count);
    }

    fn grow(&mut self, next: u32, size: usize, count: u64) {
        let next = &mut self.next[next as usize];
        *next = u64::from(*next).saturating_add(count).min(size as u64) as u32;
    }

    fn shrink(&mut self, next: u32, count: u64) {
        let next = &mut self.next[next as usize];
        *next = u64::from(*next).saturating_sub(count) as u32;
    }
}

/// Calls `step(from, to)` for every element from the last to the first; without `from` it becomes invalid.
fn shift_back(size: usize, count: u64, mut step: impl FnMut(Option<usize>, usize)) {
    let count = count.min(size as u64) as usize;
    for to in (0..size).rev() {
        step(to.checked_sub(count), to);
    }
}

fn shift_front(size: usize, count: u64, mut step: impl FnMut(Option<usize>, usize)) {
    let count = count.min(size as u64) as usize;
    for to in 0..size {
        step(Some(to + count).filter(|&from| from < size), to);
    }
}
