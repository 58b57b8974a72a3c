// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The metadata that program and switch share. The intrinsic headers that parsers extract are not among it (`prefix.rs`).

use crate::arch::declared::Declared;
use crate::model::load_error::{fail, LoadResult};
use crate::state::slot::Slot;

const FROM_INGRESS_PARSER: &str = "ingress_intrinsic_metadata_from_parser";
const FOR_INGRESS_DEPARSER: &str = "ingress_intrinsic_metadata_for_deparser";
const FOR_TM: &str = "ingress_intrinsic_metadata_for_tm";
const FROM_EGRESS_PARSER: &str = "egress_intrinsic_metadata_from_parser";
const FOR_EGRESS_DEPARSER: &str = "egress_intrinsic_metadata_for_deparser";

/// A field that only counts where the program has written it.
#[derive(Debug, Clone, Copy)]
pub struct Optional {
    value: Slot,
    valid: Slot,
}

impl Optional {
    /// `None` where the program has not written it for this packet.
    #[inline]
    pub fn read(self, phv: &[u8]) -> Option<u64> {
        (self.valid.read(phv) != 0).then(|| self.value.read(phv))
    }

    fn slots(self) -> [Slot; 2] {
        [self.value, self.valid]
    }
}

/// `None` where the program does not have or never names a field.
#[derive(Debug, Clone, Copy)]
pub struct IngressMetadata {
    pub global_tstamp: Option<Slot>,
    pub parser_err: Option<Slot>,
    pub drop_ctl: Option<Slot>,
    pub ucast_egress_port: Option<Optional>,
    pub mcast_grp_a: Option<Optional>,
    pub mcast_grp_b: Option<Optional>,
    pub bypass_egress: Option<Slot>,
    pub deflect_on_drop: Option<Slot>,
    pub copy_to_cpu: Option<Slot>,
    pub qid: Option<Slot>,
    pub level1_exclusion_id: Option<Slot>,
    pub level2_exclusion_id: Option<Slot>,
    pub rid: Option<Slot>,
}

#[derive(Debug, Clone, Copy)]
pub struct EgressMetadata {
    pub global_tstamp: Option<Slot>,
    pub parser_err: Option<Slot>,
    pub drop_ctl: Option<Slot>,
}

pub fn check(program: &dyn Declared) -> LoadResult<()> {
    for (header, field) in [
        (FROM_INGRESS_PARSER, "global_tstamp"),
        (FOR_INGRESS_DEPARSER, "drop_ctl"),
        (FOR_TM, "ucast_egress_port"),
        (FOR_TM, "ucast_egress_port$valid"),
        (FROM_EGRESS_PARSER, "global_tstamp"),
        (FOR_EGRESS_DEPARSER, "drop_ctl"),
    ] {
        if program.shared(header, field).is_none() {
            return fail(format!(
                "the field {header}.{field}, which the switch needs, is missing"
            ));
        }
    }
    Ok(())
}

fn named(program: &dyn Declared, header: &str, field: &str) -> Option<Slot> {
    let (slot, is_named) = program.shared(header, field)?;
    is_named.then_some(slot)
}

fn optional(program: &dyn Declared, field: &str) -> Option<Optional> {
    Some(Optional {
        value: named(program, FOR_TM, field)?,
        valid: named(program, FOR_TM, &format!("{field}$valid"))?,
    })
}

impl IngressMetadata {
    pub fn find(program: &dyn Declared) -> Self {
        let for_tm = |field| named(program, FOR_TM, field);
        Self {
            global_tstamp: named(program, FROM_INGRESS_PARSER, "global_tstamp"),
            parser_err: named(program, FROM_INGRESS_PARSER, "parser_err"),
            drop_ctl: named(program, FOR_INGRESS_DEPARSER, "drop_ctl"),
            ucast_egress_port: optional(program, "ucast_egress_port"),
            mcast_grp_a: optional(program, "mcast_grp_a"),
            mcast_grp_b: optional(program, "mcast_grp_b"),
            bypass_egress: for_tm("bypass_egress"),
            deflect_on_drop: for_tm("deflect_on_drop"),
            copy_to_cpu: for_tm("copy_to_cpu"),
            qid: for_tm("qid"),
            level1_exclusion_id: for_tm("level1_exclusion_id"),
            level2_exclusion_id: for_tm("level2_exclusion_id"),
            rid: for_tm("rid"),
        }
    }

    pub fn all(&self) -> impl Iterator<Item = Slot> {
        // Without a rest pattern, so that a field that is added is not forgotten.
        let Self {
            global_tstamp,
            parser_err,
            drop_ctl,
            ucast_egress_port,
            mcast_grp_a,
            mcast_grp_b,
            bypass_egress,
            deflect_on_drop,
            copy_to_cpu,
            qid,
            level1_exclusion_id,
            level2_exclusion_id,
            rid,
        } = *self;
        let plain = [
            global_tstamp,
            parser_err,
            drop_ctl,
            bypass_egress,
            deflect_on_drop,
            copy_to_cpu,
            qid,
            level1_exclusion_id,
            level2_exclusion_id,
            rid,
        ];
        let optional = [ucast_egress_port, mcast_grp_a, mcast_grp_b].into_iter();
        let optional = optional.flatten().flat_map(Optional::slots);
        plain.into_iter().flatten().chain(optional)
    }
}

impl EgressMetadata {
    pub fn find(program: &dyn Declared) -> Self {
        Self {
            global_tstamp: named(program, FROM_EGRESS_PARSER, "global_tstamp"),
            parser_err: named(program, FROM_EGRESS_PARSER, "parser_err"),
            drop_ctl: named(program, FOR_EGRESS_DEPARSER, "drop_ctl"),
        }
    }

    pub fn all(&self) -> impl Iterator<Item = Slot> {
        let Self {
            global_tstamp,
            parser_err,
            drop_ctl,
        } = *self;
        [global_tstamp, parser_err, drop_ctl].into_iter().flatten()
    }
}

/// Reads a field, or 0 where the program never names it.
#[inline]
pub fn read(place: Option<Slot>, phv: &[u8]) -> u64 {
    place.map_or(0, |slot| slot.read(phv))
}

#[inline]
pub fn write(place: Option<Slot>, phv: &mut [u8], value: u64) {
    if let Some(slot) = place {
        slot.write(phv, value);
    }
}
