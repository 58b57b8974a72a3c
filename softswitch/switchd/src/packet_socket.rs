// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A raw packet socket on one interface.

#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::mem::{size_of, size_of_val, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libc::{c_int, c_void, socklen_t};

/// Room for bursts while the switch is busy elsewhere.
const RX_BUFFER_BYTES: c_int = 16 << 20;

/// Whether an interface can carry packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    Up,
    Down,
    /// The interface was removed.
    Gone,
}

/// Sees every packet that arrives on an interface (promiscuous) and none that leave it.
#[derive(Debug)]
pub struct PacketSocket {
    fd: OwnedFd,
    ifindex: c_int,
}

impl PacketSocket {
    /// Needs CAP_NET_RAW. A missing interface is `ENODEV`.
    pub fn open(interface: &str) -> io::Result<Self> {
        let name =
            CString::new(interface).map_err(|_| io::Error::from_raw_os_error(libc::ENODEV))?;
        // SAFETY: the name is a C string.
        let ifindex = unsafe { libc::if_nametoindex(name.as_ptr()) } as c_int;
        if ifindex == 0 {
            return Err(io::Error::from_raw_os_error(libc::ENODEV));
        }
        let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // Protocol 0 receives nothing, so that no packet of another interface slips in before bind.
        // SAFETY: no pointers are passed.
        let fd = checked(unsafe { libc::socket(libc::AF_PACKET, kind, 0) })?;
        let socket = Self {
            // SAFETY: the descriptor was just opened and belongs to nobody else.
            fd: unsafe { OwnedFd::from_raw_fd(fd) },
            ifindex,
        };
        socket.set(libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, &1)?;
        socket.set(libc::SOL_PACKET, libc::PACKET_AUXDATA, &1)?;
        // Forcing needs CAP_NET_ADMIN; without it the system's limit for receive buffers applies.
        if socket
            .set(libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &RX_BUFFER_BYTES)
            .is_err()
        {
            socket.set(libc::SOL_SOCKET, libc::SO_RCVBUF, &RX_BUFFER_BYTES)?;
        }
        let membership = libc::packet_mreq {
            mr_ifindex: ifindex,
            mr_type: libc::PACKET_MR_PROMISC as u16,
            mr_alen: 0,
            mr_address: [0; 8],
        };
        socket.set(libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &membership)?;
        socket.bind()?;
        Ok(socket)
    }

    /// Send one frame. Never blocks.
    pub fn send(&self, frame: &[u8]) -> io::Result<()> {
        // SAFETY: the buffer is valid for the stated length.
        let sent = unsafe {
            libc::send(
                self.fd.as_raw_fd(),
                frame.as_ptr().cast(),
                frame.len(),
                libc::MSG_DONTWAIT,
            )
        };
        if sent < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Packets dropped since the last call because the receive buffer was full.
    pub fn take_overruns(&self) -> io::Result<u64> {
        // SAFETY: a plain C structure for which all zeros are valid.
        let mut stats: libc::tpacket_stats = unsafe { zeroed() };
        let mut len = size_of_val(&stats) as socklen_t;
        // SAFETY: the buffer is valid for the stated length.
        checked(unsafe {
            libc::getsockopt(
                self.fd.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut stats).cast(),
                &raw mut len,
            )
        })?;
        Ok(u64::from(stats.tp_drops))
    }

    /// The interface's state now, whatever its name has become.
    pub fn link_state(&self) -> LinkState {
        // SAFETY: a plain C structure for which all zeros are valid.
        let mut request: libc::ifreq = unsafe { zeroed() };
        request.ifr_ifru.ifru_ifindex = self.ifindex;
        let known = self.ioctl(libc::SIOCGIFNAME, &mut request)
            && self.ioctl(libc::SIOCGIFFLAGS, &mut request);
        if !known {
            return LinkState::Gone;
        }
        // SAFETY: SIOCGIFFLAGS filled this member.
        let flags = c_int::from(unsafe { request.ifr_ifru.ifru_flags });
        let needed = libc::IFF_UP | libc::IFF_RUNNING;
        if flags & needed == needed {
            LinkState::Up
        } else {
            LinkState::Down
        }
    }

    fn ioctl(&self, number: libc::Ioctl, request: &mut libc::ifreq) -> bool {
        // SAFETY: both requests read and write one ifreq.
        unsafe { libc::ioctl(self.fd.as_raw_fd(), number, &raw mut *request) == 0 }
    }

    fn bind(&self) -> io::Result<()> {
        // SAFETY: a plain C structure for which all zeros are valid.
        let mut address: libc::sockaddr_ll = unsafe { zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = self.ifindex;
        let len = size_of_val(&address) as socklen_t;
        // SAFETY: the address is valid for the stated length.
        checked(unsafe { libc::bind(self.fd.as_raw_fd(), (&raw const address).cast(), len) })?;
        Ok(())
    }

    fn set<T>(&self, level: c_int, option: c_int, value: &T) -> io::Result<()> {
        let value_ptr: *const c_void = (&raw const *value).cast();
        let len = size_of::<T>() as socklen_t;
        // SAFETY: the value is valid for the stated length.
        checked(unsafe { libc::setsockopt(self.fd.as_raw_fd(), level, option, value_ptr, len) })?;
        Ok(())
    }
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}
