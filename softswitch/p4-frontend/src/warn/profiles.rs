// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Annotations of action profiles that only selectors have, or only one kind of selector.

use super::annotations::strings;
use super::report::Report;
use crate::ir::{ExternInstance, Program};
use crate::warnings::Warning;

/// Annotations of selectors; P4Runtime, section "ActionProfile".
const OF_SELECTORS: [&str; 3] = ["max_group_size", SEMANTICS, MEMBER_WEIGHT];
const SEMANTICS: &str = "selector_size_semantics";
const MEMBER_WEIGHT: &str = "max_member_weight";

pub(super) fn check(program: &Program, report: &mut Report) {
    for profile in &program.externs {
        match profile.type_name.as_str() {
            "action_profile" => {
                without_effect(profile, &OF_SELECTORS, "without a selector", report)
            }
            "action_selector" if !counts_members(profile) => {
                let why = "whose size is not the sum of its members";
                without_effect(profile, &[MEMBER_WEIGHT], why, report);
            }
            _ => {}
        }
    }
}

fn counts_members(profile: &ExternInstance) -> bool {
    profile.annotations.iter().any(|annotation| {
        let values = strings(annotation).unwrap_or_default();
        annotation.name.text == SEMANTICS
            && matches!(values.as_slice(), [value] if value.eq_ignore_ascii_case("sum_of_members"))
    })
}

fn without_effect(profile: &ExternInstance, names: &[&str], why: &str, report: &mut Report) {
    for annotation in &profile.annotations {
        let name = annotation.name.text.as_str();
        if names.contains(&name) {
            let message = format!(
                "`@{name}` has no effect on action profile {}, {why}",
                profile.name
            );
            report.warning(Warning::Ignore, annotation.span, message);
        }
    }
}
