// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The packet state: headers and metadata of each gress, and the intrinsic metadata, whose instances have fixed names.

use std::collections::{BTreeMap, HashMap};

use quench_p4_frontend::ir::{ExternId, Type, TypeId, VarId};
use quench_p4_frontend::span::Span;
use serde_json::Value as Json;

use super::arguments;
use super::blocks::{Blocks, Gress};
use crate::error::{not_supported, Result};
use crate::json::{self, Expr};
use crate::layout::Class;
use crate::lower::Lower;
use crate::place::{Leaf, Place, Scalar};

/// Header and name of a field.
pub type Field = (String, String);

/// A checksum unit of a parser.
#[derive(Clone)]
pub struct Unit {
    pub sum: Expr,
    /// The method that has fed it: `add` or `subtract`.
    pub fed_by: Option<&'static str>,
    /// Each call of `subtract_all_and_deposit`.
    pub deposits: Vec<Deposit>,
}

/// A call of `subtract_all_and_deposit`.
#[derive(Clone)]
pub struct Deposit {
    /// The place where it puts the result.
    pub residual: Place,
    /// The bit that says that it has run.
    pub active: Expr,
}

/// The state that the lowering of TNA's calls keeps.
#[derive(Default)]
pub struct State {
    /// Intrinsic metadata by the name of its type.
    intrinsic: HashMap<String, Place>,
    /// The bit that says whether a field is written.
    pub validity: HashMap<Field, Field>,
    /// Number of the entry that the table found whose action runs.
    pub entry_index: Option<Expr>,
    /// The parser's counter, of each gress.
    pub counters: HashMap<&'static str, Place>,
    pub checksums: BTreeMap<ExternId, Unit>,
    /// Direct registers that are used outside of tables.
    pub without_table: Vec<ExternId>,
    /// Registers whose index the data plane keeps.
    pub logs: Vec<ExternId>,
    /// Registers that say which members of a selector are up, for selectors without one of their own.
    pub selector_bits: Vec<ExternId>,
}

/// The state of a lowering for TNA.
pub fn of<'l>(lower: &'l Lower<'_>) -> &'l State {
    lower
        .notes
        .downcast_ref()
        .expect("a lowering for TNA has its state")
}

pub fn of_mut<'l>(lower: &'l mut Lower<'_>) -> &'l mut State {
    lower
        .notes
        .downcast_mut()
        .expect("a lowering for TNA has its state")
}

/// Instance, and whether each field of the metadata has a bit that says whether it is written.
const METADATA: [(&str, bool); 6] = [
    ("ingress_intrinsic_metadata_from_parser", false),
    ("ingress_intrinsic_metadata_for_deparser", true),
    ("ingress_intrinsic_metadata_for_tm", true),
    ("egress_intrinsic_metadata_from_parser", false),
    ("egress_intrinsic_metadata_for_deparser", true),
    ("egress_intrinsic_metadata_for_output_port", false),
];

const HEADERS: [&str; 2] = ["ingress_intrinsic_metadata", "egress_intrinsic_metadata"];

pub fn add_intrinsic_metadata(lower: &mut Lower<'_>) -> Result<()> {
    for instance in HEADERS {
        let (name, ty) = type_of(lower, instance)?;
        let place = lower
            .layout
            .allocate(instance, &Type::Named(ty), Span::default())?;
        of_mut(lower).intrinsic.insert(name, place);
    }
    for (instance, has_validity) in METADATA {
        let (name, ty) = type_of(lower, instance)?;
        let fields = lower.layout.fields(ty);
        let mut valid = Vec::new();
        if has_validity {
            for field in fields {
                let bit = format!("{}$valid", field.name);
                let field = (instance.to_owned(), field.name.clone());
                of_mut(lower)
                    .validity
                    .insert(field, (instance.to_owned(), bit.clone()));
                valid.push((bit, Scalar::Bit(1)));
            }
        }
        let place = lower.layout.add_metadata(instance, ty, valid)?;
        of_mut(lower).intrinsic.insert(name, place);
    }
    Ok(())
}

/// Selectors without a register of their own whose bits the program changes.
pub fn find_selector_bits(lower: &mut Lower<'_>) -> Result<()> {
    let ir = lower.ir;
    for (index, object) in ir.externs.iter().enumerate() {
        if object.type_name != "SelectorAction" {
            continue;
        }
        let selector = arguments::argument(ir, ExternId(index as u32), "sel")?;
        let own = arguments::optional_argument(ir, selector, "reg");
        if own.is_none() && !of(lower).selector_bits.contains(&selector) {
            of_mut(lower).selector_bits.push(selector);
        }
    }
    Ok(())
}

/// Whether it is intrinsic metadata whose fields are always there.
pub fn has_no_validity(instance: &str) -> bool {
    METADATA.contains(&(instance, false))
}

