// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What the packet state is made of: header types, instances, and the `scalars` that hold everything else.
//!
//! In: the types of a program. Out: header types and instances of the JSON, and a name for each variable.

use std::collections::HashMap;

use quench_p4_frontend::ir::{self, Type, TypeDefKind, TypeId};
use quench_p4_frontend::span::Span;

use crate::error::{not_supported, Result};
use crate::json::{self, Expr, HeaderField};
use crate::names::Names;
use crate::place::{HeaderAt, HeaderPlace, Leaf, Place, Scalar, StackPlace, UnionAt, UnionPlace};
use quench_p4_frontend::limits::{MAX_HEADERS, MAX_STATE_BITS};

mod header;

pub const STANDARD_METADATA: &str = "standard_metadata";
pub const SCALARS: &str = "scalars";

/// What a type is for this back end.
pub enum Class {
    Scalar(Scalar),
    /// Struct or tuple: its members' types.
    Struct(Vec<Type>),
    Header(TypeId),
    Union(TypeId),
    /// Element type, whether that is a union, and the number of elements.
    Stack(TypeId, bool, u32),
}

pub struct Layout<'a> {
    ir: &'a ir::Program,
    pub types: Vec<json::HeaderType>,
    type_names: HashMap<TypeId, String>,
    pub headers: Vec<json::Header>,
    pub stacks: Vec<json::HeaderStack>,
    pub union_types: Vec<json::HeaderUnionType>,
    pub unions: Vec<json::HeaderUnion>,
    pub union_stacks: Vec<json::HeaderUnionStack>,
    pub aliases: Vec<(String, (String, String))>,
    scalars: Vec<HeaderField>,
    scalar_bits: u64,
    names: Names,
    scalar_names: Names,
    new_type_names: Names,
    /// Positions in `types`, `headers` and `stacks` by name.
    type_positions: HashMap<String, usize>,
    header_positions: HashMap<String, usize>,
    stack_positions: HashMap<String, usize>,
    /// Stack or union that an instance is part of.
    groups: HashMap<String, String>,
}

impl<'a> Layout<'a> {
    pub fn new(ir: &'a ir::Program) -> Layout<'a> {
        let mut names = Names::default();
        names.insert(SCALARS);
        names.insert(STANDARD_METADATA);
        Layout {
            ir,
            types: Vec::new(),
            type_names: HashMap::new(),
            headers: Vec::new(),
            stacks: Vec::new(),
            union_types: Vec::new(),
            unions: Vec::new(),
            union_stacks: Vec::new(),
            aliases: Vec::new(),
            scalars: Vec::new(),
            scalar_bits: 0,
            names,
            scalar_names: Names::default(),
            new_type_names: Names::default(),
            type_positions: HashMap::new(),
            header_positions: HashMap::new(),
            stack_positions: HashMap::new(),
            groups: HashMap::new(),
        }
    }

    /// Looks through newtypes.
    pub fn resolve<'t>(&'t self, ty: &'t Type) -> &'t Type {
        match ty {
            Type::Named(id) => match &self.ir.types[id.index()].kind {
                TypeDefKind::Newtype(inner) => self.resolve(inner),
                _ => ty,
            },
            _ => ty,
        }
    }

    pub fn class(&self, ty: &Type, span: Span) -> Result<Class> {
        Ok(match self.resolve(ty) {
            Type::Bool => Class::Scalar(Scalar::Bool),
            Type::Error => Class::Scalar(Scalar::Bit(32)),
            Type::Bit(0) | Type::Int(0 | 1) => {
                return not_supported(span, "a bit<0>, int<0> or int<1> value")
            }
            Type::Bit(w) => Class::Scalar(Scalar::Bit(*w)),
            Type::Int(w) => Class::Scalar(Scalar::Int(*w)),
            Type::Varbit(w) => Class::Scalar(Scalar::Varbit(*w)),
            Type::Tuple(members) => Class::Struct(members.clone()),
            Type::Stack(element, size) => match self.resolve(element) {
                Type::Named(id) => {
                    let union =
                        matches!(self.ir.types[id.index()].kind, TypeDefKind::HeaderUnion(_));
                    Class::Stack(*id, union, *size)
                }
                _ => return not_supported(span, "a stack of anything but headers"),
            },
            Type::Named(id) => match &self.ir.types[id.index()].kind {
                TypeDefKind::Struct(fields) => {
                    Class::Struct(fields.iter().map(|f| f.ty.clone()).collect())
                }
                TypeDefKind::Header(_) => Class::Header(*id),
                TypeDefKind::HeaderUnion(_) => Class::Union(*id),
                TypeDefKind::Enum(_) => Class::Scalar(Scalar::Bit(32)),
                TypeDefKind::SerEnum { repr, .. } => return self.class(&repr.clone(), span),
                TypeDefKind::Newtype(_) => unreachable!("newtypes are resolved"),
            },
            other => return not_supported(span, format_args!("a variable of type {other:?}")),
        })
    }

    /// The type of one field.
    pub fn scalar(&self, ty: &Type, span: Span) -> Result<Scalar> {
        match self.class(ty, span)? {
            Class::Scalar(scalar) => Ok(scalar),
            _ => not_supported(span, "a struct or header where one value is needed"),
        }
    }

    pub fn fields(&self, id: TypeId) -> &'a [ir::Field] {
        match &self.ir.types[id.index()].kind {
            TypeDefKind::Struct(fields)
            | TypeDefKind::Header(fields)
            | TypeDefKind::HeaderUnion(fields) => fields,
            _ => &[],
        }
    }

