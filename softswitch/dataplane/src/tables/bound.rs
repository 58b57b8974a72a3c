// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Actions with their parameters.

use crate::model::error::{ControlError, ControlResult, ErrorCode};
use crate::model::values::ActionCall;
use crate::program::Action;
use crate::tables::key::fit;

/// An action with its parameters, ready to run.
#[derive(Debug, Clone)]
pub struct Bound {
    pub action: u32,
    /// Parameters where the action's code expects them.
    pub data: Box<[u8]>,
}

impl Bound {
    /// Checks parameters against their widths.
    pub fn new(index: u32, action: &Action, params: &[Vec<u8>]) -> ControlResult<Self> {
        if params.len() != action.params.len() {
            let problem = format!(
                "action '{}' has {} parameters, {} are given",
                action.name,
                action.params.len(),
                params.len()
            );
            return Err(ControlError::new(ErrorCode::InvalidArgument, problem));
        }
        let mut data = vec![0; action.data_bytes];
        for (i, (loc, value)) in action.params.iter().zip(params).enumerate() {
            let value = fit(value, loc.bits, || {
                format!("parameter {i} of action '{}'", action.name)
            })?;
            loc.write_bytes(&mut data, &value);
        }
        Ok(Self {
            action: index,
            data: data.into(),
        })
    }

    /// The parameters as they were given, each of its byte width.
    pub fn call(&self, actions: &[Action]) -> ActionCall {
        let action = &actions[self.action as usize];
        let params = action.params.iter().map(|loc| {
            let mut bytes = Vec::new();
            loc.append_bytes(&self.data, &mut bytes);
            bytes
        });
        ActionCall {
            name: action.name.clone(),
            params: params.collect(),
        }
    }
}
