// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags of congestion signalling (CSIG) between Ethernet and IP, and their return in an option of TCP.
//!
//! `p4src/csig/types.p4` has the same formats, docs/signals/csig.md says where they are from.

use quench_dataplane::PacketBytes;
use serde::{Deserialize, Serialize};

use super::layout::{
    u16_at, u32_at, CSIG_EXPERIMENT, ETHERNET_BYTES, OPTION_EXPERIMENT, OPTION_NOP,
};

/// The byte at which a tag begins: with its EtherType, in the place of IP's.
const AT: usize = ETHERNET_BYTES - 2;
const ETHERTYPE_COMPACT: u16 = 0x9900;
const ETHERTYPE_WIDE: u16 = 0x88b5;
/// The longest tag without its EtherType.
const MAX_CONTENT_BYTES: usize = 6;
/// Kind, length and experiment identifier of the option (RFC 6994).
const OPTION_START_BYTES: usize = 4;

/// The subjects of a tag's number: `csig_type_t` of the P4 program.
pub mod about {
    /// The available bandwidth: a smaller one is worse.
    pub const BANDWIDTH: u8 = 0;
    /// The delay in a switch: a larger one is worse.
    pub const HOP_DELAY: u8 = 2;
}

/// The two formats of tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TagForm {
    Compact,
    Wide,
}

impl TagForm {
    /// Bytes of the tag in front of IP.
    pub fn bytes(self) -> usize {
        2 + self.content_bytes()
    }

    fn content_bytes(self) -> usize {
        match self {
            Self::Compact => 2,
            Self::Wide => MAX_CONTENT_BYTES,
        }
    }

    fn ether_type(self) -> u16 {
        match self {
            Self::Compact => ETHERTYPE_COMPACT,
            Self::Wide => ETHERTYPE_WIDE,
        }
    }

    fn of(ether_type: u16) -> Option<Self> {
        [Self::Compact, Self::Wide]
            .into_iter()
            .find(|form| form.ether_type() == ether_type)
    }

    /// The largest number.
    pub fn most(self) -> u32 {
        match self {
            Self::Compact => (1 << 5) - 1,
            Self::Wide => (1 << 20) - 1,
        }
    }
}

/// A tag. A compact one has a bucket as its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag {
    pub form: TagForm,
    pub about: u8,
    pub number: u32,
    pub locator: u16,
}

impl Tag {
    /// The content behind the EtherType.
    fn content(&self) -> ([u8; MAX_CONTENT_BYTES], usize) {
        let number = self.number.min(self.form.most());
        let word = match self.form {
            TagForm::Compact => {
                let about = u64::from(self.about & 7) << 13;
                (about | u64::from(number) << 7 | u64::from(self.locator & 0x7f)) << 48
            }
            TagForm::Wide => {
                let about = u64::from(self.about & 15) << 28;
                u64::from(self.locator) << 48 | (about | u64::from(number) << 8) << 16
            }
        };
        let mut bytes = [0; MAX_CONTENT_BYTES];
        bytes.copy_from_slice(&word.to_be_bytes()[..MAX_CONTENT_BYTES]);
        (bytes, self.form.content_bytes())
    }

    /// Reserved bits are not looked at.
    fn read(form: TagForm, content: &[u8]) -> Option<Self> {
        if content.len() != form.content_bytes() {
            return None;
        }
        Some(match form {
            TagForm::Compact => {
                let word = u16_at(content, 0);
                Self {
                    form,
                    about: (word >> 13) as u8,
                    number: u32::from(word >> 7 & 0x1f),
                    locator: word & 0x7f,
                }
            }
            TagForm::Wide => {
                let word = u32_at(content, 2);
                Self {
                    form,
                    about: (word >> 28) as u8,
                    number: word >> 8 & 0xf_ffff,
                    locator: u16_at(content, 0),
                }
            }
        })
    }

    /// Puts it in front of the frame's IP packet.
    pub(super) fn insert(&self, frame: &mut PacketBytes) {
        let (content, content_bytes) = self.content();
        let mut bytes = [0; 2 + MAX_CONTENT_BYTES];
        bytes[..2].copy_from_slice(&self.form.ether_type().to_be_bytes());
        bytes[2..].copy_from_slice(&content);
        frame.insert(AT, &bytes[..2 + content_bytes]);
    }

    /// Bytes of the option that returns it, with padding.
    pub(super) fn option_bytes(&self) -> usize {
        (OPTION_START_BYTES + self.form.content_bytes()).next_multiple_of(4)
    }

