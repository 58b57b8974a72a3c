// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parts of controls: each piece of the input adds one. A control within a control takes some pieces for itself.

use std::fmt::Write;

use super::callable::{arguments, list, params};
use super::choices::{Choices, Pieces};
use super::control::{Control, Gress};
use super::expression::constant;
use super::scope::Ty;
use super::{externs, routine, statements};

const MAX_DEPTH: usize = 2;

/// The intrinsic metadata that a control within one gets, under the same names.
const INGRESS: &str = "
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md";
const EGRESS: &str = "
    in egress_intrinsic_metadata_t eg_intr_md,
    in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md";

/// `depth` is the number of controls around this one.
pub(super) fn add(c: &mut Choices<'_>, more: &mut Pieces<'_>, control: &mut Control, depth: usize) {
    let statements = match c.below(10) {
        0 => statements::branch(c, control, 2),
        1..=3 => statements::applied(c, control),
        4 | 5 => {
            let scope = control.scope.clone();
            externs::used(c, control, &scope)
        }
        6 if depth < MAX_DEPTH => inner(c, more, control, depth),
        7 => {
            let called = match c.one_in(2) {
                true => routine::action(c, control),
                false => routine::function(c, control),
            };
            routine::call(c, &control.scope, &called)
        }
        8 => variable(c, control),
        _ => statements::block(c, control, 2),
    };
    control.body.push_str(&statements);
}

/// A variable of the control, that all its actions see.
fn variable(c: &mut Choices<'_>, control: &mut Control) -> String {
    let ty = Ty::any(c);
    let name = control.name("x");
    let _ = writeln!(
        control.declarations,
        "    {ty} {name} = {};",
        constant(c, ty)
    );
    control.scope.add(name, ty, true);
    statements::block(c, control, 1)
}

/// Declares a control before this one and applies it; a second instance has objects of its own.
fn inner(
    c: &mut Choices<'_>,
    more: &mut Pieces<'_>,
    control: &mut Control,
    depth: usize,
) -> String {
    let kind = control.global("control");
    let params = params(c, &control.scope, "b");
    let given = c.one_in(3).then(|| Ty::number(c));
    let mut within = control.inner();
    for param in &params {
        param.enter(&mut within.scope, &control.scope);
        let start = param.start(c);
        within.body.push_str(&start);
    }
    if let Some(ty) = given {
        within.scope.add("given", ty, false);
    }
    for _ in 0..1 + c.below(3) {
        let mut piece = more.take();
        add(&mut piece, more, &mut within, depth + 1);
    }
    let (intrinsic, names) = match control.gress {
        Gress::Ingress => (INGRESS, "ig_intr_md, ig_prsr_md, ig_dprsr_md, ig_tm_md"),
        Gress::Egress => (EGRESS, "eg_intr_md, eg_prsr_md, eg_dprsr_md"),
    };
    let mut all = format!("inout headers_t hdr, inout metadata_t md,{intrinsic}");
    if !params.is_empty() {
        let _ = write!(all, ", {}", list(&params));
    }
    let (declarations, body) = (&within.declarations, &within.body);
    let constructor = given.map_or(String::new(), |ty| format!("({ty} given)"));
    let source = format!(
        "control {kind}({all}){constructor} {{\n{declarations}    apply {{\n{body}    }}\n}}\n"
    );
    control.end(within);
    control.outside.push_str(&source);
    let mut out = String::new();
    for _ in 0..1 + usize::from(c.one_in(4)) {
        let instance = control.name("control");
        let value = given.map_or(String::new(), |ty| constant(c, ty));
        let _ = writeln!(control.declarations, "    {kind}({value}) {instance};");
        let mut args = vec![format!("hdr, md, {names}")];
        args.extend(arguments(c, &control.scope, &params));
        let _ = writeln!(out, "        {instance}.apply({});", args.join(", "));
    }
    out
}
