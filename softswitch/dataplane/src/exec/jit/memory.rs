// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Fields in memory: big-endian bits, read and written with as few and as narrow accesses as they allow.
//!
//! Narrow, because a read that spans several earlier writes has to wait for all of them to reach the cache.

use cranelift_codegen::ir::types::{I128, I64};
use cranelift_codegen::ir::{AliasRegion, InstBuilder, Value};

use super::buffer::{flags, int, Buffer};
use super::emit::Emitter;
use crate::state::loc::Loc;

/// Bytes of the widest access that ends a field of `nbytes` bytes.
fn tail(nbytes: u32) -> u32 {
    match nbytes {
        1 => 1,
        2..=3 => 2,
        4..=7 => 4,
        _ => 8,
    }
}

/// Bytes that a field touches, and bits behind it in the last of them.
fn extent(loc: Loc) -> (u32, u32) {
    let end = u32::from(loc.bit) + loc.bits;
    let nbytes = end.div_ceil(8);
    (nbytes, nbytes * 8 - end)
}

/// The slot of a field, if it has one that is read at once.
fn slot(buffer: Buffer, loc: Loc) -> Option<(u32, u32)> {
    let inside = (buffer.slots.0..buffer.slots.1).contains(&loc.byte);
    let size = Loc::slot_bytes(loc.bits);
    (inside && size <= 8).then(|| (loc.byte + loc.nbytes() as u32 - size, size))
}

impl Emitter<'_, '_> {
    /// Copies bytes between `(base, offset, region)`, with as few accesses as it takes.
    pub fn copy(
        &mut self,
        from: (Value, i32, AliasRegion),
        to: (Value, i32, AliasRegion),
        nbytes: u32,
    ) {
        let mut at = 0;
        for size in [8, 4, 2, 1] {
            while at + size <= nbytes as i32 {
                let ins = self.b.ins();
                let word = ins.load(int(size as u32), flags(from.2), from.0, from.1 + at);
                self.b.ins().store(flags(to.2), word, to.0, to.1 + at);
                at += size;
            }
        }
    }

    fn load(&mut self, buffer: Buffer, byte: u32, nbytes: u32) -> Value {
        let flags = flags(AliasRegion::Heap);
        let ins = self.b.ins();
        let value = ins.load(int(nbytes), flags, buffer.start, byte as i32);
        match nbytes {
            1 => self.b.ins().uextend(I64, value),
            8 => self.b.ins().bswap(value),
            _ => {
                let value = self.b.ins().bswap(value);
                self.b.ins().uextend(I64, value)
            }
        }
    }

    fn store(&mut self, buffer: Buffer, byte: u32, nbytes: u32, value: Value) {
        let mut value = value;
        if nbytes < 8 {
            value = self.b.ins().ireduce(int(nbytes), value);
        }
        if nbytes > 1 {
            value = self.b.ins().bswap(value);
        }
        let flags = flags(AliasRegion::Heap);
        self.b.ins().store(flags, value, buffer.start, byte as i32);
    }

    fn masked(&mut self, value: Value, bits: u32) -> Value {
        if bits >= 64 {
            value
        } else {
            self.b.ins().band_imm(value, ((1u64 << bits) - 1) as i64)
        }
    }

    /// At most 64 bits, without sign.
    fn read_bits(&mut self, buffer: Buffer, loc: Loc) -> Value {
        if loc.bits == 0 {
            return self.b.ins().iconst(I64, 0);
        }
        if let Some((byte, size)) = slot(buffer, loc) {
            return self.load(buffer, byte, size);
        }
        let (nbytes, behind) = extent(loc);
        let size = tail(nbytes);
        if size == nbytes {
            let value = self.load(buffer, loc.byte, nbytes);
            let value = if behind > 0 {
                self.b.ins().ushr_imm(value, i64::from(behind))
            } else {
                value
            };
            return if loc.bit > 0 {
                self.masked(value, loc.bits)
            } else {
                value
            };
        }
        let low_bits = size * 8 - behind;
        let high = self.read_bits(buffer, loc.slice(low_bits, loc.bits - low_bits));
        let low = self.read_bits(buffer, loc.slice(0, low_bits));
        let high = self.b.ins().ishl_imm(high, i64::from(low_bits));
        self.b.ins().bor(high, low)
    }

