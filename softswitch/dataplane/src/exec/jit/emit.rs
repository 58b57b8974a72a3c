// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What one function of machine code is made with.

use cranelift_codegen::ir::types::{I32, I64, I8};
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, Block, FuncRef, InstBuilder, Signature, Type, Value as Ssa,
};
use cranelift_frontend::FunctionBuilder;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};

use super::frame::{self, Fault, Frame};
use super::memory::{flags, Buffer};
use super::Failure;
use crate::exec::expr::CondId;
use crate::exec::program::Program;
use crate::externs::Externs;
use crate::tables::Tables;

/// The functions that compiled code calls: names, arguments behind the frame, results.
const CALLS: [(&str, &[Type], Type); 16] = [
    ("lookup", &[I32, I32], I64),
    ("find", &[I32, I32], I64),
    ("find_exact", &[I64, I64], I64),
    ("find_lpm", &[I64, I64], I64),
    ("choose", &[I32, I32], I64),
    ("apply", &[I32], I64),
    ("perform", &[I32, I32], I8),
    ("condition", &[I32], I8),
    ("random", &[I64, I64], I64),
    ("fault", &[I32], I8),
    ("parse_state", &[I32], I64),
    ("verify", &[I32], I8),
    ("update", &[I32], I8),
    ("finish", &[], I8),
    ("resize", &[I64], I64),
    ("emit", &[], I8),
];

pub type Calls<T> = [T; CALLS.len()];

#[derive(Clone, Copy)]
pub enum Call {
    Lookup,
    Find,
    FindExact,
    FindLpm,
    Choose,
    Apply,
    Perform,
    Condition,
    Random,
    Fault,
    ParseState,
    Verify,
    Update,
    Finish,
    Resize,
    Emit,
}

pub fn symbols(builder: &mut JITBuilder) {
    let addresses = [
        frame::lookup as *const u8,
        frame::find as *const u8,
        frame::find_exact as *const u8,
        frame::find_lpm as *const u8,
        frame::choose as *const u8,
        frame::apply as *const u8,
        frame::perform as *const u8,
        frame::condition as *const u8,
        frame::random as *const u8,
        frame::fault as *const u8,
        frame::parse_state as *const u8,
        frame::verify as *const u8,
        frame::update as *const u8,
        frame::finish as *const u8,
        frame::resize as *const u8,
        frame::emit as *const u8,
    ];
    builder.symbols(
        CALLS
            .iter()
            .zip(addresses)
            .map(|(call, address)| (call.0, address)),
    );
}

/// Declares the functions of [`symbols`].
pub fn declare(module: &mut JITModule) -> Result<Calls<FuncId>, Failure> {
    let mut ids = [FuncId::from_u32(0); CALLS.len()];
    for (id, (name, params, result)) in ids.iter_mut().zip(CALLS) {
        let mut signature = entry_signature(module);
        signature
            .params
            .extend(params.iter().map(|&param| AbiParam::new(param)));
        signature.returns.push(AbiParam::new(result));
        *id = module.declare_function(name, Linkage::Import, &signature)?;
    }
    Ok(ids)
}

/// Of a compiled pipeline: it takes the frame.
pub fn entry_signature(module: &JITModule) -> Signature {
    let mut signature = module.make_signature();
    let pointer = module.target_config().pointer_type();
    signature.params.push(AbiParam::new(pointer));
    signature
}

pub struct Emitter<'a, 'f> {
    pub program: &'a Program,
    pub tables: &'a Tables,
    pub externs: &'a Externs,
    pub register_cells: Vec<(u32, u64)>,
    pub counter_cells: Vec<u64>,
    pub b: FunctionBuilder<'f>,
    pub calls: Calls<FuncRef>,
    pub frame: Ssa,
    pub phv: Buffer,
    /// The parameters of the action that is being compiled.
    pub params: Option<Buffer>,
    /// Where the function ends.
    pub end: Block,
}

impl Emitter<'_, '_> {
    /// A pointer or number in the frame.
    pub fn frame_word(&mut self, offset: i32) -> Ssa {
        let frame = self.frame;
        self.b
            .ins()
            .load(I64, flags(AliasRegion::Vmctx), frame, offset)
    }

    pub fn call(&mut self, call: Call, args: &[Ssa]) -> Ssa {
        let mut all = vec![self.frame];
        all.extend_from_slice(args);
        let inst = self.b.ins().call(self.calls[call as usize], &all);
        self.b.inst_results(inst)[0]
    }

    pub fn number(&mut self, number: u32) -> Ssa {
        self.b.ins().iconst(I32, i64::from(number))
    }

    /// A condition by the interpreter.
    pub fn ask(&mut self, cond: CondId) -> Ssa {
        let cond = self.number(cond);
        self.call(Call::Condition, &[cond])
    }

    pub fn fault(&mut self, fault: Fault) {
        let fault = self.number(fault as u32);
        self.call(Call::Fault, &[fault]);
    }

    /// Goes on where `stop` is 0, and to the end of the pipeline otherwise.
    pub fn stop_if(&mut self, stop: Ssa) {
        let on = self.b.create_block();
        let end = self.end;
        self.b.ins().brif(stop, end, &[], on, &[]);
        self.b.switch_to_block(on);
    }

    /// The parameters in the frame, for the action that is compiled next.
    pub fn take_params(&mut self, data_bytes: u32) {
        let start = self.frame_word(Frame::PARAMS);
        self.params = Some(Buffer {
            start,
            slots: (0, data_bytes),
        });
    }
}
