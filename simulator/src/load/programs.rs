// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A cache of loaded P4 programs, since an experiment simulates one program many times.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use quench_dataplane::control::ControlResult;
use quench_dataplane::SharedProgram;

/// Programs that the cache holds.
const KEPT: usize = 4;

static RECENT: Mutex<Recent> = Mutex::new(Recent(VecDeque::new()));

/// Programs with their JSON, the last used first.
struct Recent(VecDeque<(String, SharedProgram)>);

impl Recent {
    fn get(&mut self, json: &str) -> ControlResult<&SharedProgram> {
        match self.0.iter().position(|(text, _)| text == json) {
            Some(index) => self.0.make_contiguous()[..=index].rotate_right(1),
            None => {
                let program = SharedProgram::new(json)?;
                self.0.truncate(KEPT - 1);
                self.0.push_front((json.to_owned(), program));
            }
        }
        Ok(&self.0[0].1)
    }
}

/// Calls `make` with the program of a JSON, which is loaded unless it is in the cache.
pub fn with<T>(json: &str, make: impl FnOnce(&SharedProgram) -> T) -> ControlResult<T> {
    // The list is consistent after each of its steps, so a panic while it was locked has not broken it.
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    recent.get(json).map(make)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that does nothing, with a name.
    fn program(name: &str) -> String {
        let fields = [
            "ingress_port",
            "egress_spec",
            "egress_port",
            "instance_type",
            "packet_length",
        ];
        let fields = fields.map(|field| serde_json::json!([field, 9, false]));
        let pipeline = |name: &str| serde_json::json!({"name": name, "id": 0, "init_table": null, "tables": []});
        let state = serde_json::json!({"name": "start", "id": 0, "parser_ops": [], "transition_key": [],
            "transitions": []});
        let program = serde_json::json!({
            "program": name,
            "header_types": [{"name": "standard", "id": 0, "fields": fields}],
            "headers": [{"name": "standard_metadata", "id": 0, "header_type": "standard", "metadata": true}],
            "parsers": [{"name": "parser", "id": 0, "init_state": "start", "parse_states": [state]}],
            "deparsers": [{"name": "deparser", "id": 0, "order": []}],
            "pipelines": [pipeline("ingress"), pipeline("egress")],
        });
        program.to_string()
    }

    #[test]
    fn the_programs_that_were_used_last_are_kept() {
        let mut recent = Recent(VecDeque::new());
        let programs = ["a", "b", "c", "d", "e"].map(program);
        let [a, b, c, d, e] = &programs;
        for json in [a, b, a, c, d, a, e] {
            recent.get(json).expect("the program is sound");
        }
        let kept: Vec<_> = recent.0.iter().map(|(text, _)| text).collect();
        assert_eq!(kept, [e, a, d, c]);
    }

    #[test]
    fn a_json_that_is_no_program_is_not_kept() {
        let mut recent = Recent(VecDeque::new());
        assert!(recent.get("{}").is_err());
        assert!(recent.0.is_empty());
    }
}
