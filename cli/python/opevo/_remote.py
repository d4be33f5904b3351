# SPDX-License-Identifier: GPL-3.0-or-later
"""A server that other processes use too: `opevo serve --listen`."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections import deque
from io import BufferedRWPair
from pathlib import Path
from typing import Any, Self

from ._error import Error

PROTOCOL = 1


class Gone(Exception):
    """The connection is lost."""


class Remote:
    """A connection to a server that listens; `connect` makes one.

    Where the connection is lost it is made again, at a new address if the contact file has one:
    the server may have been killed and started again. Threads may share one. A process that was
    forked connects by itself, and so does a copy that was pickled.
    """

    shared = True
    """Its sessions may have other clients."""

    def __init__(
        self, where: str | os.PathLike[str], token: str | None = None, patience: float = 60.0
    ) -> None:
        self.where, self.patience = os.fspath(where), patience
        self._token = token
        self._begin()
        with self._lock:
            self._connected()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self) -> None:
        self._lock = threading.RLock()
        self._owner = os.getpid()
        self._file: BufferedRWPair | None = None
        self._requests = 0
        self._closed = 0
        self._abandoned: deque[tuple[int, int]] = deque()
        self.connections = 0
        """How often it was connected; sessions of earlier connections are to be created again."""

    def __getstate__(self) -> dict[str, Any]:
        return {"where": self.where, "patience": self.patience, "_token": self._token}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def _address(self) -> tuple[str, str | None]:
        """Address and token, as given or as the contact file has them."""
        token = self._token or os.environ.get("OPEVO_TOKEN")
        path = Path(self.where)
        if not path.is_file():
            return self.where, token
        contact = json.loads(path.read_text(encoding="utf-8"))
        return contact["address"], self._token or contact.get("token") or token

    def _dial(self) -> BufferedRWPair:
        address, token = self._address()
        host, _, port = address.rpartition(":")
        path = "/" in address
        target: Any = address if path else (host.strip("[]") or "127.0.0.1", int(port))
        if path:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(target)
            except OSError:
                connection.close()
                raise
        else:
            connection = socket.create_connection(target, timeout=self.patience)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.settimeout(None)
        file = connection.makefile("rwb")
        connection.close()  # The file keeps it open.
        if token:
            file.write(token.encode() + b"\n")
        try:
            reply = _exchange(file, {"op": "version", "id": 0})
        except Gone as error:
            # A server that is killed at this moment closes the connection as one that refuses it
            # does, but only once; and one that admitted this client before may be starting.
            self._closed += 1
            if self.connections or self._closed == 1:
                raise ConnectionError(str(error)) from error
            raise Error(
                f"{address} does not admit this client: give the token of the server as token=, as"
                " OPEVO_TOKEN, or by its contact file."
            ) from error
        if reply.get("protocol") != PROTOCOL:
            raise Error(
                f"{address} speaks version {reply.get('protocol')} of the protocol of opevo serve,"
                f" and this package version {PROTOCOL}; install both from one release."
            )
        return file

    def _connected(self) -> BufferedRWPair:
        """The connection, which is made where there is none.

        Errors: Error where nobody listens within the patience.
        """
        deadline = time.monotonic() + self.patience
        while self._file is None:
            try:
                self._file = self._dial()
            except (OSError, ValueError, KeyError) as error:
                if time.monotonic() >= deadline:
                    raise Error(f"{self.where}: no server answers there: {error}.") from error
                time.sleep(0.1)
            else:
                self._abandoned.clear()
                self.connections += 1
        return self._file

    def request(self, message: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request.

        Errors: Error with the server's sentence where it refused; Gone where the connection was
        lost, and is made again: whether the request was done is not known.
        """
        if self._owner != os.getpid():  # The lock may be held by a thread of the parent.
            self._begin()
        with self._lock:
            file = self._connected()
            try:
                while self._abandoned:
                    session, connection = self._abandoned.popleft()
                    if connection == self.connections:
                        self._ask(file, {"op": "close", "session": session})
                reply = self._ask(file, message)
            except Gone:
                self._drop()
                self._connected()
                raise
        if not reply.pop("ok"):
            raise Error(reply["error"])
        return reply

    def _ask(self, file: BufferedRWPair, message: dict[str, Any]) -> dict[str, Any]:
        self._requests += 1
        return _exchange(file, {**message, "id": self._requests})

    def abandon(self, session: int) -> None:
        """Leave a session before the next request, without a lock: for a garbage collector."""
        self._abandoned.append((session, self.connections))

    def _drop(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError:
                pass

    def close(self) -> None:
        """Disconnect: trials that were asked and not told go to other clients."""
        if self._owner == os.getpid():
            with self._lock:
                self._drop()


class Membership:
    """A session of a remote server, which is joined again after a connection was lost."""

    def __init__(self, server: Remote, create: dict[str, Any]) -> None:
        self._server, self._create = server, create
        self._lock = threading.Lock()
        self._held: dict[int, object] = {}
        self._complete = 0
        self.created: dict[str, Any] = {}
        self._join()

    def _join(self) -> None:
        """Create the session or join it, and keep the trials that this client has."""
        connection = -1
        while connection != self._server.connections:
            connection = self._server.connections
            try:
                created = self._server.request(self._create)
                if created["trials"] < self._complete:
                    raise Error(
                        f"The server at {self._server.where} has lost trials of this search: it"
                        f" has {created['trials']} of {self._complete}; start it with --store."
                    )
                hold = {"op": "pending", "session": created["session"], "hold": list(self._held)}
                kept = self._server.request(hold)["trials"] if self._held else []
            except Gone:
                continue
        if any(self._held.get(each["number"], each["config"]) != each["config"] for each in kept):
            raise Error(f"The server at {self._server.where} has another search by this name.")
        self.created, self._connection = created, connection

    def request(self, op: str, more: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request, which is sent again where its connection was lost: a trial that
        was told is not told again, and one that was asked is given back."""
        while True:
            with self._lock:
                if self._connection != self._server.connections:
                    self._join()
            try:
                message = {"op": op, "session": self.created["session"], **more}
                reply = self._server.request(message)
            except Gone:
                continue
            self._note(op, more, reply)
            return reply

    def _note(self, op: str, more: dict[str, Any], reply: dict[str, Any]) -> None:
        with self._lock:
            if op in ("ask", "pending"):
                self._held.update({each["number"]: each["config"] for each in reply["trials"]})
            if op == "tell":
                for each in more["trials"]:
                    self._held.pop(each["number"], None)
            complete = reply.get("complete", reply["trials"] if op == "tell" else 0)
            self._complete = max(self._complete, complete)

    def leave(self) -> int:
        """Give back what was asked and not told; the number of complete trials."""
        try:
            reply = self._server.request({"op": "close", "session": self.created["session"]})
        except Gone:  # It has given them back.
            return self._complete
        return int(reply["trials"])


def _exchange(file: BufferedRWPair, message: dict[str, Any]) -> dict[str, Any]:
    """The reply to a message. An interrupt may have left a reply unread: it is passed over."""
    try:
        line = json.dumps(message, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise Error(f"A value has no JSON form: {error}.") from None
    if len(line) > 1 << 20:
        raise Error("The request is longer than 1 MiB.")
    try:
        file.write(line)
        file.flush()
        while answer := file.readline():
            if not answer.endswith(b"\n"):
                break
            reply: dict[str, Any] = json.loads(answer)
            if reply.pop("id", None) in (message["id"], None):
                return reply
    except (OSError, ValueError) as error:
        raise Gone(str(error)) from error
    raise Gone("the server closed the connection")


def connect(
    where: str | os.PathLike[str], token: str | None = None, *, patience: float = 60.0
) -> Remote:
    """Connect to `opevo serve --listen`, for tuners that share one search with other processes.

    where     the path of a socket, HOST:PORT, or the file that the server wrote by --contact
    token     what the server admits clients by. Default: OPEVO_TOKEN, or what the file says
    patience  seconds that are waited for a server, here and whenever the connection is lost

    Errors: Error where no server answers, or where it does not admit this client.

    >>> server = opevo.connect("search.json")
    >>> with opevo.Tuner(space, "qgp", seed=1, server=server) as tuner:
    ...     tuner.run(measure, trials=1000)
    """
    return Remote(where, token, patience)
