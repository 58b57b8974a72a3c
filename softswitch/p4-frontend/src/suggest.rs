// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! "Did you mean": the known name that is closest to an unknown one.

/// The length of names that are compared; longer ones are hardly typing errors.
const MAX_NAME_BYTES: usize = 64;

/// The candidate that is the fewest typing errors away (characters that are missing, too many, others or swapped), if
/// that are at most a third of the name; the first of several.
pub fn closest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (name.len() / 3).clamp(1, 3);
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    candidates
        .into_iter()
        .filter(|other| !other.is_empty() && other.len().abs_diff(name.len()) <= limit)
        .map(|other| (distance(name.as_bytes(), other.as_bytes()), other))
        // A name of which nothing is left is another name.
        .filter(|&(errors, other)| errors <= limit && errors < name.len().max(other.len()))
        .min_by_key(|&(errors, _)| errors)
        .map(|(_, other)| other)
}

/// Damerau's distance between strings, where a swap of neighbours is one error; upper and lower case are half the
/// same: only case differs is one error at most.
fn distance(a: &[u8], b: &[u8]) -> usize {
    if a.eq_ignore_ascii_case(b) {
        return usize::from(a != b);
    }
    let mut before_previous = vec![0; b.len() + 1];
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (previous[j] + 1)
                .min(row[j - 1] + 1)
                .min(previous[j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_previous[j - 2] + 1);
            }
        }
        before_previous = std::mem::replace(&mut previous, row);
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_found() {
        let names = ["ipv4", "ethernet", "tcp", "set_nhop"];
        for (wrong, right) in [
            ("ipv44", "ipv4"),
            ("ethrenet", "ethernet"),
            ("TCP", "tcp"),
            ("set_nhopp", "set_nhop"),
            ("setnhop", "set_nhop"),
        ] {
            assert_eq!(closest(wrong, names), Some(right), "{wrong}");
        }
    }

    #[test]
    fn another_name_is_no_typing_error() {
        for wrong in ["vlan", "x", "", "standard_metadata", "udp_header"] {
            assert_eq!(closest(wrong, ["ipv4", "ethernet", "a"]), None, "{wrong}");
        }
        let long = "a".repeat(MAX_NAME_BYTES + 1);
        assert_eq!(closest(&long, [long.as_str()]), None);
    }
}
