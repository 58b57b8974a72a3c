// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Action profiles and selectors of the tables.

use super::control::Graph;
use crate::error::{not_supported, Error, Result};
use crate::json::{self, Expr};
use crate::lower::Profile;

impl Graph<'_, '_, '_> {
    pub(super) fn action_profile(
        &mut self,
        profile: &Profile,
        selector_input: &[Expr],
    ) -> Result<()> {
        let instance = &self.emitter.ir.externs[profile.instance.index()];
        let selector = profile.selector.clone().map(|selector| json::Selector {
            input: selector_input.to_vec(),
            ..selector
        });
        let elsewhere = self
            .emitter
            .program
            .pipelines
            .iter()
            .any(|p| p.action_profiles.iter().any(|a| a.name == instance.name));
        if elsewhere {
            return not_supported(
                instance.span,
                format_args!("{} in both ingress and egress", instance.name),
            );
        }
        let known = self
            .pipeline
            .action_profiles
            .iter()
            .find(|a| a.name == instance.name);
        if let Some(known) = known {
            if known.selector.as_ref().map(|s| &s.input) != selector.as_ref().map(|s| &s.input) {
                return Err(Error::new(
                    instance.span,
                    format_args!(
                        "not supported: tables that share {} with different selector keys",
                        instance.name
                    ),
                ));
            }
            return Ok(());
        }
        let id = self.emitter.profile_count;
        self.emitter.profile_count += 1;
        self.pipeline.action_profiles.push(json::ActionProfile {
            name: instance.name.clone(),
            id,
            source_info: self.emitter.source_info(instance.span),
            max_size: profile.size,
            selector,
            groups: profile.groups.clone(),
        });
        Ok(())
    }
}
