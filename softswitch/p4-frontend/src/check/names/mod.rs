// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names: looked up, unknown, and as the control plane sees them.

pub mod control_plane;
pub mod lookup;
pub mod unknown;
