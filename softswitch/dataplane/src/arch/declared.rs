// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The questions of an architecture about a program that is being loaded.

use crate::model::load_error::LoadResult;
use crate::state::slot::Slot;

pub trait Declared {
    /// A field of the metadata that the switch shares with the program, and whether the program names it. Call it when
    /// all of the program is loaded: a field that nothing has named by then is neither read nor written for any packet.
    fn shared(&self, header: &str, field: &str) -> Option<(Slot, bool)>;

    /// Whether an action asks for the packet's entry into its queue.
    fn asks_entry(&self) -> bool;

    /// Whether packets with an error of this parser go no further.
    fn drops_on_error(&self, parser: usize) -> LoadResult<bool>;
}
