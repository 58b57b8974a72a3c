// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Roles that serve others until standard input ends.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};

use nix::poll::{poll, PollFd, PollFlags, PollTimeout};

/// Say that the others may begin.
pub fn ready() -> io::Result<()> {
    let mut output = io::stdout();
    writeln!(output, "ready")?;
    output.flush()
}

/// The message of standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Nothing,
    /// A line: what was counted until now.
    Counts,
    /// It has ended.
    End,
}

/// Wait until one of the sources has something to read, or standard input says something.
pub fn wait(sources: &[BorrowedFd<'_>]) -> io::Result<Asked> {
    let input = io::stdin();
    let mut polled: Vec<PollFd<'_>> = sources
        .iter()
        .chain([&input.as_fd()])
        .map(|fd| PollFd::new(*fd, PollFlags::POLLIN))
        .collect();
    poll(&mut polled, PollTimeout::NONE)?;
    if !polled[sources.len()].any().unwrap_or(true) {
        return Ok(Asked::Nothing);
    }
    let mut line = String::new();
    Ok(match input.read_line(&mut line)? {
        0 => Asked::End,
        _ => Asked::Counts,
    })
}

/// Wait for one source alone, at most so many milliseconds. False: nothing came.
pub fn wait_briefly(source: BorrowedFd<'_>, most_ms: u16) -> io::Result<bool> {
    let mut polled = [PollFd::new(source, PollFlags::POLLIN)];
    Ok(poll(&mut polled, PollTimeout::from(most_ms))? > 0)
}
