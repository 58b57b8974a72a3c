// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages that programs log.

mod common;

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use common::*;
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

/// A reader of the program's messages gets them with their values.
#[test]
fn log_msg_comes_to_whoever_reads_programs_messages() {
    let mut program = Program::new();
    let values = vec![field("h", "a"), field("h", "c")];
    let text = json!({"type": "string", "value": "a is {}, c is {}, and {}."});
    let values = json!({"type": "parameters_vector", "value": values});
    program.ingress(vec![forward(2), prim("log_msg", vec![text, values])]);
    for mut switch in [program.switch(), program.interpreted()] {
        for (level, want) in [
            (Level::INFO, &["a is 7, c is 258, and {}."] as &[&str]),
            (Level::WARN, &[]),
        ] {
            let messages = Arc::default();
            let reader = Reader {
                level,
                messages: Arc::clone(&messages),
            };
            tracing::subscriber::with_default(reader, || {
                assert_eq!(send(&mut switch, &[7, 0, 1, 2])[0].0, 2);
            });
            assert_eq!(*messages.lock().expect("nobody panicked"), want);
        }
    }
}
