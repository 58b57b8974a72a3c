// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Mirrors, resubmission and digests: in deparsers, each where the metadata for the deparser names its type.

use quench_p4_frontend::ir::{self, ExternId};

use super::arguments::optional_argument;
use super::blocks::{self, gress_of};
use crate::error::{not_supported, Result};
use crate::flat::StmtKind;
use crate::json::Expr;
use crate::lower::{ops, Block, BlockKind, FieldList, Lower, Parts, Value};

pub fn mirror(
    lower: &mut Lower<'_>,
    id: ExternId,
    session: &ir::Expr,
    data: Option<&ir::Expr>,
) -> Result<Option<Value>> {
    if lower.block.kind != BlockKind::Deparser {
        return not_supported(
            lower.span,
            format_args!("Mirror.emit in {}", lower.block.name),
        );
    }
    when_chosen(lower, id, "mirror_type", |lower| {
        let session = lower.scalar(session)?;
        let list = field_list(lower, id, data)?;
        lower.primitive("mirror", vec![session, list]);
        Ok(())
    })
}

pub fn resubmit(
    lower: &mut Lower<'_>,
    id: ExternId,
    data: Option<&ir::Expr>,
) -> Result<Option<Value>> {
    only_in_ingress(lower, "Resubmit.emit")?;
    when_chosen(lower, id, "resubmit_type", |lower| {
        let list = field_list(lower, id, data)?;
        lower.primitive("resubmit", vec![list]);
        Ok(())
    })
}

pub fn digest(lower: &mut Lower<'_>, id: ExternId, data: &ir::Expr) -> Result<Option<Value>> {
    only_in_ingress(lower, "Digest.pack")?;
    when_chosen(lower, id, "digest_type", |lower| {
        let elements = lower.parts(data, Parts::Copies)?;
        lower.objects.learn_lists.push(FieldList {
            name: lower.ir.externs[id.index()].name.clone(),
            elements,
            span: lower.span,
        });
        let list = lower.objects.learn_lists.len();
        let parameters = vec![Expr::hex(0, 32), Expr::hex(list, 32)];
        lower.primitive("generate_digest", parameters);
        Ok(())
    })
}

fn only_in_ingress(lower: &Lower<'_>, what: &str) -> Result<()> {
    const ONLY: Block = blocks::INGRESS.deparser;
    match lower.block {
        ONLY => Ok(()),
        block => not_supported(lower.span, format_args!("{what} in {}", block.name)),
    }
}

/// The list of copies of the data's fields.
fn field_list(lower: &mut Lower<'_>, id: ExternId, data: Option<&ir::Expr>) -> Result<Expr> {
    let elements = match data {
        Some(data) => lower.parts(data, Parts::Copies)?,
        None => Vec::new(),
    };
    lower.objects.field_lists.push(FieldList {
        name: lower.ir.externs[id.index()].name.clone(),
        elements,
        span: lower.span,
    });
    Ok(Expr::hex(lower.objects.field_lists.len(), 32))
}

/// Runs `body` where the type is written, and is the one that the object has from its constructor.
fn when_chosen(
    lower: &mut Lower<'_>,
    id: ExternId,
    field: &str,
    body: impl FnOnce(&mut Lower<'_>) -> Result<()>,
) -> Result<Option<Value>> {
    let metadata = gress_of(lower.block).for_deparser;
    let at = |field: String| Expr::Field(metadata.to_owned(), field);
    let written = Expr::unary("d2b", at(format!("{field}$valid")));
    let condition = match optional_argument(lower.ir, id, field) {
        Some(ir::Value::Int(number)) => {
            let number = Expr::hex(number.clone(), 8);
            ops::and(written, Expr::binary("==", at(field.to_owned()), number))
        }
        _ => written,
    };
    let then = lower.nested(body)?;
    lower.push(StmtKind::If {
        arms: vec![(condition, then)],
        otherwise: Vec::new(),
    });
    Ok(None)
}
