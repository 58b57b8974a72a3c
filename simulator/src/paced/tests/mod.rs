// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

mod becn;
mod bolt;
mod csig;
mod dctcp;
mod engine;
mod flows;
mod hostile;
mod hpcc;
mod lab;
mod path;
mod properties;
mod settings;
mod swift;
mod switch;
