// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Checksums: the Internet checksum (RFC 1071) over whole bytes of headers, added up where they lie in the packet
//! state. All others are left to the interpreter.
//!
//! Words are added as the machine reads them, least significant byte first, and the sum is turned round at the end
//! (section 2(B) of the RFC).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I16, I32, I64};
use cranelift_codegen::ir::{AliasRegion, Block, InstBuilder, Value as Ssa};

use super::buffer::{flags, int};
use super::emit::Emitter;
use super::frame::Frame;
use super::helpers::Call;
use crate::externs::hash::Hasher;
use crate::model::ids::HeaderId;
use crate::program::{CalcInput, Checksum, ChecksumKind};

/// Checksums over more bytes are the interpreter's.
const MAX_BYTES: u32 = 512;

/// Bytes of the packet state that are part of a sum.
struct Stretch {
    byte: u32,
    nbytes: u32,
    /// The first is an odd byte of the checksum's input.
    odd: bool,
}

/// Stretches that count where their header is valid.
struct Group {
    header: HeaderId,
    stretches: Vec<Stretch>,
}

/// The way in which a checksum is worked out.
#[derive(Default)]
struct Sum {
    groups: Vec<Group>,
    constant: u64,
    /// Headers with bytes of variable length: where one is valid, the interpreter works the checksum out.
    variable: Vec<HeaderId>,
}

impl Emitter<'_, '_> {
    /// Code that verifies checksums and does nothing else.
    pub fn verifier(&mut self) {
        self.verify();
        let end = self.end;
        self.b.ins().jump(end, &[]);
        self.b.switch_to_block(end);
        self.b.ins().return_(&[]);
    }

    /// Verifies all checksums; leaves in the frame whether one is wrong.
    pub fn verify(&mut self) {
        let program = self.program;
        let all = program.checksums.iter().enumerate();
        for (number, checksum) in all.filter(|(_, checksum)| checksum.verify) {
            let (wrong, next) = (self.b.create_block(), self.b.create_block());
            let left = self.b.create_block();
            self.b.set_cold_block(wrong);
            match self.sum(checksum) {
                Some(sum) => {
                    let applies = self.b.create_block();
                    let valid = self.is_valid(checksum.header);
                    self.b.ins().brif(valid, applies, &[], next, &[]);
                    self.b.switch_to_block(applies);
                    let value = self.checksum(checksum, &sum, left, next);
                    let phv = self.phv;
                    let there = self.read_u64(phv, checksum.target);
                    let right = self.b.ins().icmp(IntCC::Equal, value, there);
                    self.b.ins().brif(right, next, &[], wrong, &[]);
                }
                None => {
                    self.b.ins().jump(left, &[]);
                }
            }
            self.b.switch_to_block(left);
            let number = self.number(number as u32);
            let right = self.call(Call::Verify, &[number]);
            self.b.ins().brif(right, next, &[], wrong, &[]);

            self.b.switch_to_block(wrong);
            let (frame, flags) = (self.frame, flags(AliasRegion::Vmctx));
            let one = self.b.ins().iconst(I32, 1);
            self.b.ins().store(flags, one, frame, Frame::WRONG);
            self.b.ins().jump(next, &[]);
            self.b.switch_to_block(next);
        }
    }

    /// Updates all checksums.
    pub fn update(&mut self) {
        let program = self.program;
        let all = program.checksums.iter().enumerate();
        for (number, checksum) in all.filter(|(_, checksum)| checksum.update) {
            let (left, next) = (self.b.create_block(), self.b.create_block());
            match self.sum(checksum) {
                Some(sum) => {
                    let value = self.checksum(checksum, &sum, left, next);
                    let phv = self.phv;
                    self.write(phv, checksum.target, value);
                    self.b.ins().jump(next, &[]);
                }
                None => {
                    self.b.ins().jump(left, &[]);
                }
            }
            self.b.switch_to_block(left);
            let number = self.number(number as u32);
            self.emit_call(Call::Update, &[number]);
            self.b.ins().jump(next, &[]);
            self.b.switch_to_block(next);
        }
    }

    /// `None` where the code does not cover a checksum.
    fn sum(&self, checksum: &Checksum) -> Option<Sum> {
        let ChecksumKind::Calculation(index) = checksum.kind else {
            return None;
        };
        let calculation = &self.program.calculations[index as usize];
        let hasher = &self.externs.hashers[calculation.hasher as usize];
        let covered = matches!(hasher, Hasher::Csum16)
            && !calculation.payload
            && checksum.target.bits <= 64
            && checksum.condition.is_none_or(|cond| self.covers_cond(cond));
        covered.then(|| self.groups(&calculation.input)).flatten()
    }

