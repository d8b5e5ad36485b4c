"""A step of the workflow as started by Snakemake, which is passed to the fork server if possible.

This program (``python -S step.py run FILE``) imports only light modules of the standard library, so
it starts within milliseconds. If no fork server responds, it is replaced by the command itself.
"""

import json
import os
import socket
import sys

ADDRESS = "SPCABENCH_FORK_SERVER"  # environment variable with the path of the socket


def main() -> int:
    """Run a step and return its exit code."""
    words = sys.argv[1:]
    try:
        server = socket.socket(socket.AF_UNIX)
        server.connect(os.environ[ADDRESS])
    except (KeyError, OSError, AttributeError):
        os.execv(sys.executable, [sys.executable, "-m", "spcabench", *words])
    with server:
        environment = {name: value for name, value in os.environ.items() if name != ADDRESS}
        message = {"words": words, "folder": os.getcwd(), "environment": environment}
        text = json.dumps(message).encode()
        socket.send_fds(server, [len(text).to_bytes(8, "big")], [0, 1, 2])
        server.sendall(text)
        code = server.recv(1)
    return code[0] if code else 1


if __name__ == "__main__":
    sys.exit(main())
