// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Primitive calls and their expressions, and places in the source.

use quench_p4_frontend::limits::{MAX_OUTPUT_HEIGHT, MAX_SHOWN_CHARS};
use quench_p4_frontend::span::Span;
use quench_p4_frontend::SourceMap;

use crate::error::{not_supported, Result};
use crate::json::{self, Expr, SourceInfo};

/// `None` where the span is of no file.
pub fn source_info(sources: &SourceMap, span: Span) -> Option<SourceInfo> {
    if span == Span::default() {
        return None;
    }
    let location = sources.location(span);
    let fragment = sources.snippet(span);
    let line = fragment.lines().next().unwrap_or("").trim_end();
    let shown: String = line.chars().take(MAX_SHOWN_CHARS).collect();
    Some(SourceInfo {
        filename: location.path.to_string_lossy().into_owned(),
        line: location.line,
        // BMv2 counts from 0.
        column: location.column.saturating_sub(1),
        source_fragment: if shown.len() < line.len() || fragment.contains('\n') {
            format!("{shown} ...")
        } else {
            shown
        },
    })
}

/// A primitive call.
pub fn primitive(
    op: &'static str,
    parameters: &[Expr],
    span: Span,
    sources: &SourceMap,
) -> Result<json::Primitive> {
    for parameter in parameters {
        check(parameter, span)?;
    }
    Ok(json::Primitive {
        op,
        parameters: parameters.iter().map(Expr::parameter).collect(),
        source_info: source_info(sources, span),
    })
}

/// Refuses expressions that BMv2 can evaluate in parser keys only, and those nested too deeply for a reader of JSON.
pub fn check(expr: &Expr, span: Span) -> Result<()> {
    if !expr.fits(MAX_OUTPUT_HEIGHT) {
        return not_supported(
            span,
            format_args!(
                "an expression of more than {MAX_OUTPUT_HEIGHT} operations in each other: use variables"
            ),
        );
    }
    if expr.any(&mut |e| matches!(e, Expr::UnionStackField(..))) {
        return not_supported(
            span,
            "a field of a union stack's `last` other than as a key of `select`",
        );
    }
    Ok(())
}
