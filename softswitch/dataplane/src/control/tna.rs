// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests that only TNA has: the metadata of ports, the exclusion ids of multicast, and deflection.

use super::tables::refuse;
use crate::arch::tna::Tna;
use crate::arch::Architecture;
use crate::model::error::{ControlResult, ErrorCode};
use crate::switch::Switch;

/// Ports of TNA have 9 bits.
const MAX_PORT: u32 = 0x1ff;
/// Level 2 exclusion ids have 9 bits.
const MAX_LEVEL2: u16 = 0x1ff;
/// Queues of TNA have 5 bits.
const MAX_QUEUE: u16 = 0x1f;
/// Nodes with an exclusion id.
const MAX_NODES: usize = 1 << 16;

impl Switch {
    fn tna(&mut self) -> ControlResult<&mut Tna> {
        match self.arch_mut() {
            Some(Architecture::Tna(tna)) => Ok(tna),
            _ => other_architecture(),
        }
    }

    /// Sets the 64 bits that ingress's parser finds in front of a port's packets; 0 is the state at the start.
    pub fn set_port_metadata(&mut self, port: u32, bits: u64) -> ControlResult<()> {
        check_port(port)?;
        self.tna()?.set_port_metadata(port, bits);
        Ok(())
    }

    pub fn port_metadata(&self, port: u32) -> ControlResult<u64> {
        check_port(port)?;
        match self.arch() {
            Some(Architecture::Tna(tna)) => Ok(tna.port_metadata(port)),
            _ => other_architecture(),
        }
    }

    /// Gives the node of a multicast group with this RID a level 1 exclusion id, or takes it away.
    pub fn set_level1_exclusion(
        &mut self,
        group: u16,
        rid: u16,
        id: Option<u16>,
    ) -> ControlResult<()> {
        let nodes = &mut self.tna()?.exclusions.nodes;
        if nodes.len() >= MAX_NODES && id.is_some() {
            return refuse(
                ErrorCode::ResourceExhausted,
                format!("{MAX_NODES} nodes have an exclusion id: no more can"),
            );
        }
        match id {
            Some(id) => nodes.insert((group, rid), id),
            None => nodes.remove(&(group, rid)),
        };
        Ok(())
    }

    /// Says which ports a level 2 exclusion id leaves out.
    pub fn set_level2_exclusion(&mut self, id: u16, ports: &[u32]) -> ControlResult<()> {
        if id > MAX_LEVEL2 {
            return refuse(
                ErrorCode::OutOfRange,
                format!("level 2 exclusion id {id}: the last one is {MAX_LEVEL2}"),
            );
        }
        ports.iter().try_for_each(|&port| check_port(port))?;
        let ports = ports.iter().copied().collect();
        self.tna()?.exclusions.ports.insert(id, ports);
        Ok(())
    }
}

impl Switch {
    /// Says where packets with `deflect_on_drop` go whose own queue has no room, in this program and later ones: a port
    /// and its queue. None, as at the start: they are dropped.
    pub fn set_deflection(&mut self, way: Option<(u32, u16)>) -> ControlResult<()> {
        if let Some((port, queue)) = way {
            check_port(port)?;
            if queue > MAX_QUEUE {
                return refuse(
                    ErrorCode::OutOfRange,
                    format!("queue {queue}: TNA's last one is {MAX_QUEUE}"),
                );
            }
        }
        self.fabric.config.deflection = way.map(|(port, queue)| (port, queue as u8));
        Ok(())
    }
}

fn other_architecture<T>() -> ControlResult<T> {
    refuse(
        ErrorCode::FailedPrecondition,
        "the program is not for TNA, which alone has this",
    )
}

pub(super) fn check_port(port: u32) -> ControlResult<()> {
    if port > MAX_PORT {
        return refuse(
            ErrorCode::OutOfRange,
            format!("port {port}: TNA's last one is {MAX_PORT}"),
        );
    }
    Ok(())
}
