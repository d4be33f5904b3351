# SPDX-License-Identifier: GPL-3.0-or-later
"""A process `opevo serve` and the lines of JSON that go to it and come back.

One process serves any number of tuners and threads. Requests are answered one by one, in the order
in which they were written.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import tempfile
import threading
from collections import deque
from typing import Any

from ._error import Error
from ._program import last_sentence, program, run

PROTOCOL = 1


class Server:
    """A process `opevo serve`.

    The process is started when the object is made and ends with `close`, with this program, or when
    it is killed; whatever it held with a store is then in the store.
    """

    def __init__(self) -> None:
        self._path = program()
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._messages = tempfile.TemporaryFile()
        self._ended: str | None = None
        self._requests = 0
        self._abandoned: deque[int] = deque()
        try:
            # A group of its own: an interrupt from the terminal goes to this program, which then
            # ends the server in good order.
            self._process = subprocess.Popen(
                [self._path, "serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._messages,
                process_group=0,
            )
        except OSError as error:
            self._messages.close()
            raise Error(f"{self._path} cannot be started: {error.strerror}.") from error
        atexit.register(self.close)
        self._check_version()

    def _check_version(self) -> None:
        try:
            reply = self.request({"op": "version"})
        except Error:
            self.close()
            raise Error(
                f"{self._path} is {run('--version').strip()}, which is too old for this package;"
                " install a newer opevo, or set OPEVO to its path."
            ) from None
        if reply.get("protocol") != PROTOCOL:
            self.close()
            raise Error(
                f"{self._path} speaks version {reply.get('protocol')} of the protocol of opevo"
                f" serve, and this package version {PROTOCOL}; install both from one release."
            )

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether this program may still send requests."""
        return self._ended is None and self._owner == os.getpid() and self._process.poll() is None

    def request(self, message: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request.

        Errors: Error with the server's sentence where it refused, or one that says how it ended.
        """
        if self._owner != os.getpid():
            raise Error("This tuner belongs to the process that made it; make one in each process.")
        with self._lock:
            if self._ended is not None:
                raise Error(self._ended)
            while self._abandoned:
                self._exchange({"op": "close", "session": self._abandoned.popleft()})
            reply = self._exchange(message)
        if not reply.pop("ok"):
            raise Error(reply["error"])
        return reply

    def abandon(self, session: int) -> None:
        """Close a session before the next request, without a lock: for a garbage collector."""
        self._abandoned.append(session)

    def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request. An interrupt may have left a reply unread: it is passed over.

        A reply without an id is to a line that the server could not read, such as one that is too
        long. It was this one if a request after it is answered first.
        """
        assert self._process.stdin and self._process.stdout
        self._requests += 1
        refusal: dict[str, Any] = {}
        try:
            line = json.dumps({**message, "id": self._requests}, allow_nan=False).encode() + b"\n"
        except (TypeError, ValueError) as error:
            raise Error(f"A value has no JSON form: {error}.") from None
        after = json.dumps({"op": "version", "id": -self._requests}).encode() + b"\n"
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
            while True:
                answer = self._process.stdout.readline()
                if not answer.endswith(b"\n"):
                    break
                reply: dict[str, Any] = json.loads(answer)
                number = reply.pop("id", None)
                if number == self._requests:
                    return reply
                if number == -self._requests:
                    return refusal
                if number is None:
                    refusal = reply
                    self._process.stdin.write(after)
                    self._process.stdin.flush()
        except OSError:
            pass
        except ValueError:
            self._process.kill()
        self._process.wait()
        self._note_end(self._how_it_ended())
        raise Error(str(self._ended))

    def _how_it_ended(self) -> str:
        status = self._process.returncode
        if status < 0:
            return f"was ended by {signal.Signals(-status).name}"
        self._messages.seek(0)
        said = last_sentence(self._messages.read().decode(errors="replace"))
        return f"ended with exit status {status}" + (f": {said.rstrip('.')}" if said else "")

    def _note_end(self, how: str) -> None:
        self._ended = (
            f"opevo serve {how}; make the tuner again: with its store it resumes where it was."
        )

    def close(self) -> None:
        """End the process: it closes every session, and stores stay complete. Repeatable."""
        if self._owner != os.getpid():
            return
        atexit.unregister(self.close)
        with self._lock:
            if self._ended is None:
                self._ended = "This server is closed; make the tuner again."
            for pipe in (self._process.stdin, self._process.stdout):
                try:
                    if pipe:
                        pipe.close()
                except OSError:
                    pass
            try:
                self._process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._messages.close()


_shared: Server | None = None
_shared_lock = threading.Lock()


def shared() -> Server:
    """The server that the tuners of this process share; a new one where the last one has ended."""
    global _shared
    with _shared_lock:
        if _shared is None or not _shared.alive:
            _shared = Server()
        return _shared
