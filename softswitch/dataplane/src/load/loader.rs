// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The knowledge of the compiler of a program so far.

use std::collections::HashMap;

use super::arrays::Arrays;
use super::headers::Headers;
use super::json;
use super::limits::{self, Total};
use super::width::Builder;
use crate::arch::Kind;
use crate::externs::hash::Hasher;
use crate::model::load_error::{fail, LoadResult};
use crate::program::{Action, Calculation};

/// The major version of the format, and the newest minor version that is known.
const VERSION: (u32, u32) = (2, 24);

/// The compiler's state: everything loaded so far, and indices by name.
pub struct Loader<'a> {
    pub root: &'a json::Root,
    pub kind: Kind,
    pub headers: Headers<'a>,
    pub b: Builder,
    /// The memory that the program's state takes.
    pub memory: Total,
    pub arrays: Arrays,
    pub calculations: Vec<Calculation>,
    pub calculation_names: HashMap<&'a str, u32>,
    pub hashers: Vec<Hasher>,
    pub actions: Vec<Action>,
    /// Actions by the JSON's id.
    pub action_ids: HashMap<u32, u32>,
    /// The first value set's use gives the widths of its fields.
    pub value_set_bits: Vec<Vec<u32>>,
}

impl<'a> Loader<'a> {
    pub fn new(root: &'a json::Root) -> LoadResult<Self> {
        if let Some((major, minor)) = root.meta.as_ref().and_then(|meta| meta.version) {
            if major != VERSION.0 {
                return fail(format!(
                    "version {major}.{minor} of the format; {}.x is supported",
                    VERSION.0
                ));
            }
            if minor > VERSION.1 {
                tracing::warn!(
                    "version {major}.{minor} of the JSON format is newer than {}.{}",
                    VERSION.0,
                    VERSION.1
                );
            }
        }
        if let Some(instance) = root.extern_instances.first() {
            return fail(format!(
                "extern '{}': the type '{}' is not supported",
                instance.name, instance.kind
            ));
        }
        let meta = root.meta.as_ref();
        let name = meta.and_then(|meta| meta.architecture.as_deref());
        let Some(kind) = Kind::named(name) else {
            let name = name.unwrap_or_default();
            return fail(format!("the architecture '{name}' is not supported"));
        };
        let memory = Total::of(limits::MEMORY_BYTES);
        let headers = Headers::new(root, &memory)?;
        Ok(Self {
            root,
            kind,
            headers,
            b: Builder::default(),
            memory,
            arrays: Arrays::default(),
            calculations: Vec::new(),
            calculation_names: HashMap::new(),
            hashers: Vec::new(),
            actions: Vec::new(),
            action_ids: HashMap::new(),
            value_set_bits: root.parse_vsets.iter().map(|_| Vec::new()).collect(),
        })
    }
}