    /// Appends the option that returns it.
    pub(super) fn put_option(&self, frame: &mut PacketBytes) {
        let (content, content_bytes) = self.content();
        let length = OPTION_START_BYTES + content_bytes;
        frame.append_slice(&[OPTION_NOP; 3][..self.option_bytes() - length]);
        frame.append_slice(&[OPTION_EXPERIMENT, length as u8]);
        frame.append_slice(&CSIG_EXPERIMENT.to_be_bytes());
        frame.append_slice(&content[..content_bytes]);
    }

    /// The tag that an option returns, by what is behind the experiment identifier.
    pub(super) fn read_option(content: &[u8]) -> Option<Self> {
        [TagForm::Compact, TagForm::Wide]
            .into_iter()
            .find_map(|form| Self::read(form, content))
    }
}

/// The format of the tag in front of the IP packet, if there is one.
#[inline]
pub fn tag_form(frame: &PacketBytes) -> Option<TagForm> {
    TagForm::of(u16::from_be_bytes(frame.array(AT)?))
}

/// The tag in front of the IP packet, and the frame without it; none without a whole tag.
#[cold]
pub fn untagged(frame: &PacketBytes, form: TagForm) -> Option<(Tag, PacketBytes)> {
    let mut rest = frame.clone();
    if !rest.lengthen(AT + form.bytes() + 2) {
        return None;
    }
    let tag = Tag::read(form, &rest.real()[AT + 2..AT + form.bytes()])?;
    rest.resize_start(AT + form.bytes(), AT);
    Some((tag, rest))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::packet::{read, write_segment, Formats, Options, Received, Segment};
    use proptest::prelude::*;

    fn frame_of(segment: &Segment) -> Vec<u8> {
        let mut frame = PacketBytes::default();
        write_segment(&mut frame, segment, 1);
        frame.into_vec()
    }

    fn segment() -> Segment {
        Segment {
            payload_bytes: 20,
            ..Segment::default()
        }
    }

    #[test]
    fn a_tag_stands_between_ethernet_and_ip() {
        let frame = |form, locator| {
            frame_of(&Segment {
                tag: Some(Tag {
                    form,
                    about: 2,
                    number: 0x17,
                    locator,
                }),
                ..segment()
            })
        };
        let plain = frame_of(&segment());
        let compact = frame(TagForm::Compact, 0x85);
        assert_eq!(&compact[..12], &plain[..12]);
        // Three bits of the type, a reserved one, five of the bucket and the last seven of the locator.
        assert_eq!(&compact[12..16], &[0x99, 0x00, 0x4b, 0x85]);
        assert_eq!(&compact[16..], &plain[12..]);
        let wide = frame(TagForm::Wide, 0x1234);
        assert_eq!(&wide[12..20], &[0x88, 0xb5, 0x12, 0x34, 0x20, 0, 0x17, 0]);
        assert_eq!(&wide[20..], &plain[12..]);
    }

    #[test]
    fn a_returned_tag_is_an_experimental_option_with_padding() {
        let ack = |form| {
            frame_of(&Segment {
                options: Options {
                    returned: Some(Tag {
                        form,
                        about: 0,
                        number: 3,
                        locator: 1,
                    }),
                    ..Options::default()
                },
                payload_bytes: 0,
                ..segment()
            })
        };
        assert_eq!(
            &ack(TagForm::Compact)[54..],
            &[1, 1, 253, 6, 0x43, 0x53, 0x01, 0x81]
        );
        assert_eq!(
            &ack(TagForm::Wide)[54..],
            &[1, 1, 253, 10, 0x43, 0x53, 0, 1, 0, 0, 3, 0]
        );
    }

    #[test]
    fn a_frame_with_half_a_tag_or_two_is_another_packet() {
        let tag = Tag {
            form: TagForm::Wide,
            about: 2,
            number: 1,
            locator: 1,
        };
        let whole = frame_of(&Segment {
            tag: Some(tag),
            ..segment()
        });
        for length in 14..34 {
            assert_eq!(read_back(&whole[..length]), Received::Other, "{length}");
        }
        let mut twice = whole.clone();
        twice.splice(12..12, whole[12..20].iter().copied());
        assert_eq!(read_back(&twice), Received::Other);
    }

    fn read_back(frame: &[u8]) -> Received {
        read(&frame.to_vec().into(), &Formats::default())
    }

    /// Any tag that a format has room for.
    pub fn any_tag() -> impl Strategy<Value = Tag> {
        (any::<bool>(), any::<u32>(), any::<u16>(), 0u8..16).prop_map(
            |(is_wide, number, locator, about)| match is_wide {
                false => Tag {
                    form: TagForm::Compact,
                    about: about & 7,
                    number: number & 0x1f,
                    locator: locator & 0x7f,
                },
                true => Tag {
                    form: TagForm::Wide,
                    about,
                    number: number & 0xf_ffff,
                    locator,
                },
            },
        )
    }
}
