// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The reasons that a frame cannot be made packets of.

use super::layout::MAX_HEADER_BYTES;
use super::segment::MAX_SEGMENTS;

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
