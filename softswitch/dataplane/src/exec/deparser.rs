// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From headers back to bytes.

use super::action::Env;
use super::calc;

impl Env<'_> {
    /// Updates checksums and writes the valid headers and the payload to `out`.
    pub fn deparse(&mut self, out: &mut Vec<u8>) {
        let program = self.program;
        calc::update(program, self.externs, self.packet);
        self.run(&program.deparser.ops, &[]);
        out.clear();
        for &header in &program.deparser.order {
            if self.packet.phv.is_valid(&program.layout, header) {
                self.packet.phv.emit(&program.layout, header, out);
            }
        }
        out.extend_from_slice(self.packet.payload());
    }
}
