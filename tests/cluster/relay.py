# SPDX-License-Identifier: GPL-3.0-or-later
"""relay.py sound|sick HOST FILE WORKER...: a worker that connects to its engine as if it were on HOST.

The sick one says after each setup that it cannot measure, and adds a line to FILE; it connects again as workers do.
"""
import os
import socket
import subprocess
import sys
import threading

kind, host, file, *command = sys.argv[1:]
address, port = os.environ.pop("OPEVO_CONNECT").rsplit(":", 1)
token = os.environ.pop("OPEVO_TOKEN")


def serve(engine: socket.socket) -> None:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        hello = worker.stdout.readline().decode()
        before, rest = hello.split('"host":"', 1)
        engine.sendall(f'{before}"host":"{host}"{rest[rest.index(chr(34)) + 1:]}'.encode())
        setup = engine.recv(1 << 16)
        if kind == "sick" and setup:
            with open(file, "a") as log:
                log.write("set up\n")
            engine.sendall(b'{"type":"error","message":"the disk of this host is full"}\n')
        if kind == "sick" or not setup:
            worker.kill()
            return
        worker.stdin.write(setup)
        worker.stdin.flush()

        def pass_on() -> None:
            while words := worker.stdout.read1():
                engine.sendall(words)

        threading.Thread(target=pass_on, daemon=True).start()
        while words := engine.recv(1 << 16):
            worker.stdin.write(words)
            worker.stdin.flush()
        worker.kill()


while True:
    try:
        with socket.create_connection((address, int(port))) as engine:
            engine.sendall(f"{token}\n".encode())
            serve(engine)
    except (ConnectionRefusedError, TimeoutError):
        break
    except (ConnectionError, BrokenPipeError):
        pass
