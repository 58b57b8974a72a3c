// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The knowledge of the compiler of a program so far. It finds headers and fields by their names.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::arrays::Arrays;
use super::json;
use super::layout::{self, LayoutNames};
use super::limits::{self, Total};
use super::width::Builder;
use crate::arch::Kind;
use crate::externs::hash::Hasher;
use crate::model::ids::HeaderId;
use crate::model::load_error::{fail, LoadResult};
use crate::program::{Action, Calculation};
use crate::state::layout::Layout;
use crate::state::loc::Loc;

/// The major version of the format, and the newest minor version that is known.
const VERSION: (u32, u32) = (2, 24);

/// The compiler's state: everything loaded so far, and indices by name.
pub struct Loader<'a> {
    pub root: &'a json::Root,
    pub kind: Kind,
    pub layout: Layout,
    pub names: LayoutNames,
    pub aliases: HashMap<&'a str, (&'a str, &'a str)>,
    /// The fields that something in the program names; without a field, the whole header.
    pub named: RefCell<HashSet<(HeaderId, Option<usize>)>>,
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

/// A field, or the hidden validity bit of a header.
#[derive(Clone, Copy)]
pub enum Found {
    Fixed(HeaderId, Loc),
    Var(HeaderId),
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
        let (layout, names) = layout::build(root, &memory)?;
        let aliases = root.field_aliases.iter();
        let aliases = aliases
            .map(|(name, (header, field))| (name.as_str(), (header.as_str(), field.as_str())));
        Ok(Self {
            root,
            kind,
            layout,
            names,
            aliases: aliases.collect(),
            named: RefCell::default(),
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

    /// A header as a whole, named by the program.
    pub fn header(&self, name: &str) -> LoadResult<HeaderId> {
        let id = self.names.header(name)?;
        self.named.borrow_mut().insert((id, None));
        Ok(id)
    }

    /// A field that the program names.
    pub fn find_field(&self, header: &str, field: &str) -> LoadResult<Found> {
        let (id, index) = self.place(header, field)?;
        let def = &self.layout.headers[id as usize];
        let Some(index) = index else {
            return Ok(Found::Fixed(id, def.valid));
        };
        self.named.borrow_mut().insert((id, Some(index)));
        Ok(match self.layout.header_type(id).fields[index].is_var {
            true => Found::Var(id),
            false => Found::Fixed(id, def.fields[index]),
        })
    }

    /// A header's field by its names, aliases first; without an index it is the header's validity.
    pub fn place(&self, header: &str, field: &str) -> LoadResult<(HeaderId, Option<usize>)> {
        let full = format!("{header}.{field}");
        let (header, field) = self
            .aliases
            .get(full.as_str())
            .copied()
            .unwrap_or((header, field));
        let id = self.names.header(header)?;
        if field == "$valid$" {
            return Ok((id, None));
        }
        match self.layout.header_type(id).field(field) {
            Some(index) => Ok((id, Some(index))),
            None => fail(format!("header '{header}' has no field '{field}'")),
        }
    }

    /// A field of fixed width.
    pub fn field(&self, header: &str, field: &str) -> LoadResult<(HeaderId, Loc)> {
        match self.find_field(header, field)? {
            Found::Fixed(id, loc) => Ok((id, loc)),
            Found::Var(_) => fail(format!(
                "'{header}.{field}' has a variable length and is no number"
            )),
        }
    }

    /// A field of a header type, relative to the header.
    pub fn type_field(&self, kind: u32, field: &str) -> LoadResult<Loc> {
        let def = &self.layout.types[kind as usize];
        match def.field(field) {
            Some(index) if def.fields[index].is_var => fail(format!(
                "'{field}' of header type '{}' has a variable length and is no number",
                def.name
            )),
            Some(index) => Ok(def.fields[index].rel),
            None => fail(format!("header type '{}' has no field '{field}'", def.name)),
        }
    }
}
