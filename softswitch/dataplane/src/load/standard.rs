// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The metadata that the switch shares with the program.

use super::error::{fail, LoadResult};
use super::{Found, Loader};
use crate::exec::layout::HeaderId;
use crate::exec::program::{QueueingFields, StandardFields};
use crate::exec::slot::Slot;

pub fn find(loader: &Loader<'_>) -> LoadResult<StandardFields> {
    // The switch reads and writes them in slots, which only metadata has.
    let in_slot = |header: HeaderId| loader.layout.headers[header as usize].metadata;
    let optional = |header: &str, field: &str| -> Option<Slot> {
        match loader.find_field(header, field) {
            Ok(Found::Fixed(header, loc)) if in_slot(header) => Slot::of(loc),
            _ => None,
        }
    };
    let required = |field: &str| match optional("standard_metadata", field) {
        Some(loc) => Ok(loc),
        None => fail(format!(
            "the field standard_metadata.{field}, which the switch needs, is missing"
        )),
    };
    let queueing = |field| optional("queueing_metadata", field);
    let fields = (
        queueing("enq_timestamp"),
        queueing("enq_qdepth"),
        queueing("deq_timedelta"),
        queueing("deq_qdepth"),
    );
    let queueing = match fields {
        (Some(enq_timestamp), Some(enq_qdepth), Some(deq_timedelta), Some(deq_qdepth)) => {
            Some(QueueingFields {
                enq_timestamp,
                enq_qdepth,
                deq_timedelta,
                deq_qdepth,
            })
        }
        (None, None, None, None) => None,
        _ => {
            tracing::warn!("some but not all fields of the queueing metadata exist: none is used");
            None
        }
    };
    Ok(StandardFields {
        ingress_port: required("ingress_port")?,
        packet_length: required("packet_length")?,
        instance_type: required("instance_type")?,
        egress_spec: required("egress_spec")?,
        egress_port: required("egress_port")?,
        parser_error: optional("standard_metadata", "parser_error"),
        checksum_error: optional("standard_metadata", "checksum_error"),
        ingress_timestamp: optional("intrinsic_metadata", "ingress_global_timestamp"),
        egress_timestamp: optional("intrinsic_metadata", "egress_global_timestamp"),
        mcast_grp: optional("intrinsic_metadata", "mcast_grp"),
        egress_rid: optional("intrinsic_metadata", "egress_rid"),
        priority: optional("intrinsic_metadata", "priority"),
        queueing,
        qid: optional("queueing_metadata", "qid"),
    })
}
