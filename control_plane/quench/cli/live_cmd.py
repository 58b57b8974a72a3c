# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench live``: a web page with queues, marks and windows as they are now, and with thresholds to drag."""

import asyncio
import logging
import os
import socket as sockets
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer
from quench_switch.cli.commands import Commands

from quench.cli.live_source import takes_source
from quench.cli.options import parsed
from quench.errors import ControllerError
from quench.signals import until_signalled

if TYPE_CHECKING:
    from quench.feed.source import Source

LOGGER = logging.getLogger(__name__)
DEFAULT_ADDRESS = "127.0.0.1:8088"
LEAST_TOKEN_CHARACTERS = 16


@takes_source(after="allow_host")
def live(
    open_source: "Callable[[], Source]",
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Address of the page; port 0: any that is free.")
    ] = DEFAULT_ADDRESS,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another name by which browsers may call this machine; more than once."),
    ] = None,
    listen_fd: Annotated[
        int | None, typer.Option(metavar="FD", hidden=True, help="A socket that listens already.")
    ] = None,
    ready_fd: Annotated[
        int | None, typer.Option(metavar="FD", hidden=True, help="Write the page's address here.")
    ] = None,
) -> None:
    """Show queues, marks and windows live in a browser, and change thresholds there, until interrupted.

    The page needs the token in the printed address to change anything.
    """
    # Here: the help needs no web server.
    from quench.live.listen import TOKEN_VARIABLE, is_local, new_token, page_url

    source = open_source()
    listener = _listener(listen, listen_fd)
    token = os.environ.pop(TOKEN_VARIABLE, None) or new_token()
    if len(token) < LEAST_TOKEN_CHARACTERS:
        raise ControllerError(f"{TOKEN_VARIABLE}: a token has at least {LEAST_TOKEN_CHARACTERS} characters")
    if not is_local(listener):
        LOGGER.warning("%s: other machines reach this page, and its connections are not encrypted", listen)
    url = page_url(listener, token)
    if ready_fd is None:
        typer.echo(f"Open {url}\nEnd with Ctrl+C.")
    else:
        with os.fdopen(ready_fd, "w") as ready:
            ready.write(f"{url}\n")
    asyncio.run(_serve(source, listener, token, frozenset(allow_host or ())))


def _listener(address: str, fd: int | None) -> sockets.socket:
    from quench.http_server import listening_socket
    from quench.live.listen import page_address

    if fd is None:
        return listening_socket(parsed("--listen", page_address, address))
    try:
        return sockets.socket(fileno=fd)
    except OSError as error:
        raise ControllerError(f"--listen-fd {fd}: it is no socket: {error.strerror}") from error


async def _serve(source: "Source", listener: sockets.socket, token: str, allowed_hosts: frozenset[str]) -> None:
    from quench.live.server import serve

    try:
        await until_signalled(serve(source, listener, token, allowed_hosts))
    finally:
        await source.close()
        listener.close()


app = Commands()
app.command("live")(live)
