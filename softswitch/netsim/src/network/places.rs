// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Values that events refer to by number.

/// A list whose places are used again.
#[derive(Debug)]
pub struct Places<T> {
    values: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Places<T> {
    pub fn put(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.values[place as usize] = Some(value);
                place
            }
            None => {
                self.values.push(Some(value));
                (self.values.len() - 1) as u32
            }
        }
    }

    pub fn take(&mut self, place: u32) -> Option<T> {
        let value = self.values.get_mut(place as usize)?.take();
        if value.is_some() {
            self.free.push(place);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_when_its_value_was_taken() {
        let mut places = Places::default();
        assert_eq!((places.put('a'), places.put('b')), (0, 1));
        assert_eq!(
            (places.take(0), places.take(0), places.take(7)),
            (Some('a'), None, None)
        );
        assert_eq!((places.put('c'), places.put('d')), (0, 2));
        assert_eq!(places.take(1), Some('b'));
    }
}
