// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Running parsers.

use super::env::Env;
use crate::model::ids::{HeaderId, Value, END};
use crate::program::{KeySource, ParseCase, ParseOp, ParseState, Parser};
use crate::state::key::{put, put_limbs};
use crate::state::loc::copy_bits;
use crate::tables::ternary::TernaryKey;

/// Members of the program's value sets.
pub type ValueSets = [Vec<TernaryKey>];

/// The parser gave up with one of the program's errors.
pub struct Failed(pub u32);

impl Env<'_> {
    /// Parses the packet from its start; gives the error.
    pub fn parse<const TRACED: bool>(
        &mut self,
        parser: &Parser,
        value_sets: &ValueSets,
        key: &mut Vec<u64>,
    ) -> u32 {
        self.packet.parsed = 0;
        let program = self.program;
        let errors = program.errors;
        let mut state = parser.first;
        while let Some(current) = program.states.get(state as usize) {
            if parser.loops && !self.pay(current.work) {
                return errors.parser_timeout;
            }
            if let Some(coverage) = &program.coverage {
                coverage.state(state);
            }
            if TRACED {
                self.note_state(state);
            }
            let outcome = self.state::<TRACED>(current, value_sets, key);
            if TRACED {
                self.note_outcome(current, key, &outcome);
            }
            match outcome {
                Ok(next) => state = next,
                Err(Failed(error)) => return error,
            }
        }
        errors.no_error
    }

    pub fn state<const TRACED: bool>(
        &mut self,
        state: &ParseState,
        value_sets: &ValueSets,
        key: &mut Vec<u64>,
    ) -> Result<u32, Failed> {
        for op in &state.ops {
            self.parse_op::<TRACED>(op)?;
            if TRACED {
                self.note_parser_op(op);
            }
            if self.packet.requests.abort.is_some() {
                return Ok(END);
            }
        }
        if state.key.is_empty() {
            return Ok(state.default);
        }
        self.select_key(state, key)?;
        for case in &state.cases {
            match case {
                ParseCase::Masked(value, mask, next) => {
                    let words = key.iter().zip(value.iter().zip(mask));
                    if words.fold(0, |diff, (key, (value, mask))| diff | (key ^ value) & mask) == 0
                    {
                        return Ok(*next);
                    }
                }
                ParseCase::ValueSet(set, mask, next) => {
                    let members = &value_sets[*set as usize];
                    if members
                        .iter()
                        .any(|member| member.matches_with(key, mask.as_deref()))
                    {
                        return Ok(*next);
                    }
                }
            }
        }
        Ok(state.default)
    }

    fn select_key(&mut self, state: &ParseState, key: &mut Vec<u64>) -> Result<(), Failed> {
        let errors = self.program.errors;
        key.clear();
        key.resize(state.key_bytes / 8, 0);
        for part in &state.key {
            let nbytes = part.bits.div_ceil(8);
            let value = match &part.source {
                KeySource::Field(loc) if part.bits <= 64 => loc.read_u64(&self.packet.phv.bytes),
                KeySource::Field(loc) => {
                    let mut limbs = vec![0; part.bits.div_ceil(64) as usize];
                    loc.read_limbs(&self.packet.phv.bytes, &mut limbs);
                    put_limbs(key, part.at, nbytes, &limbs);
                    continue;
                }
                KeySource::HeaderField(header, rel) => {
                    let Some(id) = self.ctx(&[]).header(*header) else {
                        return Err(Failed(errors.stack_out_of_bounds));
                    };
                    let loc = rel.rebased(self.program.layout.headers[id as usize].byte);
                    let mut limbs = [0; 2];
                    if part.bits > 128 {
                        let mut limbs = vec![0; part.bits.div_ceil(64) as usize];
                        loc.read_limbs(&self.packet.phv.bytes, &mut limbs);
                        put_limbs(key, part.at, nbytes, &limbs);
                        continue;
                    }
                    loc.read_limbs(&self.packet.phv.bytes, &mut limbs);
                    put_limbs(key, part.at, nbytes, &limbs);
                    continue;
                }
                KeySource::Lookahead(offset) => {
                    let bits = *offset + part.bits;
                    if !self.packet.reaches(bits.div_ceil(8) as usize) {
                        return Err(Failed(errors.packet_too_short));
                    }
                    let rest = &self.packet.data.real()[self.packet.parsed..];
                    let mut bytes = [0u8; 8];
                    if part.bits > 64 {
                        let mut long = vec![0u8; part.bits.div_ceil(64) as usize * 8];
                        let end = long.len() * 8 - part.bits as usize;
                        copy_bits(rest, *offset as usize, &mut long, end, part.bits as usize);
                        let limbs: Vec<u64> = long
                            .rchunks_exact(8)
                            .map(|limb| u64::from_be_bytes(limb.try_into().expect("8 bytes")))
                            .collect();
                        put_limbs(key, part.at, nbytes, &limbs);
                        continue;
                    }
                    copy_bits(
                        rest,
                        *offset as usize,
                        &mut bytes,
                        64 - part.bits as usize,
                        part.bits as usize,
                    );
                    u64::from_be_bytes(bytes)
                }
            };
            put(key, part.at, nbytes, value);
        }
        Ok(())
    }

    fn parse_op<const TRACED: bool>(&mut self, op: &ParseOp) -> Result<(), Failed> {
        let (layout, errors) = (&self.program.layout, self.program.errors);
        match op {
            ParseOp::Extract(header) => self.extract(*header, 0),
            ParseOp::ExtractVar(header, length) => self.extract_var(*header, *length),
            ParseOp::ExtractNext(stack, length) => {
                let stack = &layout.stacks[*stack as usize];
                let next = self.packet.phv.next[stack.next as usize];
                let Some(&header) = stack.headers.get(next as usize) else {
                    return Err(Failed(errors.stack_out_of_bounds));
                };
                match length.or(layout.headers[header as usize].var_length) {
                    Some(length) => self.extract_var(header, length)?,
                    None => self.extract(header, 0)?,
                }
                self.packet.phv.next[stack.next as usize] += 1;
                Ok(())
            }
            ParseOp::ExtractNextUnion(stack, member, length) => {
                let stack = &layout.union_stacks[*stack as usize];
                let next = self.packet.phv.next[stack.next as usize];
                let Some(&union) = stack.unions.get(next as usize) else {
                    return Err(Failed(errors.stack_out_of_bounds));
                };
                let header = layout.unions[union as usize].headers[*member as usize];
                match length.or(layout.headers[header as usize].var_length) {
                    Some(length) => self.extract_var(header, length)?,
                    None => self.extract(header, 0)?,
                }
                self.packet.phv.next[stack.next as usize] += 1;
                Ok(())
            }
            ParseOp::SetVar(dst, src) => {
                self.packet.phv.copy_var(layout, *src, *dst);
                Ok(())
            }
            ParseOp::Lookahead(loc, offset, bits) => {
                if !self.packet.reaches((offset + bits).div_ceil(8) as usize) {
                    return Err(Failed(errors.packet_too_short));
                }
                let rest = &self.packet.data.real()[self.packet.parsed..];
                let (src, dst) = (*bits as usize, loc.bits as usize);
                let (start, count) = (*offset as usize + src.saturating_sub(dst), src.min(dst));
                let to = loc.byte as usize * 8 + usize::from(loc.bit);
                loc.write_u64(&mut self.packet.phv.bytes, 0);
                copy_bits(
                    rest,
                    start,
                    &mut self.packet.phv.bytes,
                    to + dst - count,
                    count,
                );
                Ok(())
            }
            ParseOp::Verify(condition, error) => {
                let ctx = self.ctx(&[]);
                if ctx.bool(*condition) {
                    Ok(())
                } else {
                    Err(Failed(ctx.low64(*error) as u32))
                }
            }
            ParseOp::Advance(bits) => {
                let bits = self.ctx(&[]).index(*bits);
                if bits % 8 != 0 {
                    return Err(Failed(errors.parser_invalid_argument));
                }
                self.take((bits / 8) as usize).map(drop)
            }
            ParseOp::Primitive(op) => {
                self.run::<TRACED>(std::slice::from_ref(op), &[]);
                Ok(())
            }
        }
    }

    /// Moves on by `bytes`; gives where they started.
    fn take(&mut self, bytes: usize) -> Result<usize, Failed> {
        if !self.packet.reaches(bytes) {
            return Err(Failed(self.program.errors.packet_too_short));
        }
        let start = self.packet.parsed;
        self.packet.parsed += bytes;
        Ok(start)
    }

    fn extract(&mut self, header: HeaderId, var_bits: u32) -> Result<(), Failed> {
        let fixed = self.program.layout.headers[header as usize].fixed_bytes;
        let start = self.take((fixed + var_bits / 8) as usize)?;
        let packet = &mut *self.packet;
        packet.phv.extract(
            &self.program.layout,
            header,
            &packet.data.real()[start..],
            var_bits,
        );
        Ok(())
    }

    fn extract_var(&mut self, header: HeaderId, length: Value) -> Result<(), Failed> {
        let errors = self.program.errors;
        let def = &self.program.layout.headers[header as usize];
        let Some(var) = def.var else {
            return self.extract(header, 0);
        };
        if def.var_length.is_some() {
            // The length may be a function of the fields in front.
            if !self.packet.reaches(def.fixed_bytes as usize) {
                return Err(Failed(errors.packet_too_short));
            }
            let rest = &self.packet.data.real()[self.packet.parsed..];
            let to = def.byte as usize * 8;
            copy_bits(
                rest,
                0,
                &mut self.packet.phv.bytes,
                to,
                var.before_bits as usize,
            );
        }
        let bits = self.ctx(&[]).index(length);
        if bits % 8 != 0 {
            return Err(Failed(errors.parser_invalid_argument));
        }
        let bytes = (bits / 8).saturating_add(u64::from(def.fixed_bytes));
        if (self.packet.payload_bytes() as u64) < bytes {
            return Err(Failed(errors.packet_too_short));
        }
        let too_long = var.max_header_bytes != 0 && bytes > u64::from(var.max_header_bytes);
        if too_long || bits / 8 > u64::from(var.max_bytes) {
            return Err(Failed(errors.header_too_short));
        }
        self.extract(header, bits as u32)
    }
}
