// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A raw packet socket on one interface.

#![allow(unsafe_code)]

use std::io;
use std::mem::{size_of_val, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};

use libc::c_int;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::{
    bind, getsockopt, setsockopt, socket, sockopt, AddressFamily, LinkAddr, SockFlag, SockProtocol,
    SockType, SockaddrLike,
};
use nix::{getsockopt_impl, setsockopt_impl, sockopt_impl};
use parking_lot::Mutex;

use crate::send_room::SendRoom;
use crate::tx_batch::{Sent, TxBatch};

/// Around a packet of the MTU's length the kernel allocates room for headers in front and its own notes behind; all of
/// it takes at most the next power of two.
const PACKET_MARGIN_BYTES: usize = 512;
/// The kernel's description of a packet, which it allocates besides.
const PACKET_DESCRIPTION_BYTES: usize = 256;
/// Room for bursts while the switch is busy elsewhere.
const RX_BUFFER_BYTES: usize = 16 << 20;

/// The sockets of a group share packets by the hash of their flows (packet(7)).
const FANOUT_HASH: u16 = libc::PACKET_FANOUT_HASH as u16;
const FANOUT_UNIQUE_ID: u16 = libc::PACKET_FANOUT_FLAG_UNIQUEID as u16;

/// A filter that takes nothing.
const NOTHING: [libc::sock_filter; 1] = [instruction(libc::BPF_RET | libc::BPF_K, 0, 0, 0)];
/// A filter that takes packets which come in, whole.
const INCOMING: [libc::sock_filter; 4] = [
    instruction(
        libc::BPF_LD | libc::BPF_W | libc::BPF_ABS,
        0,
        0,
        (libc::SKF_AD_OFF + libc::SKF_AD_PKTTYPE) as u32,
    ),
    instruction(
        libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
        1,
        0,
        libc::PACKET_OUTGOING as u32,
    ),
    instruction(libc::BPF_RET | libc::BPF_K, 0, 0, u32::MAX),
    instruction(libc::BPF_RET | libc::BPF_K, 0, 0, 0),
];

const fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    }
}

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
// A header before each frame says what is left undone in it; without, a frame that comes with segmentation left to hardware
// would look as if somebody had sent it so.
sockopt_impl!(
    VnetHeaders,
    SetOnly,
    libc::SOL_PACKET,
    libc::PACKET_VNET_HDR,
    bool
);
sockopt_impl!(
    AddMembership,
    SetOnly,
    libc::SOL_PACKET,
    libc::PACKET_ADD_MEMBERSHIP,
    libc::packet_mreq
);
sockopt_impl!(Fanout, Both, libc::SOL_PACKET, libc::PACKET_FANOUT, u32);
sockopt_impl!(
    AttachFilter,
    SetOnly,
    libc::SOL_SOCKET,
    libc::SO_ATTACH_FILTER,
    libc::sock_fprog
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
nix::ioctl_readwrite_bad!(interface_mtu, libc::SIOCGIFMTU, libc::ifreq);
// An ioctl of socket(7): the memory of packets that are not sent yet.
nix::ioctl_read_bad!(unsent_bytes, libc::TIOCOUTQ, c_int);

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
    mtu_bytes: AtomicUsize,
    send_room: Mutex<SendRoom>,
}

impl PacketSocket {
    /// `count` sockets that share what arrives: packets of a flow, as the kernel sees flows, come by the same one.
    /// Needs CAP_NET_RAW. A missing interface is `ENODEV`.
    pub fn open_shared(interface: &str, count: usize) -> io::Result<Vec<Self>> {
        if count == 1 {
            return Ok(vec![Self::open(interface)?]);
        }
        // Each would take every packet until it is in the group.
        let sockets: Vec<_> = (0..count)
            .map(|_| Self::open_filtered(interface, Some(&NOTHING)))
            .collect::<io::Result<_>>()?;
        if let [first, others @ ..] = &sockets[..] {
            // The kernel chooses the group's number, which the option's lower half then has.
            let unique = u32::from(FANOUT_HASH | FANOUT_UNIQUE_ID) << 16;
            setsockopt(&first.fd, Fanout, &unique)?;
            let group = getsockopt(&first.fd, Fanout)? & 0xffff;
            let joined = u32::from(FANOUT_HASH) << 16 | group;
            for socket in others {
                setsockopt(&socket.fd, Fanout, &joined)?;
            }
        }
        // A group takes packets that go out as well, whatever its sockets were told (before Linux 6.2 it must).
        for socket in &sockets {
            filter(&socket.fd, &INCOMING)?;
        }
        Ok(sockets)
    }

    /// Needs CAP_NET_RAW. A missing interface is `ENODEV`.
    pub fn open(interface: &str) -> io::Result<Self> {
        Self::open_filtered(interface, None)
    }

