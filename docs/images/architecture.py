# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/architecture.md: ``python docs/images/architecture.py folders.svg packet-way.svg``.

The README shows ``folders.svg``, so it is committed. The pictures have a background of their own. They
follow the reader's light or dark mode where the viewer knows it.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

LINE_HEIGHT_PX = 17

STYLE = """
text { font-family: Helvetica, Arial, sans-serif; font-size: 13px; fill: #1d2433; }
.small { font-size: 12px; } .title { font-weight: bold; font-size: 14px; }
.paper { fill: #ffffff; } .group { fill: #f3f5f9; stroke: #8791a5; } .box { fill: #ffffff; stroke: #4a5468; }
.file { fill: #fff6dd; stroke: #9a7b1c; } .queue { fill: #cfe9d8; stroke: #2d7a4b; }
.line { fill: none; stroke: #4a5468; stroke-width: 1.6; } .head { fill: #4a5468; }
.isq { fill: none; stroke: #b3321f; stroke-width: 1.8; stroke-dasharray: 7 4; } .isqhead { fill: #b3321f; }
.wall { stroke: #8a5a44; stroke-width: 9; stroke-dasharray: 26 3; }
.isqtext { fill: #b3321f; } .dot { fill: #1f5fb3; } .dottext { fill: #ffffff; font-weight: bold; font-size: 12px; }
@media (prefers-color-scheme: dark) {
text { fill: #e6e9f0; } .paper { fill: #171b24; } .group { fill: #202634; stroke: #6d7890; }
.box { fill: #2a3142; stroke: #a9b3c7; } .file { fill: #3a331c; stroke: #d3b45a; }
.queue { fill: #24533a; stroke: #63c08a; } .line { stroke: #b6c0d4; }
.head { fill: #b6c0d4; } .isq { stroke: #ff8a75; } .isqhead { fill: #ff8a75; }
.wall { stroke: #b98468; }
.isqtext { fill: #ff8a75; } .dot { fill: #3f86e0; }
}"""


