// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: parsers: states and `select`.

use num_bigint::BigInt;
use quench_p4_frontend::ast::{Annotation, AnnotationBody};
use quench_p4_frontend::ir::{self, Callee, ExprKind, KeySet, Type};
use quench_p4_frontend::limits::MAX_CASE_PATTERNS;
use quench_p4_frontend::Warning;

use super::lowered::Block;
use super::ops;
use super::state::Lower;
use crate::annotation;
use crate::error::{not_supported, Result};
use crate::flat::{Case, Key, Pattern, State, StateGraph, Transition};
use crate::json::Expr;
use crate::layout::Class;
use crate::place::{Place, Scalar};

impl Lower<'_> {
    /// The programmable parser.
    pub fn parser(&mut self, id: ir::ParserId, block: Block) -> Result<StateGraph> {
        self.block = block;
        let ir = self.ir;
        let parser = &ir.parsers[id.index()];
        self.span = parser.span;
        self.state_graph(parser)
    }

    pub(crate) fn state_graph(&mut self, parser: &ir::Parser) -> Result<StateGraph> {
        let entry = self.nested(|lower| lower.stmts(&parser.locals))?;
        let states = parser
            .states
            .iter()
            .map(|state| self.state(state))
            .collect::<Result<_>>()?;
        Ok(StateGraph { entry, states })
    }

    fn state(&mut self, state: &ir::State) -> Result<State> {
        let mut transition = None;
        let body = self.nested(|lower| {
            lower.stmts(&state.body)?;
            lower.span = state.span;
            transition = Some(lower.transition(&state.transition, state)?);
            Ok(())
        })?;
        Ok(State {
            name: state.name.clone(),
            body,
            transition: transition.expect("set when there is no error"),
            span: state.span,
        })
    }

    fn transition(&mut self, transition: &ir::Transition, state: &ir::State) -> Result<Transition> {
        let (keys, cases) = match transition {
            ir::Transition::To(target) => {
                if *target == ir::Target::Reject {
                    self.arch.rejects(self, state);
                }
                return Ok(Transition::To(*target));
            }
            ir::Transition::Select { keys, cases } => (keys, cases),
        };
        if cases.iter().any(|(_, t)| *t == ir::Target::Reject) {
            self.arch.rejects(self, state);
        }
        for (keyset, _) in cases {
            if self.is_computed(keyset)? {
                return self.computed_select(keys, cases);
            }
        }
        let mut lowered_keys = Vec::new();
        let mut scalars = Vec::new();
        for key in keys {
            let scalar = self.layout.scalar(&key.ty, key.span)?;
            scalars.push(scalar);
            lowered_keys.push(Key {
                expr: self.select_key(key, scalar)?,
                bits: scalar.bits(),
            });
        }
        let mut lowered = Vec::new();
        for (keyset, target) in cases {
            for pattern in self.patterns(keyset, keys, &scalars)? {
                lowered.push(Case {
                    pattern,
                    target: *target,
                });
            }
        }
        Ok(Transition::Select {
            keys: lowered_keys,
            cases: lowered,
        })
    }

    fn warn_value_set(&mut self, id: ir::ValueSetId) {
        let set = &self.ir.value_sets[id.index()];
        let Type::Named(element) = &set.element else {
            return;
        };
        let ir::TypeDefKind::Struct(fields) = &self.ir.types[element.index()].kind else {
            return;
        };
        for field in fields {
            let found = annotation::find(&field.annotations, "match");
            let is_exact = |found: &Annotation| match &found.body {
                AnnotationBody::Unstructured(tokens) => {
                    matches!(tokens.as_slice(), [token] if token.text == "exact")
                }
                _ => false,
            };
            if let Some(found) = found.filter(|found| !is_exact(found)) {
                self.warnings.push((
                    Warning::Unsupported,
                    found.span,
                    format!(
                        "BMv2 compares all bits of a value set: `@match` of {} has no effect",
                        field.name
                    ),
                ));
            }
        }
    }

    fn select_key(&mut self, key: &ir::Expr, scalar: Scalar) -> Result<Expr> {
        if let (ExprKind::Call(call), Scalar::Bit(bits)) = (&key.kind, scalar) {
            if matches!(&call.callee, Callee::ParamMethod { method, .. } if method == "lookahead") {
                return Ok(Expr::Lookahead(0, bits));
            }
        }
        let value = self.scalar(key)?;
        let data = match scalar {
            Scalar::Bool => ops::data(value),
            _ => value,
        };
        if self.layout.is_field(&data, scalar.bits()) {
            return Ok(data);
        }
        let Place::Scalar(leaf) = self.temporary(&key.ty)? else {
            return not_supported(key.span, "a key of this type");
        };
        self.primitive("assign", vec![leaf.expr.clone(), data]);
        Ok(leaf.expr)
    }

    /// One case's key set as values with masks: several where there are ranges.
    fn patterns(
        &mut self,
        keyset: &[KeySet],
        keys: &[ir::Expr],
        scalars: &[Scalar],
    ) -> Result<Vec<Pattern>> {
        if let [KeySet::ValueSet(id)] = keyset {
            return Ok(vec![Pattern::ValueSet(self.value_set(*id))]);
        }
        let mut value_set = None;
        let mut patterns: Vec<Vec<(BigInt, BigInt)>> = vec![Vec::new()];
        for (index, &scalar) in scalars.iter().enumerate() {
            // A single don't-care stands for all keys.
            let element = if keyset.len() == scalars.len() {
                &keyset[index]
            } else {
                &keyset[0]
            };
            let alternatives = match element {
                KeySet::ValueSet(id) if value_set.is_none() => {
                    value_set = Some((self.value_set(*id), index));
                    vec![(BigInt::ZERO, BigInt::ZERO)]
                }
                element => self.alternatives(element, scalar, &keys[index])?,
            };
            if patterns.len() * alternatives.len() > MAX_CASE_PATTERNS {
                return not_supported(
                    keys[index].span,
                    format_args!(
                        "ranges that need more than {MAX_CASE_PATTERNS} masks in one case"
                    ),
                );
            }
            patterns = patterns
                .iter()
                .flat_map(|pattern| {
                    alternatives.iter().map(move |alternative| {
                        let mut pattern = pattern.clone();
                        pattern.push(alternative.clone());
                        pattern
                    })
                })
                .collect();
        }
        let pattern = |parts| match &value_set {
            Some((name, index)) => Pattern::ValueSetAt(name.clone(), *index, parts),
            None => Pattern::Masked(parts),
        };
        Ok(patterns.into_iter().map(pattern).collect())
    }

    /// Name of a value set, which is noted at its first use.
    fn value_set(&mut self, id: ir::ValueSetId) -> String {
        if !self.objects.value_sets.contains(&id) {
            self.objects.value_sets.push(id);
            self.warn_value_set(id);
        }
        self.ir.value_sets[id.index()].name.clone()
    }

    fn alternatives(
        &mut self,
        element: &KeySet,
        scalar: Scalar,
        key: &ir::Expr,
    ) -> Result<Vec<(BigInt, BigInt)>> {
        let bits = scalar.bits();
        let all = ops::mask(bits);
        Ok(match element {
            KeySet::DontCare => vec![(BigInt::ZERO, BigInt::ZERO)],
            KeySet::Value(e) => vec![(self.key_constant(e, bits)?, all)],
            KeySet::Mask(value, mask) => {
                let mask = self.key_constant(mask, bits)?;
                vec![(self.key_constant(value, bits)? & &mask, mask)]
            }
            KeySet::Range(lo, hi) => {
                let lo = self.key_constant(lo, bits)?;
                let hi = self.key_constant(hi, bits)?;
                let mut masks = Vec::new();
                for (lo, hi) in unsigned_ranges(lo, hi, scalar) {
                    masks.extend(range_masks(lo, hi, bits).take(MAX_CASE_PATTERNS + 1));
                }
                masks
            }
            KeySet::ValueSet(_) => return not_supported(key.span, "two value sets in one case"),
        })
    }

    /// A constant of a key set, as an unsigned number of the key's width.
    pub(crate) fn key_constant(&mut self, e: &ir::Expr, bits: u32) -> Result<BigInt> {
        match self.scalar(e)? {
            Expr::Hex { value, .. } => Ok(ops::reduce(value, Scalar::Bit(bits))),
            Expr::Bool(b) => Ok(BigInt::from(u8::from(b))),
            _ => not_supported(e.span, "a key set that is not constant"),
        }
    }

    /// Width of the values in a value set.
    pub fn value_set_bits(&self, ty: &Type) -> Result<u32> {
        Ok(match self.layout.class(ty, self.span)? {
            Class::Scalar(scalar) => scalar.bits(),
            Class::Struct(members) => {
                let mut bits = 0;
                for member in &members {
                    bits += self.value_set_bits(member)?;
                }
                bits
            }
            _ => return not_supported(self.span, "a value set of this type"),
        })
    }
}

