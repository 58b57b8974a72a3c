// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: ingress and egress run on the same stages but share no memory.

use std::collections::HashMap;

use super::blocks::{Block, Gress};
use super::instances::{instance, register_of};
use super::walk::{walk, Item};
use crate::diagnostics::Diagnostics;
use crate::ir::{Callee, ExternId, Program};
use crate::span::Span;

/// Reports what both use.
pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    let mut first: HashMap<(usize, ExternId), (Gress, Span)> = HashMap::new();
    for block in blocks.iter().filter(|block| block.match_action().is_some()) {
        walk(program, block.root, &mut |item, _| {
            let Item::Call(call) = item else {
                return;
            };
            let Callee::ExternMethod { instance: id, .. } = &call.callee else {
                return;
            };
            let Some((kind, id)) = memory(program, *id) else {
                return;
            };
            let key = (block.pipe, id);
            match first.get(&key) {
                Some((gress, span)) if *gress != block.gress => {
                    let name = &instance(program, id).name;
                    diagnostics
                        .error(
                            call.span,
                            format!("{kind} `{name}` is used in ingress and in egress: Tofino's two pipelines share no memory"),
                        )
                        .note(*span, format!("used here in {}", gress.describe()));
                }
                Some(_) => {}
                None => {
                    first.insert(key, (block.gress, call.span));
                }
            }
        });
    }
}

fn memory(program: &Program, id: ExternId) -> Option<(&'static str, ExternId)> {
    if let Some(register) = register_of(program, id) {
        return Some(("register", register));
    }
    match instance(program, id).type_name.as_str() {
        "Counter" => Some(("counter", id)),
        "Meter" => Some(("meter", id)),
        "Lpf" => Some(("filter", id)),
        "Wred" => Some(("WRED", id)),
        _ => None,
    }
}
