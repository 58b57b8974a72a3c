// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Actions and their parameters.

use super::expr::Locals;
use super::json::Json;
use super::loader::Loader;
use super::value::text;
use super::{cost, json, limits};
use crate::model::load_error::{fail, LoadResult, Within};
use crate::program::{Action, Op};
use crate::state::loc::{Loc, PAD_BYTES};

impl Loader<'_> {
    pub fn load_actions(&mut self) -> LoadResult<()> {
        let root = self.root;
        for action in &root.actions {
            let loaded = self
                .action(action)
                .within(|| format!("action '{}'", action.name))?;
            if self
                .action_ids
                .insert(action.id, self.actions.len() as u32)
                .is_some()
            {
                return fail(format!("two actions have the id {}", action.id));
            }
            self.actions.push(loaded);
        }
        Ok(())
    }

    pub fn action_by_id(&self, id: u32) -> LoadResult<u32> {
        match self.action_ids.get(&id) {
            Some(&index) => Ok(index),
            None => fail(format!("there is no action with the id {id}")),
        }
    }

    fn action(&mut self, action: &json::Action) -> LoadResult<Action> {
        let mut params = Vec::new();
        let mut at = 0;
        for param in &action.runtime_data {
            limits::WIDTH_BITS
                .allow(param.bitwidth.into())
                .within(|| format!("parameter '{}'", param.name))?;
            params.push(Loc::in_slot(at, param.bitwidth));
            at += Loc::slot_bytes(param.bitwidth);
            limits::PARAMETER_BYTES.allow(at.into())?;
        }
        let before = self.b.exprs.len();
        let (ops, work) = self.primitives(&action.primitives, Locals::Params(&params))?;
        let parts = ops.len() + self.b.exprs.len() - before;
        let data_bytes = at as usize + PAD_BYTES;
        Ok(Action {
            name: action.name.clone(),
            params,
            data_bytes,
            ops,
            parts,
            work,
        })
    }

    /// The primitives, and what running each once costs.
    pub fn primitives(
        &mut self,
        primitives: &[json::Primitive],
        locals: Locals<'_>,
    ) -> LoadResult<(Vec<Op>, u32)> {
        let (mut ops, mut works) = (Vec::new(), Vec::new());
        for (i, primitive) in primitives.iter().enumerate() {
            let place = || {
                let source = &primitive.source_info;
                match (source["filename"].as_str(), source["line"].as_u64()) {
                    (Some(file), Some(line)) => {
                        format!("primitive {i} '{}' ({file}:{line})", primitive.op)
                    }
                    _ => format!("primitive {i} '{}'", primitive.op),
                }
            };
            let mark = self.b.mark();
            let op = self.primitive(primitive, locals).within(place)?;
            works.push(self.work_of(&op) + self.b.work_since(&mark));
            let target = match op {
                Op::Jump(jump) | Op::JumpIfZero(_, jump) => jump.to as usize,
                _ => 0,
            };
            if target > primitives.len() {
                return fail(format!("jumps to {target}, behind the end")).within(place);
            }
            ops.push(op);
        }
        cost::set_jump_costs(&mut ops, &works);
        Ok((ops, cost::total(&works)))
    }

    /// A primitive that stands alone: in a parser or deparser.
    pub fn lone_primitive(&mut self, json: &Json) -> LoadResult<Op> {
        let parameters = match json.get("parameters").map(Json::as_array) {
            None => &[],
            Some(Some(parameters)) => parameters,
            Some(None) => return fail("the parameters of a primitive are no list"),
        };
        let primitive = json::Primitive {
            op: text(&json["op"])?.to_owned(),
            parameters: parameters.to_vec(),
            source_info: json["source_info"].clone(),
        };
        let place = || format!("primitive '{}'", primitive.op);
        match self.primitive(&primitive, Locals::None).within(place)? {
            Op::Jump(_) | Op::JumpIfZero(..) => fail("cannot jump here").within(place),
            op => Ok(op),
        }
    }
}
