// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The fields of a hash, which the control plane may choose among: their types, and their names as p4c writes expressions
//! once it has put controls into each other.

use std::collections::{BTreeMap, HashMap};

use num_bigint::BigInt;
use quench_p4_frontend::ir::visit::{self, Visitor};
use quench_p4_frontend::ir::{
    BinaryOp, Call, Callee, Direction, Expr, ExprKind, Program, Type, TypeDefKind, Value, VarId,
};
use quench_p4_frontend::span::Span;

use super::super::message::Message;
use super::super::named::def;
use super::super::reach::Reachable;
use super::super::values::bitwidth;
use super::super::Generator;
use crate::error::Result;

impl Generator<'_> {
    /// `barefoot.DynHash` of a hash's only call.
    pub(super) fn hash(
        &mut self,
        call: &Call,
        arguments: &Arguments<'_>,
        span: Span,
    ) -> Result<Message> {
        let mut parts = Vec::new();
        if let Some(data) = call.args.first() {
            if let ExprKind::Aggregate(items) = &data.expr.kind {
                items.iter().for_each(|item| split(item, &mut parts));
            }
        }
        let mut tuple = Message::new();
        let mut message = Message::new();
        for part in parts {
            let ty = match def(self.program, &part.ty).map(|def| &def.kind) {
                Some(TypeDefKind::SerEnum { repr, .. }) => repr,
                _ => &part.ty,
            };
            tuple.message(1, "members", self.types.data_type(self.program, ty, span)?);
            let mut field = Message::new();
            let is_constant = matches!(part.kind, ExprKind::Const(Value::Int(_)))
                && def(self.program, &part.ty).is_none();
            field
                .text(1, "field_name", &arguments.text(part))
                .bool(2, "is_constant", is_constant);
            message.message(2, "field_infos", field);
        }
        let mut spec = Message::new();
        spec.message(3, "tuple", tuple);
        message.message(1, "type_spec", spec).int(
            3,
            "hash_width",
            bitwidth(self.program, &call.result, span)?,
        );
        Ok(message)
    }
}

/// A longer name of a field is cut.
const MAX_TEXT_BYTES: usize = 4096;

/// `a ++ b` is two fields.
fn split<'e>(expr: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Concat, left, right) => {
            split(left, parts);
            split(right, parts);
        }
        _ => parts.push(expr),
    }
}

/// The arguments that parameters of inner controls stand for.
pub struct Arguments<'a> {
    program: &'a Program,
    /// `None`: a variable holds a copy, because calls differ or the control gets some memory by two ways.
    of: HashMap<VarId, Option<&'a Expr>>,
}

impl<'a> Arguments<'a> {
    pub fn of(program: &'a Program, reachable: &Reachable) -> Self {
        let mut collect = Collect {
            program,
            calls: BTreeMap::new(),
        };
        for id in &reachable.controls {
            visit::control(&mut collect, &program.controls[id.index()]);
        }
        let plain = Self {
            program,
            of: HashMap::new(),
        };
        let mut of = HashMap::new();
        for calls in collect.calls.values() {
            let Callee::Control(id) = calls[0].callee else {
                continue;
            };
            // As they are written: parameters stand for the same values in all of them.
            let texts = |call: &Call| -> Vec<String> {
                let args = call.args.iter();
                args.map(|arg| plain.text(&arg.expr)).collect()
            };
            let first = texts(calls[0]);
            let same = calls.iter().all(|call| texts(call) == first);
            let params = &program.controls[id.index()].params;
            let memories: Vec<_> = calls[0].args.iter().map(|arg| memory(&arg.expr)).collect();
            for (position, (param, arg)) in params.iter().zip(&calls[0].args).enumerate() {
                let mut others = memories.iter().enumerate();
                let alone = others.all(|(other, theirs)| {
                    other == position || !overlap(&memories[position], theirs)
                });
                let direct = arg.direction == Direction::None || same && alone;
                of.insert(*param, direct.then_some(&arg.expr));
            }
        }
        Self { program, of }
    }

    /// An expression as p4c shows it.
    fn text(&self, expr: &Expr) -> String {
        let mut text = String::new();
        self.write(expr, &mut text);
        text
    }

