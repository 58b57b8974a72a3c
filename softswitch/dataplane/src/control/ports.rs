// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about ports.

use super::tables::refuse;
use super::{ControlResult, CounterValue, ErrorCode, PortOptions, PortState};
use crate::switch::{Switch, MAX_PORT};
use crate::tm::Rate;

impl Switch {
    fn check_port(&self, port: u32) -> ControlResult<()> {
        if port > MAX_PORT {
            return refuse(
                ErrorCode::OutOfRange,
                format!("port {port}: the last one is {MAX_PORT}"),
            );
        }
        Ok(())
    }

    fn known_port(&self, port: u32) -> ControlResult<()> {
        if self.ports.contains(&port) {
            Ok(())
        } else {
            refuse(ErrorCode::NotFound, format!("there is no port {port}"))
        }
    }

    pub(super) fn set_port(
        &mut self,
        port: u32,
        options: &PortOptions,
        now_ns: u64,
    ) -> ControlResult<()> {
        self.check_port(port)?;
        let mut config = self.tm.config(port);
        let (old_bps, old_pps) = rates(config.rate);
        config.rate = match (options.rate_bps, options.rate_pps) {
            (Some(bps), Some(pps)) if bps > 0 && pps > 0 => {
                let message = format!("port {port}: a rate in bits and one in packets per second");
                return refuse(ErrorCode::InvalidArgument, message);
            }
            (Some(bps), _) if bps > 0 => Rate::bps(bps),
            (_, Some(pps)) if pps > 0 => Rate::pps(pps),
            (Some(_), None) if old_pps > 0 => Rate::pps(old_pps),
            (None, Some(_)) if old_bps > 0 => Rate::bps(old_bps),
            (None, None) => config.rate,
            _ => Rate::Unlimited,
        };
        config.capacity_pkts = options.capacity_pkts.unwrap_or(config.capacity_pkts);
        config.capacity_bytes = options.capacity_bytes.unwrap_or(config.capacity_bytes);
        config.queues = options.queues.unwrap_or(config.queues);
        config.hold = options.hold.unwrap_or(config.hold);
        let old_link = self.link.config(port);
        let mut link = old_link;
        link.delay_ns = options.delay_ns.unwrap_or(link.delay_ns);
        link.loss = options.loss.unwrap_or(link.loss);
        if let Err(error) = self.link.set_config(port, link) {
            return refuse(ErrorCode::InvalidArgument, format!("port {port}: {error}"));
        }
        self.settle(now_ns);
        if let Err(error) = self.tm.set_config(self.now_ns, port, config) {
            if self.link.set_config(port, old_link).is_err() {
                unreachable!("the old configuration of a link is valid");
            }
            return refuse(ErrorCode::InvalidArgument, format!("port {port}: {error}"));
        }
        self.ports.insert(port);
        Ok(())
    }

    pub(super) fn get_port(&self, port: u32, now_ns: u64) -> ControlResult<PortState> {
        self.check_port(port)?;
        self.known_port(port)?;
        let config = self.tm.config(port);
        let link = self.link.config(port);
        let stats = self.tm.stats(now_ns.max(self.now_ns), port);
        let (rate_bps, rate_pps) = rates(config.rate);
        let depths: Vec<_> = (0..config.queues)
            .map(|queue| self.tm.depth(port, queue))
            .collect();
        let received = self
            .received
            .get(port as usize)
            .copied()
            .unwrap_or_default();
        Ok(PortState {
            rate_bps,
            rate_pps,
            capacity_pkts: config.capacity_pkts,
            capacity_bytes: config.capacity_bytes,
            queues: config.queues,
            delay_ns: link.delay_ns,
            loss: link.loss,
            hold: config.hold,
            queue_pkts: depths.iter().map(|depth| depth.pkts).collect(),
            queue_bytes: depths.iter().map(|depth| depth.bytes).collect(),
            enqueued_pkts: stats.enqueued_pkts,
            dropped_full_pkts: stats.dropped_full_pkts,
            tx_pkts: stats.tx_pkts,
            tx_bytes: stats.tx_bytes,
            rx_pkts: received.packets,
            rx_bytes: received.bytes,
            lost_on_link_pkts: self.link.lost_pkts(port),
            queue_mean_pkts: stats.queue_pkts.mean,
            queue_sd_pkts: stats.queue_pkts.sd,
            queue_mean_bytes: stats.queue_bytes.mean,
            queue_sd_bytes: stats.queue_bytes.sd,
            stats_ns: stats.stats_ns,
        })
    }

    pub(super) fn reset_port(&mut self, port: u32, now_ns: u64) -> ControlResult<()> {
        self.known_port(port)?;
        self.settle(now_ns);
        self.tm.reset_stats(self.now_ns, port);
        self.link.reset_stats(port);
        if let Some(received) = self.received.get_mut(port as usize) {
            *received = CounterValue::default();
        }
        Ok(())
    }
}

/// Bits and packets per second.
fn rates(rate: Rate) -> (u64, u64) {
    match rate {
        Rate::Unlimited => (0, 0),
        Rate::Bps(rate) => (rate.get(), 0),
        Rate::Pps(rate) => (0, rate.get()),
    }
}
