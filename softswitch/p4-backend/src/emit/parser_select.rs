// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `select`: the choice at the end of a parser's state, and the states that it needs: for errors, and where a value set is for
//! one of several keys, since BMv2's are for all keys together.

use num_bigint::BigInt;
use num_traits::Zero;
use quench_p4_frontend::ir::Target;

use super::parser::{default_transition, state, Next, States, Tail};
use crate::flat::{Case, Key, Pattern};
use crate::json::{self, hex, Expr, ParserOp};
use crate::lower::mask;

impl States<'_, '_, '_> {
    pub(super) fn select(
        &mut self,
        name: &str,
        keys: &[Key],
        cases: &[Case],
        target: &dyn Fn(Target) -> Next,
    ) -> Tail {
        let mut transitions = Vec::new();
        let mut has_default = false;
        for (index, case) in cases.iter().enumerate() {
            let next_state = target(case.target);
            let transition = match &case.pattern {
                Pattern::ValueSet(name) => json::Transition {
                    kind: "parse_vset",
                    value: Some(name.clone()),
                    mask: None,
                    next_state,
                },
                Pattern::ValueSetAt(set, key, parts) => {
                    let rest = self.select(name, keys, &cases[index + 1..], target);
                    let rest = self.choice(name, rest);
                    let others = transition(keys, parts, next_state);
                    let next = match others.kind {
                        "default" => others.next_state,
                        _ => self.choice(
                            name,
                            selection(keys, vec![others, default_transition(rest.clone())]),
                        ),
                    };
                    let in_set = json::Transition {
                        kind: "parse_vset",
                        value: Some(set.clone()),
                        mask: None,
                        next_state: next,
                    };
                    let transitions = vec![in_set, default_transition(rest)];
                    default_transition(
                        self.choice(name, selection(&keys[*key..=*key], transitions)),
                    )
                }
                Pattern::Masked(parts) => transition(keys, parts, next_state),
            };
            has_default = transition.kind == "default";
            transitions.push(transition);
            if has_default {
                break;
            }
        }
        if !has_default {
            let next = self.no_match_state();
            transitions.push(default_transition(next));
        }
        selection(keys, transitions)
    }

    /// A state that only chooses, where there is a choice.
    fn choice(&mut self, name: &str, tail: Tail) -> Next {
        if let Tail::Select { transitions, .. } = &tail {
            if let [only] = transitions.as_slice() {
                return only.next_state.clone();
            }
        }
        let name = self.new_name(name);
        self.states.push(state(name.clone(), Vec::new(), tail));
        Some(name)
    }

    pub(super) fn add_reject(&mut self) {
        let name = self.new_name("reject");
        let ops = vec![ParserOp::new("reject", Vec::new())];
        self.states.push(state(name.clone(), ops, Tail::Jump(None)));
        self.reject = Some(name);
    }

    /// The state that reports `error.NoMatch` where no case matches; BMv2 itself would accept.
    fn no_match_state(&mut self) -> Next {
        let code = self.no_match?;
        if self.no_match_state.is_none() {
            let name = self.new_name("noMatch");
            let verify = ParserOp::new(
                "verify",
                vec![Expr::Bool(false).operand(), Expr::hex(code, 0).operand()],
            );
            self.states
                .push(state(name.clone(), vec![verify], Tail::Jump(None)));
            self.no_match_state = Some(name);
        }
        self.no_match_state.clone()
    }
}

fn selection(keys: &[Key], transitions: Vec<json::Transition>) -> Tail {
    Tail::Select {
        key: keys.iter().map(|key| key.expr.operand()).collect(),
        transitions,
    }
}

/// For keys with these values and masks; the default where all masks are 0.
fn transition(keys: &[Key], parts: &[(BigInt, BigInt)], next_state: Next) -> json::Transition {
    if parts.iter().all(|(_, mask)| mask.is_zero()) {
        return default_transition(next_state);
    }
    let (value, mask) = joined(keys, parts);
    json::Transition {
        kind: "hexstr",
        value: Some(value),
        mask,
        next_state,
    }
}

/// Values and masks of all keys as one, each padded to whole bytes; no mask where every bit counts.
fn joined(keys: &[Key], parts: &[(BigInt, BigInt)]) -> (String, Option<String>) {
    let mut value = BigInt::zero();
    let mut joined_mask = BigInt::zero();
    let mut bits = 0;
    let mut exact = true;
    for (key, (part, part_mask)) in keys.iter().zip(parts) {
        let width = key.bits.div_ceil(8) * 8;
        value = (value << width) | part;
        joined_mask = (joined_mask << width) | part_mask;
        bits += width;
        exact &= *part_mask == mask(key.bits);
    }
    (hex(&value, bits), (!exact).then(|| hex(&joined_mask, bits)))
}
