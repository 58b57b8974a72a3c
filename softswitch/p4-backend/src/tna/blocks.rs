// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The blocks of `Pipeline` and `Switch`.

use quench_p4_frontend::ir::{self, ControlId, PackageInstance, ParserId, Value};

use crate::error::{not_supported, Error, Result};
use crate::lower::{Block, BlockKind};

/// One way through the switch, with the names that its blocks have in the JSON and in messages.
pub struct Gress {
    /// The prefix of the headers' and metadata's instances.
    pub prefix: &'static str,
    pub parser: Block,
    pub control: Block,
    pub deparser: Block,
    pub parser_name: &'static str,
    pub control_name: &'static str,
    pub deparser_name: &'static str,
    /// Instance of the metadata for the deparser.
    pub for_deparser: &'static str,
}

pub const INGRESS: Gress = Gress {
    prefix: "ingress",
    parser: block(BlockKind::Parser, "the ingress parser"),
    control: block(BlockKind::Pipeline, "ingress"),
    deparser: block(BlockKind::Deparser, "the ingress deparser"),
    parser_name: "ingress_parser",
    control_name: "ingress",
    deparser_name: "ingress_deparser",
    for_deparser: "ingress_intrinsic_metadata_for_deparser",
};

pub const EGRESS: Gress = Gress {
    prefix: "egress",
    parser: block(BlockKind::Parser, "the egress parser"),
    control: block(BlockKind::Pipeline, "egress"),
    deparser: block(BlockKind::Deparser, "the egress deparser"),
    parser_name: "egress_parser",
    control_name: "egress",
    deparser_name: "egress_deparser",
    for_deparser: "egress_intrinsic_metadata_for_deparser",
};

const fn block(kind: BlockKind, name: &'static str) -> Block {
    Block { kind, name }
}

/// The gress that a block belongs to.
pub fn gress_of(block: Block) -> &'static Gress {
    let is_ingress = [INGRESS.parser, INGRESS.control, INGRESS.deparser].contains(&block);
    if is_ingress {
        &INGRESS
    } else {
        &EGRESS
    }
}

/// The blocks of one gress.
pub struct Blocks {
    pub parser: ParserId,
    pub control: ControlId,
    pub deparser: ControlId,
}

pub struct Pipeline {
    pub ingress: Blocks,
    pub egress: Blocks,
}

/// The only pipeline of `main`.
pub fn pipeline(ir: &ir::Program) -> Result<Pipeline> {
    let span = ir.main_span;
    let Some(main) = &ir.main else {
        return Err(Error::new(span, "the program has no `main`"));
    };
    if let Some((name, Value::Package(_))) = main.args.get(1) {
        return not_supported(
            span,
            format_args!(
                "several pipelines: {} has an argument for `{name}`, and the switch runs one",
                main.type_name
            ),
        );
    }
    match main.args.first() {
        Some((_, Value::Package(pipeline))) => Ok(Pipeline {
            ingress: Blocks {
                parser: parser(ir, pipeline, &["ingress_parser", "ig_prsr"])?,
                control: control(ir, pipeline, "ingress")?,
                deparser: control(ir, pipeline, "ingress_deparser")?,
            },
            egress: Blocks {
                parser: parser(ir, pipeline, &["egress_parser", "eg_prsr"])?,
                control: control(ir, pipeline, "egress")?,
                deparser: control(ir, pipeline, "egress_deparser")?,
            },
        }),
        _ => not_supported(span, format_args!("package {}", main.type_name)),
    }
}

fn parser(ir: &ir::Program, pipeline: &PackageInstance, names: &[&str]) -> Result<ParserId> {
    let arg = pipeline
        .args
        .iter()
        .find(|(name, _)| names.contains(&name.as_str()));
    match arg {
        Some((_, Value::Parser(id))) => Ok(*id),
        // One for each port.
        Some((name, Value::Package(parsers))) => match parsers.args.as_slice() {
            [(_, Value::Parser(id))] => Ok(*id),
            _ => not_supported(
                ir.main_span,
                format_args!("several parsers in one pipeline: `{name}` has more than `prsr0`"),
            ),
        },
        _ => not_supported(ir.main_span, "a pipeline without all of its blocks"),
    }
}

fn control(ir: &ir::Program, pipeline: &PackageInstance, wanted: &str) -> Result<ControlId> {
    match pipeline.args.iter().find(|(name, _)| name == wanted) {
        Some((_, Value::Control(id))) => Ok(*id),
        _ => not_supported(ir.main_span, "a pipeline without all of its blocks"),
    }
}
