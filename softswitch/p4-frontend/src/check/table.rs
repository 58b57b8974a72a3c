// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables: keys, actions, default action, other properties.

use num_traits::ToPrimitive;

use super::arguments::match_arguments;
use super::names::{has_annotation, hierarchical, name_annotation};
use super::place::Body;
use super::scope::Entity;
use super::types::plural;
use super::Checker;
use crate::ast::{self, DeclKind, Direction, PropertyValue, TableProperty};
use crate::ir::{
    self, ActionUse, DefaultAction, Expr, ExprKind, Key, Property, TableId, Type, TypeDefKind,
    Value,
};
use crate::span::Span;

/// A table's actions with their declarations.
pub(super) struct TableActions<'a> {
    pub uses: Vec<ActionUse>,
    pub decls: Vec<&'a ast::Decl>,
}

impl<'a> Checker<'a, '_> {
    pub(super) fn table(
        &mut self,
        decl: &'a ast::Decl,
        properties: &'a [TableProperty],
    ) -> Option<TableId> {
        let table_name = &decl.name.text;
        for (index, property) in properties.iter().enumerate() {
            if properties[..index]
                .iter()
                .any(|other| other.name.text == property.name.text)
            {
                self.error::<()>(
                    property.name.span,
                    format!(
                        "table `{table_name}` has two properties `{}`",
                        property.name.text
                    ),
                );
            }
        }
        let find = |name: &str| {
            properties
                .iter()
                .find(|property| property.name.text == name)
        };
        let place_of = |name: &str| properties.iter().position(|p| p.name.text == name);
        if let (Some(key), Some(entries)) = (place_of("key"), place_of("entries")) {
            if entries < key {
                return self.error(properties[entries].span, "`entries` must come after `key`");
            }
        }
        let name = hierarchical(&self.place.prefix, table_name, &decl.annotations);

        let keys = match find("key").map(|property| &property.value) {
            Some(PropertyValue::Key(elements)) => {
                // The result of another table's `apply` may be a key.
                let outer = std::mem::replace(&mut self.place.body, Body::ControlApply);
                let keys = self.keys(elements);
                self.place.body = outer;
                keys
            }
            _ => Some(Vec::new()),
        };
        let Some(actions) = find("actions") else {
            return self.error(
                decl.name.span,
                format!("table `{table_name}` has no `actions`"),
            );
        };
        let actions = match &actions.value {
            PropertyValue::Actions(refs) => self.action_list(refs),
            _ => self.error(actions.span, "`actions` must be a list of actions"),
        };
        let (keys, mut actions) = (keys?, actions?);
        let default_action = self.default_action(find("default_action"), &mut actions)?;
        let mut table = ir::Table {
            name,
            annotations: decl.annotations.clone(),
            keys,
            actions: Vec::new(),
            default_action,
            const_entries: false,
            entries: Vec::new(),
            size: None,
            largest_priority_wins: true,
            properties: Vec::new(),
            span: decl.span,
        };
        let mut priority_delta = 1.into();
        for property in properties {
            let PropertyValue::Expr(value) = &property.value else {
                continue;
            };
            match property.name.text.as_str() {
                "default_action" => {}
                "size" => table.size = self.table_size(value)?,
                "largest_priority_wins" => {
                    if let Some(Value::Bool(wins)) =
                        self.typed_value(value, &Type::Bool, "`largest_priority_wins`")?
                    {
                        table.largest_priority_wins = wins;
                    }
                }
                "priority_delta" => {
                    let delta = self.constant_int(value, "`priority_delta`")?;
                    if !num_traits::Signed::is_positive(&delta) {
                        return self.error(value.span, "`priority_delta` must be positive");
                    }
                    priority_delta = delta;
                }
                _ => {
                    if let Some(value) = self.property_value(&table.name, property, value)? {
                        table.properties.push(value);
                    }
                }
            }
        }
        if let Some(property) = find("entries") {
            if let PropertyValue::Entries(entries) = &property.value {
                if table.keys.is_empty() && !entries.is_empty() {
                    return self.error(
                        property.span,
                        format!("table `{table_name}` has no key: it cannot have entries"),
                    );
                }
                table.const_entries = property.is_const;
                table.entries = self.entries(
                    &table,
                    &actions,
                    entries,
                    property.is_const,
                    &priority_delta,
                )?;
            }
        }
        table.actions = actions.uses;
        let id = TableId(self.ir.tables.len() as u32);
        self.ir.tables.push(table);
        Some(id)
    }

    fn keys(&mut self, elements: &'a [ast::KeyElement]) -> Option<Vec<Key>> {
        self.all(elements, |c, element| {
            let expr = c.expr(&element.expr, None)?;
            let usable = match &expr.ty {
                Type::Bit(_)
                | Type::Int(_)
                | Type::Varbit(_)
                | Type::Bool
                | Type::Error
                | Type::Variable(_) => true,
                ty => matches!(
                    c.def(ty),
                    Some(
                        TypeDefKind::Enum(_)
                            | TypeDefKind::SerEnum { .. }
                            | TypeDefKind::Newtype(_)
                    )
                ),
            };
            if !usable {
                let shown = c.show(&expr.ty);
                return c.error(expr.span, format!("`{shown}` cannot be a table key"));
            }
            let kind = &element.match_kind.name;
            if !c.ir.match_kinds.contains(&kind.text) {
                return c.error(
                    kind.span,
                    format!("`{}` is not a declared match_kind", kind.text),
                );
            }
            let name =
                match name_annotation(&element.annotations) {
                    Some(name) => name.to_string(),
                    None => match c.key_name(&element.expr) {
                        Some(name) => name,
                        None => return c.error(
                            element.expr.span,
                            "a key that is not a simple field needs a name: add `@name(\"...\")`",
                        ),
                    },
                };
            Some(Key {
                expr,
                match_kind: kind.text.clone(),
                name,
                annotations: element.annotations.clone(),
            })
        })
    }

    /// The action that a path names, as this control has it.
    fn action_named(&mut self, path: &ast::Path) -> Option<(ir::ActionId, &'a ast::Decl)> {
        match self.lookup(path)? {
            Entity::Action(id, decl) => Some((id, decl)),
            Entity::GlobalAction(decl) => Some((self.global_action(decl)?, decl)),
            other => self.error(
                path.name.span,
                format!(
                    "expected an action, but `{}` is {}",
                    path.name.text,
                    other.describe()
                ),
            ),
        }
    }

    fn action_list(&mut self, refs: &'a [ast::ActionRef]) -> Option<TableActions<'a>> {
        let mut actions = TableActions {
            uses: Vec::new(),
            decls: Vec::new(),
        };
        let mut failed = false;
        for action in refs {
            match self.action_ref(action) {
                Some((used, decl)) => {
                    if actions.uses.iter().any(|other| other.action == used.action) {
                        self.error::<()>(
                            action.span,
                            format!("action `{}` is in the list twice", decl.name.text),
                        );
                        failed = true;
                    }
                    actions.uses.push(used);
                    actions.decls.push(decl);
                }
                None => failed = true,
            }
        }
        (!failed).then_some(actions)
    }

    fn action_ref(&mut self, action: &'a ast::ActionRef) -> Option<(ActionUse, &'a ast::Decl)> {
        let (id, decl) = self.action_named(&action.path)?;
        let directed: Vec<&'a ast::Parameter> = action_params(decl)
            .iter()
            .filter(|param| param.direction != Direction::None)
            .collect();
        if action.args.len() > directed.len() {
            return self.error(
                action.span,
                format!(
                    "action `{}` has {} parameter{} with a direction to bind here, not {}",
                    decl.name.text,
                    directed.len(),
                    plural(directed.len()),
                    action.args.len()
                ),
            );
        }
        let types = self.action_types(id);
        let owned: Vec<ast::Parameter> = directed.iter().map(|param| (*param).clone()).collect();
        let matched = match match_arguments(&owned, &action.args, action.span, &decl.name.text) {
            Ok(matched) => matched,
            Err((span, message)) => return self.error(span, message),
        };
        let pairs: Vec<_> = directed.iter().zip(types).zip(matched).collect();
        let args = self.all(pairs, |c, ((param, ty), arg)| {
            let value = arg
                .and_then(|arg| arg.value.as_ref())
                .or(param.default.as_ref());
            let Some(value) = value else {
                return c.error(
                    action.span,
                    format!("parameter `{}` is not bound", param.name.text),
                );
            };
            c.bound_argument(param, &ty, value)
        })?;
        let used = ActionUse {
            action: id,
            args,
            annotations: action.annotations.clone(),
        };
        Some((used, decl))
    }

    fn bound_argument(
        &mut self,
        param: &ast::Parameter,
        ty: &Type,
        value: &'a ast::Expr,
    ) -> Option<Expr> {
        if param.direction == Direction::In {
            return self.typed(value, ty);
        }
        let value = self.expr(value, Some(ty))?;
        self.check_lvalue(&value)?;
        if value.ty != *ty {
            let (wanted, found) = (self.show(ty), self.show(&value.ty));
            return self.error(
                value.span,
                format!(
                    "parameter `{}` needs exactly `{wanted}`, found `{found}`",
                    param.name.text
                ),
            );
        }
        Some(value)
    }

    fn action_types(&self, id: ir::ActionId) -> Vec<Type> {
        let params = &self.ir.actions[id.index()].params;
        params.iter().map(|var| self.var(*var).ty.clone()).collect()
    }

    /// The default action; a table without one does `NoAction`, which joins its actions.
    fn default_action(
        &mut self,
        property: Option<&'a TableProperty>,
        actions: &mut TableActions<'a>,
    ) -> Option<DefaultAction> {
        let Some(property) = property else {
            return self.implied_default(actions);
        };
        let PropertyValue::Expr(value) = &property.value else {
            return self.error(property.span, "`default_action` must be an action");
        };
        let (path, args) = match &value.kind {
            ast::ExprKind::Path(path) => (path, [].as_slice()),
            ast::ExprKind::Call {
                callee,
                type_args,
                args,
            } if type_args.is_empty() => match &callee.kind {
                ast::ExprKind::Path(path) => (path, args.as_slice()),
                _ => return self.error(value.span, "`default_action` must be an action"),
            },
            _ => return self.error(value.span, "`default_action` must be an action"),
        };
        let (index, args) = self.initial_action(path, args, actions, value.span)?;
        if let Some(only) = actions.uses[index]
            .annotations
            .iter()
            .find(|a| a.name.text == "tableonly")
        {
            return self.error_with_note(
                value.span,
                "this action is only for entries",
                only.span,
                "it is `@tableonly`",
            );
        }
        Some(DefaultAction {
            action: Some(index),
            args,
            is_const: property.is_const,
        })
    }

    fn implied_default(&mut self, actions: &mut TableActions<'a>) -> Option<DefaultAction> {
        let no_action = match self
            .find_global("NoAction")
            .map(|global| global.entity.clone())
        {
            Some(Entity::GlobalAction(decl)) if action_params(decl).is_empty() => decl,
            _ => {
                return Some(DefaultAction {
                    action: None,
                    args: Vec::new(),
                    is_const: false,
                })
            }
        };
        let id = self.global_action(no_action)?;
        let listed = actions.uses.iter().position(|used| used.action == id);
        let index = listed.unwrap_or_else(|| {
            let span = no_action.span;
            let name = ast::Name {
                text: "defaultonly".to_string(),
                span,
            };
            actions.uses.push(ActionUse {
                action: id,
                args: Vec::new(),
                annotations: vec![ast::Annotation {
                    name,
                    body: ast::AnnotationBody::None,
                    span,
                }],
            });
            actions.decls.push(no_action);
            actions.uses.len() - 1
        });
        Some(DefaultAction {
            action: Some(index),
            args: Vec::new(),
            is_const: false,
        })
    }

    /// The action of a `default_action` or entry: it must be in the list, bind the same arguments as there, and give
    /// values for the others. The result is its position and those values.
    pub(super) fn initial_action(
        &mut self,
        path: &ast::Path,
        args: &'a [ast::Argument],
        actions: &TableActions<'a>,
        span: Span,
    ) -> Option<(usize, Vec<Value>)> {
        let (id, decl) = self.action_named(path)?;
        let Some(index) = actions.uses.iter().position(|used| used.action == id) else {
            return self.error(
                span,
                format!(
                    "action `{}` is not in the table's list of actions",
                    path.name.text
                ),
            );
        };
        let params = action_params(decl);
        let directionless: Vec<ast::Parameter> = params
            .iter()
            .filter(|param| param.direction == Direction::None)
            .cloned()
            .collect();
        // The bound arguments may be left out or repeated.
        let repeats = args.len() > directionless.len()
            || args.iter().any(|arg| {
                arg.name.as_ref().is_some_and(|name| {
                    params
                        .iter()
                        .any(|p| p.name.text == name.text && p.direction != Direction::None)
                })
            });
        let given: &[ast::Parameter] = if repeats { params } else { &directionless };
        let matched = match match_arguments(given, args, span, &decl.name.text) {
            Ok(matched) => matched,
            Err((span, message)) => return self.error(span, message),
        };
        let types = self.action_types(id);
        let mut values = Vec::new();
        let mut bound = actions.uses[index].args.clone().into_iter();
        for (param, ty) in params.iter().zip(&types) {
            let place = given
                .iter()
                .position(|other| other.name.text == param.name.text);
            let arg = place
                .and_then(|place| matched[place])
                .and_then(|arg| arg.value.as_ref());
            if param.direction != Direction::None {
                let (listed, Some(arg)) = (bound.next(), arg) else {
                    continue;
                };
                let arg = self.bound_argument(param, ty, arg)?;
                if !listed.is_some_and(|listed| same_expr(&listed, &arg)) {
                    return self.error(
                        arg.span,
                        format!(
                            "the argument for `{}` differs from the one in the list of actions",
                            param.name.text
                        ),
                    );
                }
                continue;
            }
            let Some(value) = arg.or(param.default.as_ref()) else {
                return self.error(
                    span,
                    format!(
                        "no argument for parameter `{}` of `{}`",
                        param.name.text, decl.name.text
                    ),
                );
            };
            if let Some(value) =
                self.typed_value(value, ty, "an argument of an action in a table")?
            {
                values.push(value);
            }
        }
        Some((index, values))
    }

    fn table_size(&mut self, value: &'a ast::Expr) -> Option<Option<u64>> {
        let size = self.expr(value, None)?;
        if !self.is_numeric(&size.ty) {
            let shown = self.show(&size.ty);
            return self.error(
                value.span,
                format!("the size of a table must be an integer, not `{shown}`"),
            );
        }
        match self.known_value(size, "the size of a table")? {
            Some(Value::Int(size)) => match size.to_u64() {
                Some(size) => Some(Some(size)),
                None => self.error(value.span, format!("{size} is not a size")),
            },
            _ => Some(None),
        }
    }

    fn property_value(
        &mut self,
        table: &str,
        property: &TableProperty,
        value: &'a ast::Expr,
    ) -> Option<Option<Property>> {
        let name = &property.name.text;
        let checked = match &value.kind {
            ast::ExprKind::Call { .. } => {
                let instance_name = match name_annotation(&property.annotations) {
                    // Not hierarchical: p4c takes it as it is.
                    Some(name) => name.trim_start_matches('.').to_string(),
                    None => format!("{table}.{name}"),
                };
                self.named_call(value, instance_name, &property.annotations)?
            }
            _ => self.expr(value, None)?,
        };
        let value = self.known_value(checked, &format!("table property `{name}`"))?;
        Some(value.map(|value| Property {
            name: name.clone(),
            value,
            span: property.span,
        }))
    }
}

