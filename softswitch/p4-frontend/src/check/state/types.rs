// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The types that a program declares, and what inference knows of the others.

use std::collections::{HashMap, HashSet};

use crate::ast;
use crate::ir::{Type, TypeDef, TypeDefKind, TypeId};

/// Between the name and the place of an overloaded object; no part of an identifier.
pub const OVERLOAD: char = '#';

/// The generic declaration and the type arguments that a type is a copy for.
#[derive(Clone)]
pub struct Origin<'a> {
    pub decl: &'a ast::Decl,
    pub args: Vec<Type>,
}

/// A type parameter, or an unknown type argument.
#[derive(Clone, Debug)]
pub struct TypeVariable {
    pub name: String,
    pub bound: Option<Type>,
    /// The parameter of a declaration that is being checked: it equals only itself.
    pub rigid: bool,
}

/// Knows types by their numbers. Nothing here looks at the program, so no question about a type changes anything.
#[derive(Default)]
pub struct Types<'a> {
    pub defs: Vec<TypeDef>,
    // The next three have an element for each type in `defs`.
    /// The generic declaration that the type is a copy of.
    pub origins: Vec<Option<Origin<'a>>>,
    /// Number of values without parts in a value of the type.
    leaves: Vec<u64>,
    /// Number of types inside each other in the type.
    depths: Vec<usize>,
    /// Copies by name and type arguments.
    pub copies: HashMap<(String, Vec<Type>), TypeId>,
    /// Types of record expressions that no struct type is known for yet.
    pub unknown_structs: HashSet<TypeId>,
    /// The state of each type variable.
    pub variables: Vec<TypeVariable>,
}

impl<'a> Types<'a> {
    pub fn add(&mut self, def: TypeDef, origin: Option<Origin<'a>>) -> TypeId {
        let leaves = match &def.kind {
            TypeDefKind::Struct(fields)
            | TypeDefKind::Header(fields)
            | TypeDefKind::HeaderUnion(fields) => self.leaf_count(fields.iter().map(|f| &f.ty)),
            _ => 1,
        };
        self.leaves.push(leaves);
        let inner = match &def.kind {
            TypeDefKind::Struct(fields)
            | TypeDefKind::Header(fields)
            | TypeDefKind::HeaderUnion(fields) => fields.iter().map(|f| self.depth(&f.ty)).max(),
            TypeDefKind::Newtype(inner) => Some(self.depth(inner)),
            _ => None,
        };
        self.depths.push(1 + inner.unwrap_or(0));
        let id = TypeId(self.defs.len() as u32);
        self.defs.push(def);
        self.origins.push(origin);
        id
    }

    pub fn depth(&self, ty: &Type) -> usize {
        match ty {
            Type::Named(id) => self.depths[id.index()],
            Type::Stack(inner, _) | Type::List(inner) => 1 + self.depth(inner),
            Type::Tuple(items) | Type::Extern(_, items) => {
                let inner = items.iter().map(|item| self.depth(item)).max();
                1 + inner.unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Number of values without parts in all the types together.
    pub fn leaf_count<'t>(&self, types: impl Iterator<Item = &'t Type>) -> u64 {
        types.fold(0, |sum, ty| {
            let count = match ty {
                Type::Named(id) => self.leaves[id.index()],
                Type::Stack(element, size) => self
                    .leaf_count(std::iter::once(&**element))
                    .saturating_mul(u64::from(*size)),
                Type::Tuple(items) => items.iter().fold(0, |sum: u64, item| {
                    sum.saturating_add(self.leaf_count(std::iter::once(item)))
                }),
                _ => 1,
            };
            sum.saturating_add(count)
        })
    }

    pub fn def(&self, ty: &Type) -> Option<&TypeDefKind> {
        match ty {
            Type::Named(id) => Some(&self.defs[id.index()].kind),
            _ => None,
        }
    }

    pub fn fresh(&mut self, name: &str, rigid: bool) -> Type {
        let index = self.variables.len() as u32;
        self.variables.push(TypeVariable {
            name: name.to_string(),
            bound: None,
            rigid,
        });
        Type::Variable(index)
    }

    pub fn fresh_params(&mut self, names: &[ast::Name], rigid: bool) -> Vec<Type> {
        names
            .iter()
            .map(|name| self.fresh(&name.text, rigid))
            .collect()
    }

    /// Whether it holds for the type or a part of it, type arguments included.
    pub fn any(&self, ty: &Type, holds: &dyn Fn(&Type) -> bool) -> bool {
        let among = |types: &[Type]| types.iter().any(|ty| self.any(ty, holds));
        holds(ty)
            || match ty {
                Type::Stack(inner, _) | Type::List(inner) => self.any(inner, holds),
                Type::Tuple(items) | Type::Extern(_, items) => among(items),
                Type::Named(id) => self.origins[id.index()]
                    .as_ref()
                    .is_some_and(|origin| among(&origin.args)),
                _ => false,
            }
    }

    /// Whether inference still has to find a part of the (resolved) type.
    pub fn is_open(&self, ty: &Type) -> bool {
        self.any(ty, &|part| match part {
            Type::Variable(index) => !self.variables[*index as usize].rigid,
            _ => false,
        })
    }

    /// Whether a type parameter or open variable is part of the type.
    pub fn is_generic(&self, ty: &Type) -> bool {
        self.any(ty, &|part| matches!(part, Type::Variable(_)))
    }

    pub fn mentions(&self, ty: &Type, variable: u32) -> bool {
        self.any(ty, &|part| *part == Type::Variable(variable))
    }

    /// Whether the type has a compile-time-only integer in it.
    pub fn has_inf_int(&self, ty: &Type) -> bool {
        match ty {
            Type::InfInt => true,
            Type::Stack(inner, _) | Type::List(inner) => self.has_inf_int(inner),
            Type::Tuple(items) => items.iter().any(|ty| self.has_inf_int(ty)),
            Type::Named(id) if self.unknown_structs.contains(id) => match self.def(ty) {
                Some(TypeDefKind::Struct(fields)) => fields.iter().any(|f| self.has_inf_int(&f.ty)),
                _ => false,
            },
            _ => false,
        }
    }

    pub fn shallow(&self, ty: &Type) -> Type {
        let mut ty = ty;
        while let Type::Variable(index) = ty {
            match &self.variables[*index as usize].bound {
                // A fixed-width type can still replace it.
                Some(Type::InfInt) | None => break,
                Some(bound) => ty = bound,
            }
        }
        ty.clone()
    }
}