/// The range `lo..=hi` of the key's type as ranges of the bits that the key has: none where it is empty, two where it goes from
/// negative numbers to others.
pub(crate) fn unsigned_ranges(lo: BigInt, hi: BigInt, scalar: Scalar) -> Vec<(BigInt, BigInt)> {
    let bits = scalar.bits();
    let is_negative =
        |value: &BigInt| matches!(scalar, Scalar::Int(_)) && value.bit(u64::from(bits) - 1);
    match (is_negative(&lo), is_negative(&hi)) {
        (true, false) => vec![(lo, ops::mask(bits)), (BigInt::ZERO, hi)],
        (false, true) => Vec::new(),
        _ if lo > hi => Vec::new(),
        _ => vec![(lo, hi)],
    }
}

/// The fewest value-mask pairs that cover exactly `lo..=hi`.
fn range_masks(mut lo: BigInt, hi: BigInt, bits: u32) -> impl Iterator<Item = (BigInt, BigInt)> {
    let all = ops::mask(bits);
    std::iter::from_fn(move || {
        if lo > hi {
            return None;
        }
        // The largest block that begins here and ends in the range.
        let aligned = lo.trailing_zeros().unwrap_or(u64::from(bits));
        let left = (&hi - &lo + 1u8).bits() - 1;
        let block = (BigInt::from(1u8) << aligned.min(left)) - 1u8;
        let pair = (lo.clone(), &all ^ &block);
        lo += block + 1u8;
        Some(pair)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_masks_cover_the_range_and_nothing_else() {
        for bits in 1..=6u32 {
            let size = 1u64 << bits;
            for lo in 0..size {
                for hi in lo..size {
                    let masks: Vec<_> = range_masks(lo.into(), hi.into(), bits).collect();
                    for value in 0..size {
                        let hits = masks
                            .iter()
                            .filter(|(v, m)| &(BigInt::from(value) & m) == v)
                            .count();
                        assert_eq!(hits, usize::from((lo..=hi).contains(&value)));
                    }
                }
            }
        }
    }
}
