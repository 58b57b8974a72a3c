// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Match-action tables: entries, lookups and what follows a hit or a miss.
//!
//! In: entries from the control interface or the program, keys from packets. Out: the action to run. Begin with
//! `table.rs`; `exact.rs` and `ternary.rs` are the two ways to match.

pub mod bound;
pub mod entry;
pub mod exact;
mod identities;
pub mod key;
pub mod place;
pub mod profile;
pub mod selector;
pub mod slots;
pub mod table;
pub mod ternary;
mod wide_map;
mod word_hash;
mod word_map;

use rustc_hash::FxHashSet;

use crate::program::table::TableDef;
use crate::state::cells::Cells;
use crate::state::key::{put, put_limbs};
use crate::state::loc::Loc;
use crate::state::phv::Phv;
use bound::Bound;
use entry::EntryAction;
use profile::Profile;
use table::Table;

/// The state of all tables and profiles of a program.
#[derive(Debug, Default, Clone)]
pub struct Tables {
    pub tables: Cells<Table>,
    pub profiles: Vec<Profile>,
    pub ports_down: FxHashSet<u32>,
    key: Vec<u64>,
}

/// The way in which a member of a group or set is chosen.
pub enum Selection {
    /// There is nothing to decide.
    None,
    /// The hash of this profile's selector.
    Hash(u32),
    /// A draw.
    Draw,
}

/// Packs a packet's values into words.
fn pack(def: &TableDef, phv: &Phv, key: &mut Vec<u64>) {
    key.clear();
    key.resize(def.key_words, 0);
    for field in &def.key {
        let nbytes = field.nbytes();
        if nbytes == 0 {
            continue;
        }
        if field.loc.bits <= 64 {
            let mut value = field.loc.read_u64(&phv.bytes);
            if let Some(mask) = &field.mask {
                value &= mask
                    .iter()
                    .fold(0, |word, &byte| word << 8 | u64::from(byte));
            }
            put(key, field.at, nbytes, value);
        } else {
            let mut limbs = [0u64; 16];
            let mut long = Vec::new();
            let count = field.loc.bits.div_ceil(64) as usize;
            let limbs = if count <= limbs.len() {
                &mut limbs[..count]
            } else {
                long.resize(count, 0);
                &mut long
            };
            Loc {
                signed: false,
                ..field.loc
            }
            .read_limbs(&phv.bytes, limbs);
            if let Some(mask) = &field.mask {
                for (i, limb) in limbs.iter_mut().enumerate() {
                    let end = mask.len().saturating_sub(8 * i);
                    let part = &mask[end.saturating_sub(8)..end];
                    *limb &= part
                        .iter()
                        .fold(0, |word, &byte| word << 8 | u64::from(byte));
                }
            }
            put_limbs(key, field.at, nbytes, limbs);
        }
    }
}

impl Tables {
    /// The entry that a packet matches.
    #[inline]
    pub fn lookup(&mut self, table: u32, def: &TableDef, phv: &Phv) -> Option<u32> {
        if def.key.is_empty() {
            return None;
        }
        pack(def, phv, &mut self.key);
        self.tables[table as usize].lookup(&self.key)
    }

    /// Notes a hit or a miss; the colour of a direct meter and where it goes.
    #[inline]
    pub fn touch(
        &mut self,
        table: u32,
        hit: Option<u32>,
        def: &TableDef,
        now_ns: u64,
        bytes: u32,
    ) -> Option<(u8, Loc)> {
        let table = &mut self.tables[table as usize];
        let Some(index) = hit else {
            if def.direct_counter {
                table.default_counter.count(bytes);
            }
            // As in BMv2, a miss leaves the colour as it was, unless a controller asked for one.
            let configured = table.default_meter.rates().is_some();
            let meter = def.direct_meter.filter(|_| configured)?;
            return Some(meter.color(&mut table.default_meter, now_ns, bytes));
        };
        let entry = table.entry_mut(index);
        if def.support_timeout {
            entry.last_hit_ns = now_ns;
            entry.expired = false;
        }
        if def.direct_counter {
            entry.counter.count(bytes);
        }
        let meter = def.direct_meter?;
        Some(meter.color(entry.meter.as_mut()?, now_ns, bytes))
    }

    #[inline]
    fn chosen(&self, table: u32, hit: Option<u32>) -> Option<&EntryAction> {
        let table = &self.tables[table as usize];
        match hit {
            Some(index) => Some(&table.entry(index).action),
            None => table.default.as_ref(),
        }
    }

    /// The action of a table without an action profile.
    #[inline]
    pub fn direct(&self, table: u32, hit: Option<u32>) -> Option<&Bound> {
        self.chosen(table, hit).map(EntryAction::direct)
    }

    /// The way in which a member is selected.
    #[inline]
    pub fn selection(&self, table: u32, hit: Option<u32>) -> Selection {
        match self.chosen(table, hit) {
            Some(EntryAction::OneShot(held)) if held.set.random => Selection::Draw,
            Some(EntryAction::Group(_) | EntryAction::OneShot(_)) => {
                let profile = self.tables[table as usize].profile;
                profile.map_or(Selection::None, Selection::Hash)
            }
            _ => Selection::None,
        }
    }

    /// The action to run and the next node. An empty group runs nothing.
    #[inline]
    pub fn action(
        &self,
        table: u32,
        hit: Option<u32>,
        def: &TableDef,
        hash: u64,
    ) -> (Option<&Bound>, u32) {
        let profile = || {
            let profile = self.tables[table as usize]
                .profile
                .expect("members belong to a profile");
            &self.profiles[profile as usize]
        };
        let call = match self.chosen(table, hit) {
            None => None,
            Some(EntryAction::Direct(call)) => Some(call),
            Some(EntryAction::Member(slot)) => Some(&profile().member(*slot).call),
            Some(EntryAction::Group(slot)) => {
                let profile = profile();
                let member = profile.group(*slot).choices.choose(hash);
                member.map(|slot| &profile.member(slot).call)
            }
            Some(EntryAction::OneShot(held)) => held
                .choices
                .choose(hash)
                .map(|index| &held.calls[index as usize]),
        };
        (
            call,
            def.next.after(hit.is_some(), call.map(|call| call.action)),
        )
    }
}
