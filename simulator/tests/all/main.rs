// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Whole scenarios: one program of tests, as the data plane is linked into each.

mod common;
mod datagrams;
mod dcqcn;
mod dcqcn_signals;
mod dctcp;
mod flows;
mod prague;
mod programs;
mod scenarios;
mod threads;
mod transports;
