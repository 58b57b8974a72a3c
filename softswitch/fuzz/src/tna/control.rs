// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A control that grows: what its code can name, its declarations and its statements so far.

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
    pub declarations: String,
    pub body: String,
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
        Self {
            gress,
            scope,
            declarations: String::new(),
            body: String::new(),
            names: 0,
        }
    }

    pub fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }
}