    fn write(&self, expr: &Expr, text: &mut String) {
        // Parameters that stand for sums of parameters would double the text at each level.
        if text.len() > MAX_TEXT_BYTES {
            return;
        }
        match &expr.kind {
            ExprKind::Var(id) => match self.of.get(id) {
                Some(Some(argument)) => self.write(argument, text),
                Some(None) => {
                    text.push_str(&self.program.vars[id.index()].name);
                    text.push_str("_0");
                }
                None => text.push_str(&self.program.vars[id.index()].name),
            },
            ExprKind::Field(base, index) => {
                self.write(base, text);
                match self.field_name(&base.ty, *index) {
                    Some(name) => text.push_str(&format!(".{name}")),
                    None => text.push_str(&format!("[{index}]")),
                }
            }
            ExprKind::Slice { base, hi, lo } => {
                self.write(base, text);
                text.push_str(&format!("[{hi}:{lo}]"));
            }
            ExprKind::Index(base, index) => {
                self.write(base, text);
                text.push('[');
                self.write(index, text);
                text.push(']');
            }
            ExprKind::StackNext(base) => self.write_member(base, "next", text),
            ExprKind::StackLast(base) => self.write_member(base, "last", text),
            ExprKind::StackLastIndex(base) => self.write_member(base, "lastIndex", text),
            ExprKind::Cast(value) => {
                text.push_str(&format!("({})", self.type_text(&expr.ty)));
                self.write(value, text);
            }
            ExprKind::Unary(op, value) => {
                text.push_str(op.symbol());
                self.write(value, text);
            }
            ExprKind::Binary(op, left, right) => {
                self.write(left, text);
                text.push_str(&format!(" {} ", op.symbol()));
                self.write(right, text);
            }
            ExprKind::Const(value) => text.push_str(&self.constant_text(value, &expr.ty)),
            _ => text.push_str("..."),
        }
    }

    fn write_member(&self, base: &Expr, name: &str, text: &mut String) {
        self.write(base, text);
        text.push_str(&format!(".{name}"));
    }

    fn field_name(&self, ty: &Type, index: u32) -> Option<&'a str> {
        let fields = match def(self.program, ty).map(|def| &def.kind)? {
            TypeDefKind::Struct(fields)
            | TypeDefKind::Header(fields)
            | TypeDefKind::HeaderUnion(fields) => fields,
            _ => return None,
        };
        fields.get(index as usize).map(|field| field.name.as_str())
    }

    fn constant_text(&self, value: &Value, ty: &Type) -> String {
        match (value, ty) {
            (Value::Int(value), Type::Bit(width)) => format!("{width}w{value}"),
            (Value::Int(value), Type::Int(width)) => match value < &BigInt::ZERO {
                true => format!("-{width}s{}", -value),
                false => format!("{width}s{value}"),
            },
            (Value::Int(value), Type::Named(id)) => {
                let def = &self.program.types[id.index()];
                let member = match &def.kind {
                    TypeDefKind::SerEnum { members, .. } => members
                        .iter()
                        .find_map(|(name, known)| (known == value).then_some(name)),
                    _ => None,
                };
                match member {
                    Some(member) => format!("{}.{member}", def.name),
                    None => value.to_string(),
                }
            }
            (Value::Int(value), _) => value.to_string(),
            (Value::Bool(value), _) => value.to_string(),
            (Value::Enum(id, index), _) => {
                let def = &self.program.types[id.index()];
                let member = match &def.kind {
                    TypeDefKind::Enum(members) => members.get(*index as usize),
                    _ => None,
                };
                format!("{}.{}", def.name, member.map_or("", String::as_str))
            }
            _ => "...".to_owned(),
        }
    }

    fn type_text(&self, ty: &Type) -> String {
        match ty {
            Type::Bit(width) => format!("bit<{width}>"),
            Type::Int(width) => format!("int<{width}>"),
            Type::Bool => "bool".to_owned(),
            _ => def(self.program, ty).map_or_else(String::new, |def| def.name.clone()),
        }
    }
}

/// Calls of controls, by the instance's first parameter.
struct Collect<'a> {
    program: &'a Program,
    calls: BTreeMap<VarId, Vec<&'a Call>>,
}

impl<'a> Visitor<'a> for Collect<'a> {
    fn call(&mut self, call: &'a Call) {
        visit::call(self, call);
        if let Callee::Control(id) = &call.callee {
            if let Some(first) = self.program.controls[id.index()].params.first() {
                self.calls.entry(*first).or_default().push(call);
            }
        }
    }
}

/// The variables, headers and fields in an expression: the variable, and the numbers of the fields.
fn memory(expr: &Expr) -> Vec<(VarId, Vec<u32>)> {
    let mut path = Vec::new();
    let mut place = expr;
    loop {
        match &place.kind {
            ExprKind::Var(id) => {
                path.reverse();
                return vec![(*id, path)];
            }
            ExprKind::Field(base, index) => {
                path.push(*index);
                place = base;
            }
            // An element may be any of the stack.
            ExprKind::Slice { base, .. } | ExprKind::Index(base, _) => {
                path.clear();
                place = base;
            }
            _ => return place.operands().flat_map(memory).collect(),
        }
    }
}

fn overlap(left: &[(VarId, Vec<u32>)], right: &[(VarId, Vec<u32>)]) -> bool {
    left.iter().any(|(variable, path)| {
        right.iter().any(|(other, theirs)| {
            variable == other && path.iter().zip(theirs).all(|(a, b)| a == b)
        })
    })
}
