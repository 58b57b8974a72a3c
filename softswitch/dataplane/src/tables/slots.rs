// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Items by number, of which there may be very many.

/// Each chunk has room for twice as many items as the one before, so that nothing moves when there are more of them: no
/// packet waits for a copy.
#[derive(Debug, Clone)]
pub struct Slots<T> {
    chunks: Vec<Vec<Option<T>>>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

const FIRST: usize = 8;

/// The chunk of a number, and the place in it.
#[inline]
pub fn place(number: usize) -> (usize, usize) {
    let chunk = ((number + FIRST) / FIRST).ilog2() as usize;
    (chunk, number + FIRST - (FIRST << chunk))
}

/// Room for a further chunk, of items that take `width` places each.
pub fn chunk<T>(number: usize, width: usize) -> Vec<T> {
    Vec::with_capacity((FIRST << number) * width)
}

impl<T> Slots<T> {
    /// The number behind the last one that was ever used.
    pub fn end(&self) -> usize {
        let last = self.chunks.last().map_or(0, Vec::len);
        (FIRST << self.chunks.len().saturating_sub(1)) - FIRST + last
    }

    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        let (chunk, at) = place(number as usize);
        self.chunks.get(chunk)?.get(at)?.as_ref()
    }

    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let (chunk, at) = place(number as usize);
        self.chunks.get_mut(chunk)?.get_mut(at)?.as_mut()
    }

    pub fn take(&mut self, number: u32) -> Option<T> {
        let (chunk, at) = place(number as usize);
        self.chunks.get_mut(chunk)?.get_mut(at)?.take()
    }

    pub fn put(&mut self, number: u32, item: T) {
        let (chunk, at) = place(number as usize);
        while self.end() <= number as usize {
            let (chunk, _) = place(self.end());
            if chunk == self.chunks.len() {
                self.chunks.push(self::chunk(chunk, 1));
            }
            self.chunks[chunk].push(None);
        }
        self.chunks[chunk][at] = Some(item);
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten().flatten()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.chunks.iter_mut().flatten().flatten()
    }

    /// Items with their numbers, from one on.
    pub fn numbered(&self, from: usize) -> impl Iterator<Item = (usize, &T)> {
        let (first, at) = place(from.min(self.end()));
        let chunks = self.chunks.iter().skip(first).zip(first..);
        let all = chunks.flat_map(move |(chunk, number)| {
            let skipped = if number == first { at } else { 0 };
            let start = (FIRST << number) - FIRST;
            let items = chunk.iter().enumerate().skip(skipped);
            items.map(move |(at, item)| (start + at, item))
        });
        all.filter_map(|(number, item)| Some((number, item.as_ref()?)))
    }

    /// Up to `count` items from a number on, and the number of the next.
    pub fn page(&self, from: usize, count: usize) -> (Vec<&T>, Option<usize>) {
        let mut used = self.numbered(from);
        let page = used.by_ref().take(count).map(|(_, item)| item).collect();
        (page, used.next().map(|(number, _)| number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_the_numbers_that_they_were_put_at() {
        let mut slots = Slots::default();
        assert_eq!((slots.end(), slots.get(0)), (0, None));
        for number in 0..1000u32 {
            slots.put(number, number);
            assert_eq!(slots.end(), number as usize + 1);
        }
        slots.put(1003, 1003);
        assert_eq!(slots.end(), 1004);
        assert_eq!(slots.get(1001), None);
        for number in (0..1000).step_by(3) {
            assert_eq!(slots.take(number), Some(number));
            assert_eq!(slots.take(number), None);
        }
        *slots.get_mut(1).unwrap() = 1001;
        let left: Vec<u32> = slots.iter().copied().collect();
        let model = (1..1000).filter(|number| number % 3 > 0).chain([1003]);
        let model: Vec<u32> = model.collect();
        assert_eq!(left[0], 1001);
        assert_eq!(left[1..], model[1..]);
        assert!(slots.iter_mut().map(|item| *item).eq(left));
        for from in [0, 1, 7, 8, 23, 24, 500, 1002, 1003, 1004, 5000, usize::MAX] {
            let (page, next) = slots.page(from, 10);
            let behind: Vec<u32> = model
                .iter()
                .copied()
                .filter(|&item| item as usize >= from)
                .collect();
            let numbers: Vec<usize> = slots.numbered(from).map(|(number, _)| number).collect();
            assert!(numbers
                .iter()
                .copied()
                .eq(behind.iter().map(|&item| item as usize)));
            assert_eq!(page.len(), behind.len().min(10));
            assert_eq!(next, behind.get(10).map(|&item| item as usize));
        }
    }
}
