// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A control that grows: what its code can name, its declarations and its statements so far.

use super::callable::Callable;
use super::scope::{Scope, Ty};
use super::shape::Shape;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gress {
    Ingress,
    Egress,
}

pub(super) struct Control {
    pub gress: Gress,
    pub scope: Scope,
    /// The scope of a control without declarations.
    bare: Scope,
    /// Declarations that stand before the control.
    pub outside: String,
    pub declarations: String,
    pub body: String,
    /// Those that stand outside.
    pub functions: Vec<Callable>,
    /// Numbers make names unique.
    names: usize,
}

impl Control {
    pub fn new(shape: &Shape, gress: Gress) -> Self {
        let mut scope = shape.scope();
        let read: &[(&str, u32)] = match gress {
            Gress::Ingress => &[
                ("ig_intr_md.ingress_port", 9),
                ("ig_intr_md.resubmit_flag", 1),
                ("ig_intr_md.ingress_mac_tstamp", 48),
                ("ig_prsr_md.global_tstamp", 48),
                // A program that reads it gets the packets with errors.
                ("ig_prsr_md.parser_err", 16),
            ],
            Gress::Egress => &[
                ("eg_intr_md.egress_port", 9),
                ("eg_intr_md.enq_qdepth", 19),
                ("eg_intr_md.deq_timedelta", 18),
                ("eg_intr_md.egress_rid", 16),
                ("eg_intr_md.pkt_length", 16),
                ("eg_prsr_md.parser_err", 16),
            ],
        };
        for &(path, bits) in read {
            scope.add(path, Ty::Bit(bits), false);
        }
        Self::with(gress, scope, 0)
    }

    fn with(gress: Gress, bare: Scope, names: usize) -> Self {
        Self {
            gress,
            scope: bare.clone(),
            bare,
            outside: String::new(),
            declarations: String::new(),
            body: String::new(),
            functions: Vec::new(),
            names,
        }
    }

    /// A control for this one to apply. It must be given back to [`Self::end`].
    pub fn inner(&self) -> Self {
        Self::with(self.gress, self.bare.clone(), self.names)
    }

    /// Declarations before the inner control stand before this one, too.
    pub fn end(&mut self, inner: Self) {
        self.names = inner.names;
        self.outside.push_str(&inner.outside);
    }

    pub fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    /// A name for what stands outside, where there is the other gress, too.
    pub fn global(&mut self, kind: &str) -> String {
        let name = self.name(kind);
        match self.gress {
            Gress::Ingress => format!("ingress_{name}"),
            Gress::Egress => format!("egress_{name}"),
        }
    }
}