    /// The low `loc.bits` bits, at most 64, of a number.
    fn write_bits(&mut self, buffer: Buffer, loc: Loc, value: Value) {
        if loc.bits == 0 {
            return;
        }
        if let Some((byte, size)) = slot(buffer, loc) {
            let value = if loc.bits < size * 8 {
                self.masked(value, loc.bits)
            } else {
                value
            };
            return self.store(buffer, byte, size, value);
        }
        let (nbytes, behind) = extent(loc);
        let size = tail(nbytes);
        if size == nbytes {
            let value = if loc.bit == 0 && behind == 0 {
                value
            } else {
                let mask = (u64::MAX >> (64 - loc.bits)) << behind;
                let old = self.load(buffer, loc.byte, nbytes);
                let old = self.b.ins().band_imm(old, !mask as i64);
                let new = self.masked(value, loc.bits);
                let new = self.b.ins().ishl_imm(new, i64::from(behind));
                self.b.ins().bor(old, new)
            };
            return self.store(buffer, loc.byte, nbytes, value);
        }
        let low_bits = size * 8 - behind;
        let high = self.b.ins().ushr_imm(value, i64::from(low_bits));
        self.write_bits(buffer, loc.slice(low_bits, loc.bits - low_bits), high);
        self.write_bits(buffer, loc.slice(0, low_bits), value);
    }

    /// As `Loc::read_u64`: the low 64 bits without sign extension.
    pub fn read_u64(&mut self, buffer: Buffer, loc: Loc) -> Value {
        if loc.bits > 64 {
            return self.read_bits(buffer.in_parts(), loc.slice(0, 64));
        }
        self.read_bits(buffer, loc)
    }

    /// As `Loc::read_i64`: the low 64 bits with the field's own sign extended.
    pub fn read_i64(&mut self, buffer: Buffer, loc: Loc) -> Value {
        if loc.bits > 64 {
            return self.read_bits(buffer.in_parts(), loc.slice(0, 64));
        }
        let value = self.read_bits(buffer, loc);
        if loc.signed && loc.bits > 0 && loc.bits < 64 {
            let spare = i64::from(64 - loc.bits);
            let up = self.b.ins().ishl_imm(value, spare);
            self.b.ins().sshr_imm(up, spare)
        } else {
            value
        }
    }

    /// As `Loc::read_i128`.
    pub fn read_i128(&mut self, buffer: Buffer, loc: Loc) -> Value {
        if loc.bits <= 64 {
            let value = self.read_i64(buffer, loc);
            return if loc.signed {
                self.b.ins().sextend(I128, value)
            } else {
                self.b.ins().uextend(I128, value)
            };
        }
        let high_bits = (loc.bits - 64).min(64);
        let buffer = buffer.in_parts();
        let low = self.read_bits(buffer, loc.slice(0, 64));
        let mut high = self.read_bits(buffer, loc.slice(64, high_bits));
        if loc.signed && high_bits < 64 {
            let spare = i64::from(64 - high_bits);
            high = self.b.ins().ishl_imm(high, spare);
            high = self.b.ins().sshr_imm(high, spare);
        }
        self.b.ins().iconcat(low, high)
    }

    /// Writes the low bits of a number of 64 or 128 bits, with its sign above; the field has at most 128 bits.
    pub fn write(&mut self, buffer: Buffer, loc: Loc, value: Value) {
        let wide = self.b.func.dfg.value_type(value) == I128;
        let (low, high) = match (wide, loc.bits > 64) {
            (false, false) => (value, None),
            (false, true) => (value, Some(self.b.ins().sshr_imm(value, 63))),
            (true, false) => (self.b.ins().ireduce(I64, value), None),
            (true, true) => {
                let (low, high) = self.b.ins().isplit(value);
                (low, Some(high))
            }
        };
        match high {
            None => self.write_bits(buffer, loc, low),
            Some(high) => {
                let buffer = buffer.in_parts();
                self.write_bits(buffer, loc.slice(64, loc.bits - 64), high);
                self.write_bits(buffer, loc.slice(0, 64), low);
            }
        }
    }
}
