// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The Tofino Native Architecture: the JSON of softswitch/docs/tna-json.md.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the passes over the program, and its place behind the seam |
//! | `blocks.rs` | the blocks of `Pipeline` and `Switch` |
//! | `names.rs` | names of objects as the control plane knows them |
//! | `state.rs` | headers and metadata of the blocks, intrinsic metadata |
//! | `validity.rs` | the bits that say which fields of metadata are written |
//! | `functions.rs`, `methods.rs` | calls of functions and of methods, which the next files hold: |
//! | `arguments.rs` | arguments and results of methods |
//! | `registers.rs`, `cells.rs` | registers and their actions, and what a cell holds |
//! | `meters.rs` | counters, meters, filters |
//! | `hashes.rs` | hashes and their algorithms |
//! | `parsing.rs` | the parser's counter |
//! | `checksums.rs` | checksum units of parsers and deparsers |
//! | `residuals.rs`, `deposits.rs` | what a unit subtracts by itself; that it deposits once for a packet |
//! | `copies.rs` | mirrors, resubmission, digests |
//! | `deparser.rs` | the two deparsers, in the JSON |
//! | `tables.rs` | properties of tables |
//! | `objects.rs`, `math_unit.rs` | the objects themselves, in the JSON |

mod arguments;
mod blocks;
mod cells;
mod checksums;
mod copies;
mod deparser;
mod deposits;
mod functions;
mod hashes;
mod math_unit;
mod meters;
mod methods;
mod names;
mod objects;
mod parsing;
mod registers;
mod residuals;
mod state;
mod tables;
mod validity;

use quench_p4_frontend::ir::{self, ExternId, Type};
use quench_p4_frontend::SourceMap;

use crate::emit::{self, Emitter, ParserKind};
use crate::error::{Result, Warnings};
use crate::json;
use crate::lower::Architecture;
use crate::lower::{Lower, LoweredTable, Value};
use crate::program;
use blocks::{Gress, EGRESS, INGRESS};
use state::State;

/// Enums of the architecture. The packet state never holds their values.
const ENUMS: [&str; 5] = [
    "MeterType_t",
    "CounterType_t",
    "SelectorMode_t",
    "HashAlgorithm_t",
    "MathOp_t",
];

/// Tofino 1.
pub struct Tna;

impl Architecture for Tna {
    fn translate(
        &self,
        ir: &ir::Program,
        sources: &SourceMap,
        program_name: &str,
    ) -> Result<(json::Program, Warnings)> {
        translate(ir, sources, program_name)
    }

    fn function(
        &self,
        lower: &mut Lower<'_>,
        name: &str,
        _type_args: &[Type],
        call: &ir::Call,
    ) -> Result<Option<Value>> {
        functions::call(lower, name, call)
    }

    fn method(
        &self,
        lower: &mut Lower<'_>,
        instance: ExternId,
        method: &str,
        call: &ir::Call,
    ) -> Result<Option<Value>> {
        methods::call(lower, instance, method, call)
    }

    fn property(
        &self,
        lower: &mut Lower<'_>,
        property: &ir::Property,
        table: &mut LoweredTable,
    ) -> Result<()> {
        tables::property(lower, property, table)
    }

    fn check_table(&self, _: &mut Lower<'_>, _: &ir::Table, _: &LoweredTable) {}

    fn match_kind(&self, kind: &str) -> Option<&'static str> {
        match kind {
            // The partition is one more part of the key.
            "exact" | "atcam_partition_index" => Some("exact"),
            "lpm" => Some("lpm"),
            "ternary" => Some("ternary"),
            "range" => Some("range"),
            _ => None,
        }
    }

    fn rejects(&self, _: &mut Lower<'_>, _: &ir::State) {}

    fn pads_headers(&self) -> bool {
        true
    }

    // On the chip validity is a bit of its own: fields keep what was written to them before.
    fn set_valid(&self) -> &'static str {
        "add_header_fast"
    }
}

fn translate(
    ir: &ir::Program,
    sources: &SourceMap,
    program_name: &str,
) -> Result<(json::Program, Warnings)> {
    let ir = &names::renamed(ir);
    let pipeline = blocks::pipeline(ir)?;
    let mut lower = Lower::new(ir, &Tna, State::default(), INGRESS.parser);
    let mut emitter = Emitter::new(ir, sources);
    emitter.program.program = program_name.to_owned();
    emitter.program.meta.architecture = Some("tna");

    state::add_intrinsic_metadata(&mut lower)?;
    state::find_selector_bits(&mut lower)?;
    let ingress = lowered(&mut lower, &INGRESS, &pipeline.ingress)?;
    let egress = lowered(&mut lower, &EGRESS, &pipeline.egress)?;
    let fields = std::mem::take(&mut state::of_mut(&mut lower).validity);
    for action in &mut lower.actions {
        validity::mark(&mut action.body, &fields);
        let action = emitter.action(action)?;
        emitter.action_names.insert(&action.name);
        emitter.program.actions.push(action);
    }
    let mut deparsers = Vec::new();
    for (id, (gress, mut body)) in [(&INGRESS, ingress), (&EGRESS, egress)]
        .into_iter()
        .enumerate()
    {
        validity::mark_parser(&mut body.parser, &fields);
        let kind = ParserKind {
            name: gress.parser_name,
            id,
            has_reject: true,
        };
        let parser = emit::parser(body.parser, &mut lower.layout, sources, &ir.errors, &kind)?;
        emitter.program.parsers.push(parser);
        validity::mark(&mut body.control, &fields);
        let control = &ir.controls[body.blocks.control.index()];
        emitter.pipeline(gress.control_name, control, body.control, &mut lower)?;
        validity::mark(&mut body.deparser, &fields);
        let control = &ir.controls[body.blocks.deparser.index()];
        deparsers.push((gress, control, body.deparser));
    }
    for (gress, control, body) in deparsers {
        deparser::add(&mut emitter, gress, control, body)?;
    }
    emitter.forget_unwritten_tables(&mut lower);
    objects::add(&mut emitter, &mut lower)?;
    state::note_read_errors(&mut emitter.program);
    program::finish(emitter, lower, &ENUMS, ir.main_span)
}

/// The three blocks of a gress as flat statements.
struct Lowered<'p> {
    blocks: &'p blocks::Blocks,
    parser: crate::flat::StateGraph,
    control: Vec<crate::flat::Stmt>,
    deparser: Vec<crate::flat::Stmt>,
}

fn lowered<'p>(
    lower: &mut Lower<'_>,
    gress: &Gress,
    blocks: &'p blocks::Blocks,
) -> Result<Lowered<'p>> {
    state::bind_all(lower, gress, blocks)?;
    let mut parser = lower.parser(blocks.parser, gress.parser)?;
    residuals::add_extracted(lower, &mut parser)?;
    let control = lower.control(blocks.control, gress.control)?;
    let deparser = lower.control(blocks.deparser, gress.deparser)?;
    Ok(Lowered {
        blocks,
        parser,
        control,
        deparser,
    })
}
