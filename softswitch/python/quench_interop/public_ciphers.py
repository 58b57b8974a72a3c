# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Computed tests of public programs that encrypt and hash: FIPS 197 and the definition of HalfSipHash as STF texts."""

from collections.abc import Callable, Iterable, Iterator

from quench_interop.public_packets import ETHERNET, udp_frame


def times_two(value: int) -> int:
    """A product in AES's field (FIPS 197, 4.2.1)."""
    return (value << 1) ^ (0x11B if value & 0x80 else 0)


def substitutions() -> list[int]:
    """AES's S-box (FIPS 197, 5.1.1), from the powers of 3, which are all elements but 0."""
    powers = [1]
    for _ in range(254):
        powers.append(times_two(powers[-1]) ^ powers[-1])
    box = [0x63] * 256
    for exponent, element in enumerate(powers):
        inverse = powers[-exponent % 255]
        turned = inverse
        for shift in range(1, 5):
            turned ^= ((inverse << shift) | (inverse >> (8 - shift))) & 0xFF
        box[element] = turned ^ 0x63
    return box


def round_keys(key: bytes, box: list[int]) -> list[bytes]:
    """The 44 words of AES-128's key schedule (FIPS 197, 5.2)."""
    words = [key[at : at + 4] for at in range(0, 16, 4)]
    constant = 1
    for number in range(4, 44):
        last = words[-1]
        if number % 4 == 0:
            last = bytes(box[byte] for byte in last[1:] + last[:1])
            last = bytes((last[0] ^ constant,)) + last[1:]
            constant = times_two(constant)
        words.append(bytes(one ^ other for one, other in zip(words[-4], last, strict=True)))
    return words


def aes_entries(key: bytes, table_of: Callable[[int], tuple[str, int]]) -> Iterator[str]:
    """The entries of scrambled lookup tables, one table for each byte of the state and each round.

    ``table_of`` has the end of a round's tables' names, and the round that the program counts there.
    """
    box = substitutions()
    words = round_keys(key, box)
    for number in range(1, 11):
        suffix, counted = table_of(number)
        for column in range(4):
            for row in range(4):
                for byte in range(256):
                    value = box[byte ^ words[4 * number - 4 + column][row]]
                    double = times_two(value)
                    mixed = (double, value, value, double ^ value) if number < 10 else (value, 0, 0, 0)
                    output = bytes(mixed[(at - row) % 4] for at in range(4))
                    name = f"tb_lookup_{column}_{row}_{suffix}"
                    field = f"hdr.aes.s{column}{row}"
                    entry = f"{field}:{byte} hdr.aes_meta.curr_round:{counted}"
                    yield f"add SwitchIngress.{name} {entry} write_v_{column}_{row}_a(v:0x{output.hex()})"


def final_key(key: bytes, counted: int) -> str:
    """The entry of the last round, which adds the last words of the key schedule."""
    words = round_keys(key, substitutions())[40:]
    arguments = ", ".join(f"s{column}{row}:{words[column][row]}" for column in range(4) for row in range(4))
    return f"add tb_recirc_decision hdr.aes_meta.curr_round:{counted} do_not_recirc_final_xor({arguments})"


def aes_exchange() -> Iterable[str]:
    """The packet of FIPS 197, C.1, and the cipher text in the answer."""
    plain, cipher = bytes.fromhex("00112233445566778899aabbccddeeff"), "69c4e0d86a7b0430d8cdb78070b4c55a"
    yield f"packet 3 {udp_frame(5555, plain)}"
    yield f"expect 3 {ETHERNET}{'*' * 40}04d215b3{'*' * 8}{cipher}"
    yield "no_packet"


def aes_two_rounds() -> str:
    """Two rounds a pass, and four recirculations."""
    key = bytes(range(16))
    lines = list(aes_entries(key, lambda number: ("t" if number % 2 else "t2r", (number - 1) // 2 * 2)))
    lines += [
        f"add tb_recirc_decision hdr.aes_meta.curr_round:{at} incr_and_recirc(next_round:{at + 2})"
        for at in (0, 2, 4, 6)
    ]
    return "\n".join([*lines, final_key(key, 8), *aes_exchange(), ""])


def rotate(value: int, count: int) -> int:
    """32 bits, turned to the left."""
    return ((value << count) | (value >> (32 - count))) & 0xFFFFFFFF


def half_sip_hash(key: tuple[int, int], words: Iterable[int]) -> int:
    """HalfSipHash-2-4 of whole words, without the block that has the length, as in the programs of Yoo and Chen."""
    v0, v1, v2, v3 = key[0], key[1], key[0] ^ 0x6C796765, key[1] ^ 0x74656462

    def turn(count: int) -> None:
        nonlocal v0, v1, v2, v3
        for _ in range(count):
            v0, v2 = (v0 + v1) & 0xFFFFFFFF, (v2 + v3) & 0xFFFFFFFF
            v1, v3 = rotate(v1, 5) ^ v0, rotate(v3, 8) ^ v2
            v0 = rotate(v0, 16)
            v2, v0 = (v2 + v1) & 0xFFFFFFFF, (v0 + v3) & 0xFFFFFFFF
            v1, v3 = rotate(v1, 13) ^ v2, rotate(v3, 7) ^ v0
            v2 = rotate(v2, 16)

    for word in words:
        v3 ^= word
        turn(2)
        v0 ^= word
    v2 ^= 0xFF
    turn(4)
    return v1 ^ v3


def half_sip() -> str:
    """Series of four words, and their hash in the first word of the answer."""
    lines = []
    for step in range(8):
        data = bytes((31 * step * step + at * (2 * step + 1)) % 256 for at in range(16))
        words = [int.from_bytes(data[at : at + 4]) for at in range(0, 16, 4)]
        value = half_sip_hash((0x33323130, 0x42413938), words)
        lines.append(f"packet 3 {udp_frame(5555, data)}")
        lines.append(f"expect 3 {ETHERNET}{'*' * 40}04d215b3{'*' * 8}{value:08x}{'0' * 24}$")
    return "\n".join([*lines, "no_packet", ""])
