// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Machine code as a whole: made once, run for every packet.

#![allow(unsafe_code)]

use std::fmt;
use std::sync::Arc;

use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::CodegenError;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{default_libcall_names, FuncId};

use super::emit::{self, Emitter, Failure};
use super::frame::{self, Entry, Parsed, Work};
use super::function::function;
use crate::exec::env::Env;
use crate::exec::parser::ValueSets;
use crate::externs::Externs;
use crate::model::packet_bytes::PacketBytes;
use crate::program::{ControlNode, Program};
use crate::tables::Tables;

/// The compiled pipelines of one program, for any number of switches.
pub struct Code {
    parsers: Vec<ParserCode>,
    pipelines: Vec<Entry>,
    deparsers: Vec<Entry>,
    /// The size of the state of packets that the code is for.
    state_bytes: usize,
    /// The program that was compiled.
    program: Arc<Program>,
    /// As the program is loaded: addresses within the code may lead to what never changes in there.
    _tables: Arc<Tables>,
    _memory: Memory,
}

struct ParserCode {
    /// Verifies checksums as well.
    entry: Entry,
    /// Otherwise the parser is left to the interpreter, and its code verifies checksums alone.
    parses: bool,
}

/// The memory of the code; `None` only while it is dropped.
struct Memory(Option<JITModule>);

// SAFETY: code does not change, and the module is not used before it is dropped.
unsafe impl Send for Memory {}
// SAFETY: as above. Addresses within the code lead to what `Code` has for itself, which says of itself whether threads
// may share it.
unsafe impl Sync for Memory {}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: nobody runs the code: only the `Code` that owns this has its entries.
            unsafe { module.free_memory() }
        }
    }
}

/// Machines that the code is right for: words lie in memory with the least significant byte first, and the code
/// generator knows numbers of 128 bits.
const SUPPORTED: bool =
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) && cfg!(target_endian = "little");

/// Whether the code generator checks its own input: in tests. It takes 2/5 of the time in which a program is loaded.
const VERIFIER: &str = if cfg!(debug_assertions) {
    "true"
} else {
    "false"
};

fn flags() -> settings::Flags {
    let mut flags = settings::builder();
    let options = [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_verifier", VERIFIER),
    ];
    for (name, value) in options {
        flags.set(name, value).expect("the setting is known");
    }
    settings::Flags::new(flags)
}

/// Parts of a program, each table with all of its actions: code for more takes too long to make.
const MAX_PARTS: usize = 1 << 17;

/// Actions are compiled wherever they run, twice where hits and misses lead to different nodes.
fn parts(program: &Program) -> usize {
    let of = |action: u32| program.actions[action as usize].parts + 1;
    let nodes = program
        .pipelines
        .iter()
        .flat_map(|pipeline| &pipeline.nodes);
    let nodes = nodes.map(|node| match *node {
        ControlNode::Table(table) => {
            let def = &program.tables[table as usize];
            let ways = if def.next.hit.is_some() { 2 } else { 1 };
            let actions = def.actions.iter().map(|&action| of(action));
            actions.fold(1, usize::saturating_add).saturating_mul(ways)
        }
        ControlNode::Branch(..) => 1,
        ControlNode::Call(action, _) => of(action),
    });
    nodes.fold(program.exprs.len(), usize::saturating_add)
}

impl Code {
    /// `None` where this machine has no code generator; the interpreter then does all of it.
    /// `externs` and `tables` are as the program is loaded.
    pub fn new(program: &Arc<Program>, externs: &Externs, tables: &Arc<Tables>) -> Option<Self> {
        if !SUPPORTED {
            return None;
        }
        let parts = parts(program);
        if parts > MAX_PARTS {
            tracing::warn!(
                "the program is interpreted: its machine code would have {parts} parts, at most {MAX_PARTS} are made"
            );
            return None;
        }
        let native = match cranelift_native::builder() {
            Ok(native) => native,
            Err(reason) => {
                tracing::info!("programs are interpreted: {reason}");
                return None;
            }
        };
        let compiled = native
            .finish(flags())
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
        module: JITModule,
        program: &Arc<Program>,
        externs: &Externs,
        tables: &Arc<Tables>,
    ) -> Result<Self, Failure> {
        let mut memory = Memory(Some(module));
        let module = memory.0.as_mut().expect("it was just put there");
        let calls = emit::declare(module)?;
        let mut function = |name: &str, body: &dyn Fn(&mut Emitter<'_, '_>)| {
            function(module, name, &calls, body, program, externs, tables)
        };
        let parsers = program.parsers.iter().map(|parser| {
            let compiled = function(&format!("parser {}", parser.name), &|emitter| match parser
                .loops
            {
                false => emitter.parser(parser),
                true => emitter.verifier(),
            });
            Ok((compiled?, !parser.loops))
        });
        let parsers = parsers.collect::<Result<Vec<_>, Failure>>()?;
        let pipelines = program.pipelines.iter().map(|pipeline| {
            function(&format!("pipeline {}", pipeline.name), &|emitter| {
                emitter.pipeline(pipeline)
            })
        });
        let pipelines = pipelines.collect::<Result<Vec<_>, Failure>>()?;
        let deparsers = program.deparsers.iter().map(|deparser| {
            function(&format!("deparser {}", deparser.name), &|emitter| {
                emitter.deparser(deparser)
            })
        });
        let deparsers = deparsers.collect::<Result<Vec<_>, Failure>>()?;
        module.finalize_definitions()?;
        let entry = |id: FuncId| {
            let code = module.get_finalized_function(id);
            // SAFETY: the function was defined with the signature of an entry.
            unsafe { std::mem::transmute::<*const u8, Entry>(code) }
        };
        Ok(Self {
            parsers: parsers
                .into_iter()
                .map(|(id, parses)| ParserCode {
                    entry: entry(id),
                    parses,
                })
                .collect(),
            pipelines: pipelines.into_iter().map(entry).collect(),
            deparsers: deparsers.into_iter().map(entry).collect(),
            state_bytes: program.layout.bytes,
            program: program.clone(),
            _tables: tables.clone(),
            _memory: memory,
        })
    }
}

