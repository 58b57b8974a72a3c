// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers, and the methods of `packet_in` and `packet_out`.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use quench_p4_frontend::ir::{self, Callee, ExprKind, KeySet, Type};

use super::{ops, Block, Lower, Value};
use crate::error::{not_supported, Result};
use crate::flat::{
    Case, Extract, ExtractTarget, Key, Pattern, State, StateGraph, StmtKind, Transition,
};
use crate::json::Expr;
use crate::layout::Class;
use crate::place::{HeaderAt, Place, Scalar};

/// More alternatives than this for one case of a `select` are refused.
const MAX_CASE_PATTERNS: usize = 4096;

impl Lower<'_> {
    /// The programmable parser.
    pub fn parser(&mut self, id: ir::ParserId) -> Result<StateGraph> {
        self.block = Block::Parser;
        let ir = self.ir;
        let parser = &ir.parsers[id.index()];
        self.span = parser.span;
        self.state_graph(parser)
    }

    pub(super) fn state_graph(&mut self, parser: &ir::Parser) -> Result<StateGraph> {
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
        })
    }

    fn transition(&mut self, transition: &ir::Transition, state: &ir::State) -> Result<Transition> {
        let (keys, cases) = match transition {
            ir::Transition::To(target) => {
                if *target == ir::Target::Reject {
                    self.warn_reject(state);
                }
                return Ok(Transition::To(*target));
            }
            ir::Transition::Select { keys, cases } => (keys, cases),
        };
        if cases.iter().any(|(_, t)| *t == ir::Target::Reject) {
            self.warn_reject(state);
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

    fn warn_reject(&mut self, state: &ir::State) {
        self.warnings.push((
            state.span,
            format!(
                "state {} can go to reject: v1model does not drop such packets, they go on to ingress",
                state.name
            ),
        ));
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
        match data {
            Expr::Field(..) | Expr::StackField(..) | Expr::UnionStackField(..) => Ok(data),
            data => {
                let Place::Scalar(leaf) = self.temporary(&key.ty)? else {
                    return not_supported(key.span, "a key of this type");
                };
                self.primitive("assign", vec![leaf.expr.clone(), data]);
                Ok(leaf.expr)
            }
        }
    }

    /// One case's key set as values with masks: several where there are ranges.
    fn patterns(
        &mut self,
        keyset: &[KeySet],
        keys: &[ir::Expr],
        scalars: &[Scalar],
    ) -> Result<Vec<Pattern>> {
        if let [KeySet::ValueSet(id)] = keyset {
            if !self.objects.value_sets.contains(id) {
                self.objects.value_sets.push(*id);
            }
            let name = self.ir.value_sets[id.index()].name.clone();
            return Ok(vec![Pattern::ValueSet(name)]);
        }
        let mut patterns: Vec<Vec<(BigInt, BigInt)>> = vec![Vec::new()];
        for (index, &scalar) in scalars.iter().enumerate() {
            // A single don't-care stands for all keys.
            let element = if keyset.len() == scalars.len() {
                &keyset[index]
            } else {
                &keyset[0]
            };
            let alternatives = self.alternatives(element, scalar, &keys[index])?;
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
        Ok(patterns.into_iter().map(Pattern::Masked).collect())
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
                if lo <= hi {
                    range_masks(lo, hi, bits)
                } else if matches!(scalar, Scalar::Int(_)) {
                    // From a negative number to a positive one: around the end of the unsigned range.
                    let mut masks = range_masks(lo, all, bits);
                    masks.extend(range_masks(BigInt::ZERO, hi, bits));
                    masks
                } else {
                    Vec::new()
                }
            }
            KeySet::ValueSet(_) => {
                return not_supported(key.span, "a value set for one of several keys")
            }
        })
    }

    /// A constant of a key set, as an unsigned number of the key's width.
    pub(super) fn key_constant(&mut self, e: &ir::Expr, bits: u32) -> Result<BigInt> {
        match self.scalar(e)? {
            Expr::Hex { value, .. } => Ok(ops::reduce(value, Scalar::Bit(bits))),
            Expr::Bool(b) => Ok(BigInt::from(u8::from(b))),
            _ => not_supported(e.span, "a key set that is not constant"),
        }
    }

    pub(super) fn packet_method(
        &mut self,
        extern_type: &str,
        method: &str,
        call: &ir::Call,
    ) -> Result<Option<Value>> {
        let args: Vec<&ir::Expr> = call.args.iter().map(|a| &a.expr).collect();
        match (extern_type, method, args.as_slice()) {
            ("packet_in", "extract", [header]) => self.extract(header, None)?,
            ("packet_in", "extract", [header, bits]) => self.extract(header, Some(bits))?,
            ("packet_in", "lookahead", []) => return self.lookahead(&call.result).map(Some),
            ("packet_in", "advance", [bits]) => {
                let bits = self.scalar(bits)?;
                self.push(StmtKind::Advance(bits));
            }
            ("packet_in", "length", []) => {
                return not_supported(
                    call.span,
                    "packet_in.length(); standard_metadata.packet_length has the packet's bytes",
                )
            }
            ("packet_out", "emit", [data]) => {
                let place = if self.is_place(data) {
                    self.place(data, false)?
                } else {
                    let value = self.value(data)?;
                    let copy = self.temporary(&data.ty)?;
                    self.assign(&copy, value)?;
                    copy
                };
                self.emit(&place)?;
            }
            _ => return not_supported(call.span, format_args!("{extern_type}.{method}")),
        }
        Ok(None)
    }

    fn extract(&mut self, target: &ir::Expr, variable_bits: Option<&ir::Expr>) -> Result<()> {
        let place = match target.kind {
            ExprKind::DontCare => self.temporary(&target.ty)?,
            _ => self.place(target, true)?,
        };
        let variable_bits = match variable_bits {
            Some(bits) => Some(self.scalar(bits)?),
            None => None,
        };
        let Place::Header(header) = place else {
            return not_supported(target.span, "extracting anything but a header");
        };
        // Also makes the type known, with what BMv2 refuses in it.
        self.layout.header_type(header.ty)?;
        let target = match header.at {
            HeaderAt::Instance(name) => ExtractTarget::Header(name),
            HeaderAt::Next(stack) => ExtractTarget::Stack(stack),
            HeaderAt::NextMember(stack, member) => ExtractTarget::UnionStack(stack, member),
            HeaderAt::Element(stack, index) => {
                let size = self.layout.stack_size(&stack);
                return self.extract_at(&stack, size, &index, variable_bits.as_ref());
            }
            _ => return not_supported(target.span, "extracting into a stack's `last`"),
        };
        self.push(StmtKind::Extract(Extract {
            target,
            variable_bits,
        }));
        Ok(())
    }

    /// BMv2 extracts into headers that are known: one of them is chosen by comparing the index.
    fn extract_at(
        &mut self,
        stack: &str,
        size: u32,
        index: &Expr,
        variable_bits: Option<&Expr>,
    ) -> Result<()> {
        let mut otherwise = Vec::new();
        for element in (0..size).rev() {
            let then = self.nested(|lower| {
                lower.push(StmtKind::Extract(Extract {
                    target: ExtractTarget::Header(format!("{stack}[{element}]")),
                    variable_bits: variable_bits.cloned(),
                }));
                Ok(())
            })?;
            otherwise = self.nested(|lower| {
                lower.push(StmtKind::If {
                    condition: Expr::binary("==", index.clone(), Expr::hex(element, 32)),
                    then,
                    otherwise,
                });
                Ok(())
            })?;
        }
        self.out.append(&mut otherwise);
        Ok(())
    }

    fn lookahead(&mut self, ty: &Type) -> Result<Value> {
        let place = self.temporary(ty)?;
        let mut offset = 0;
        self.look(&place, &mut offset)?;
        Ok(self.read(&place))
    }

    /// Fills a place with the packet's next bits, from `offset` on.
    fn look(&mut self, place: &Place, offset: &mut u32) -> Result<()> {
        match place {
            Place::Scalar(leaf) => {
                let bits = leaf.scalar.bits();
                let source = Expr::Lookahead(*offset, bits);
                *offset += bits;
                match leaf.scalar {
                    Scalar::Varbit(_) => not_supported(self.span, "lookahead of a varbit"),
                    Scalar::Int(_) => {
                        let Place::Scalar(raw) = self.temporary(&Type::Bit(bits))? else {
                            unreachable!("bits are one field");
                        };
                        self.primitive("assign", vec![raw.expr.clone(), source]);
                        let value = ops::cast(raw.expr, Scalar::Bit(bits), leaf.scalar);
                        self.primitive("assign", vec![leaf.expr.clone(), value]);
                        Ok(())
                    }
                    Scalar::Bit(_) | Scalar::Bool => {
                        self.primitive("assign", vec![leaf.expr.clone(), source]);
                        Ok(())
                    }
                }
            }
            Place::Struct(members) => members.iter().try_for_each(|m| self.look(m, offset)),
            Place::Header(header) => {
                let expr = self.header_expr(header)?;
                self.primitive("add_header", vec![expr]);
                (0..self.layout.fields(header.ty).len()).try_for_each(|index| {
                    let field = self.layout.header_field(header, index, self.span)?;
                    self.look(&field, offset)
                })
            }
            Place::Stack(stack) => self
                .elements(stack)
                .iter()
                .try_for_each(|element| self.look(element, offset)),
            Place::Union(_) => not_supported(self.span, "lookahead of a header union"),
        }
    }

    fn emit(&mut self, place: &Place) -> Result<()> {
        match place {
            Place::Struct(members) => members.iter().try_for_each(|m| self.emit(m)),
            Place::Header(header) => match &header.at {
                HeaderAt::Instance(name) => {
                    let name = name.clone();
                    self.push(StmtKind::Emit(name));
                    Ok(())
                }
                _ => not_supported(self.span, "emitting a header at an index known at run time"),
            },
            Place::Union(union) => (0..self.layout.fields(union.ty).len()).try_for_each(|index| {
                let member = self.union_member(union, index)?;
                self.emit(&member)
            }),
            Place::Stack(stack) => self.elements(stack).iter().try_for_each(|e| self.emit(e)),
            Place::Scalar(_) => not_supported(self.span, "emitting anything but headers"),
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

/// The fewest value-mask pairs that cover exactly `lo..=hi`.
fn range_masks(mut lo: BigInt, hi: BigInt, bits: u32) -> Vec<(BigInt, BigInt)> {
    let all = ops::mask(bits);
    let mut masks = Vec::new();
    while lo <= hi {
        let mut free = match lo.trailing_zeros() {
            Some(zeros) => zeros.min(u64::from(bits)).to_u32().unwrap_or(bits),
            None => bits,
        };
        while &lo + ops::mask(free) > hi {
            free -= 1;
        }
        masks.push((lo.clone(), &all ^ ops::mask(free)));
        lo += ops::mask(free) + 1;
    }
    masks
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
                    let masks = range_masks(lo.into(), hi.into(), bits);
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
