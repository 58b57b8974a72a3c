# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The report's style sheet."""

CSS = """
:root { color-scheme: light; --ink: #1d232b; --soft: #5a6573; --line: #dde2e8; --back: #f6f8fa; --link: #0b5394 }
* { box-sizing: border-box }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: #fff; margin: 0 }
main, header.top { max-width: 66rem; margin: 0 auto; padding: 1.2rem }
.skip { position: absolute; left: -100rem }
.skip:focus { left: 1rem; top: .5rem; background: #fff; padding: .3rem .8rem }
h1 { font-size: 1.9rem; margin: .6rem 0 }
h2 { font-size: 1.4rem; margin: 3rem 0 .4rem; padding-top: .8rem; border-top: 2px solid var(--line) }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem }
a { color: var(--link) }
a:focus-visible, summary:focus-visible { outline: 3px solid #f2b632; outline-offset: 2px }
p.source, p.state, figcaption, .soft { color: var(--soft) }
p.source { margin: 0 }
.tablebox { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .93rem; font-variant-numeric: tabular-nums }
caption { text-align: left; color: var(--soft); padding: .3rem 0 }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .7rem; text-align: left; vertical-align: top }
thead th { background: var(--back); font-weight: 600 }
tbody th { font-weight: 400; min-width: 13rem }
td { overflow-wrap: anywhere }
td:last-child { min-width: 9rem }
td.number, th.number { text-align: right; white-space: nowrap }
figure { margin: 1.2rem 0 }
figure img { width: 100%; max-width: 46rem; height: auto; border: 1px solid var(--line); border-radius: 4px }
figure.wide img { max-width: 100% }
details { margin: .5rem 0 }
summary { cursor: pointer; color: var(--link) }
ul { padding-left: 1.3rem }
.verdict { display: inline-block; border-radius: 3px; padding: 0 .45em; font-weight: 600; white-space: nowrap }
.within-tolerance { background: #dcf0e1; color: #14532d }
.same-direction { background: #e0ecf8; color: #123f6d }
.different { background: #f9e0da; color: #7c1d0b }
.not-run { background: #eceef1; color: #444c56 }
p.missing { background: #fdf3d6; border-left: 4px solid #d9a300; padding: .4rem .8rem }
@media print { main, header.top { max-width: none } table { font-size: .75rem } tbody th, td:last-child { min-width: 0 }
  figure, tr { break-inside: avoid } h2 { break-after: avoid } }
"""
