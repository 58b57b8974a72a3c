// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Types of TNA's objects in P4Info, and instances by type.

use super::calls::Calls;
use super::hash::Arguments;
use crate::p4info::message::Message;
use crate::p4info::symbols::Prefix;

/// A type of objects: the first byte of their ids, and their message's full name.
pub type Kind = (Prefix, &'static str);

pub const ACTION_PROFILE: Kind = (Prefix::TofinoActionProfile, "barefoot.ActionProfile");
pub const ACTION_SELECTOR: Kind = (Prefix::TofinoActionSelector, "barefoot.ActionSelector");
pub const COUNTER: Kind = (Prefix::TofinoCounter, "barefoot.Counter");
pub const DIRECT_COUNTER: Kind = (Prefix::TofinoDirectCounter, "barefoot.DirectCounter");
pub const METER: Kind = (Prefix::TofinoMeter, "barefoot.Meter");
pub const DIRECT_METER: Kind = (Prefix::TofinoDirectMeter, "barefoot.DirectMeter");
pub const WRED: Kind = (Prefix::TofinoWred, "barefoot.Wred");
pub const DIRECT_WRED: Kind = (Prefix::TofinoDirectWred, "barefoot.DirectWred");
pub const LPF: Kind = (Prefix::TofinoLpf, "barefoot.Lpf");
pub const DIRECT_LPF: Kind = (Prefix::TofinoDirectLpf, "barefoot.DirectLpf");
pub const REGISTER: Kind = (Prefix::TofinoRegister, "barefoot.Register");
pub const DIRECT_REGISTER: Kind = (Prefix::TofinoDirectRegister, "barefoot.DirectRegister");
pub const REGISTER_PARAM: Kind = (Prefix::TofinoRegisterParam, "barefoot.RegisterParam");
pub const DIGEST: Kind = (Prefix::TofinoDigest, "barefoot.Digest");
pub const HASH: Kind = (Prefix::TofinoHash, "barefoot.DynHash");
pub const PORT_METADATA: Kind = (Prefix::TofinoPortMetadata, "barefoot.PortMetadata");
pub const SNAPSHOT: Kind = (Prefix::TofinoSnapshot, "barefoot.Snapshot");
pub const VALUE_SET: Kind = (Prefix::TofinoValueSet, "barefoot.ValueSet");

/// The kind of an extern's objects; `None` if the control plane does not see them.
pub fn kind(type_name: &str) -> Option<Kind> {
    Some(match type_name {
        "ActionProfile" => ACTION_PROFILE,
        "ActionSelector" => ACTION_SELECTOR,
        "Counter" => COUNTER,
        "DirectCounter" => DIRECT_COUNTER,
        "Meter" => METER,
        "DirectMeter" => DIRECT_METER,
        "Wred" => WRED,
        "DirectWred" => DIRECT_WRED,
        "Lpf" => LPF,
        "DirectLpf" => DIRECT_LPF,
        "Register" => REGISTER,
        "DirectRegister" => DIRECT_REGISTER,
        "RegisterParam" => REGISTER_PARAM,
        "Digest" => DIGEST,
        "Hash" => HASH,
        _ => return None,
    })
}

/// Instances by type; types in the order in which the first instance of each is found.
#[derive(Default)]
pub struct Externs(Vec<(Kind, Vec<Message>)>);

impl Externs {
    pub fn add(&mut self, kind: Kind, instance: Message) {
        match self.0.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, instances)) => instances.push(instance),
            None => self.0.push((kind, vec![instance])),
        }
    }

    pub fn write(self, info: &mut Message) {
        for ((prefix, message), instances) in self.0 {
            let mut of_type = Message::new();
            of_type.int(1, "extern_type_id", prefix as u32).text(
                2,
                "extern_type_name",
                message.trim_start_matches("barefoot."),
            );
            for instance in instances {
                of_type.message(3, "instances", instance);
            }
            info.message(100, "externs", of_type);
        }
    }
}

/// The uses that the program makes of objects.
pub struct Uses<'a> {
    pub calls: Calls<'a>,
    pub arguments: Arguments<'a>,
}