    fn member_name(&self, ty: &Type, prefix: &str, index: usize) -> String {
        let member = match self.resolve(ty) {
            Type::Named(id) => self.fields(*id)[index].name.clone(),
            _ => index.to_string(),
        };
        if prefix.is_empty() {
            member
        } else {
            format!("{prefix}.{member}")
        }
    }

    fn add_instance(&mut self, name: &str, header_type: String, metadata: bool) -> usize {
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

    fn new_name(&mut self, name: &str) -> String {
        self.names.unique(name)
    }

    /// Makes room for a value; `name` becomes unique.
    pub fn allocate(&mut self, name: &str, ty: &Type, span: Span) -> Result<Place> {
        Ok(match self.class(ty, span)? {
            Class::Scalar(scalar @ Scalar::Varbit(_)) => {
                let type_name = format!("$varbit{}", scalar.bits());
                if !self.type_positions.contains_key(&type_name) {
                    self.add_type(&type_name, &[("field".to_owned(), scalar)], false, span)?;
                }
                let name = self.new_name(name);
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
                let name = self.new_name(name);
                self.add_instance(&name, header_type, false);
                instance(id, name)
            }
            Class::Union(id) => {
                let name = self.new_name(name);
                self.add_union(&name, id)?;
                Place::Union(UnionPlace {
                    ty: id,
                    at: UnionAt::Instance(name),
                })
            }
            Class::Stack(element, of_unions, size) => {
                let name = self.new_name(name);
                self.add_stack(StackPlace {
                    name,
                    element,
                    of_unions,
                    size,
                })?
            }
        })
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

    /// Whether this is a field, and as wide as the value that it stands for: a widened value is the same expression as
    /// the field, but matched, selected on or hashed it has more bits.
    pub fn is_field(&self, expr: &Expr, bits: u32) -> bool {
        let fields = match expr {
            Expr::Field(_, field) if field == "$valid$" => return bits == 1,
            Expr::Field(header, _) if header == SCALARS => Some(&self.scalars),
            Expr::Field(header, _) => {
                let instance = self.header_positions.get(header);
                instance.and_then(|&at| self.type_fields(&self.headers[at].header_type))
            }
            Expr::StackField(stack, _) => {
                let stack = self.stack_positions.get(stack);
                stack.and_then(|&at| self.type_fields(&self.stacks[at].header_type))
            }
            Expr::UnionStackField(stack, member, _) => {
                let stack = self.union_stacks.iter().find(|s| s.name == *stack);
                let union = stack.and_then(|s| {
                    let mut types = self.union_types.iter();
                    types.find(|t| t.name == s.union_type)
                });
                let member = union.and_then(|u| u.headers.iter().find(|(name, _)| name == member));
                member.and_then(|(_, header_type)| self.type_fields(header_type))
            }
            _ => return false,
        };
        let (Expr::Field(_, name) | Expr::StackField(_, name) | Expr::UnionStackField(_, _, name)) =
            expr
        else {
            return false;
        };
        fields.into_iter().flatten().any(|field| match field {
            HeaderField::Fixed(field, width, _) => field == name && *width == bits,
            HeaderField::Variable(field, _) => field == name,
        })
    }

    fn type_fields(&self, header_type: &str) -> Option<&Vec<HeaderField>> {
        let position = *self.type_positions.get(header_type)?;
        Some(&self.types[position].fields)
    }

    fn add_union(&mut self, name: &str, ty: TypeId) -> Result<usize> {
        let mut header_ids = Vec::new();
        let mut members = Vec::new();
        for field in self.fields(ty) {
            let Type::Named(id) = *self.resolve(&field.ty) else {
                return not_supported(
                    self.ir.types[ty.index()].span,
                    "a union of anything but headers",
                );
            };
            let header_type = self.header_type(id)?;
            let member = format!("{name}.{}", field.name);
            self.names.insert(&member);
            let group = name.split('[').next().unwrap_or(name).to_owned();
            self.groups.insert(member.clone(), group);
            header_ids.push(self.add_instance(&member, header_type.clone(), false));
            members.push((field.name.clone(), header_type));
        }
        let union_type = self.ir.types[ty.index()].name.clone();
        if !self.union_types.iter().any(|t| t.name == union_type) {
            self.union_types.push(json::HeaderUnionType {
                name: union_type.clone(),
                id: self.union_types.len(),
                headers: members,
            });
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
        if stack.of_unions {
            self.union_stacks.push(json::HeaderUnionStack {
                name: stack.name.clone(),
                id: self.union_stacks.len(),
                union_type: self.ir.types[stack.element.index()].name.clone(),
                size: stack.size,
                header_union_ids: ids,
            });
        } else {
            let header_type = self.header_type(stack.element)?;
            self.stack_positions
                .insert(stack.name.clone(), self.stacks.len());
            self.stacks.push(json::HeaderStack {
                name: stack.name.clone(),
                id: self.stacks.len(),
                header_type,
                size: stack.size,
                header_ids: ids,
            });
        }
        Ok(Place::Stack(stack))
    }

    /// The metadata that simple_switch itself reads and writes, with the names it knows some of it by.
    pub fn add_standard_metadata(&mut self, id: TypeId) -> Result<Place> {
        let def = &self.ir.types[id.index()];
        let mut leaves = Vec::new();
        let mut members = Vec::new();
        for field in self.fields(id) {
            let scalar = self.scalar(&field.ty, def.span)?;
            leaves.push((field.name.clone(), scalar));
            members.push(leaf(
                Expr::Field(STANDARD_METADATA.into(), field.name.clone()),
                scalar,
            ));
            if let Some(alias) = crate::annotation::string(&field.annotations, "alias") {
                self.aliases
                    .push((alias, (STANDARD_METADATA.into(), field.name.clone())));
            }
        }
        let type_name = self.add_type(STANDARD_METADATA, &leaves, false, def.span)?;
        self.add_instance(STANDARD_METADATA, type_name, true);
        Ok(Place::Struct(members))
    }

    /// Elements of a stack of headers.
    pub fn stack_size(&self, name: &str) -> u32 {
        let position = self.stack_positions.get(name);
        position.map_or(0, |&at| self.stacks[at].size)
    }

    /// What must be taken for touched when this header is: the stack or union around it, or the header itself.
    pub fn group<'s>(&'s self, header: &'s str) -> &'s str {
        self.groups.get(header).map_or(header, String::as_str)
    }

    /// Closes the type of `scalars` and adds its instance. Refuses a packet whose state is too large.
    pub fn finish(&mut self, span: Span) -> Result<()> {
        let mut fields = std::mem::take(&mut self.scalars);
        if self.scalar_bits % 8 != 0 {
            let name = self.scalar_names.unique("_padding");
            let bits = 8 - (self.scalar_bits % 8) as u32;
            fields.push(HeaderField::Fixed(name, bits, false));
        }
        let name = self.push_type(SCALARS, fields, None);
        self.add_instance(SCALARS, name, true);
        if self.headers.len() > MAX_HEADERS {
            return not_supported(span, format_args!("more than {MAX_HEADERS} headers"));
        }
        let bits: u64 = self
            .headers
            .iter()
            .map(|h| self.type_bits(&h.header_type))
            .sum();
        if bits > MAX_STATE_BITS {
            let most = MAX_STATE_BITS / 8;
            return not_supported(
                span,
                format_args!("headers, metadata and variables of more than {most} bytes together"),
            );
        }
        Ok(())
    }

    fn type_bits(&self, header_type: &str) -> u64 {
        let Some(&position) = self.type_positions.get(header_type) else {
            return 0;
        };
        let fixed = |field: &HeaderField| match field {
            HeaderField::Fixed(_, bits, _) => u64::from(*bits),
            HeaderField::Variable(..) => 0,
        };
        match self.types[position].max_length {
            Some(bytes) => u64::from(bytes) * 8,
            None => self.types[position].fields.iter().map(fixed).sum(),
        }
    }

    /// The name under which the type is kept.
    fn push_type(
        &mut self,
        name: &str,
        fields: Vec<HeaderField>,
        max_length: Option<u32>,
    ) -> String {
        let name = self.new_type_names.unique(name);
        self.type_positions.insert(name.clone(), self.types.len());
        self.types.push(json::HeaderType {
            name: name.clone(),
            id: self.types.len(),
            fields,
            max_length,
        });
        name
    }
}

pub fn leaf(expr: Expr, scalar: Scalar) -> Place {
    Place::Scalar(Leaf {
        expr,
        scalar,
        slice: None,
    })
}

fn instance(ty: TypeId, name: String) -> Place {
    Place::Header(HeaderPlace {
        ty,
        at: HeaderAt::Instance(name),
    })
}
