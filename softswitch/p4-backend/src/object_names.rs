// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names of objects as the control plane knows them.

use std::borrow::Cow;

use quench_p4_frontend::ir::{Action, PackageInstance, Program, Table, Value};

/// In TNA the names of tables and other objects begin with the pipeline's, as on a switch whose pipelines run different
/// programs; those of actions and of keys do not. The front end puts it before all names.
pub struct ObjectNames<'a> {
    /// Name of the pipeline; `None` in architectures without.
    pub pipe: Option<&'a str>,
}

impl<'a> ObjectNames<'a> {
    /// Names as the program has them.
    pub fn whole() -> Self {
        Self { pipe: None }
    }

    /// Names that begin with the pipeline's, if there is one.
    pub fn behind_pipe(program: &'a Program) -> Self {
        let main = program.main.as_ref();
        Self {
            pipe: main.and_then(|main| pipe(program, main)),
        }
    }

    pub fn table<'n>(&self, table: &'n Table) -> Cow<'n, str> {
        self.object(&table.name)
    }

    pub fn action<'n>(&self, action: &'n Action) -> &'n str {
        self.local(&action.name)
    }

    /// An object in a parser or control; `@name(".x")` leaves out all but the pipeline.
    pub fn object<'n>(&self, name: &'n str) -> Cow<'n, str> {
        match self.pipe {
            Some(pipe) => Cow::Owned(format!("{pipe}.{}", self.local(name))),
            None => Cow::Borrowed(name),
        }
    }

    /// The name without the pipeline.
    pub fn local<'n>(&self, name: &'n str) -> &'n str {
        let inner = self.pipe.and_then(|pipe| name.strip_prefix(pipe));
        inner
            .and_then(|inner| inner.strip_prefix('.'))
            .unwrap_or(name)
    }
}

/// The name of the first pipeline: its parsers and controls have it before the names of their types.
fn pipe<'a>(program: &'a Program, main: &'a PackageInstance) -> Option<&'a str> {
    let (_, Value::Package(pipeline)) = main.args.first()? else {
        return None;
    };
    pipeline.args.iter().find_map(|(_, value)| match value {
        Value::Control(id) => {
            let control = &program.controls[id.index()];
            let pipe = control.name.strip_suffix(&control.type_name)?;
            pipe.strip_suffix('.')
        }
        _ => None,
    })
}
