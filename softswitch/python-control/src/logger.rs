// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages of Quench's own crates in Python's logging.

use log::LevelFilter;
use pyo3::prelude::*;

/// The log targets of every module with a data plane; `p4` is the program's own `log_msg`.
const LOGGERS: [&str; 2] = ["p4", "quench_dataplane"];

/// Sends messages of the data plane, and of a module's other crates, to Python's logging. Crates of others may log while
/// they have a lock, as HTTP/2's does: that would take the interpreter's, against the crate's rule, and a stranger could
/// cause as many messages as he wants.
pub fn install_logger(py: Python<'_>, crates: &[&str]) -> PyResult<()> {
    // Levels are asked of Python each time, so that a program may change them while running.
    let logger = pyo3_log::Logger::new(py, pyo3_log::Caching::Loggers)?.filter(LevelFilter::Off);
    let ours = LOGGERS.iter().chain(crates);
    let logger = ours.fold(logger, |logger, name| {
        logger.filter_target((*name).to_owned(), LevelFilter::Debug)
    });
    // A second interpreter in the process finds the logger in place.
    let _ = logger.install();
    Ok(())
}
