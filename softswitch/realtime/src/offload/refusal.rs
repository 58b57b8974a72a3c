// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The reasons that a frame cannot be made packets of.

/// Ethernet, four VLAN tags, and as much of extension headers as anybody sends.
pub const MAX_HEADER_BYTES: usize = 256;
/// The most that Linux makes: 64 KB in segments of its least size, 48 bytes with the TCP header's options, are fewer.
pub const MAX_SEGMENTS: usize = 2048;

/// The fault of a frame that hardware should have cut up, or whose checksum it should have finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the kernel has no description of its segmentation, as for tunnels")]
    Undescribed,
    #[error("its segmentation is of an unknown kind")]
    Kind,
    #[error("its segments have no length")]
    SegmentSize,
    #[error("it has more than {MAX_SEGMENTS} segments")]
    Segments,
    #[error("it ends within its headers")]
    Short,
    #[error("its headers are longer than {MAX_HEADER_BYTES} bytes")]
    Headers,
    #[error("its lengths contradict each other")]
    Length,
    #[error("it is neither IPv4 nor IPv6")]
    Network,
    #[error("it is a fragment")]
    Fragment,
    #[error("its transport protocol is not the one that it is to be segmented as")]
    Transport,
    #[error("its checksum is that of an inner packet, as in tunnels")]
    Tunnel,
    #[error("its checksum lies outside of it")]
    Checksum,
    #[error("its way is in a routing header, and its checksum does not tell where it ends")]
    Routed,
}
