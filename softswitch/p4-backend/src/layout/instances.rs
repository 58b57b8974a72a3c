// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Instances of headers, stacks and unions, and the fields of `scalars`: where values live.

use quench_p4_frontend::ir::{Type, TypeId};
use quench_p4_frontend::span::Span;

use super::{leaf, Class, Layout, SCALARS};
use crate::error::{not_supported, Result};
use crate::json::{self, Expr, HeaderField};
use crate::place::{HeaderAt, HeaderPlace, Place, Scalar, StackPlace, UnionAt, UnionPlace};

impl Layout<'_> {
    /// Makes room for a value, under `name` with a suffix where the name is taken.
    pub fn allocate(&mut self, name: &str, ty: &Type, span: Span) -> Result<Place> {
        Ok(match self.class(ty, span)? {
            Class::Scalar(scalar @ Scalar::Varbit(_)) => {
                let type_name = format!("$varbit{}", scalar.bits());
                if !self.type_positions.contains_key(&type_name) {
                    self.add_type(&type_name, &[("field".to_owned(), scalar)], false, span)?;
                }
                let name = self.names.unique(name);
                self.add_instance(&name, type_name, true);
                leaf(Expr::Field(name, "field".into()), scalar)
            }
            Class::Scalar(scalar) => leaf(self.add_scalar(name, scalar), scalar),
            Class::Struct(members) => Place::Struct(
                members
                    .iter()
                    .enumerate()
                    .map(|(index, member)| {
                        let name = self.member_name(ty, name, index);
                        self.allocate(&name, member, span)
                    })
                    .collect::<Result<_>>()?,
            ),
            Class::Header(id) => {
                let header_type = self.header_type(id)?;
                let name = self.names.unique(name);
                self.add_instance(&name, header_type, false);
                instance(id, name)
            }
            Class::Union(id) => {
                let name = self.names.unique(name);
                self.add_union(&name, id)?;
                Place::Union(UnionPlace {
                    ty: id,
                    at: UnionAt::Instance(name),
                })
            }
            Class::Stack(element, of_unions, size) => {
                let name = self.names.unique(name);
                self.add_stack(StackPlace {
                    name,
                    element,
                    of_unions,
                    size,
                })?
            }
        })
    }

    /// Metadata that the switch itself reads and writes, under a fixed name, with `more` fields behind those of its type. Adds
    /// the aliases that some of the fields have.
    pub fn add_metadata(
        &mut self,
        name: &str,
        id: TypeId,
        more: Vec<(String, Scalar)>,
    ) -> Result<Place> {
        let def = &self.ir.types[id.index()];
        let mut leaves = Vec::new();
        let mut members = Vec::new();
        for field in self.fields(id) {
            let scalar = self.scalar(&field.ty, def.span)?;
            leaves.push((field.name.clone(), scalar));
            members.push(leaf(Expr::Field(name.into(), field.name.clone()), scalar));
            if let Some(alias) = crate::annotation::string(&field.annotations, "alias") {
                self.aliases
                    .push((alias, (name.into(), field.name.clone())));
            }
        }
        leaves.extend(more);
        let type_name = self.add_type(name, &leaves, false, def.span)?;
        self.names.insert(name);
        self.add_instance(name, type_name, true);
        Ok(Place::Struct(members))
    }

    fn add_scalar(&mut self, name: &str, scalar: Scalar) -> Expr {
        let name = self.scalar_names.unique(name);
        self.scalar_bits += u64::from(scalar.bits());
        self.scalars.push(HeaderField::Fixed(
            name.clone(),
            scalar.bits(),
            matches!(scalar, Scalar::Int(_)),
        ));
        Expr::Field(SCALARS.into(), name)
    }

    /// Header and name of a field of no bits, which a key of `bit<0>` matches.
    pub fn field_without_bits(&mut self) -> (String, String) {
        const NAME: &str = "$no_bits$";
        let known =
            |field: &HeaderField| matches!(field, HeaderField::Fixed(name, ..) if name == NAME);
        if !self.scalars.iter().any(known) {
            self.add_scalar(NAME, Scalar::Bit(0));
        }
        (SCALARS.to_owned(), NAME.to_owned())
    }

    pub(super) fn add_instance(
        &mut self,
        name: &str,
        header_type: String,
        metadata: bool,
    ) -> usize {
        let id = self.headers.len();
        self.header_positions.entry(name.to_owned()).or_insert(id);
        self.headers.push(json::Header {
            name: name.to_owned(),
            id,
            header_type,
            metadata,
            pi_omit: true,
        });
        id
    }

    /// Name and members, each with its header type, of a union type, which is added at its first use.
    fn union_type(&mut self, ty: TypeId) -> Result<(String, Vec<(String, String)>)> {
        let def = &self.ir.types[ty.index()];
        let mut members = Vec::new();
        for field in self.fields(ty) {
            let Type::Named(id) = *self.resolve(&field.ty) else {
                return not_supported(def.span, "a union of anything but headers");
            };
            members.push((field.name.clone(), self.header_type(id)?));
        }
        if !self.union_types.iter().any(|t| t.name == def.name) {
            self.union_types.push(json::HeaderUnionType {
                name: def.name.clone(),
                id: self.union_types.len(),
                headers: members.clone(),
            });
        }
        Ok((def.name.clone(), members))
    }

    fn add_union(&mut self, name: &str, ty: TypeId) -> Result<usize> {
        let (union_type, members) = self.union_type(ty)?;
        let mut header_ids = Vec::new();
        for (field, header_type) in members {
            let member = format!("{name}.{field}");
            self.names.insert(&member);
            let group = name.split('[').next().unwrap_or(name).to_owned();
            self.groups.insert(member.clone(), group);
            header_ids.push(self.add_instance(&member, header_type, false));
        }
        let id = self.unions.len();
        self.unions.push(json::HeaderUnion {
            name: name.to_owned(),
            id,
            union_type,
            header_ids,
            pi_omit: true,
        });
        Ok(id)
    }

    fn add_stack(&mut self, stack: StackPlace) -> Result<Place> {
        let mut ids = Vec::new();
        for index in 0..stack.size {
            let name = stack.instance(index);
            self.names.insert(&name);
            self.groups.insert(name.clone(), stack.name.clone());
            ids.push(if stack.of_unions {
                self.add_union(&name, stack.element)?
            } else {
                let header_type = self.header_type(stack.element)?;
                self.add_instance(&name, header_type, false)
            });
        }
        let name = stack.name.clone();
        if stack.of_unions {
            let (union_type, _) = self.union_type(stack.element)?;
            self.union_stacks.push(json::HeaderUnionStack {
                name,
                id: self.union_stacks.len(),
                union_type,
                size: stack.size,
                header_union_ids: ids,
            });
        } else {
            let header_type = self.header_type(stack.element)?;
            self.stack_positions.insert(name.clone(), self.stacks.len());
            self.stacks.push(json::HeaderStack {
                name,
                id: self.stacks.len(),
                header_type,
                size: stack.size,
                header_ids: ids,
            });
        }
        Ok(Place::Stack(stack))
    }
}

fn instance(ty: TypeId, name: String) -> Place {
    Place::Header(HeaderPlace {
        ty,
        at: HeaderAt::Instance(name),
    })
}
