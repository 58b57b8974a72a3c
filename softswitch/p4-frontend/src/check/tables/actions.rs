// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: the actions of a table: its list with bound arguments, the default action, the actions of entries.

use crate::ast::{self, Direction, PropertyValue, TableProperty};
use crate::check::calls::arguments::match_arguments;
use crate::check::checker::Checker;
use crate::check::declared::action_params;
use crate::check::names::control_plane::has_annotation;
use crate::check::state::entity::Entity;
use crate::diagnostics::plural;
use crate::ir::{self, ActionUse, Callee, DefaultAction, Expr, ExprKind, Type, Value};
use crate::span::Span;

/// A table's actions with their declarations.
pub struct TableActions<'a> {
    pub uses: Vec<ActionUse>,
    pub decls: Vec<&'a ast::Decl>,
}

impl<'a> Checker<'a, '_> {
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

    pub fn action_list(&mut self, refs: &'a [ast::ActionRef]) -> Option<TableActions<'a>> {
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
            let (wanted, found) = (self.types.show(ty), self.types.show(&value.ty));
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
    pub fn default_action(
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
            .scope
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
    pub fn initial_action(
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
}

/// Whether an action may not be the default one, or not be in entries.
pub fn is_default_only(used: &ActionUse) -> bool {
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
        (ExprKind::Call(x), ExprKind::Call(y)) => {
            let same_callee = match (&x.callee, &y.callee) {
                (Callee::Function(f), Callee::Function(g)) => f == g,
                (
                    Callee::ExternFunction {
                        name: f,
                        type_args: t,
                    },
                    Callee::ExternFunction {
                        name: g,
                        type_args: u,
                    },
                ) => f == g && t == u,
                _ => false,
            };
            same_callee
                && x.args
                    .iter()
                    .zip(&y.args)
                    .all(|(x, y)| same_expr(&x.expr, &y.expr))
        }
        (ExprKind::Aggregate(x), ExprKind::Aggregate(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same_expr(x, y))
        }
        _ => false,
    }
}
