// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs as machine code.
//!
//! A program's parser, conditions, actions, the way between its tables, checksums and deparser are compiled when it is
//! loaded. The interpreter remains what decides: code does exactly what `exec::action` and `exec::eval` do, calls them
//! for all that it does not cover (numbers above 128 bits, header stacks, clones, hashes), and gives way to them on
//! machines for which no code can be made. Tables whose entries never change are code as well; all others are looked up
//! by `tables`, from the code.

mod action;
mod checksum;
mod constant;
mod deparser;
mod emit;
mod expr;
mod frame;
mod memory;
mod parser;
mod pipeline;

use std::fmt;
use std::sync::Arc;

use cranelift_codegen::ir::{AliasRegion, InstBuilder};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::CodegenError;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{default_libcall_names, FuncId, Linkage, Module, ModuleError};

use super::action::Env;
use super::parser::ValueSets;
use super::program::Program;
use crate::externs::Externs;
use crate::tables::Tables;
use emit::{Calls, Emitter};
pub use frame::Parsed;
use frame::{Cells, Entry, Frame, Work};
use memory::Buffer;

/// The compiled pipelines of one program, for any number of switches.
pub struct Code {
    /// Owns the code; `None` only while it is dropped.
    module: Option<JITModule>,
    /// Verifies checksums as well.
    parser: Entry,
    /// Otherwise the parser is left to the interpreter, and its code verifies checksums alone.
    parses: bool,
    ingress: Entry,
    egress: Entry,
    deparser: Entry,
    /// As the program is loaded: addresses within the code may lead to what never changes in there.
    _tables: Arc<Tables>,
}

/// Code, bound to the state that it runs on.
pub struct Compiled {
    code: Arc<Code>,
    cells: Cells,
}

// SAFETY: code does not change, and the module is not used before it is dropped.
unsafe impl Send for Code {}
// SAFETY: as above; what addresses within the code lead to does not change either.
unsafe impl Sync for Code {}

// SAFETY: the pointers lead to cells that belong to the `Externs` beside it and are used through `&mut` alone.
unsafe impl Send for Compiled {}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Compiled")
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: nobody runs the code: its entries are ours alone, and who runs them has an `Arc` of us.
            unsafe { module.free_memory() }
        }
    }
}

/// Machines that the code is right for: words lie in memory with the least significant byte first, and the code
/// generator knows numbers of 128 bits.
const SUPPORTED: bool =
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) && cfg!(target_endian = "little");

/// Why no code came out.
type Failure = Box<ModuleError>;

impl Code {
    /// `None` where this machine has no code generator; the interpreter then does all of it.
    pub fn new(program: &Program, externs: &Externs, tables: &Arc<Tables>) -> Option<Self> {
        if !SUPPORTED {
            return None;
        }
        let native = match cranelift_native::builder() {
            Ok(native) => native,
            Err(reason) => {
                tracing::info!("programs are interpreted: {reason}");
                return None;
            }
        };
        let mut flags = settings::builder();
        let options = [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            (
                "enable_verifier",
                if cfg!(debug_assertions) {
                    "true"
                } else {
                    "false"
                },
            ),
        ];
        for (name, value) in options {
            flags.set(name, value).expect("the setting is known");
        }
        let compiled = native
            .finish(settings::Flags::new(flags))
            .map_err(|error: CodegenError| Failure::new(error.into()))
            .and_then(|isa| {
                let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
                emit::symbols(&mut builder);
                Self::compile(JITModule::new(builder), program, externs, tables)
            });
        match compiled {
            Ok(compiled) => Some(compiled),
            Err(error) => {
                tracing::error!("a program could not be compiled and is interpreted: {error}");
                None
            }
        }
    }

    fn compile(
        mut module: JITModule,
        program: &Program,
        externs: &Externs,
        tables: &Arc<Tables>,
    ) -> Result<Self, Failure> {
        let calls = emit::declare(&mut module)?;
        let mut function = |name: &str, body: &dyn Fn(&mut Emitter<'_, '_>)| {
            function(&mut module, name, &calls, body, program, externs, tables)
        };
        let parses = parser::ends(&program.parser);
        let parser = function("parser", &|emitter| match parses {
            true => emitter.parser(&program.parser),
            false => emitter.verifier(),
        })?;
        let ingress = function("ingress", &|emitter| emitter.pipeline(&program.ingress))?;
        let egress = function("egress", &|emitter| emitter.pipeline(&program.egress))?;
        let deparser = function("deparser", &|emitter| emitter.deparser(&program.deparser))?;
        module.finalize_definitions()?;
        let entry = |id: FuncId| {
            let code = module.get_finalized_function(id);
            // SAFETY: the function was defined with the signature of an entry.
            unsafe { std::mem::transmute::<*const u8, Entry>(code) }
        };
        Ok(Self {
            parser: entry(parser),
            parses,
            ingress: entry(ingress),
            egress: entry(egress),
            deparser: entry(deparser),
            module: Some(module),
            _tables: tables.clone(),
        })
    }
}

impl Compiled {
    /// `externs` are a switch's own, of the program that the code is of.
    pub fn new(code: Arc<Code>, externs: &mut Externs) -> Self {
        let cells = Cells::of(externs);
        Self { code, cells }
    }

    /// Parses the packet from its start and verifies its checksums.
    pub fn parse(&self, env: &mut Env<'_>, value_sets: &ValueSets, key: &mut Vec<u64>) -> Parsed {
        if self.code.parses {
            return self.run(self.code.parser, env, Work::Parser(value_sets, key));
        }
        let error = env.parse(value_sets, key);
        let (_, right) = self.run(self.code.parser, env, Work::Parser(value_sets, key));
        (error, right)
    }

    /// As [`Env::deparse`].
    pub fn deparse(&self, env: &mut Env<'_>) -> Vec<u8> {
        let packet = &env.packet;
        assert!(
            packet.parsed <= packet.data.len(),
            "headers come from the packet"
        );
        self.run(self.code.deparser, env, Work::Deparser);
        env.packet.take_data()
    }

    pub fn ingress(&self, env: &mut Env<'_>, tables: &mut Tables) {
        self.pipeline(self.code.ingress, env, tables);
    }

    pub fn egress(&self, env: &mut Env<'_>, tables: &mut Tables) {
        self.pipeline(self.code.egress, env, tables);
    }

    /// Does nothing for a packet that was stopped before.
    fn pipeline(&self, entry: Entry, env: &mut Env<'_>, tables: &mut Tables) {
        if !env.packet.requests.exit {
            self.run(entry, env, Work::Pipeline(tables));
        }
    }

    #[inline(always)]
    fn run(&self, entry: Entry, env: &mut Env<'_>, work: Work<'_>) -> Parsed {
        // SAFETY: `Core` keeps a program, its externs, its tables and its code together; who has a program's code has
        // state of that program.
        unsafe { frame::run(entry, &self.cells, env, work) }
    }
}

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
    let calls = calls.map(|call| module.declare_func_in_func(call, &mut context.func));
    let mut shared = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut context.func, &mut shared);
    let start = b.create_block();
    b.append_block_params_for_function_params(start);
    b.switch_to_block(start);
    let frame = b.block_params(start)[0];
    let flags = memory::flags(AliasRegion::Vmctx).with_readonly();
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
