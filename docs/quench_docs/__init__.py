# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The documentation's own tools: the site's pages, the generated reference, and the checks of all documents.

``python -m quench_docs`` (``make docs``) writes what the site generator reads to ``build``. The checks
are run by ``docs/tests``. Begin reading at ``stage``, which joins the rest.
"""
