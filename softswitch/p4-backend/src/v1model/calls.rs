// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The functions of v1model, and the methods of its objects.

use quench_p4_frontend::ir::{self, ExprKind, ExternId, Type};
use quench_p4_frontend::Warning;

use super::{COMPUTE_CHECKSUM, EGRESS, INGRESS, PARSER, VERIFY_CHECKSUM};
use crate::annotation;
use crate::error::{not_supported, Result};
use crate::flat::{Checksum, StmtKind};
use crate::json::Expr;
use crate::layout::STANDARD_METADATA;
use crate::lower::{ops, Block, FieldList, Lower, Parts};
use crate::place::{Place, Scalar};

/// The warning about `v1model_extended.p4`.
const NOT_IN_BMV2: &str =
    "BMv2 has no functions of v1model_extended.p4 and refuses this program; `-U __V1MODEL_EXTENDED__` undefines the \
     macro that such calls stand under";

impl Lower<'_> {
    pub(super) fn v1model_function(
        &mut self,
        name: &str,
        type_args: &[Type],
        call: &ir::Call,
    ) -> Result<()> {
        let args: Vec<&ir::Expr> = call.args.iter().map(|a| &a.expr).collect();
        match (name, args.as_slice()) {
            ("verify", [_, _]) => self.verify(call)?,
            ("mark_to_drop", [metadata]) => self.mark_to_drop(metadata, call)?,
            ("hash", [result, algorithm, base, data, max]) => {
                self.hash(result, algorithm, base, data, max)?;
            }
            ("random", [result, lo, hi]) => {
                let bounds = self.data_values(&[lo, hi])?;
                self.with_destination(result, |lower, destination| {
                    let mut parameters = vec![destination];
                    parameters.extend(bounds);
                    lower.primitive("modify_field_rng_uniform", parameters);
                })?;
            }
            ("time_ns", [_]) => self.extended("time_ns", &[PARSER, INGRESS, EGRESS], &[], &args, call)?,
            ("enqueued", [_, _, _]) => self.extended("enqueued", &[EGRESS], &[], &args, call)?,
            ("queue_depth", [port, queue, results @ ..]) => {
                self.extended("queue_depth", &[INGRESS, EGRESS], &[port, queue], results, call)?;
            }
            ("digest", [receiver, data]) => self.digest(receiver, data, type_args, call)?,
            ("clone", [kind, session]) => {
                let list = self.objects.empty_field_list(call.span);
                self.clone_packet(kind, session, list, call)?;
            }
            ("clone_preserving_field_list", [kind, session, number]) => {
                let list = self.field_list(number)?;
                self.clone_packet(kind, session, list, call)?;
            }
            ("resubmit_preserving_field_list", [number]) => {
                self.only_in(call, name, &[INGRESS])?;
                let list = self.field_list(number)?;
                self.primitive("resubmit", vec![Expr::hex(list, 32)]);
            }
            ("recirculate_preserving_field_list", [number]) => {
                self.only_in(call, name, &[EGRESS])?;
                let list = self.field_list(number)?;
                self.primitive("recirculate", vec![Expr::hex(list, 32)]);
            }
            ("truncate", [length]) => {
                self.only_in(call, name, &[INGRESS, EGRESS])?;
                let length = self.scalar(length)?;
                self.primitive("truncate", vec![length]);
            }
            ("assert", [check]) => {
                let check = ops::data(self.scalar(check)?);
                self.primitive("assert", vec![check]);
            }
            ("assume", [check]) => {
                let check = ops::data(self.scalar(check)?);
                self.primitive("assume", vec![check]);
            }
            ("log_msg", [message, data @ ..]) => {
                let message = self.scalar(message)?;
                let values = match data.first() {
                    Some(data) => self.parts(data, Parts::Values)?,
                    None => Vec::new(),
                };
                self.primitive("log_msg", vec![message, Expr::Vector(values)]);
            }
            (
                "verify_checksum"
                | "verify_checksum_with_payload"
                | "update_checksum"
                | "update_checksum_with_payload",
                [condition, data, target, algorithm],
            ) => self.checksum(name, condition, data, target, algorithm, call)?,
            ("mark_to_drop", []) => {
                return not_supported(
                    call.span,
                    "mark_to_drop(); write mark_to_drop(standard_metadata), or compile with --v1model-2021",
                )
            }
            ("clone3" | "resubmit" | "recirculate", _) => {
                let arguments = if name == "clone3" { "TYPE, SESSION, N" } else { "N" };
                let successor = name.trim_end_matches('3');
                return not_supported(
                    call.span,
                    format_args!(
                        "{name}; write {successor}_preserving_field_list({arguments}) and @field_list(N) in front of the \
                         fields of the user metadata that are kept, or compile with --v1model-2021"
                    ),
                );
            }
            _ => return not_supported(call.span, format_args!("the extern function {name}")),
        }
        Ok(())
    }

    /// A function of `v1model_extended.p4`, as a primitive of its name.
    fn extended(
        &mut self,
        name: &'static str,
        blocks: &[Block],
        operands: &[&ir::Expr],
        results: &[&ir::Expr],
        call: &ir::Call,
    ) -> Result<()> {
        self.only_in(call, name, blocks)?;
        // Once is enough: one call makes a program that BMv2 does not take.
        if !self.warnings.iter().any(|(.., text)| text == NOT_IN_BMV2) {
            let text = NOT_IN_BMV2.to_owned();
            self.warnings.push((Warning::Unsupported, call.span, text));
        }
        let mut parameters = self.data_values(operands)?;
        self.with_destinations(results, |lower, destinations| {
            parameters.extend(destinations);
            lower.primitive(name, parameters);
        })
    }

    pub(super) fn drop_packet(&mut self) {
        self.primitive("mark_to_drop", vec![Expr::Header(STANDARD_METADATA.into())]);
    }

    fn mark_to_drop(&mut self, metadata: &ir::Expr, call: &ir::Call) -> Result<()> {
        self.only_in(call, "mark_to_drop", &[INGRESS, EGRESS])?;
        let place = self.place(metadata, false)?;
        if !is_standard_metadata(&place) {
            return not_supported(call.span, "mark_to_drop of a copy of the standard metadata");
        }
        self.drop_packet();
        Ok(())
    }

    fn hash(
        &mut self,
        result: &ir::Expr,
        algorithm: &ir::Expr,
        base: &ir::Expr,
        data: &ir::Expr,
        max: &ir::Expr,
    ) -> Result<()> {
        let algorithm = self.algorithm(algorithm)?;
        let bounds = self.data_values(&[base, max])?;
        let input = self.parts(data, Parts::Fields)?;
        let name = self
            .objects
            .add_calculation(algorithm, input, false, self.span);
        self.with_destination(result, |lower, destination| {
            let [base, max] = <[Expr; 2]>::try_from(bounds).expect("two bounds");
            lower.primitive(
                "modify_field_with_hash_based_offset",
                vec![destination, base, Expr::Calculation(name), max],
            );
        })
    }

    fn digest(
        &mut self,
        receiver: &ir::Expr,
        data: &ir::Expr,
        type_args: &[Type],
        call: &ir::Call,
    ) -> Result<()> {
        self.only_in(call, "digest", &[INGRESS])?;
        let receiver = self.scalar(receiver)?;
        // BMv2 reads the fields only when the packet leaves ingress, so they are copied now.
        let elements = self.parts(data, Parts::Copies)?;
        let ir = self.ir;
        let name = match type_args.first() {
            Some(Type::Named(id)) => {
                let def = &ir.types[id.index()];
                annotation::string(&def.annotations, "name").unwrap_or_else(|| def.name.clone())
            }
            _ => "digest".to_owned(),
        };
        self.objects.learn_lists.push(FieldList {
            name,
            elements,
            span: call.span,
        });
        let list = self.objects.learn_lists.len();
        self.primitive("generate_digest", vec![receiver, Expr::hex(list, 32)]);
        Ok(())
    }

    pub(super) fn clone_packet(
        &mut self,
        kind: &ir::Expr,
        session: &ir::Expr,
        list: usize,
        call: &ir::Call,
    ) -> Result<()> {
        let op = match (&kind.kind, self.block) {
            (ExprKind::Const(ir::Value::Enum(_, 0)), INGRESS) => "clone_ingress_pkt_to_egress",
            (ExprKind::Const(ir::Value::Enum(_, 1)), EGRESS) => "clone_egress_pkt_to_egress",
            _ => {
                return not_supported(
                    call.span,
                    "a clone other than I2E in ingress and E2E in egress",
                )
            }
        };
        let session = self.scalar(session)?;
        self.primitive(op, vec![session, Expr::hex(list, 32)]);
        Ok(())
    }

    /// Id of the list with the number that an expression gives.
    fn field_list(&mut self, number: &ir::Expr) -> Result<usize> {
        let Expr::Hex { value, .. } = self.scalar(number)? else {
            return not_supported(number.span, "a field list that is chosen at run time");
        };
        let known = u64::try_from(&value)
            .ok()
            .and_then(|n| self.objects.field_list_numbers.get(&n));
        Ok(match known {
            Some(index) => index + 1,
            None => {
                self.warnings.push((
                    Warning::Invalid,
                    number.span,
                    format!("no field of the user metadata has @field_list({value})"),
                ));
                self.objects.empty_field_list(number.span)
            }
        })
    }

    fn checksum(
        &mut self,
        name: &str,
        condition: &ir::Expr,
        data: &ir::Expr,
        target: &ir::Expr,
        algorithm: &ir::Expr,
        call: &ir::Call,
    ) -> Result<()> {
        let verify = name.starts_with("verify");
        let block = if verify {
            VERIFY_CHECKSUM
        } else {
            COMPUTE_CHECKSUM
        };
        self.only_in(call, name, &[block])?;
        let algorithm = self.algorithm(algorithm)?;
        let condition = self.scalar(condition)?;
        let data = self.parts(data, Parts::FieldsOnly)?;
        let target = match self.place(target, false)? {
            Place::Scalar(leaf) if leaf.slice.is_none() => match leaf.expr {
                Expr::Field(header, field) => (header, field),
                _ => return not_supported(call.span, "a checksum in anything but a field"),
            },
            _ => return not_supported(call.span, "a checksum in anything but a field"),
        };
        self.push(StmtKind::Checksum(Checksum {
            verify,
            with_payload: name.ends_with("_with_payload"),
            condition,
            data,
            target,
            algorithm,
        }));
        Ok(())
    }

    pub(super) fn v1model_method(
        &mut self,
        instance: ExternId,
        method: &str,
        call: &ir::Call,
    ) -> Result<()> {
        let ir = self.ir;
        let object = &ir.externs[instance.index()];
        let args: Vec<&ir::Expr> = call.args.iter().map(|a| &a.expr).collect();
        let name = || object.name.clone();
        match (object.type_name.as_str(), method, args.as_slice()) {
            ("counter", "count", [index]) => {
                let index = self.scalar(index)?;
                self.primitive("count", vec![Expr::CounterArray(name()), index]);
            }
            // The table counts by itself.
            ("direct_counter", "count", []) => {}
            ("meter", "execute_meter", [index, result]) => {
                let index = self.scalar(index)?;
                self.with_destination(result, |lower, destination| {
                    let parameters = vec![Expr::MeterArray(name()), index, destination];
                    lower.primitive("execute_meter", parameters);
                })?;
            }
            ("direct_meter", "read", [result]) => self.direct_meter(instance, result)?,
            ("register", "read", [result, index]) => {
                let index = self.scalar(index)?;
                self.with_destination(result, |lower, destination| {
                    let parameters = vec![destination, Expr::RegisterArray(name()), index];
                    lower.primitive("register_read", parameters);
                })?;
            }
            ("register", "write", [index, value]) => {
                let scalar = self.layout.scalar(&value.ty, value.span)?;
                let mut values = self.data_values(&[index, value])?;
                let (Some(value), Some(index)) = (values.pop(), values.pop()) else {
                    unreachable!("two values");
                };
                // A register's cells are unsigned.
                let value = match scalar {
                    Scalar::Int(w) => ops::cast(value, scalar, Scalar::Bit(w)),
                    _ => value,
                };
                let parameters = vec![Expr::RegisterArray(name()), index, value];
                self.primitive("register_write", parameters);
            }
            (type_name, ..) => {
                return not_supported(call.span, format_args!("{type_name}.{method}"))
            }
        }
        Ok(())
    }

    /// The table writes the colour when it matches, before the action runs.
    fn direct_meter(&mut self, instance: ExternId, result: &ir::Expr) -> Result<()> {
        let place = self.place(result, false)?;
        let target = match place {
            Place::Scalar(leaf) if leaf.slice.is_none() => match leaf.expr {
                Expr::Field(header, field) => (header, field),
                _ => return not_supported(result.span, "a meter's colour in anything but a field"),
            },
            _ => return not_supported(result.span, "a meter's colour in anything but a field"),
        };
        match self.objects.meter_targets.get(&instance) {
            Some(known) if *known != target => not_supported(
                result.span,
                "reading one direct meter into two different fields",
            ),
            _ => {
                self.objects.meter_targets.insert(instance, target);
                Ok(())
            }
        }
    }
}

fn is_standard_metadata(place: &Place) -> bool {
    let Place::Struct(members) = place else {
        return false;
    };
    match members.first() {
        Some(Place::Scalar(leaf)) => {
            matches!(&leaf.expr, Expr::Field(header, _) if header == STANDARD_METADATA)
        }
        _ => false,
    }
}