    fn open_filtered(interface: &str, program: Option<&[libc::sock_filter]>) -> io::Result<Self> {
        let (fd, ifindex) = promiscuous(interface)?;
        if let Some(program) = program {
            filter(&fd, program)?;
        }
        setsockopt(&fd, IgnoreOutgoing, &true)?;
        setsockopt(&fd, AuxData, &true)?;
        setsockopt(&fd, VnetHeaders, &true)?;
        // Forcing needs CAP_NET_ADMIN; without it the system's limit for receive buffers applies.
        if setsockopt(&fd, sockopt::RcvBufForce, &RX_BUFFER_BYTES).is_err() {
            setsockopt(&fd, sockopt::RcvBuf, &RX_BUFFER_BYTES)?;
        }
        bind(fd.as_raw_fd(), &all_packets_of(ifindex))?;
        let mtu_bytes = mtu_bytes(&fd, ifindex)?;
        let packet_bytes = (mtu_bytes + PACKET_MARGIN_BYTES).next_power_of_two();
        let send_room = SendRoom::new(
            packet_bytes + PACKET_DESCRIPTION_BYTES,
            getsockopt(&fd, sockopt::SndBuf)?,
        );
        let socket = Self {
            fd,
            ifindex,
            mtu_bytes: AtomicUsize::new(mtu_bytes),
            send_room: Mutex::new(send_room),
        };
        socket.limit_unsent()?;
        Ok(socket)
    }

    /// The kernel doubles what it is asked for (socket(7)).
    fn limit_unsent(&self) -> io::Result<()> {
        let half_bytes = self.send_room.lock().bytes() / 2;
        Ok(setsockopt(&self.fd, sockopt::SndBuf, &half_bytes)?)
    }

    /// The socket takes packets again: see that the interface has enough of them, and not more.
    pub fn refill(&self, now_ns: u64) -> io::Result<()> {
        let left_bytes = self.unsent_bytes()?;
        let changed = self.send_room.lock().refill(now_ns, left_bytes);
        if changed {
            self.limit_unsent()?;
        }
        Ok(())
    }

    /// The memory of packets that the interface has not sent yet.
    pub fn unsent_bytes(&self) -> io::Result<usize> {
        let mut left_bytes = 0;
        // SAFETY: the request writes one integer.
        unsafe { unsent_bytes(self.fd.as_raw_fd(), &raw mut left_bytes) }?;
        Ok(left_bytes as usize)
    }

    /// Send packets until one fails. Never blocks: `EAGAIN` says that the interface has enough to send.
    pub fn send(&self, batch: &mut TxBatch, packets: &[Vec<u8>]) -> Sent {
        let mtu_bytes = self.mtu_bytes.load(Ordering::Relaxed);
        batch.send(self.fd.as_fd(), packets, mtu_bytes)
    }

    /// Packets dropped since the last call because the receive buffer was full.
    pub fn take_overruns(&self) -> io::Result<u64> {
        Ok(u64::from(getsockopt(&self.fd, Statistics)?.tp_drops))
    }

    /// The interface's state now, also where it was renamed. Its MTU may have changed as well.
    pub fn link_state(&self) -> LinkState {
        if let Ok(mtu_bytes) = mtu_bytes(&self.fd, self.ifindex) {
            self.mtu_bytes.store(mtu_bytes, Ordering::Relaxed);
        }
        link_state(&self.fd, self.ifindex)
    }
}

/// Let a socket receive only what a program of classic BPF takes.
fn filter(fd: &OwnedFd, program: &[libc::sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog {
        len: program.len() as u16,
        // The kernel only reads it.
        filter: program.as_ptr().cast_mut(),
    };
    Ok(setsockopt(fd, AttachFilter, &program)?)
}

/// A socket that receives nothing and keeps an interface promiscuous, and the interface's index. Needs CAP_NET_RAW. A
/// missing interface is `ENODEV`.
pub fn promiscuous(interface: &str) -> io::Result<(OwnedFd, c_int)> {
    // A name with a NUL or one that is too long is refused with another error.
    let ifindex = if_nametoindex(interface).map_err(|_| nix::Error::ENODEV)? as c_int;
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    // Without a protocol it receives nothing, so that no packet of another interface slips in before bind.
    let protocol = None::<SockProtocol>;
    let fd = socket(AddressFamily::Packet, SockType::Raw, flags, protocol)?;
    let membership = libc::packet_mreq {
        mr_ifindex: ifindex,
        mr_type: libc::PACKET_MR_PROMISC as u16,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    setsockopt(&fd, AddMembership, &membership)?;
    Ok((fd, ifindex))
}

/// An interface's state, by any socket of its network namespace.
pub fn link_state(fd: &OwnedFd, ifindex: c_int) -> LinkState {
    let Ok(mut request) = named_request(fd, ifindex) else {
        return LinkState::Gone;
    };
    // SAFETY: the request reads and writes one ifreq.
    if unsafe { interface_flags(fd.as_raw_fd(), &raw mut request) }.is_err() {
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

/// A request about an interface, by its present name.
pub fn named_request(fd: &OwnedFd, ifindex: c_int) -> io::Result<libc::ifreq> {
    // SAFETY: a plain C structure for which all zeros are valid.
    let mut request: libc::ifreq = unsafe { zeroed() };
    request.ifr_ifru.ifru_ifindex = ifindex;
    // SAFETY: the request reads and writes one ifreq.
    unsafe { interface_name(fd.as_raw_fd(), &raw mut request) }?;
    Ok(request)
}

pub fn mtu_bytes(fd: &OwnedFd, ifindex: c_int) -> io::Result<usize> {
    let mut request = named_request(fd, ifindex)?;
    // SAFETY: the request reads and writes one ifreq.
    unsafe { interface_mtu(fd.as_raw_fd(), &raw mut request) }?;
    // SAFETY: SIOCGIFMTU filled this member.
    let mtu_bytes = unsafe { request.ifr_ifru.ifru_mtu };
    Ok(usize::try_from(mtu_bytes).unwrap_or_default())
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
            mtu_bytes: AtomicUsize::new(0),
            send_room: Mutex::new(SendRoom::new(0, 0)),
        }
    }
}
