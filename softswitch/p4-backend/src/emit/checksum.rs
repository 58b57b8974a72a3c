// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Checksum controls, which hold nothing but checksums, each with a condition.

use serde_json::{json, Value};

use super::emitter::Emitter;
use super::primitive::check;
use crate::error::{not_supported, Result};
use crate::flat::{Checksum, Stmt, StmtKind};
use crate::json::{self, Expr};
use crate::lower::{conjunction, negation, Objects};
use crate::simplify::simplify;

impl Emitter<'_> {
    pub fn checksums(&mut self, body: Vec<Stmt>, objects: &mut Objects) -> Result<()> {
        self.checksums_under(&simplify(body), &Expr::Bool(true), objects)
    }

    fn checksums_under(
        &mut self,
        stmts: &[Stmt],
        condition: &Expr,
        objects: &mut Objects,
    ) -> Result<()> {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Checksum(checksum) => {
                    self.checksum(checksum, condition, stmt, objects)?;
                }
                StmtKind::If { arms, otherwise } => {
                    let mut unless = condition.clone();
                    for (inner, then) in arms {
                        check(&unless, stmt.span)?;
                        let when = conjunction(unless.clone(), inner.clone());
                        self.checksums_under(then, &when, objects)?;
                        unless = conjunction(unless, negation(inner.clone()));
                    }
                    self.checksums_under(otherwise, &unless, objects)?;
                }
                _ => {
                    return not_supported(
                        stmt.span,
                        "anything but verify_checksum and update_checksum in a checksum control",
                    )
                }
            }
        }
        Ok(())
    }

    fn checksum(
        &mut self,
        checksum: &Checksum,
        condition: &Expr,
        stmt: &Stmt,
        objects: &mut Objects,
    ) -> Result<()> {
        let if_cond = conjunction(condition.clone(), checksum.condition.clone());
        check(&if_cond, stmt.span)?;
        let calculation = objects.add_calculation(
            checksum.algorithm.clone(),
            checksum.data.clone(),
            checksum.with_payload,
            stmt.span,
        );
        let id = self.program.checksums.len();
        let checksum = json::Checksum {
            name: match id {
                0 => "cksum".to_owned(),
                id => format!("cksum_{}", id - 1),
            },
            id,
            source_info: self.source_info(stmt.span),
            target: checksum.target.clone(),
            kind: "generic",
            calculation,
            verify: checksum.verify,
            update: !checksum.verify,
            if_cond,
        };
        self.program.checksums.push(checksum);
        Ok(())
    }

    /// All hashes, those of checksums and those of actions.
    pub fn calculations(&mut self, objects: &Objects) {
        for (id, calculation) in objects.calculations.iter().enumerate() {
            let mut input: Vec<Value> = calculation.input.iter().map(Expr::hash_input).collect();
            if calculation.with_payload {
                input.push(json!({"type": "payload", "value": null}));
            }
            let calculation = json::Calculation {
                name: calculation.name.clone(),
                id,
                source_info: self.source_info(calculation.span),
                algo: calculation.algorithm.clone(),
                input,
                bits: calculation.bits,
                crc: calculation.crc.clone(),
            };
            self.program.calculations.push(calculation);
        }
    }
}
