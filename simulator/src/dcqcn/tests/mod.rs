// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

mod advice;
mod end;
mod hostile;
mod lab;
mod properties;
mod rate;
mod receiving;
mod settings;
mod signals;
