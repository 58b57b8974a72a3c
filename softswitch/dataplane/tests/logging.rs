// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages that programs log.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use crate::common::*;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Keeps the messages of programs from a level on.
struct Reader {
    level: Level,
    messages: Arc<Mutex<Vec<String>>>,
}

struct Message<'a>(&'a Reader);

impl Visit for Message<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let mut messages = self.0.messages.lock().expect("nobody panicked");
            messages.push(format!("{value:?}"));
        }
    }
}

impl Subscriber for Reader {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "p4" && *metadata.level() <= self.level
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Message(self));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The lines that a reader of a level gets of a program's message, by machine code and without.
fn logged(level: Level, format: &str, packet: &[u8]) -> Vec<String> {
    let mut program = Program::new();
    let values = vec![field("h", "a"), field("h", "c")];
    let text = json!({"type": "string", "value": format});
    let values = json!({"type": "parameters_vector", "value": values});
    program.ingress(vec![forward(2), prim("log_msg", vec![text, values])]);
    let [compiled, interpreted] = [program.switch(), program.interpreted()].map(|mut switch| {
        let messages = Arc::default();
        let reader = Reader {
            level,
            messages: Arc::clone(&messages),
        };
        tracing::subscriber::with_default(reader, || {
            assert_eq!(send(&mut switch, packet)[0].0, 2);
        });
        let messages = messages.lock().expect("nobody panicked");
        messages.clone()
    });
    assert_eq!(compiled, interpreted);
    compiled
}

/// A reader of the program's messages gets them with their values.
#[test]
fn log_msg_comes_to_whoever_reads_programs_messages() {
    let format = "a is {}, c is {}, and {}.";
    let want = ["a is 7, c is 258, and {}."];
    assert_eq!(logged(Level::INFO, format, &[7, 0, 1, 2]), want);
    assert!(logged(Level::WARN, format, &[7, 0, 1, 2]).is_empty());
}

#[test]
fn a_brace_behind_a_backslash_is_text() {
    for (format, want) in [
        (r"set \{a\} = {}", "set {a} = 7"),
        (r"x {} \{\}", "x 7 {}"),
        (r"{\}} {}", "7 258"),
        (r"{name} \n {}\", r"7 \n 258\"),
        (r"\{} }", "{} }"),
        (r"ünd \ä {", r"ünd \ä {"),
    ] {
        assert_eq!(
            logged(Level::INFO, format, &[7, 0, 1, 2]),
            [want],
            "{format}"
        );
    }
}
