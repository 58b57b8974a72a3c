// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The pipeline in the compiler and in the data plane: it compiles, machine code and traces change nothing, and packets
//! allocate nothing.

mod allocations;
mod compiled;
mod compiler;
