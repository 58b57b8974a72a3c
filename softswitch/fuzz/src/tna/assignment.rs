// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Assignments: to fields, of results, and to the metadata that decide about a packet's way.

use super::choices::Choices;
use super::control::{Control, Gress};
use super::expression::{constant, expression};
use super::scope::{Field, Scope, Ty};

/// The packet's way behind the control.
pub(super) fn intrinsic(c: &mut Choices<'_>, control: &Control) -> String {
    let value = |c: &mut Choices<'_>, bits| {
        expression(c, &control.scope, Ty::Bit(bits), u32::from(bits > 1))
    };
    let (field, value) = match control.gress {
        Gress::Egress => match c.below(4) {
            0 => ("eg_dprsr_md.mirror_type", "3w1".to_owned()),
            1 => ("eg_dprsr_md.mirror_type", value(c, 3)),
            2 => ("eg_dprsr_md.drop_ctl", value(c, 3)),
            _ => return "        invalidate(eg_dprsr_md.mirror_type);\n".to_owned(),
        },
        Gress::Ingress => match c.below(20) {
            0 | 1 => ("ig_tm_md.ucast_egress_port", port(c)),
            2 => ("ig_tm_md.ucast_egress_port", value(c, 9)),
            3 | 4 => ("ig_tm_md.mcast_grp_a", format!("16w{}", c.below(4))),
            5 => ("ig_tm_md.mcast_grp_b", format!("16w{}", c.below(4))),
            6 => ("ig_tm_md.rid", value(c, 16)),
            7 => ("ig_tm_md.level1_exclusion_id", value(c, 16)),
            8 => ("ig_tm_md.level2_exclusion_id", value(c, 9)),
            9 => ("ig_dprsr_md.drop_ctl", value(c, 3)),
            10 => ("ig_dprsr_md.digest_type", "3w1".to_owned()),
            11 | 12 => ("ig_dprsr_md.resubmit_type", "3w1".to_owned()),
            13 => ("ig_dprsr_md.mirror_type", "3w1".to_owned()),
            14 => ("ig_dprsr_md.mirror_type", value(c, 3)),
            15 => ("ig_tm_md.bypass_egress", value(c, 1)),
            16 => ("ig_tm_md.copy_to_cpu", value(c, 1)),
            17 => ("ig_tm_md.qid", value(c, 5)),
            18 => ("ig_tm_md.deflect_on_drop", value(c, 1)),
            _ => return "        invalidate(ig_tm_md.ucast_egress_port);\n".to_owned(),
        },
    };
    format!("        {field} = {value};\n")
}

/// One of the switch, or the recirculation port.
fn port(c: &mut Choices<'_>) -> String {
    format!("9w{}", c.of(&[1, 2, 3, 0, 1, 2, 3, 68]))
}

/// To a field, a part of it, or a local variable first.
pub(super) fn assignment(c: &mut Choices<'_>, scope: &Scope) -> String {
    let target = scope.target(c);
    let (path, ty) = (&target.path, target.ty);
    match (c.below(8), ty) {
        (0, _) => format!("        {path} = {};\n", constant(c, ty)),
        (1, Ty::Bit(bits @ 2..)) => {
            let low = c.below(bits as usize) as u32;
            let width = 1 + c.below((bits - low) as usize) as u32;
            let value = expression(c, scope, Ty::Bit(width), 2);
            format!("        {path}[{}:{low}] = {value};\n", low + width - 1)
        }
        _ => format!("        {path} = {};\n", expression(c, scope, ty, 3)),
    }
}

/// A statement that puts a result into a field of its type, or into a wider one.
pub(super) fn result(c: &mut Choices<'_>, scope: &Scope, ty: Ty, call: &str) -> String {
    let writable = |wanted: Ty| move |field: &Field| field.writable && field.ty == wanted;
    if let Some(target) = scope.where_(c, writable(ty)) {
        return format!("        {} = {call};\n", target.path);
    }
    match ty {
        Ty::Bit(bits @ ..=32) => format!("        md.m32[{}:0] = {call};\n", bits - 1),
        Ty::Bit(_) => format!("        md.m32 = (bit<32>) {call};\n"),
        Ty::Int(bits) => format!("        md.m32 = (bit<32>) (bit<{bits}>) {call};\n"),
        Ty::Bool => format!("        md.flag = {call};\n"),
    }
}
