// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Facts about an interface, by rtnetlink(7).

use std::io;
use std::os::fd::AsRawFd;

use nix::sys::socket::{
    recv, send, socket, AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType,
};

/// A number of linux/if_link.h.
const IFLA_INFO_KIND: u16 = 1;
const HEADER_BYTES: usize = 16;
/// Behind the header: family, type, index, flags and changed flags.
const LINK_BYTES: usize = 16;

/// Facts that decide whether packets can go past the kernel's stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkFacts {
    /// The kind of a virtual interface, such as `veth`; empty for hardware.
    pub kind: String,
    /// The queueing discipline behind the interface.
    pub qdisc: String,
    /// The other end of a veth, where it is in this network namespace.
    pub peer: Option<u32>,
}

impl LinkFacts {
    /// The facts of an interface of the calling thread's network namespace.
    pub fn of(ifindex: u32) -> io::Result<Self> {
        let flags = SockFlag::SOCK_CLOEXEC;
        let protocol = SockProtocol::NetlinkRoute;
        let fd = socket(AddressFamily::Netlink, SockType::Raw, flags, protocol)?;
        send(fd.as_raw_fd(), &request(ifindex), MsgFlags::empty())?;
        let mut reply = vec![0; 64 << 10];
        let len = recv(fd.as_raw_fd(), &mut reply, MsgFlags::empty())?;
        Self::parse(&reply[..len])
    }

    fn parse(reply: &[u8]) -> io::Result<Self> {
        let broken = || io::Error::from(io::ErrorKind::InvalidData);
        let kind = reply.get(4..6).ok_or_else(broken)?;
        if kind == (libc::NLMSG_ERROR as u16).to_ne_bytes() {
            let error = reply
                .get(HEADER_BYTES..HEADER_BYTES + 4)
                .ok_or_else(broken)?;
            let errno = i32::from_ne_bytes(error.try_into().map_err(|_| broken())?);
            return Err(io::Error::from_raw_os_error(errno.saturating_neg()));
        }
        if kind != libc::RTM_NEWLINK.to_ne_bytes() {
            return Err(broken());
        }
        let mut facts = Self::default();
        let mut elsewhere = false;
        let behind = reply.get(HEADER_BYTES + LINK_BYTES..).ok_or_else(broken)?;
        for (kind, value) in attributes(behind) {
            match kind {
                libc::IFLA_QDISC => facts.qdisc = text(value),
                libc::IFLA_LINK => facts.peer = value.try_into().ok().map(u32::from_ne_bytes),
                libc::IFLA_LINK_NETNSID => elsewhere = true,
                libc::IFLA_LINKINFO => {
                    let mut inner = attributes(value);
                    let kind = inner.find(|(kind, _)| *kind == IFLA_INFO_KIND);
                    facts.kind = kind.map(|(_, value)| text(value)).unwrap_or_default();
                }
                _ => {}
            }
        }
        if elsewhere || facts.kind != "veth" {
            facts.peer = None;
        }
        Ok(facts)
    }
}

fn request(ifindex: u32) -> [u8; HEADER_BYTES + LINK_BYTES] {
    let mut request = [0; HEADER_BYTES + LINK_BYTES];
    request[..4].copy_from_slice(&((HEADER_BYTES + LINK_BYTES) as u32).to_ne_bytes());
    request[4..6].copy_from_slice(&libc::RTM_GETLINK.to_ne_bytes());
    request[6..8].copy_from_slice(&(libc::NLM_F_REQUEST as u16).to_ne_bytes());
    request[HEADER_BYTES + 4..HEADER_BYTES + 8].copy_from_slice(&ifindex.to_ne_bytes());
    request
}

/// The attributes of a message, each with its value; it ends where they make no sense.
fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let len = usize::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
        // The two highest bits are flags.
        let kind = u16::from_ne_bytes(bytes.get(2..4)?.try_into().ok()?) & 0x3fff;
        let value = bytes.get(4..len)?;
        bytes = bytes.get(len.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

fn text(value: &[u8]) -> String {
    let end = value
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(value.len());
    String::from_utf8_lossy(&value[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_reply_is_an_error_or_says_less() {
        let mut reply = request(7).to_vec();
        reply[4..6].copy_from_slice(&libc::RTM_NEWLINK.to_ne_bytes());
        reply.extend([8, 0, 6, 0, b't', b'b', b'f', 0]);
        let facts = LinkFacts::parse(&reply).expect("it is whole");
        assert_eq!(facts.qdisc, "tbf");
        for len in 0..reply.len() {
            let cut = LinkFacts::parse(&reply[..len]);
            assert!(cut.is_err() || cut.is_ok_and(|facts| facts.qdisc.is_empty()));
        }
    }
}
