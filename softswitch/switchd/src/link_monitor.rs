// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Notices that some interface changed. Which one and how is then asked of the ports' sockets.

#![allow(unsafe_code)]

use std::io;
use std::mem::{size_of_val, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// A netlink socket in the group of link changes, of the network namespace that created it.
#[derive(Debug)]
pub struct LinkMonitor {
    fd: OwnedFd,
}

impl LinkMonitor {
    pub fn new() -> io::Result<Self> {
        let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: no pointers are passed.
        let fd = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_ROUTE) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let monitor = Self {
            // SAFETY: the descriptor was just opened and belongs to nobody else.
            fd: unsafe { OwnedFd::from_raw_fd(fd) },
        };
        // SAFETY: a plain C structure for which all zeros are valid.
        let mut address: libc::sockaddr_nl = unsafe { zeroed() };
        address.nl_family = libc::AF_NETLINK as u16;
        address.nl_groups = libc::RTMGRP_LINK as u32;
        let len = size_of_val(&address) as libc::socklen_t;
        // SAFETY: the address is valid for the stated length.
        if unsafe { libc::bind(fd, (&raw const address).cast(), len) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(monitor)
    }

    /// Forget the changes so far. An overflow is as good as a message: something changed.
    pub fn drain(&self) {
        let mut message = [0u8; 8192];
        loop {
            // SAFETY: the buffer is valid for the stated length.
            let received = unsafe {
                libc::recv(
                    self.fd.as_raw_fd(),
                    message.as_mut_ptr().cast(),
                    message.len(),
                    libc::MSG_DONTWAIT,
                )
            };
            if received <= 0 && io::Error::last_os_error().raw_os_error() != Some(libc::ENOBUFS) {
                return;
            }
        }
    }
}

impl AsFd for LinkMonitor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
