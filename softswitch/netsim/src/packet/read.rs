// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Frames into packets.

use super::types::Received;

/// What the frame carries.
pub fn read(frame: &[u8]) -> Received {
    todo!()
}
