// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: demands of the core library on calls that its declarations in `core.p4` do not express.

use crate::check::checker::Checker;
use crate::check::state::place::ObjectKind;
use crate::ir::{self, Type, TypeDefKind};
use crate::span::Span;

impl Checker<'_, '_> {
    /// Demands of the core library on the arguments of `packet_in` and `packet_out`.
    pub fn check_core_method(
        &mut self,
        extern_name: &str,
        method: &str,
        args: &[ir::Argument],
        type_args: &[Type],
        span: Span,
    ) -> Option<()> {
        match (extern_name, method) {
            ("packet_in", "extract") => {
                if self.place.object == Some(ObjectKind::Control) {
                    return self.error(span, "`extract` can be called only in a parser");
                }
                let arg = &args[0].expr;
                let Some(TypeDefKind::Header(fields)) = self.types.def(&arg.ty) else {
                    let shown = self.types.show(&arg.ty);
                    return self
                        .error(arg.span, format!("`extract` needs a header, not `{shown}`"));
                };
                let varbits = fields
                    .iter()
                    .filter(|f| matches!(f.ty, Type::Varbit(_)))
                    .count();
                if varbits > 1 {
                    return self.error(
                        arg.span,
                        format!("a header with {varbits} `varbit` fields cannot be extracted: at most one is allowed"),
                    );
                }
                match (varbits == 1, args.len()) {
                    (true, 1) => self.error(
                        arg.span,
                        "a header with a `varbit` field needs its size: `extract` with two arguments",
                    ),
                    (false, 2) => self.error(
                        arg.span,
                        "`extract` with two arguments needs a header with a `varbit` field",
                    ),
                    _ => Some(()),
                }
            }
            ("packet_in", "lookahead") => {
                let ty = type_args.first()?;
                match self.types.size_bits(ty) {
                    Some((min, max)) if min == max => Some(()),
                    _ if matches!(ty, Type::Variable(_)) => Some(()),
                    _ => {
                        let shown = self.types.show(ty);
                        self.error(
                            span,
                            format!("`lookahead` needs a type of fixed size, not `{shown}`"),
                        )
                    }
                }
            }
            ("packet_out", "emit") => {
                let arg = &args[0].expr;
                if self.types.can_emit(&arg.ty) {
                    return Some(());
                }
                let shown = self.types.show(&arg.ty);
                self.error(arg.span, format!("`emit` needs headers, not `{shown}`"))
            }
            _ => Some(()),
        }
    }
}