fn type_of(lower: &Lower<'_>, instance: &str) -> Result<(String, TypeId)> {
    let name = format!("{instance}_t");
    let types = &lower.ir.types;
    let mut declared = lower.ir.declared_types.iter();
    match declared.find(|id| types[id.index()].name == name) {
        Some(id) => Ok((name, *id)),
        None => not_supported(lower.ir.main_span, format_args!("a program without {name}")),
    }
}

/// Makes room for the headers and metadata of a gress, and binds the parameters of its blocks.
pub fn bind_all(lower: &mut Lower<'_>, gress: &Gress, blocks: &Blocks) -> Result<()> {
    let ir = lower.ir;
    let parser = &ir.parsers[blocks.parser.index()].params;
    let control = &ir.controls[blocks.control.index()].params;
    let deparser = &ir.controls[blocks.deparser.index()].params;
    let (&[headers, metadata, ..], [_, of_parser @ ..], [_, of_deparser @ ..]) =
        (control.as_slice(), parser.as_slice(), deparser.as_slice())
    else {
        return not_supported(ir.main_span, "blocks without the parameters of `Pipeline`");
    };
    let var = |id: VarId| &ir.vars[id.index()];
    let headers = var(headers);
    let headers = lower
        .layout
        .allocate(gress.prefix, &headers.ty, headers.span)?;
    let metadata = var(metadata);
    let name = format!("{}_metadata", gress.prefix);
    let metadata = lower.layout.allocate(&name, &metadata.ty, metadata.span)?;
    for params in [of_parser, control, of_deparser] {
        bind(lower, params, &headers, &metadata)?;
    }
    Ok(())
}

/// Headers and metadata come first; the intrinsic metadata follow, which their types tell apart.
fn bind(lower: &mut Lower<'_>, params: &[VarId], headers: &Place, metadata: &Place) -> Result<()> {
    for (index, &param) in params.iter().enumerate() {
        let var = &lower.ir.vars[param.index()];
        let place = match (index, &var.ty) {
            (0, _) => Some(headers),
            (1, _) => Some(metadata),
            (_, Type::Named(id)) => {
                let name = &lower.ir.types[id.index()].name;
                of(lower).intrinsic.get(name)
            }
            _ => None,
        };
        match place.cloned() {
            Some(place) => lower.bind(param, place),
            None => return not_supported(var.span, "a parameter of this type"),
        }
    }
    Ok(())
}

/// The number of the entry, which a table writes before the action runs. One field serves all tables, as only the
/// action of an entry asks for it.
pub fn entry_index(lower: &mut Lower<'_>) -> Result<Expr> {
    if let Some(expr) = &of(lower).entry_index {
        return Ok(expr.clone());
    }
    let place = lower
        .layout
        .allocate("entry_index", &Type::Bit(32), Span::default())?;
    let Place::Scalar(Leaf { expr, .. }) = place else {
        unreachable!("a number is one field");
    };
    of_mut(lower).entry_index = Some(expr.clone());
    Ok(expr)
}

/// Bits of a value of the type.
pub fn bits_of(lower: &Lower<'_>, ty: &Type, span: Span) -> Result<u32> {
    let sum = |types: &mut dyn Iterator<Item = &Type>| {
        let mut bits = 0u32;
        for ty in types {
            bits = bits.saturating_add(bits_of(lower, ty, span)?);
        }
        Ok(bits)
    };
    match lower.layout.class(ty, span)? {
        Class::Scalar(scalar) => Ok(scalar.bits()),
        Class::Struct(types) => sum(&mut types.iter()),
        Class::Header(id) => sum(&mut lower.layout.fields(id).iter().map(|f| &f.ty)),
        Class::Stack(id, false, size) => {
            Ok(bits_of(lower, &Type::Named(id), span)?.saturating_mul(size))
        }
        _ => not_supported(span, "the size of a union"),
    }
}

/// Notes for each parser whether packets with errors are dropped: those of ingress are, unless the program reads the
/// error.
pub fn note_read_errors(program: &mut json::Program) {
    let field = serde_json::json!(["ingress_intrinsic_metadata_from_parser", "parser_err"]);
    let texts = [
        serde_json::to_value(&program.pipelines),
        serde_json::to_value(&program.actions),
        serde_json::to_value(&program.deparsers),
    ];
    let is_read = texts.iter().flatten().any(|text| contains(text, &field));
    if let Some(parser) = program.parsers.first_mut() {
        parser.drop_on_error = !is_read;
    }
}

fn contains(json: &Json, wanted: &Json) -> bool {
    json == wanted
        || match json {
            Json::Array(items) => items.iter().any(|item| contains(item, wanted)),
            Json::Object(members) => members.values().any(|member| contains(member, wanted)),
            _ => false,
        }
}
