// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The state while one function of machine code is emitted.

use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, Block, FuncRef, Inst, InstBuilder, Signature, Value as Ssa,
};
use cranelift_frontend::FunctionBuilder;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError};

use super::buffer::{flags, Buffer};
use super::frame::Frame;
use super::helpers::{self, Call, Fault};
use crate::externs::Externs;
use crate::model::ids::CondId;
use crate::program::Program;
use crate::tables::Tables;

/// The reason that no code came out.
pub type Failure = Box<ModuleError>;

/// One value for each [`Call`].
pub type Calls<T> = Vec<T>;

pub fn symbols(builder: &mut JITBuilder) {
    builder.symbols(helpers::all().map(|helper| (helper.symbol, helper.address)));
}

/// Declares the functions of [`symbols`].
pub fn declare(module: &mut JITModule) -> Result<Calls<FuncId>, Failure> {
    let declared = helpers::all().map(|helper| {
        let mut signature = entry_signature(module);
        let params = helper.params.into_iter().map(AbiParam::new);
        signature.params.extend(params);
        signature.returns.extend(helper.result.map(AbiParam::new));
        let id = module.declare_function(helper.symbol, Linkage::Import, &signature)?;
        Ok(id)
    });
    declared.collect()
}

/// The signature of a compiled pipeline: it takes the frame.
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
    /// The block in which the function ends.
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

    /// Calls a helper that gives something.
    pub fn call(&mut self, call: Call, args: &[Ssa]) -> Ssa {
        let inst = self.emit_call(call, args);
        self.b.inst_results(inst)[0]
    }

    /// Calls a helper.
    pub fn emit_call(&mut self, call: Call, args: &[Ssa]) -> Inst {
        let mut all = vec![self.frame];
        all.extend_from_slice(args);
        self.b.ins().call(self.calls[call as usize], &all)
    }

    pub fn number(&mut self, number: u32) -> Ssa {
        self.b.ins().iconst(I32, i64::from(number))
    }

    /// A condition by the interpreter.
    pub fn interpreted_condition(&mut self, cond: CondId) -> Ssa {
        let cond = self.number(cond);
        self.call(Call::Condition, &[cond])
    }

    pub fn fault(&mut self, fault: Fault) {
        let fault = self.number(fault as u32);
        self.emit_call(Call::Fault, &[fault]);
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
