// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Cells of variables, and the cells that an expression names.
//!
//! A value without parts has one cell. A header has one for its validity and then those of its fields, a header union
//! one and then those of its members; structs, tuples and stacks have those of their parts.

use std::ops::Range;

use crate::ir::{Expr, ExprKind, Field, Program, Type, TypeDefKind, TypeId, Value, VarId};
use crate::limits::MAX_WIDTH_BITS;

/// The first cell of each variable. Every variable belongs to one parser, control or function, whose cells begin with
/// 0.
pub(super) struct Places<'p> {
    program: &'p Program,
    starts: Vec<Option<usize>>,
    /// The layouts of the types with a name, as far as they are known.
    layouts: Vec<Option<Layout>>,
    next: usize,
    /// Parts of tuples that were passed by on the way to others.
    pub work: usize,
}

/// Where the fields of a type begin, and its number of cells.
#[derive(Clone, Default)]
struct Layout {
    offsets: Box<[usize]>,
    size: usize,
}

/// The parts of a type.
pub(super) enum Parts<'p> {
    None,
    Struct(&'p [Field]),
    Header(&'p [Field]),
    Union(&'p [Field]),
    Tuple(&'p [Type]),
    Stack(&'p Type, usize),
}

#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub start: usize,
    pub ty: &'p Type,
    /// One of so many places, so many cells apart: an element of a stack whose index is known only at run time.
    pub spread: Option<Spread>,
}

#[derive(Clone, Copy)]
pub(super) struct Spread {
    pub count: usize,
    pub distance: usize,
}

impl<'p> Place<'p> {
    pub fn starts(self) -> impl ExactSizeIterator<Item = usize> + DoubleEndedIterator {
        let (count, distance) = self
            .spread
            .map_or((1, 0), |spread| (spread.count, spread.distance));
        (0..count).map(move |index| self.start + index * distance)
    }

    pub fn part(self, offset: usize, ty: &'p Type) -> Self {
        Place {
            start: self.start + offset,
            ty,
            ..self
        }
    }
}

impl<'p> Places<'p> {
    pub fn new(program: &'p Program) -> Self {
        Places {
            program,
            starts: vec![None; program.vars.len()],
            layouts: vec![None; program.types.len()],
            next: 0,
            work: 0,
        }
    }

    /// Begins a parser, control or function.
    pub fn begin(&mut self) {
        self.next = 0;
    }

    pub fn declare(&mut self, var: VarId) -> Place<'p> {
        let ty = &self.program.vars[var.index()].ty;
        let start = match self.starts[var.index()] {
            Some(start) => start,
            None => {
                let start = self.next;
                self.next += self.size(ty);
                self.starts[var.index()] = Some(start);
                start
            }
        };
        Place {
            start,
            ty,
            spread: None,
        }
    }

    pub fn parts(&self, ty: &'p Type) -> Parts<'p> {
        match ty {
            Type::Tuple(items) => Parts::Tuple(items),
            Type::Stack(element, count) => Parts::Stack(element, *count as usize),
            Type::Named(id) => match &self.program.types[id.index()].kind {
                TypeDefKind::Struct(fields) => Parts::Struct(fields),
                TypeDefKind::Header(fields) => Parts::Header(fields),
                TypeDefKind::HeaderUnion(fields) => Parts::Union(fields),
                _ => Parts::None,
            },
            _ => Parts::None,
        }
    }

    /// Number of cells.
    pub fn size(&mut self, ty: &'p Type) -> usize {
        match ty {
            Type::Extern(..) | Type::Void | Type::Unknown => 0,
            Type::Named(id) => self.layout(*id).size,
            Type::Tuple(items) => {
                self.work += items.len();
                items.iter().map(|item| self.size(item)).sum()
            }
            Type::Stack(element, count) => *count as usize * self.size(element),
            _ => 1,
        }
    }

    fn layout(&mut self, id: TypeId) -> &Layout {
        if self.layouts[id.index()].is_none() {
            let layout = self.lay_out(id);
            self.layouts[id.index()] = Some(layout);
        }
        self.layouts[id.index()].get_or_insert_default()
    }

    fn lay_out(&mut self, id: TypeId) -> Layout {
        let (mut size, fields) = match &self.program.types[id.index()].kind {
            TypeDefKind::Struct(fields) => (0, fields.as_slice()),
            TypeDefKind::Header(fields) | TypeDefKind::HeaderUnion(fields) => {
                (1, fields.as_slice())
            }
            _ => (1, &[][..]),
        };
        let offsets = fields
            .iter()
            .map(|field| {
                let offset = size;
                size += self.size(&field.ty);
                offset
            })
            .collect();
        Layout { offsets, size }
    }

    /// Part number `index` of a struct, header, union, tuple or stack.
    pub fn part(&mut self, of: Place<'p>, index: usize) -> Option<Place<'p>> {
        match (self.parts(of.ty), of.ty) {
            (
                Parts::Struct(fields) | Parts::Header(fields) | Parts::Union(fields),
                Type::Named(id),
            ) => {
                let offset = *self.layout(*id).offsets.get(index)?;
                Some(of.part(offset, &fields.get(index)?.ty))
            }
            (Parts::Tuple(items), _) => {
                self.work += index;
                let offset = items.iter().take(index).map(|item| self.size(item)).sum();
                Some(of.part(offset, items.get(index)?))
            }
            (Parts::Stack(element, count), _) if index < count => {
                Some(of.part(index * self.size(element), element))
            }
            _ => None,
        }
    }

    /// All parts, in order.
    pub fn all_parts(&mut self, of: Place<'p>) -> Vec<Place<'p>> {
        if let Parts::Tuple(items) = self.parts(of.ty) {
            let mut offset = 0;
            let place = |item| {
                let place = of.part(offset, item);
                offset += self.size(item);
                place
            };
            return items.iter().map(place).collect();
        }
        if let (
            Parts::Struct(fields) | Parts::Header(fields) | Parts::Union(fields),
            Type::Named(id),
        ) = (self.parts(of.ty), of.ty)
        {
            let offsets = &self.layout(*id).offsets;
            let fields = offsets.iter().zip(fields);
            return fields
                .map(|(&offset, field)| of.part(offset, &field.ty))
                .collect();
        }
        let count = match self.parts(of.ty) {
            Parts::Struct(_) | Parts::Header(_) | Parts::Union(_) => 0,
            Parts::Stack(_, count) => count,
            Parts::None | Parts::Tuple(_) => 0,
        };
        (0..count)
            .filter_map(|index| self.part(of, index))
            .collect()
    }

    /// The place that an expression names; `None` where it names none, or none that is followed.
    pub fn of(&mut self, e: &'p Expr) -> Option<Place<'p>> {
        match &e.kind {
            ExprKind::Var(var) => Some(Place {
                start: self.starts[var.index()]?,
                ty: &self.program.vars[var.index()].ty,
                spread: None,
            }),
            ExprKind::Field(base, index) => {
                let base = self.of(base)?;
                self.part(base, *index as usize)
            }
            ExprKind::Index(base, index) => {
                let base = self.of(base)?;
                match &index.kind {
                    ExprKind::Const(Value::Int(index)) => {
                        self.part(base, usize::try_from(index).ok()?)
                    }
                    _ => self.some_element(base),
                }
            }
            ExprKind::StackNext(base) | ExprKind::StackLast(base) => {
                let base = self.of(base)?;
                self.some_element(base)
            }
            ExprKind::Slice { base, .. } => self.of(base),
            _ => None,
        }
    }

    /// The bits of the place that an expression names, in an order in which each cell has as many as the widest value.
    pub fn bits_of(&mut self, e: &'p Expr) -> Option<Range<usize>> {
        let cell_bits = MAX_WIDTH_BITS as usize;
        let place = self.of(e)?;
        if let (ExprKind::Slice { hi, lo, .. }, None) = (&e.kind, place.spread) {
            let first = place.start * cell_bits;
            return Some(first + *lo as usize..first + *hi as usize + 1);
        }
        let last = place.starts().next_back()? + self.size(place.ty);
        Some(place.start * cell_bits..last * cell_bits)
    }

    fn some_element(&mut self, stack: Place<'p>) -> Option<Place<'p>> {
        match (self.parts(stack.ty), stack.spread) {
            (Parts::Stack(element, count), None) => Some(Place {
                start: stack.start,
                ty: element,
                spread: Some(Spread {
                    count,
                    distance: self.size(element),
                }),
            }),
            _ => None,
        }
    }
}
