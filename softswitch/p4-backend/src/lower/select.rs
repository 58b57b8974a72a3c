// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: a `select` with key sets that are known only at run time. BMv2 compares keys with constants, so the cases are
//! compared before, and the state selects by the number of the first that matches.

use quench_p4_frontend::ir::{self, KeySet};

use super::ops;
use super::state::{Lower, Value};
use crate::error::{not_supported, Result};
use crate::flat::{Case, Key, Pattern, StmtKind, Transition};
use crate::json::Expr;
use crate::place::{Place, Scalar};

/// Width of the number of a case.
const NUMBER_BITS: u32 = 32;

impl Lower<'_> {
    /// Whether a key set is not constant.
    pub(crate) fn is_computed(&mut self, keyset: &[KeySet]) -> Result<bool> {
        for e in keyset.iter().flat_map(parts) {
            if e.has_effects() {
                return not_supported(e.span, "a call in a key set");
            }
            if !self.scalar(e)?.is_constant() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn computed_select(
        &mut self,
        keys: &[ir::Expr],
        cases: &[(Vec<KeySet>, ir::Target)],
    ) -> Result<Transition> {
        let mut values = Vec::new();
        for key in keys {
            let scalar = self.layout.scalar(&key.ty, key.span)?;
            let value = self.value(key)?;
            values.push((self.spill(value, &key.ty)?, scalar));
        }
        let number_type = ir::Type::Bit(NUMBER_BITS);
        let Place::Scalar(number) = self.temporary(&number_type)? else {
            unreachable!("a number is one field");
        };
        let set = |lower: &mut Self, case: usize| {
            lower.nested(|lower| {
                let value = Expr::hex(case, NUMBER_BITS);
                lower.primitive("assign", vec![number.expr.clone(), value]);
                Ok(())
            })
        };
        let mut arms = Vec::new();
        let mut targets = Vec::new();
        for (case, (keyset, target)) in cases.iter().enumerate() {
            let condition = self.matches(keyset, keys, &values)?;
            arms.push((condition, set(self, case)?));
            targets.push(Case {
                pattern: Pattern::Masked(vec![(case.into(), ops::mask(NUMBER_BITS))]),
                target: *target,
            });
        }
        // No case has this number, so the `select` fails as it does where no key set matches.
        let otherwise = set(self, cases.len())?;
        self.push(StmtKind::If { arms, otherwise });
        let key = Key {
            expr: number.expr,
            bits: NUMBER_BITS,
        };
        Ok(Transition::Select {
            keys: vec![key],
            cases: targets,
        })
    }

    /// Whether all keys are in their sets. A single don't-care stands for all keys.
    fn matches(
        &mut self,
        keyset: &[KeySet],
        keys: &[ir::Expr],
        values: &[(Value, Scalar)],
    ) -> Result<Expr> {
        let mut conditions = Vec::new();
        for (index, (key, (value, scalar))) in keys.iter().zip(values).enumerate() {
            let Value::Scalar(value) = value.clone() else {
                return not_supported(key.span, "a key of this type");
            };
            // The bits of a number with a sign.
            let bits = |e: Expr| ops::cast(e, *scalar, Scalar::Bit(scalar.bits()));
            conditions.push(match keyset.get(index).unwrap_or(&keyset[0]) {
                KeySet::DontCare => Expr::Bool(true),
                KeySet::Value(e) => {
                    let wanted = self.value(e)?;
                    self.equal(Value::Scalar(value), wanted, &key.ty)?
                }
                KeySet::Mask(wanted, mask) => {
                    let wanted = bits(self.scalar(wanted)?);
                    let mask = bits(self.scalar(mask)?);
                    let wanted = Expr::binary("&", wanted, mask.clone());
                    Expr::binary("==", Expr::binary("&", bits(value), mask), wanted)
                }
                KeySet::Range(low, high) => {
                    let low = Expr::binary("<=", self.scalar(low)?, value.clone());
                    ops::and(low, Expr::binary("<=", value, self.scalar(high)?))
                }
                KeySet::ValueSet(_) => {
                    return not_supported(
                        key.span,
                        "a value set beside key sets that are known only at run time",
                    )
                }
            });
        }
        Ok(ops::all(conditions))
    }
}

fn parts(keyset: &KeySet) -> impl Iterator<Item = &ir::Expr> {
    let parts = match keyset {
        KeySet::Value(e) => [Some(e), None],
        KeySet::Mask(a, b) | KeySet::Range(a, b) => [Some(a), Some(b)],
        KeySet::DontCare | KeySet::ValueSet(_) => [None, None],
    };
    parts.into_iter().flatten()
}
