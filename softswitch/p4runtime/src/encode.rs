// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Answers of a `Read`: entries and members of the data plane as messages.

use quench_dataplane::control::{
    self as c, ActionCall, ControlResult, CounterValue, Entry, MatchField, MeterRates,
};

use crate::actions::{ProfileForm, TableForm};
use crate::entries::Forms;
use crate::keys::{Field, FieldKind, KeyForm};
use crate::messages as m;
use crate::messages::{ActionType, Kind, MatchType, Watch};
use crate::refusal::invalid;
use crate::values::canonical;

fn counter(value: CounterValue) -> m::CounterData {
    // They wrap at 2^63, as `int64` holds no more.
    let wrapped = |count: u64| (count & i64::MAX as u64) as i64;
    m::CounterData {
        byte_count: wrapped(value.bytes),
        packet_count: wrapped(value.packets),
    }
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// P4Runtime's rates are whole: one with a fraction, which only Thrift and STF can set, is rounded up, never to 0.
fn rates(rates: MeterRates) -> m::MeterConfig {
    let whole = |rate: u64, billionths| number(rate.saturating_add(u64::from(billionths > 0)));
    m::MeterConfig {
        cir: whole(rates.cir, rates.cir_billionths),
        cburst: number(rates.cburst),
        pir: whole(rates.pir, rates.pir_billionths),
        pburst: number(rates.pburst),
        eburst: number(rates.eburst),
    }
}

impl Field {
    /// `None` for a match on anything.
    fn encode(&self, found: &MatchField) -> ControlResult<Option<m::FieldMatch>> {
        let value = &self.value;
        let one = |bytes: &[u8]| {
            ControlResult::Ok(m::One {
                value: value.encode(bytes)?,
            })
        };
        let given = match found {
            MatchField::DontCare | MatchField::Lpm(_, 0) => return Ok(None),
            MatchField::Exact(bytes) => MatchType::Exact(one(bytes)?),
            MatchField::Optional(bytes) => MatchType::Optional(one(bytes)?),
            MatchField::Lpm(bytes, prefix) => MatchType::Lpm(m::Lpm {
                value: value.encode(bytes)?,
                prefix_len: *prefix as i32,
            }),
            MatchField::Ternary(_, mask) if mask.iter().all(|&byte| byte == 0) => return Ok(None),
            MatchField::Ternary(bytes, _) if self.kind == FieldKind::Optional => {
                MatchType::Optional(one(bytes)?)
            }
            MatchField::Ternary(bytes, mask) => {
                let counts = bytes.iter().zip(mask);
                let counts: Vec<u8> = counts.map(|(value, mask)| value & mask).collect();
                MatchType::Ternary(m::Two {
                    first: value.encode(&counts)?,
                    second: value.encode_mask(mask),
                })
            }
            MatchField::Range(low, high) => {
                if *high == value.max() && low.iter().all(|&byte| byte == 0) {
                    return Ok(None);
                }
                MatchType::Range(m::Two {
                    first: value.encode(low)?,
                    second: value.encode(high)?,
                })
            }
        };
        Ok(Some(m::FieldMatch {
            field_id: self.id,
            given: Some(given),
        }))
    }
}

impl KeyForm {
    /// Canonical messages of a data-plane key: matches on anything are left out.
    pub fn encode(&self, key: &[MatchField]) -> ControlResult<Vec<m::FieldMatch>> {
        let fields = self.fields.iter().filter_map(|field| {
            let found = key.get(field.position)?;
            field.encode(found).transpose()
        });
        fields.collect()
    }
}

/// Whether an entry is among those that a request selects beside its key.
fn is_selected(request: &m::TableEntry, entry: &m::TableEntry) -> ControlResult<bool> {
    if (request.priority != 0 && request.priority != entry.priority)
        || (!request.metadata.is_empty() && request.metadata != entry.metadata)
        || (request.controller_metadata != 0
            && request.controller_metadata != entry.controller_metadata)
    {
        return Ok(false);
    }
    let Some(action) = &request.action else {
        return Ok(true);
    };
    let Some(ActionType::Action(wanted)) = &action.given else {
        return invalid("entries can be selected by action id only, not by member, group or set");
    };
    let given = entry.action.as_ref();
    let given = given.and_then(|action| action.given.as_ref());
    Ok(matches!(given, Some(ActionType::Action(call)) if call.action_id == wanted.action_id))
}

impl Forms {
    /// `None` for an action that P4Info does not show.
    fn call(&self, call: &ActionCall) -> ControlResult<Option<m::Action>> {
        let id = self.action_ids.get(&call.name);
        let Some((action_id, form)) = id.and_then(|id| Some((*id, self.actions.get(id)?))) else {
            return Ok(None);
        };
        let params = form.params.iter().zip(&call.params);
        let params = params.map(|((id, value_type), value)| {
            Ok(m::Param {
                param_id: *id,
                value: value_type.encode(value)?,
            })
        });
        Ok(Some(m::Action {
            action_id,
            params: params.collect::<ControlResult<_>>()?,
        }))
    }

    /// `None` for an action that P4Info does not show.
    pub fn table_action(
        &self,
        table: &TableForm,
        action: &c::TableAction,
    ) -> ControlResult<Option<m::TableAction>> {
        let given = match action {
            c::TableAction::Action(call) => match self.call(call)? {
                Some(call) => ActionType::Action(call),
                None => return Ok(None),
            },
            c::TableAction::Member(id) => ActionType::Member(*id),
            c::TableAction::Group(id) => ActionType::Group(*id),
            c::TableAction::OneShot(set) => {
                let profile = table.profile.as_ref();
                let weighs = profile.is_none_or(|profile| !profile.weights_disallowed);
                let members = set.members.iter().map(|member| {
                    let watch = member.watch_port.map(u32::to_be_bytes);
                    Ok(m::SetMember {
                        action: self.call(&member.action)?,
                        weight: if weighs { member.weight as i32 } else { 0 },
                        watch: watch.map(|port| Watch::Port(canonical(&port))),
                    })
                });
                // Both enumerations are one byte in the data plane.
                let set = m::ActionSet {
                    actions: members.collect::<ControlResult<_>>()?,
                    mode: i32::from(set.note >> 4),
                    size_semantics: i32::from(set.note & 0xf),
                };
                ActionType::Set(m::RawSet::of(&set))
            }
        };
        Ok(Some(m::TableAction { given: Some(given) }))
    }

    /// The message of an entry, with the parts that a request asks for; `None` where it does not select the entry.
    pub fn entry_message(
        &self,
        table: &TableForm,
        entry: &Entry,
        request: &m::TableEntry,
    ) -> ControlResult<Option<m::Entity>> {
        let needs_priority = table.key.fields.iter().any(Field::has_priority);
        let (first, metadata) = entry.metadata.split_at(entry.metadata.len().min(8));
        let first = first
            .iter()
            .fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        let asked = |asks: bool, has: bool| asks && has;
        let colors = entry
            .color_counts
            .map(|[green, yellow, red]| m::MeterCounterData {
                green: Some(counter(green)),
                yellow: Some(counter(yellow)),
                red: Some(counter(red)),
            });
        let message = m::TableEntry {
            table_id: table.id,
            matches: table.key.encode(&entry.key)?,
            action: self.table_action(table, &entry.action)?,
            priority: if needs_priority { entry.priority } else { 0 },
            controller_metadata: first,
            meter_config: entry
                .meter
                .filter(|_| asked(request.meter_config.is_some(), table.direct_meter))
                .map(rates),
            counter_data: entry
                .counter
                .filter(|_| asked(request.counter_data.is_some(), table.direct_counter))
                .map(counter),
            is_default_action: false,
            idle_timeout_ns: number(entry.idle_timeout_ns),
            time_since_last_hit: entry
                .since_hit_ns
                .filter(|_| request.time_since_last_hit.is_some())
                .map(|elapsed_ns| m::IdleTimeout {
                    elapsed_ns: number(elapsed_ns),
                }),
            metadata: metadata.to_vec(),
            meter_counter_data: colors.filter(|_| request.meter_counter_data.is_some()),
            is_const: entry.is_const,
        };
        if !is_selected(request, &message)? {
            return Ok(None);
        }
        let kind = Some(Kind::Table(Box::new(message)));
        Ok(Some(m::Entity { kind }))
    }

    /// The message of a member.
    pub fn member_message(
        &self,
        profile: &ProfileForm,
        member_id: u32,
        call: &ActionCall,
    ) -> ControlResult<m::Entity> {
        let kind = Some(Kind::Member(m::Member {
            profile_id: profile.id,
            member_id,
            action: self.call(call)?,
        }));
        Ok(m::Entity { kind })
    }
}
