// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Some of many items at a time.

/// Up to `count` items from a slot on, and the slot of the next.
pub fn page<T>(slots: &[Option<T>], from: usize, count: usize) -> (Vec<&T>, Option<usize>) {
    let slots = slots.iter().enumerate().skip(from);
    let mut used = slots.filter_map(|(slot, item)| Some((slot, item.as_ref()?)));
    let page = used.by_ref().take(count).map(|(_, item)| item).collect();
    (page, used.next().map(|(slot, _)| slot))
}