class Picture:
    """Boxes, arrows and texts in pixels, collected as lines of SVG."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">',
            "<!-- SPDX-FileCopyrightText: 2026 The Quench Authors -->",
            "<!-- SPDX-License-Identifier: Apache-2.0 -->",
            "<!-- Written by docs/images/architecture.py. -->",
            f"<title>{title}</title>",
            f"<style>{STYLE}\n</style>",
            "<defs>",
        ]
        for name in ("head", "isqhead"):
            self._lines.append(
                f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
                f'markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
                f'<path class="{name}" d="M0 0L8 4L0 8z"/></marker>'
            )
        self._lines += ["</defs>", f'<rect class="paper" width="{width}" height="{height}"/>']

    def group(self, x: int, y: int, width: int, height: int, title: str, title_x: int) -> None:
        """A frame around boxes, with its title at the top."""
        self._lines.append(f'<rect class="group" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')
        self.text(title_x, y + 22, title, "title")

    def box(self, x: int, y: int, width: int, height: int, texts: Sequence[str], kind: str = "box") -> None:
        """A box; its first text is the title, all are centred."""
        self._lines.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')
        top = y + height / 2 - (len(texts) - 1) * LINE_HEIGHT_PX / 2 + 5
        for number, text in enumerate(texts):
            look = "title" if number == 0 else "small"
            self.text(x + width / 2, top + number * LINE_HEIGHT_PX, text, look, anchor="middle")

    def text(self, x: float, y: float, text: str, look: str = "small", anchor: str = "start") -> None:
        """One line of text; ``y`` is its base line."""
        self._lines.append(f'<text class="{look}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{text}</text>')

    def arrow(self, *points: tuple[int, int], isq: bool = False, both: bool = False) -> None:
        """An arrow along the points; dashed where it carries a source quench."""
        path = "M" + "L".join(f"{x} {y}" for x, y in points)
        look, head = ("isq", "isqhead") if isq else ("line", "head")
        start = f' marker-start="url(#{head})"' if both else ""
        self._lines.append(f'<path class="{look}" d="{path}" marker-end="url(#{head})"{start}/>')

    def number(self, x: int, y: int, number: int) -> None:
        """A numbered place that the text explains."""
        self._lines.append(f'<circle class="dot" cx="{x}" cy="{y}" r="10"/>')
        self.text(x, y + 4, str(number), "dottext", anchor="middle")

    def wall(self, left: int, right: int, y: int) -> None:
        """A wall of stones from ``left`` to ``right``."""
        self._lines.append(f'<path class="wall" d="M{left} {y}H{right}"/>')

    def write(self, path: Path) -> None:
        """Write the file."""
        path.write_text("\n".join([*self._lines, "</svg>", ""]), encoding="utf-8")


def packet() -> Picture:
    """A packet's way through switch, controller and hosts."""
    p = Picture(1040, 690, "A packet's way through sender, switch, receiver and controller")

    p.group(60, 10, 910, 130, "controller: control_plane/quench", 80)
    p.box(
        80,
        66,
        330,
        62,
        [
            "service/packets.py, client/quencher.py",
            "age, eligibility, rate limit: an ICMP",
            "source quench (ISQ), 56 bytes",
        ],
    )
    p.box(
        470, 66, 330, 62, ["profiles/", "scheme and thresholds: curve: rows", "of the tables curve, profile_parameters"]
    )
    p.number(80, 66, 4)

    p.group(60, 200, 910, 260, "switch: p4src/quench.p4", 470)
    p.box(80, 240, 84, 100, ["parser"])
    p.box(
        190,
        240,
        250,
        100,
        ["ingress", "route, queue, profile", "decision on arrival: drops,", "and marks with mark_at: tail"],
    )
    p.box(466, 240, 90, 100, ["queue"], "queue")
    p.box(582, 240, 250, 100, ["egress", "average of the queue", "decision on departure:", "marks with mark_at: head"])
    p.box(858, 240, 96, 100, ["deparser"])
    p.number(190, 240, 1)
    p.number(582, 240, 2)
    p.box(190, 384, 250, 58, ["source_quench.p4", "isq.mode dataplane: ISQ"])
    p.box(582, 384, 250, 58, ["cpu_copy.p4", "isq.mode cpu: packet-in; reports"])
    p.number(190, 384, 5)

    p.group(60, 520, 580, 146, "sender: Linux TCP and host_stack", 310)
    p.box(
        80,
        560,
        220,
        88,
        ["q_isq.bpf.c", "at tc ingress: checks the ISQ", "and what it quotes; puts it", "into the socket's mailbox"],
    )
    p.box(
        390,
        560,
        230,
        88,
        [
            "q_tcp.bpf.h, host_stack/cc",
            "congestion control: takes the ISQ",
            "at the next ACK and",
            "reduces the window",
        ],
    )
    p.number(80, 560, 6)
    p.number(390, 560, 7)
    p.group(750, 520, 220, 146, "receiver: Linux TCP", 770)
    p.box(770, 560, 180, 88, ["echo", "a CE mark comes back", "as ECE in the ACKs"])
    p.number(770, 560, 3)

    # Packets.
    p.arrow((60, 610), (30, 610), (30, 290), (78, 290))
    p.text(36, 500, "data, ECT")
    p.arrow((164, 290), (188, 290))
    p.arrow((440, 290), (464, 290))
    p.arrow((556, 290), (580, 290))
    p.arrow((832, 290), (856, 290))
    p.arrow((954, 290), (1005, 290), (1005, 610), (972, 610))
    p.text(998, 500, "data, CE", anchor="end")
    p.arrow((770, 630), (622, 630))
    p.text(696, 622, "ACKs, ECE", anchor="middle")
    p.arrow((300, 604), (388, 604), isq=True)
    p.text(344, 596, "mailbox", "small isqtext", anchor="middle")
    # Clones and what becomes of them.
    p.arrow((315, 340), (315, 362), (400, 362), (400, 382))
    p.arrow((420, 340), (420, 352), (640, 352), (640, 382))
    p.arrow((707, 340), (707, 382))
    p.arrow((610, 340), (610, 370), (425, 370), (425, 382))
    p.text(716, 366, "clones")
    p.text(306, 366, "clones", anchor="end")
    p.arrow((832, 413), (906, 413), (906, 342))
    p.arrow((906, 238), (906, 50), (245, 50), (245, 64))
    p.text(900, 178, "packet-in (P4Runtime)", anchor="end")
    p.arrow((120, 128), (120, 238), isq=True)
    p.text(128, 178, "packet-out: ISQ", "small isqtext")
    p.arrow((190, 413), (120, 413), (120, 342), isq=True)
    p.text(128, 432, "recirculate", "small isqtext", anchor="middle")
    p.arrow((500, 128), (500, 165), (420, 165), (420, 238))
    p.text(428, 190, "rows (P4Runtime)")
    p.arrow((250, 460), (250, 558), isq=True)
    p.text(260, 500, "ISQ, routed to the source as any packet is", "small isqtext")
    return p


