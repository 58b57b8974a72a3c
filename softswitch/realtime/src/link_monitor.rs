// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Notices that some interface, or the queueing discipline behind one, changed. The wires of the ports then say which
//! one and how.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    bind, recv, socket, AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType,
};

/// A netlink socket in the groups of such changes, of the network namespace that created it.
#[derive(Debug)]
pub struct LinkMonitor {
    fd: OwnedFd,
}

impl LinkMonitor {
    pub fn new() -> io::Result<Self> {
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let protocol = SockProtocol::NetlinkRoute;
        let fd = socket(AddressFamily::Netlink, SockType::Raw, flags, protocol)?;
        // The kernel chooses the port number where it is 0.
        bind(
            fd.as_raw_fd(),
            &NetlinkAddr::new(0, (libc::RTMGRP_LINK | libc::RTMGRP_TC) as u32),
        )?;
        Ok(Self { fd })
    }

    /// Forget the changes so far. An overflow is as good as a message: something changed.
    pub fn drain(&self) -> io::Result<()> {
        let mut message = [0u8; 8192];
        loop {
            match recv(self.fd.as_raw_fd(), &mut message, MsgFlags::MSG_DONTWAIT) {
                Ok(_) | Err(Errno::ENOBUFS | Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return Ok(()),
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}

impl AsFd for LinkMonitor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
