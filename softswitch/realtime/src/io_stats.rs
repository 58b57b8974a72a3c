// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counts of packets that were lost between the data plane and the interfaces.

/// Packets that the interfaces, not the data plane, lost or spoilt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IoStats {
    /// Arrived faster than the switch read them.
    pub rx_overrun_pkts: u64,
    /// Longer than the switch can receive.
    pub rx_oversize_pkts: u64,
    /// The sender left its segmentation or its checksum to hardware in a way that the switch cannot do, as in tunnels.
    /// Each such frame counts once, however many packets would have come of it.
    pub rx_offload_refused_pkts: u64,
    /// Longer than the interface's MTU.
    pub tx_oversize_pkts: u64,
    /// The interface's queue dropped it (ENOBUFS); the kernel may have counted it as well.
    pub tx_no_buffer_pkts: u64,
    /// Came from a link with a delay while too many others waited for room in the socket.
    pub tx_socket_full_pkts: u64,
    /// The interface was down or gone, or the port has none.
    pub tx_no_link_pkts: u64,
    /// Refused by the kernel for another reason, such as a frame too short to be one.
    pub tx_error_pkts: u64,
}

impl IoStats {
    pub fn add(&mut self, other: &Self) {
        self.rx_overrun_pkts += other.rx_overrun_pkts;
        self.rx_oversize_pkts += other.rx_oversize_pkts;
        self.rx_offload_refused_pkts += other.rx_offload_refused_pkts;
        self.tx_oversize_pkts += other.tx_oversize_pkts;
        self.tx_no_buffer_pkts += other.tx_no_buffer_pkts;
        self.tx_socket_full_pkts += other.tx_socket_full_pkts;
        self.tx_no_link_pkts += other.tx_no_link_pkts;
        self.tx_error_pkts += other.tx_error_pkts;
    }

    /// Each count with its name.
    pub fn named(&self) -> [(&'static str, u64); 8] {
        [
            ("rx_overrun_pkts", self.rx_overrun_pkts),
            ("rx_oversize_pkts", self.rx_oversize_pkts),
            ("rx_offload_refused_pkts", self.rx_offload_refused_pkts),
            ("tx_oversize_pkts", self.tx_oversize_pkts),
            ("tx_no_buffer_pkts", self.tx_no_buffer_pkts),
            ("tx_socket_full_pkts", self.tx_socket_full_pkts),
            ("tx_no_link_pkts", self.tx_no_link_pkts),
            ("tx_error_pkts", self.tx_error_pkts),
        ]
    }
}