def folders() -> Picture:
    """The two houses, the wall between them, and what goes over it."""
    p = Picture(760, 592, "Two houses: softswitch above the wall, Quench below it")

    p.group(20, 12, 720, 250, "softswitch/: a P4 toolchain for any program", 40)
    p.box(40, 56, 150, 62, ["p4-frontend", "P4-16: typed program"])
    p.box(225, 56, 150, 62, ["p4-backend", "typed program: JSON"])
    p.box(410, 56, 135, 62, ["JSON, P4Info"], "file")
    p.box(580, 56, 145, 62, ["dataplane", "no clock, no I/O"])
    p.box(225, 176, 320, 62, ["python: quench_switch", "compile · STF · traces · P4Runtime server"])
    p.box(580, 176, 110, 62, ["realtime", "interfaces"])
    p.arrow((190, 87), (223, 87))
    p.arrow((375, 87), (408, 87))
    p.arrow((545, 87), (578, 87))
    p.arrow((300, 118), (300, 174))
    p.arrow((635, 118), (635, 174))
    p.arrow((580, 207), (547, 207))

    p.wall(20, 740, 292)
    p.text(40, 282, "program, a file", "small")

    p.group(20, 320, 720, 260, "Quench", 40)
    p.box(40, 364, 150, 62, ["p4src/", "the pipeline"])
    p.box(225, 364, 320, 62, ["control_plane/quench", "scheme to rows · source quenches · quench"])
    p.box(580, 364, 145, 62, ["simulator/", "virtual time, TCP"])
    p.box(40, 474, 150, 62, ["ptf_tests/", "packet tests"])
    p.box(225, 474, 145, 62, ["topologies/", "Mininet, demo, soak"])
    p.box(400, 474, 145, 62, ["experiments/", "runs, reports"])
    p.box(580, 474, 145, 62, ["host_stack/", "windows in C, eBPF"])
    p.arrow((150, 364), (150, 120))
    p.arrow((290, 238), (290, 362), both=True)
    p.text(298, 282, "P4Runtime")
    p.arrow((450, 238), (450, 362))
    p.text(458, 282, "package")
    p.arrow((708, 118), (708, 362))
    p.text(700, 282, "crate", anchor="end")
    p.arrow((240, 426), (240, 450), (115, 450), (115, 472))
    p.arrow((300, 426), (300, 472))
    p.arrow((450, 426), (450, 472))
    p.arrow((600, 426), (600, 450), (510, 450), (510, 472))
    p.arrow((680, 474), (680, 428))
    p.arrow((370, 505), (398, 505))
    p.arrow((652, 536), (652, 560), (297, 560), (297, 538))
    return p


PICTURES = {"packet-way.svg": packet, "folders.svg": folders}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        PICTURES[Path(name).name]().write(Path(name))
