// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The parsers, controls and deparsers of the switch's pipelines.

use crate::diagnostics::Diagnostics;
use crate::ir::{ControlId, PackageInstance, ParserId, Program, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gress {
    Ingress,
    Egress,
}

impl Gress {
    pub fn describe(self) -> &'static str {
        match self {
            Gress::Ingress => "ingress",
            Gress::Egress => "egress",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Parser,
    Control,
    Deparser,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    Parser(ParserId),
    Control(ControlId),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Number of the pipeline.
    pub pipe: usize,
    pub gress: Gress,
    pub kind: Kind,
    pub root: Root,
}

impl Block {
    pub fn describe(&self) -> String {
        let gress = self.gress.describe();
        match self.kind {
            Kind::Parser => format!("the {gress} parser"),
            Kind::Control => format!("the {gress} control"),
            Kind::Deparser => format!("the {gress} deparser"),
        }
    }

    /// The control, where it is one that has tables.
    pub fn match_action(&self) -> Option<ControlId> {
        match (self.kind, self.root) {
            (Kind::Control, Root::Control(id)) => Some(id),
            _ => None,
        }
    }
}

/// All blocks of `main`; reports a `main` that is no switch of TNA.
pub(super) fn blocks(program: &Program, diagnostics: &mut Diagnostics) -> Option<Vec<Block>> {
    let main = program.main.as_ref()?;
    if !matches!(main.type_name.as_str(), "Switch" | "MultiParserSwitch") {
        diagnostics.error(
            program.main_span,
            format!(
                "`main` is a `{}`, but --arch tna is for a `Switch` of tna.p4",
                main.type_name
            ),
        );
        return None;
    }
    let mut blocks = Vec::new();
    for (pipe, (_, pipeline)) in main.args.iter().enumerate() {
        if let Value::Package(pipeline) = pipeline {
            of_pipeline(pipe, pipeline, &mut blocks);
        }
    }
    Some(blocks)
}

fn of_pipeline(pipe: usize, pipeline: &PackageInstance, blocks: &mut Vec<Block>) {
    for (name, value) in &pipeline.args {
        let (gress, kind) = match name.as_str() {
            "ingress_parser" | "ig_prsr" => (Gress::Ingress, Kind::Parser),
            "ingress" => (Gress::Ingress, Kind::Control),
            "ingress_deparser" => (Gress::Ingress, Kind::Deparser),
            "egress_parser" | "eg_prsr" => (Gress::Egress, Kind::Parser),
            "egress" => (Gress::Egress, Kind::Control),
            "egress_deparser" => (Gress::Egress, Kind::Deparser),
            _ => continue,
        };
        for root in roots(value) {
            blocks.push(Block {
                pipe,
                gress,
                kind,
                root,
            });
        }
    }
}

fn roots(value: &Value) -> Vec<Root> {
    match value {
        Value::Parser(id) => vec![Root::Parser(*id)],
        Value::Control(id) => vec![Root::Control(*id)],
        Value::Package(parsers) => parsers.args.iter().flat_map(|(_, v)| roots(v)).collect(),
        _ => Vec::new(),
    }
}
