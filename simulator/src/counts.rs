// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Structs of counts that only grow, of which two differ by what came in between.

/// A count, or a struct of counts.
pub trait Count {
    /// Adds what came between `before` and `now`.
    fn add_since(&mut self, before: &Self, now: &Self);
}

impl Count for u64 {
    fn add_since(&mut self, before: &Self, now: &Self) {
        *self += now.wrapping_sub(*before);
    }
}

/// A struct of counts. Its JSON has them by name.
macro_rules! counts {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$each:meta])* pub $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
        pub struct $name {
            $($(#[$each])* pub $field: $kind,)*
        }

        impl crate::counts::Count for $name {
            fn add_since(&mut self, before: &Self, now: &Self) {
                $(crate::counts::Count::add_since(&mut self.$field, &before.$field, &now.$field);)*
            }
        }
    };
}

pub(crate) use counts;

#[cfg(test)]
mod tests {
    use super::*;

    counts! {
        pub struct Inner {
            pub acks: u64,
        }
    }

    counts! {
        pub struct Outer {
            pub data: u64,
            #[serde(flatten)]
            pub inner: Inner,
        }
    }

    #[test]
    fn only_counts_since_before_are_added() {
        let of = |data, acks| Outer {
            data,
            inner: Inner { acks },
        };
        let (before, now) = (of(10, 0), of(25, 2));
        let mut sum = Outer::default();
        sum.add_since(&before, &now);
        sum.add_since(&Outer::default(), &before);
        assert_eq!(sum, now);
        let json = serde_json::to_value(sum).expect("plain numbers");
        assert_eq!(json, serde_json::json!({"data": 25, "acks": 2}));
    }
}