    fn groups(&self, input: &[CalcInput]) -> Option<Sum> {
        let headers = &self.program.layout.headers;
        let mut sum = Sum::default();
        let mut open = None;
        // Whether the next byte is an odd one, and whether the open group's first was.
        let (mut odd, mut first_odd) = (false, false);
        let mut total_bytes = 0;
        for part in input {
            let (header, byte, nbytes) = match part {
                CalcInput::Field(header, loc) if loc.bit == 0 && loc.bits % 8 == 0 => {
                    (Some(*header), loc.byte, loc.bits / 8)
                }
                CalcInput::Header(header) if headers[*header as usize].var.is_none() => {
                    let def = &headers[*header as usize];
                    (Some(*header), def.byte, def.fixed_bytes)
                }
                CalcInput::Header(header) | CalcInput::VarField(header) => {
                    sum.variable.push(*header);
                    continue;
                }
                CalcInput::Constant(bytes, bits) if bits % 8 == 0 => (None, 0, bytes.len() as u32),
                _ => return None,
            };
            total_bytes += nbytes;
            if total_bytes > MAX_BYTES {
                return None;
            }
            if open != header {
                // Behind a header of odd length, the parity of an offset depends on the header's validity.
                if open.is_some_and(|open: u32| !headers[open as usize].metadata)
                    && odd != first_odd
                {
                    return None;
                }
                (open, first_odd) = (header, odd);
                sum.groups.extend(header.map(|header| Group {
                    header,
                    stretches: Vec::new(),
                }));
            }
            match part {
                CalcInput::Constant(bytes, _) => {
                    for (at, &byte) in bytes.iter().enumerate() {
                        let odd = odd != (at % 2 == 1);
                        sum.constant += u64::from(byte) << if odd { 8 } else { 0 };
                    }
                }
                _ => {
                    let group = sum.groups.last_mut().expect("the open group");
                    group.stretches.push(Stretch { byte, nbytes, odd });
                }
            }
            odd ^= nbytes % 2 == 1;
        }
        Some(sum)
    }

    /// The value of a checksum that applies; otherwise goes to `not`, or to `left` where it is the interpreter's.
    fn checksum(&mut self, checksum: &Checksum, sum: &Sum, left: Block, not: Block) -> Ssa {
        self.b.set_cold_block(left);
        if let Some(condition) = checksum.condition {
            let holds = self.b.create_block();
            self.branch(condition, holds, not);
            self.b.switch_to_block(holds);
        }
        self.unless_valid(&sum.variable, left);
        let mut total = self.b.ins().iconst(I64, sum.constant as i64);
        for group in &sum.groups {
            let (add, next) = (self.b.create_block(), self.b.create_block());
            self.b.append_block_param(next, I64);
            let valid = self.is_valid(group.header);
            self.b.ins().brif(valid, add, &[], next, &[total.into()]);
            self.b.switch_to_block(add);
            let start = self.program.layout.headers[group.header as usize].byte;
            for stretch in &group.stretches {
                total = self.add_stretch(total, stretch, start);
            }
            self.b.ins().jump(next, &[total.into()]);
            self.b.switch_to_block(next);
            total = self.b.block_params(next)[0];
        }
        self.complement(total)
    }

    /// Goes to `left` if one of the headers is valid.
    pub fn unless_valid(&mut self, headers: &[HeaderId], left: Block) {
        for &header in headers {
            let on = self.b.create_block();
            let valid = self.is_valid(header);
            self.b.ins().brif(valid, left, &[], on, &[]);
            self.b.switch_to_block(on);
        }
    }

    /// Reads words as [`Emitter::copy`] writes the header, which starts at `start`.
    fn add_stretch(&mut self, total: Ssa, stretch: &Stretch, start: u32) -> Ssa {
        let mut total = total;
        let (mut at, end) = (stretch.byte, stretch.byte + stretch.nbytes);
        while at < end {
            let fits = |&size: &u32| (at - start) % size == 0 && at + size <= end;
            let size = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
            let odd = stretch.odd != ((at - stretch.byte) % 2 == 1);
            let (phv, heap) = (self.phv.start, flags(AliasRegion::Heap));
            let word = self.b.ins().load(int(size), heap, phv, at as i32);
            let parts = if size == 8 {
                let low = self.b.ins().ireduce(I32, word);
                let low = self.b.ins().uextend(I64, low);
                let high = self.b.ins().ushr_imm(word, 32);
                [Some(low), Some(high)]
            } else {
                [Some(self.b.ins().uextend(I64, word)), None]
            };
            for part in parts.into_iter().flatten() {
                let part = if odd {
                    self.b.ins().ishl_imm(part, 8)
                } else {
                    part
                };
                total = self.b.ins().iadd(total, part);
            }
            at += size;
        }
        total
    }

    /// The complement of a sum with its carries, in the order of bytes that numbers have.
    fn complement(&mut self, sum: Ssa) -> Ssa {
        let mut sum = sum;
        // Each step leaves at most one bit more than the halves have: 33, 18, 17 and at last 16.
        for bits in [32, 16, 16, 16] {
            let low = self.b.ins().band_imm(sum, (1 << bits) - 1);
            let high = self.b.ins().ushr_imm(sum, bits);
            sum = self.b.ins().iadd(low, high);
        }
        let sum = self.b.ins().bnot(sum);
        let sum = self.b.ins().ireduce(I16, sum);
        let sum = self.b.ins().bswap(sum);
        self.b.ins().uextend(I64, sum)
    }
}
