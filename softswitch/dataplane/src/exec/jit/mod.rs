// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs as machine code.
//!
//! A program's parser, conditions, actions, the way between its tables, checksums and deparser are compiled when it is
//! loaded. The interpreter remains what decides: code does exactly what `exec::action` and `exec::eval` do, calls them
//! for all that it does not cover (numbers above 128 bits, header stacks, clones, hashes), and gives way to them on
//! machines for which no code can be made. Tables whose entries never change are code as well; all others are looked up
//! by `tables`, from the code.
//!
//! In: a program that `exec::proof` has accepted. Out: functions in memory, one for each block. Begin with `code.rs`;
//! `pipeline.rs`, `parser.rs` and `action.rs` translate one kind of thing each.

mod action;
mod buffer;
mod checksum;
mod code;
mod constant;
mod deparser;
mod emit;
mod expr;
#[cfg(test)]
mod fixture;
mod frame;
mod helpers;
mod memory;
mod parser;
mod pipeline;

use cranelift_codegen::ir::{AliasRegion, InstBuilder};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Linkage, Module};

use crate::externs::Externs;
use crate::program::Program;
use crate::tables::Tables;
use buffer::{flags, Buffer};
pub use code::Code;
use emit::{Calls, Emitter, Failure};
use frame::Frame;

fn function(
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
