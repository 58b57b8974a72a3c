// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Nodes and ports of multicast groups that packets can leave out.

use rustc_hash::{FxHashMap, FxHashSet};

/// Exclusion ids, as the control plane sets them.
#[derive(Debug, Clone, Default)]
pub struct Exclusions {
    /// Level 1 ids of nodes, by group and RID.
    pub nodes: FxHashMap<(u16, u16), u16>,
    /// Ports that are left out, by level 2 id.
    pub ports: FxHashMap<u16, FxHashSet<u32>>,
}
