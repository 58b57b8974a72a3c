// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Bodies of actions: a list of primitives, with jumps for branches and loops.

use std::collections::HashMap;

use quench_p4_frontend::span::Span;
use quench_p4_frontend::SourceMap;
use serde_json::json;

use super::emitter::Emitter;
use super::primitive::{check, primitive};
use crate::error::{not_supported, Result};
use crate::flat::{Label, Stmt, StmtKind};
use crate::json::{self, hex, Primitive};
use crate::lower::LoweredAction;
use crate::simplify::simplify;

/// The end of the action; labels of the lowering begin at 1.
const END: Label = Label(0);

struct Code<'a> {
    sources: &'a SourceMap,
    primitives: Vec<Primitive>,
    /// Jumps, by position, to labels whose position is not known yet.
    jumps: Vec<(usize, Label)>,
    positions: HashMap<Label, usize>,
    /// Labels of the emitter's own, counted down so that they meet no other.
    next_label: u32,
}

impl Emitter<'_> {
    pub fn action(&mut self, action: &LoweredAction) -> Result<json::Action> {
        Ok(json::Action {
            name: action.name.clone(),
            id: self.program.actions.len(),
            runtime_data: action
                .parameters
                .iter()
                .map(|(name, bitwidth)| json::RuntimeData {
                    name: name.clone(),
                    bitwidth: *bitwidth,
                })
                .collect(),
            primitives: primitives(&simplify(action.body.clone()), self.sources)?,
        })
    }
}

/// The primitives of an action's body.
pub fn primitives(body: &[Stmt], sources: &SourceMap) -> Result<Vec<Primitive>> {
    let mut code = Code {
        sources,
        primitives: Vec::new(),
        jumps: Vec::new(),
        positions: HashMap::new(),
        next_label: u32::MAX,
    };
    code.stmts(body)?;
    code.finish()
}

impl Code<'_> {
    fn stmts(&mut self, stmts: &[Stmt]) -> Result<()> {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Primitive(op, parameters) => {
                let primitive = primitive(op, parameters, span, self.sources)?;
                self.primitives.push(primitive);
            }
            StmtKind::If { arms, otherwise } => {
                let end = self.label();
                for (index, (condition, then)) in arms.iter().enumerate() {
                    check(condition, span)?;
                    let next = self.label();
                    let condition = crate::lower::truth_as_data(condition.clone());
                    let condition = vec![condition.parameter()];
                    self.jump("_jump_if_zero", condition, next, span);
                    self.stmts(then)?;
                    if index + 1 < arms.len() || !otherwise.is_empty() {
                        self.jump("_jump", Vec::new(), end, span);
                    }
                    self.place(next);
                }
                self.stmts(otherwise)?;
                self.place(end);
            }
            StmtKind::Block(label, body) => {
                self.stmts(body)?;
                self.place(*label);
            }
            StmtKind::Loop(body) => {
                let start = self.label();
                self.place(start);
                self.stmts(body)?;
                self.jump("_jump", Vec::new(), start, span);
            }
            StmtKind::Break(label) => self.jump("_jump", Vec::new(), *label, span),
            StmtKind::Exit => {
                let primitive = primitive("exit", &[], span, self.sources)?;
                self.primitives.push(primitive);
                self.jump("_jump", Vec::new(), END, span);
            }
            _ => return not_supported(span, "this statement in an action"),
        }
        Ok(())
    }

    fn label(&mut self) -> Label {
        self.next_label -= 1;
        Label(self.next_label)
    }

    fn place(&mut self, label: Label) {
        self.positions.insert(label, self.primitives.len());
    }

    fn jump(
        &mut self,
        op: &'static str,
        parameters: Vec<serde_json::Value>,
        to: Label,
        span: Span,
    ) {
        self.jumps.push((self.primitives.len(), to));
        self.primitives.push(Primitive {
            op,
            parameters,
            source_info: super::primitive::source_info(self.sources, span),
        });
    }

    fn finish(mut self) -> Result<Vec<Primitive>> {
        self.place(END);
        // A jump to the end as the last primitive has no effect.
        let whole = self.primitives.len();
        while let Some(&(at, to)) = self.jumps.last() {
            let end = self.primitives.len();
            // A jump to behind the removed jumps is one to the end now.
            let target = self.positions.get(&to);
            let goes_to_end = target.is_some_and(|&target| (end..=whole).contains(&target));
            if at + 1 != end || !goes_to_end || self.primitives[at].op != "_jump" {
                break;
            }
            self.jumps.pop();
            self.primitives.pop();
        }
        let end = self.primitives.len();
        for (at, to) in &self.jumps {
            let target = self.positions[to].min(end);
            let target = json!({"type": "hexstr", "value": hex(&target.into(), 0)});
            self.primitives[*at].parameters.push(target);
        }
        Ok(self.primitives)
    }
}