/// Running code. All of it reads and writes without checks what belongs to its program.
///
/// # Safety
/// The arguments of the functions below belong to the program that was compiled ([`Code::new`]): the externs and
/// tables began as the loaded ones ([`Externs::fresh`], a clone of the tables), entries came to the tables with actions
/// of the program, and the packet was made for its layout. The functions check the two conditions that are cheap:
/// the packet's state has the program's size and, in debug builds, `env` refers to the same program.
impl Code {
    /// Parses the packet from its start and verifies its checksums; blocks are given by their numbers.
    ///
    /// # Safety
    /// That of running code.
    #[inline(always)]
    pub unsafe fn parse(
        &self,
        parser: usize,
        env: &mut Env<'_>,
        value_sets: &ValueSets,
        key: &mut Vec<u64>,
    ) -> Parsed {
        let code = &self.parsers[parser];
        if code.parses {
            // SAFETY: the caller's promise.
            return unsafe { self.run(code.entry, env, Work::Parser(value_sets, key)) };
        }
        let error = env.parse::<false>(&env.program.parsers[parser], value_sets, key);
        // SAFETY: the caller's promise.
        let (_, right) = unsafe { self.run(code.entry, env, Work::Parser(value_sets, key)) };
        (error, right)
    }

    /// As [`Env::deparse`].
    ///
    /// # Safety
    /// That of running code.
    #[inline(always)]
    pub unsafe fn deparse(&self, deparser: usize, env: &mut Env<'_>) -> PacketBytes {
        let packet = &env.packet;
        assert!(
            packet.parsed <= packet.data.real().len(),
            "headers come from the packet"
        );
        // SAFETY: the caller's promise.
        unsafe { self.run(self.deparsers[deparser], env, Work::Deparser) };
        env.packet.take_data()
    }

    /// As [`Env::apply`].
    ///
    /// # Safety
    /// That of running code.
    #[inline(always)]
    pub unsafe fn apply(&self, pipeline: usize, env: &mut Env<'_>, tables: &mut Tables) {
        // SAFETY: the caller's promise.
        unsafe { self.run(self.pipelines[pipeline], env, Work::Pipeline(tables)) };
    }

    /// A pipeline does nothing for a packet that was stopped before.
    ///
    /// # Safety
    /// That of running code; `entry` is one of this code.
    #[inline(always)]
    unsafe fn run(&self, entry: Entry, env: &mut Env<'_>, work: Work<'_>) -> Parsed {
        debug_assert!(
            std::ptr::eq(env.program, &*self.program),
            "code runs with what is its program's"
        );
        assert!(
            env.packet.phv.bytes.len() == self.state_bytes,
            "code runs on packets of its program's size"
        );
        if env.packet.requests.exit && matches!(work, Work::Pipeline(_)) {
            return (0, true);
        }
        // SAFETY: the caller's promise.
        unsafe { frame::run(entry, env, work) }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, AssertUnwindSafe};

    use super::*;
    use crate::exec::jit::fixture::Fixture;
    use crate::exec::packet::Packet;

    #[test]
    fn all_code_is_verified_in_tests() {
        assert!(flags().enable_verifier());
    }

    fn text_of_panic(run: impl FnOnce()) -> String {
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a helper panicked");
        *panic.downcast().expect("a text with numbers")
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri does not run machine code")]
    fn a_panic_in_a_helper_is_one_of_the_caller_of_the_code() {
        let mut fixture = Fixture::new();
        let Some(code) = fixture.code() else { return };
        let mut packet = fixture.packet();
        let mut key = Vec::new();
        let mut parse = |fixture: &mut Fixture, packet: &mut Packet| {
            let (mut env, _) = fixture.with(packet);
            // SAFETY: all is the fixture's. Here and below, only helpers use what is damaged, and they check it.
            unsafe { code.parse(0, &mut env, &[], &mut key) }
        };
        assert_eq!(parse(&mut fixture, &mut packet), (0, false));
        let hashers = std::mem::take(&mut fixture.externs.hashers);
        let no_hasher = "the len is 0 but the index is 0";
        let text = text_of_panic(|| {
            parse(&mut fixture, &mut packet);
        });
        assert!(text.contains(no_hasher), "{text}");
        let text = text_of_panic(|| {
            let (mut env, tables) = fixture.with(&mut packet);
            // SAFETY: see above.
            unsafe { code.apply(1, &mut env, tables) }
        });
        assert!(text.contains(no_hasher), "{text}");
        let text = text_of_panic(|| {
            // SAFETY: see above.
            drop(unsafe { code.deparse(0, &mut fixture.with(&mut packet).0) });
        });
        assert!(text.contains(no_hasher), "{text}");

        // No room for the headers: the code must not write them.
        fixture.externs.hashers = hashers;
        packet.parsed = packet.data.len() + 1;
        let text = text_of_panic(|| {
            let (mut env, _) = fixture.with(&mut packet);
            // SAFETY: see above.
            unsafe { code.run(code.deparsers[0], &mut env, Work::Deparser) };
        });
        assert!(text.contains("range start index 9"), "{text}");
        assert!(packet.data.is_empty());
    }
}
