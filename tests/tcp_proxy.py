"""Stands between a client and a server: it forwards, stands still, or cuts connections in the middle of an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

_READ = 1 << 16


class Proxy:
    """Forwards from a port of its own to a server's until it is told otherwise; all verbs may be called at any time.

    cuts: connections that it cut since it was last told to.
    """

    def __init__(self, server_port: int) -> None:
        self.port, self.cuts = 0, 0
        self._server_port = server_port
        self._loop = asyncio.new_event_loop()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._answers, self._cut_from, self._cut_to = 0, 0, 0
        self._thread = Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        opening = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._pass, "127.0.0.1", 0), self._loop
        )
        self._listener = opening.result(10)
        self.port = self._listener.sockets[0].getsockname()[1]

    def forward(self) -> None:
        """Let everything through, what was held back first."""
        self._cut(0, 0)
        self._tell(self._flowing.set)

    def stall(self) -> None:
        """Accept connections and bytes, and pass nothing on, either way."""
        self._tell(self._flowing.clear)

    def cut(self, number: int, *, lasting: bool = False) -> None:
        """Pass on half of the number-th piece of an answer from now on (1 = the next), and close that connection.

        lasting: the same with every later piece.
        """
        self._cut(number, 1 << 31 if lasting else number)

    def close(self) -> None:
        """End all connections."""

        async def end() -> None:
            self._listener.close()
            own = asyncio.current_task()
            others = [task for task in asyncio.all_tasks() if task is not own]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _cut(self, first: int, last: int) -> None:
        def tell() -> None:
            self._answers, self.cuts = 0, 0
            self._cut_from, self._cut_to = first, last

        self._tell(tell)

    def _tell(self, what: Callable[[], object]) -> None:
        """Do it on the loop, and wait until it is done."""

        async def do() -> None:
            what()

        asyncio.run_coroutine_threadsafe(do(), self._loop).result(10)

    async def _pass(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        try:
            server, to_server = await asyncio.open_connection("127.0.0.1", self._server_port)
        except OSError:
            to_client.close()
            return
        ways = [
            asyncio.ensure_future(self._pipe(client, to_server, answers=False)),
            asyncio.ensure_future(self._pipe(server, to_client, answers=True)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            return  # at close(): raised on, Python 3.11 would log it as an error of its own
        finally:
            for way in ways:
                way.cancel()
            to_client.close()
            to_server.close()

    async def _pipe(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, answers: bool
    ) -> None:
        with suppress(OSError):
            while data := await source.read(_READ):
                await self._flowing.wait()
                if answers and self._is_cut():
                    target.write(data[: len(data) // 2])
                    await target.drain()
                    return
                target.write(data)
                await target.drain()

    def _is_cut(self) -> bool:
        self._answers += 1
        here = self._cut_from <= self._answers <= self._cut_to
        self.cuts += here
        return here


@contextmanager
def proxied(server_port: int) -> Iterator[Proxy]:
    """A proxy before a server on this machine."""
    proxy = Proxy(server_port)
    try:
        yield proxy
    finally:
        proxy.close()
