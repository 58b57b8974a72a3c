// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Deparsers: headers are copied to the packet by accesses of constant size. A packet with a valid header of variable
//! length, or of very many bytes, is left to the interpreter.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AliasRegion, InstBuilder, Value as Ssa};

use super::emit::Emitter;
use super::frame::Frame;
use super::helpers::Call;
use super::parser::MAX_HEADER_BYTES;
use crate::model::ids::HeaderId;
use crate::program::Deparser;

impl Emitter<'_, '_> {
    /// As `Env::deparse`.
    pub fn deparser(&mut self, deparser: &Deparser) {
        self.update();
        if !deparser.ops.is_empty() {
            let number = self.number(deparser.number);
            self.emit_call(Call::Finish, &[number]);
        }
        let headers = &self.program.layout.headers;
        let simple = |&header: &HeaderId| {
            let def = &headers[header as usize];
            def.var.is_none() && def.fixed_bytes <= MAX_HEADER_BYTES
        };
        let (plain, odd): (Vec<HeaderId>, Vec<HeaderId>) =
            deparser.order.iter().copied().partition(simple);
        let general = self.b.create_block();
        self.b.set_cold_block(general);
        self.unless_valid(&odd, general);
        self.emit(&plain);
        let end = self.end;
        self.b.ins().jump(end, &[]);

        self.b.switch_to_block(general);
        let number = self.number(deparser.number);
        self.emit_call(Call::Emit, &[number]);
        self.b.ins().jump(end, &[]);
        self.b.switch_to_block(end);
        self.b.ins().return_(&[]);
    }

    /// Copies the valid ones of headers of fixed length to the packet, which gets the room that they take.
    fn emit(&mut self, headers: &[HeaderId]) {
        let defs = &self.program.layout.headers;
        let zero = self.b.ins().iconst(I64, 0);
        let mut length = zero;
        for &header in headers {
            let valid = self.is_valid(header);
            let nbytes = i64::from(defs[header as usize].fixed_bytes);
            let nbytes = self.b.ins().iconst(I64, nbytes);
            let nbytes = self.b.ins().select(valid, nbytes, zero);
            length = self.b.ins().iadd(length, nbytes);
        }
        let data = self.room(length);
        let mut at = data;
        for &header in headers {
            let def = &defs[header as usize];
            let (byte, nbytes) = (def.byte as i32, def.fixed_bytes);
            let (write, next) = (self.b.create_block(), self.b.create_block());
            self.b.append_block_param(next, I64);
            let valid = self.is_valid(header);
            self.b.ins().brif(valid, write, &[], next, &[at.into()]);
            self.b.switch_to_block(write);
            let phv = (self.phv.start, byte, AliasRegion::Heap);
            self.copy(phv, (at, 0, AliasRegion::Table), nbytes);
            let behind = self.b.ins().iadd_imm(at, i64::from(nbytes));
            self.b.ins().jump(next, &[behind.into()]);
            self.b.switch_to_block(next);
            at = self.b.block_params(next)[0];
        }
    }

    /// The packet's bytes, with room for headers of `length` bytes in place of what the parser consumed.
    fn room(&mut self, length: Ssa) -> Ssa {
        let (other, ready) = (self.b.create_block(), self.b.create_block());
        self.b.append_block_param(ready, I64);
        let data = self.frame_word(Frame::DATA);
        let parsed = self.frame_word(Frame::PARSED);
        let same = self.b.ins().icmp(IntCC::Equal, length, parsed);
        self.b.ins().brif(same, ready, &[data.into()], other, &[]);
        self.b.switch_to_block(other);
        let data = self.call(Call::Resize, &[length]);
        let end = self.end;
        self.b.ins().brif(data, ready, &[data.into()], end, &[]);
        self.b.switch_to_block(ready);
        self.b.block_params(ready)[0]
    }
}
