// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A fixed set of each target's inputs, in one executable; or as many others as variables of the environment say.

mod targets;
mod tna;
