// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Whole programs in files, as users of the crate have them, in one executable.

mod programs;
mod recovery;
mod tna;
