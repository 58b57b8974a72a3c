// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A raw packet socket on one interface.

#![allow(unsafe_code)]

use std::io;
use std::mem::{size_of_val, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use libc::c_int;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::{
    bind, getsockopt, send, setsockopt, socket, sockopt, AddressFamily, LinkAddr, MsgFlags,
    SockFlag, SockProtocol, SockType, SockaddrLike,
};
use nix::{getsockopt_impl, setsockopt_impl, sockopt_impl};

/// Room for bursts while the switch is busy elsewhere.
const RX_BUFFER_BYTES: usize = 16 << 20;

// The options of packet(7), which nix does not declare.
sockopt_impl!(
    IgnoreOutgoing,
    SetOnly,
    libc::SOL_PACKET,
    libc::PACKET_IGNORE_OUTGOING,
    bool
);
sockopt_impl!(
    AuxData,
    SetOnly,
    libc::SOL_PACKET,
    libc::PACKET_AUXDATA,
    bool
);
sockopt_impl!(
    AddMembership,
    SetOnly,
    libc::SOL_PACKET,
    libc::PACKET_ADD_MEMBERSHIP,
    libc::packet_mreq
);
sockopt_impl!(
    Statistics,
    GetOnly,
    libc::SOL_PACKET,
    libc::PACKET_STATISTICS,
    libc::tpacket_stats
);

// The requests of netdevice(7), which nix does not declare either.
nix::ioctl_readwrite_bad!(interface_name, libc::SIOCGIFNAME, libc::ifreq);
nix::ioctl_readwrite_bad!(interface_flags, libc::SIOCGIFFLAGS, libc::ifreq);

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
        // A name with a NUL or one that is too long is refused with another error.
        let ifindex = if_nametoindex(interface).map_err(|_| nix::Error::ENODEV)? as c_int;
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        // Without a protocol it receives nothing, so that no packet of another interface slips in before bind.
        let protocol = None::<SockProtocol>;
        let fd = socket(AddressFamily::Packet, SockType::Raw, flags, protocol)?;
        setsockopt(&fd, IgnoreOutgoing, &true)?;
        setsockopt(&fd, AuxData, &true)?;
        // Forcing needs CAP_NET_ADMIN; without it the system's limit for receive buffers applies.
        if setsockopt(&fd, sockopt::RcvBufForce, &RX_BUFFER_BYTES).is_err() {
            setsockopt(&fd, sockopt::RcvBuf, &RX_BUFFER_BYTES)?;
        }
        let membership = libc::packet_mreq {
            mr_ifindex: ifindex,
            mr_type: libc::PACKET_MR_PROMISC as u16,
            mr_alen: 0,
            mr_address: [0; 8],
        };
        setsockopt(&fd, AddMembership, &membership)?;
        bind(fd.as_raw_fd(), &all_packets_of(ifindex))?;
        Ok(Self { fd, ifindex })
    }

    /// Send one frame. Never blocks.
    pub fn send(&self, frame: &[u8]) -> io::Result<()> {
        send(self.fd.as_raw_fd(), frame, MsgFlags::MSG_DONTWAIT)?;
        Ok(())
    }

    /// Packets dropped since the last call because the receive buffer was full.
    pub fn take_overruns(&self) -> io::Result<u64> {
        Ok(u64::from(getsockopt(&self.fd, Statistics)?.tp_drops))
    }

    /// The interface's state now, also where it was renamed.
    pub fn link_state(&self) -> LinkState {
        // SAFETY: a plain C structure for which all zeros are valid.
        let mut request: libc::ifreq = unsafe { zeroed() };
        request.ifr_ifru.ifru_ifindex = self.ifindex;
        let fd = self.fd.as_raw_fd();
        // SAFETY: both requests read and write one ifreq.
        let known = unsafe {
            interface_name(fd, &raw mut request).is_ok()
                && interface_flags(fd, &raw mut request).is_ok()
        };
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
}

/// The address that a socket is bound to for all packets of an interface.
fn all_packets_of(ifindex: c_int) -> LinkAddr {
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: (libc::ETH_P_ALL as u16).to_be(),
        sll_ifindex: ifindex,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    let len = size_of_val(&address) as libc::socklen_t;
    // nix makes such addresses only of the kernel's.
    // SAFETY: the address is valid for the stated length.
    unsafe { LinkAddr::from_raw((&raw const address).cast(), Some(len)) }
        .expect("family and length are those of a link address")
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(test)]
impl PacketSocket {
    /// A descriptor that is no socket: every request fails.
    pub fn broken() -> Self {
        let file = std::fs::File::open("/dev/null").expect("there is /dev/null");
        Self {
            fd: file.into(),
            ifindex: 0,
        }
    }
}