pub(super) fn action_params(decl: &ast::Decl) -> &[ast::Parameter] {
    match &decl.kind {
        DeclKind::Action { params, .. } => params,
        _ => unreachable!("an action entity has an action declaration"),
    }
}

/// Whether an action may not be the default one, or not be in entries.
pub(super) fn is_default_only(used: &ActionUse) -> bool {
    has_annotation(&used.annotations, "defaultonly")
}

/// The same expression, wherever it stands.
fn same_expr(a: &Expr, b: &Expr) -> bool {
    if a.ty != b.ty {
        return false;
    }
    match (&a.kind, &b.kind) {
        (ExprKind::Const(x), ExprKind::Const(y)) => x == y,
        (ExprKind::Var(x), ExprKind::Var(y)) => x == y,
        (ExprKind::Field(x, i), ExprKind::Field(y, j)) => i == j && same_expr(x, y),
        (ExprKind::Index(x, i), ExprKind::Index(y, j)) => same_expr(x, y) && same_expr(i, j),
        (ExprKind::Cast(x), ExprKind::Cast(y)) | (ExprKind::IsValid(x), ExprKind::IsValid(y)) => {
            same_expr(x, y)
        }
        (ExprKind::Unary(p, x), ExprKind::Unary(q, y)) => p == q && same_expr(x, y),
        (ExprKind::Binary(p, x, v), ExprKind::Binary(q, y, w)) => {
            p == q && same_expr(x, y) && same_expr(v, w)
        }
        (
            ExprKind::Slice { base: x, hi, lo },
            ExprKind::Slice {
                base: y,
                hi: other_hi,
                lo: other_lo,
            },
        ) => hi == other_hi && lo == other_lo && same_expr(x, y),
        (ExprKind::Aggregate(x), ExprKind::Aggregate(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same_expr(x, y))
        }
        _ => false,
    }
}
