// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The functions that p4c took out of v1model at the end of 2021. A copy of the packet keeps the fields that are arguments,
//! where the newer functions have `@field_list`.

use quench_p4_frontend::{ir, Warning};

use super::{EGRESS, INGRESS};
use crate::error::Result;
use crate::json::Expr;
use crate::lower::{FieldList, Lower, Parts};

impl Lower<'_> {
    /// Whether it is one of these functions.
    pub(super) fn v1model_2021_function(&mut self, name: &str, call: &ir::Call) -> Result<bool> {
        let args: Vec<&ir::Expr> = call.args.iter().map(|a| &a.expr).collect();
        match (name, args.as_slice()) {
            ("mark_to_drop", []) => {
                self.only_in(call, name, &[INGRESS, EGRESS])?;
                // The checker warns about the others; of this name, only one of two functions is old.
                let message =
                    "`mark_to_drop()` is deprecated: write mark_to_drop(standard_metadata)";
                self.warnings
                    .push((Warning::Deprecated, call.span, message.to_owned()));
                self.drop_packet();
            }
            ("clone3", [kind, session, data]) => {
                let list = self.list_of(data, call)?;
                self.clone_packet(kind, session, list, call)?;
            }
            ("resubmit", [data]) => {
                self.only_in(call, name, &[INGRESS])?;
                let list = self.list_of(data, call)?;
                self.primitive("resubmit", vec![Expr::hex(list, 32)]);
            }
            ("recirculate", [data]) => {
                self.only_in(call, name, &[EGRESS])?;
                let list = self.list_of(data, call)?;
                self.primitive("recirculate", vec![Expr::hex(list, 32)]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Id of the list of the fields in a value.
    fn list_of(&mut self, data: &ir::Expr, call: &ir::Call) -> Result<usize> {
        let mut elements = self.parts(data, Parts::Fields)?;
        elements.retain(|element| matches!(element, Expr::Field(..)));
        if elements.is_empty() {
            return Ok(self.objects.empty_field_list(call.span));
        }
        self.objects.field_lists.push(FieldList {
            name: "fl".to_owned(),
            elements,
            span: call.span,
        });
        Ok(self.objects.field_lists.len())
    }
}
