// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: one of several places, by an index that is known only at run time. BMv2 has such an index only into stacks
//! of headers; elsewhere a value is chosen by comparisons, and a write is one of as many branches.

use super::ops;
use super::state::{Lower, Value};
use crate::error::Result;
use crate::flat::StmtKind;
use crate::json::Expr;
use crate::place::{Leaf, Place, Scalar};

impl Lower<'_> {
    /// The place number `index` of `places`, which have one type. A place of several parts is chosen part by part.
    pub(crate) fn choice(&mut self, index: &Expr, places: Vec<Place>) -> Result<Place> {
        places.iter().try_for_each(|_| self.count_operation())?;
        let members: Option<Vec<&Vec<Place>>> = places.iter().map(members_of).collect();
        let Some(members) = members else {
            return Ok(Place::Choice(Box::new(index.clone()), places));
        };
        let count = members.first().map_or(0, |first| first.len());
        let parts = (0..count)
            .map(|part| members.iter().map(|of| of[part].clone()).collect())
            .collect::<Vec<_>>();
        let parts = parts.into_iter().map(|part| self.choice(index, part));
        Ok(Place::Struct(parts.collect::<Result<_>>()?))
    }

    /// Does something with the place that the index chooses, and nothing where it chooses none.
    pub(crate) fn with_chosen(
        &mut self,
        index: &Expr,
        places: &[Place],
        mut action: impl FnMut(&mut Self, &Place) -> Result<()>,
    ) -> Result<()> {
        let mut arms = Vec::new();
        for (number, place) in places.iter().enumerate() {
            let chosen = Expr::binary("==", index.clone(), Expr::hex(number, 32));
            arms.push((chosen, self.nested(|lower| action(lower, place))?));
        }
        let otherwise = Vec::new();
        self.push(StmtKind::If { arms, otherwise });
        Ok(())
    }

    /// The value that the index chooses; `None` where the places hold no numbers.
    pub(crate) fn chosen_value(&self, index: &Expr, places: &[Place]) -> Option<Expr> {
        let is_bool = is_bool(places.first()?);
        let values: Option<Vec<Expr>> = places
            .iter()
            .map(|place| match self.read(place) {
                Value::Scalar(value) if is_bool => Some(ops::data(value)),
                Value::Scalar(value) => Some(value),
                _ => None,
            })
            .collect();
        let value = pick(index, 0, &values?);
        Some(match is_bool {
            true => Expr::unary("d2b", value),
            false => value,
        })
    }

    /// Whether the chosen header or union is valid.
    pub(crate) fn chosen_validity(&self, index: &Expr, places: &[Place]) -> Result<Expr> {
        let valid: Result<Vec<Expr>> = places
            .iter()
            .map(|place| self.validity(place).map(ops::data))
            .collect();
        Ok(Expr::unary("d2b", pick(index, 0, &valid?)))
    }

    /// A value that is one place: what an index chooses is copied first.
    pub(crate) fn settled(
        &mut self,
        value: Value,
        ty: &quench_p4_frontend::ir::Type,
    ) -> Result<Value> {
        match value {
            Value::Place(Place::Choice(..)) => self.spill(value, ty),
            value => Ok(value),
        }
    }
}

fn members_of(place: &Place) -> Option<&Vec<Place>> {
    match place {
        Place::Struct(members) => Some(members),
        _ => None,
    }
}

fn is_bool(place: &Place) -> bool {
    match place {
        Place::Scalar(Leaf { scalar, slice, .. }) => *scalar == Scalar::Bool && slice.is_none(),
        Place::Choice(_, places) => places.first().is_some_and(is_bool),
        _ => false,
    }
}

/// The value number `index - first`; the tree is balanced, since there can be thousands.
fn pick(index: &Expr, first: usize, values: &[Expr]) -> Expr {
    if let [value] = values {
        return value.clone();
    }
    let half = values.len() / 2;
    Expr::ternary(
        Expr::binary("<", index.clone(), Expr::hex(first + half, 32)),
        pick(index, first, &values[..half]),
        pick(index, first + half, &values[half..]),
    )
}
