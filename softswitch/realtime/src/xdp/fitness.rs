// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Whether an interface's packets can go past the kernel's stack without harm.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use super::link_facts::LinkFacts;
use super::memory::Frames;
use crate::packet_socket::named_request;

/// Before a packet in its frame; of linux/bpf.h.
const HEADROOM_BYTES: usize = 256;
/// Around the MTU: the Ethernet header and two VLAN tags.
const HEADER_BYTES: usize = 14 + 4 + 4;
/// The longest packets that fit into a frame.
pub const MAX_MTU_BYTES: usize = Frames::FRAME_BYTES - HEADROOM_BYTES - HEADER_BYTES;

// Commands of linux/ethtool.h, which libc does not declare.
const GET_TX_CHECKSUM: u32 = 0x16;
const GET_TSO: u32 = 0x1e;
const GET_FLAGS: u32 = 0x25;
const GET_GRO: u32 = 0x2b;
const GET_CHANNELS: u32 = 0x3c;
const FLAG_TX_VLAN: u32 = 1 << 7;
const FLAG_RX_VLAN: u32 = 1 << 8;
const FLAG_LRO: u32 = 1 << 15;

/// An offload: the name that `ethtool -K` has for it, the command that reads it and its bit in what that gives.
type Offload = (&'static str, u32, u32);
/// Offloads of the sender: XDP sees neither that a checksum is unfinished nor a tag that is not in the packet.
const SENDING: [Offload; 3] = [
    ("tx", GET_TX_CHECKSUM, u32::MAX),
    ("tso", GET_TSO, u32::MAX),
    ("txvlan", GET_FLAGS, FLAG_TX_VLAN),
];
/// Offloads of the receiver: packets would be joined, or lose their tag.
const JOINING: [Offload; 2] = [("gro", GET_GRO, u32::MAX), ("lro", GET_FLAGS, FLAG_LRO)];
const RECEIVING: [Offload; 3] = [JOINING[0], JOINING[1], ("rxvlan", GET_FLAGS, FLAG_RX_VLAN)];

/// Disciplines that the kernel gives interfaces by itself, and that limit nothing.
const UNLIMITED: [&str; 6] = ["noqueue", "noop", "mq", "pfifo_fast", "fq_codel", "fq"];

nix::ioctl_readwrite_bad!(ethtool, libc::SIOCETHTOOL, libc::ifreq);

/// The reason that an interface cannot be used by XDP.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Interface(#[from] io::Error),
    #[error("XDP needs offloads off: run `ethtool -K {interface}{off}`")]
    Offloads { interface: String, off: String },
    #[error("an MTU of {mtu_bytes} bytes is too long for XDP: set {MAX_MTU_BYTES} at most")]
    Mtu { mtu_bytes: usize },
    #[error("XDP needs one receive queue, not {queues}: run `ethtool -L {interface} combined 1` (or rx 1)")]
    Queues { interface: String, queues: u32 },
    #[error("XDP gives what arrives on an interface to one thread: use --fanout 1")]
    Shared,
    #[error("XDP would go past its queueing discipline {0}, which limits it")]
    Limited(String),
    #[error(
        "packets have unfinished checksums: run `ethtool -K IFACE tx off` where they are sent"
    )]
    Unfinished,
    #[error("XDP cannot be used: {step}: {source}{}", hint(.source))]
    Kernel {
        step: &'static str,
        source: io::Error,
    },
}

fn hint(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => " (it needs CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF)",
        Some(libc::EBUSY) => " (another program of XDP has the interface)",
        _ => "",
    }
}

/// An interface that is to be used by XDP.
#[derive(Debug)]
pub struct Fitness<'a> {
    /// Any socket of the interface's network namespace.
    pub socket: &'a OwnedFd,
    pub interface: &'a str,
    pub ifindex: u32,
    pub mtu_bytes: usize,
    pub facts: LinkFacts,
}

impl Fitness<'_> {
    /// Refuse what is impossible, as far as can be seen from here: the other end may be in another network namespace.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.mtu_bytes > MAX_MTU_BYTES {
            let mtu_bytes = self.mtu_bytes;
            return Err(Refusal::Mtu { mtu_bytes });
        }
        let queues = self.receive_queues();
        if queues > 1 {
            let interface = self.interface.to_owned();
            return Err(Refusal::Queues { interface, queues });
        }
        let veth = self.facts.kind == "veth";
        let own: &[Offload] = if veth { &JOINING } else { &RECEIVING };
        self.need_off(self.ifindex, own)?;
        self.facts
            .peer
            .map_or(Ok(()), |peer| self.need_off(peer, &SENDING))
    }

    /// Refuse what is unwise where packet sockets would do. The two ends of a veth mostly have the same offloads.
    pub fn check_wise(&self) -> Result<(), Refusal> {
        if self.facts.kind == "veth" && self.facts.peer.is_none() {
            self.need_off(self.ifindex, &SENDING)?;
        }
        self.limit()
            .map_or(Ok(()), |qdisc| Err(Refusal::Limited(qdisc.to_owned())))
    }

    /// The queueing discipline that XDP goes past.
    pub fn limit(&self) -> Option<&str> {
        let qdisc = self.facts.qdisc.as_str();
        let limits = !qdisc.is_empty() && !UNLIMITED.contains(&qdisc);
        limits.then_some(qdisc)
    }

    fn need_off(&self, ifindex: u32, offloads: &[Offload]) -> Result<(), Refusal> {
        let on = |(_, command, mask): &&Offload| self.value(ifindex, *command) & mask != 0;
        let off: String = offloads
            .iter()
            .filter(on)
            .map(|(name, ..)| format!(" {name} off"))
            .collect();
        if off.is_empty() {
            return Ok(());
        }
        Err(Refusal::Offloads {
            interface: name(self.socket, ifindex)?,
            off,
        })
    }

    /// The value that `ethtool` reads with a command; 0 where the interface has no such thing.
    fn value(&self, ifindex: u32, command: u32) -> u32 {
        let mut value = [command, 0];
        self.ask(ifindex, &mut value).map_or(0, |()| value[1])
    }

    fn receive_queues(&self) -> u32 {
        // The command; at most so many for receiving, sending, other and both; then how many there are.
        let mut channels = [GET_CHANNELS, 0, 0, 0, 0, 0, 0, 0, 0];
        let asked = self.ask(self.ifindex, &mut channels);
        asked.map_or(1, |()| channels[5].saturating_add(channels[8]))
    }

    /// `words` begin with the command and are as long as what it takes.
    fn ask(&self, ifindex: u32, words: &mut [u32]) -> io::Result<()> {
        let mut request = named_request(self.socket, ifindex as i32)?;
        request.ifr_ifru.ifru_data = words.as_mut_ptr().cast();
        // SAFETY: the request holds the address of words that the command may read and write, and a valid name.
        unsafe { ethtool(self.socket.as_raw_fd(), &raw mut request) }?;
        Ok(())
    }
}

fn name(socket: &OwnedFd, ifindex: u32) -> io::Result<String> {
    let request = named_request(socket, ifindex as i32)?;
    let bytes = request.ifr_name.iter().map(|byte| *byte as u8);
    let name: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    Ok(String::from_utf8_lossy(&name).into_owned())
}
