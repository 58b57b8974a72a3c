// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One function of machine code, around what its body emits.

use cranelift_codegen::ir::{AliasRegion, InstBuilder};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Linkage, Module};

use super::buffer::{flags, Buffer};
use super::emit::{self, Calls, Emitter, Failure};
use super::frame::Frame;
use crate::externs::Externs;
use crate::program::Program;
use crate::tables::Tables;

pub fn function(
    module: &mut JITModule,
    name: &str,
    calls: &Calls<FuncId>,
    body: &dyn Fn(&mut Emitter<'_, '_>),
    program: &Program,
    externs: &Externs,
    tables: &Tables,
) -> Result<FuncId, Failure> {
    let signature = emit::entry_signature(module);
    let id = module.declare_function(name, Linkage::Export, &signature)?;
    let mut context = module.make_context();
    context.func.signature = signature;
    let calls = calls.iter();
    let calls = calls
        .map(|&call| module.declare_func_in_func(call, &mut context.func))
        .collect();
    let mut shared = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut context.func, &mut shared);
    let start = b.create_block();
    b.append_block_params_for_function_params(start);
    b.switch_to_block(start);
    let frame = b.block_params(start)[0];
    let flags = flags(AliasRegion::Vmctx).with_readonly();
    let phv = b.ins().load(
        module.target_config().pointer_type(),
        flags,
        frame,
        Frame::PHV,
    );
    let end = b.create_block();
    let metadata = &program.layout.metadata;
    let registers = externs.registers.iter();
    let mut emitter = Emitter {
        program,
        tables,
        externs,
        register_cells: registers
            .map(|array| (array.bits, array.len() as u64))
            .collect(),
        counter_cells: externs
            .counters
            .iter()
            .map(|array| array.cells.len() as u64)
            .collect(),
        b,
        calls,
        frame,
        phv: Buffer {
            start: phv,
            slots: (metadata.start as u32, metadata.end as u32),
        },
        params: None,
        end,
    };
    body(&mut emitter);
    emitter.b.seal_all_blocks();
    emitter.b.finalize();
    module.define_function(id, &mut context)?;
    Ok(id)
}
