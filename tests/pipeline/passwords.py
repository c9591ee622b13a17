"""A server that only a pipeline names gets no password of the user, wherever libpq would find one; one that the user names does.

usage: passwords.py ZZ_HOST. Ends with 77 (skipped) without libpq.
"""
import ctypes.util
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

if ctypes.util.find_library("pq") is None:
    sys.exit(77)
host = pathlib.Path(sys.argv[1]).resolve()
SECRET = "mine-alone"
ENCRYPTION = (struct.pack("!I", 80877103), struct.pack("!I", 80877104))  # of requests for TLS and GSS


class Server(threading.Thread):
    """Speaks as much of the protocol as asks for a password in clear text."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.connections, self.got = 0, []

    def run(self):
        while True:
            connection, _ = self.socket.accept()
            self.connections += 1
            with connection:
                connection.settimeout(10)
                try:
                    while self._message(connection)[:4] in ENCRYPTION:
                        connection.send(b"N")
                    connection.send(b"R" + struct.pack("!II", 8, 3))
                    kind = connection.recv(1)
                    if kind:
                        self.got.append(self._message(connection).rstrip(b"\0").decode())
                except (OSError, struct.error):
                    pass

    @staticmethod
    def _message(connection):
        return connection.recv(struct.unpack("!I", connection.recv(4, socket.MSG_WAITALL))[0] - 4)


server = Server()
server.start()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    text_case.prepare({}, folder)
    (folder / "pass").write_text(f"*:*:*:*:{SECRET}\n")
    (folder / "pass").chmod(0o600)
    (folder / "services").write_text(f"[theirs]\npassword={SECRET}\n")
    (folder / ".pgpass").write_text(f"*:*:*:*:{SECRET}\n")
    (folder / ".pgpass").chmod(0o600)
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PG")} | {"HOME": name}
    base = (folder / "pipeline.yaml").read_text().replace("  - CompleteSaveStage\n", "").replace("  dump_folder: out\n", "")

    def run(url, *arguments, **environment):
        stage = ("  - ExplorationStage:\n      axes: {memories.buffer.size: [32768, 65536]}\n      objectives: [latency, energy]\n"
                 f"      figures: latency\n      store: {url}\n")
        (folder / "space.yaml").write_text(base.replace("  - SimpleSaveStage\n", stage))
        done = subprocess.run([host, "space.yaml", "-q", *arguments], cwd=folder, env=plain | environment, capture_output=True, text=True)
        assert done.returncode == 2 and SECRET not in done.stderr, done.stderr
        return done.stderr

    url = f"postgresql://me@127.0.0.1:{server.port}/results"
    passes, services = str(folder / "pass"), str(folder / "services")
    for store, environment in ((url, {}), (url, {"PGPASSWORD": SECRET}), (url, {"PGPASSFILE": passes}),
                               (url, {"PGSERVICE": "theirs", "PGSERVICEFILE": services}),
                               (f"{url}?service=theirs", {"PGSERVICEFILE": services}),
                               (f"{url}?passfile={passes}", {}), (f"{url}?%70assfile={passes}", {}),
                               (f"{url}?%73ervice=theirs", {"PGSERVICEFILE": services})):
        words = run(store, **environment)
        assert server.got == [], (store, environment, server.got)
        assert "127.0.0.1" in words, words
    before = server.connections
    run(url, PGPASSWORD=SECRET)
    subprocess.run([host, "check", "space.yaml"], cwd=folder, env=plain, capture_output=True, check=True)
    assert server.connections == before
    # The user's word.
    run("space.sqlite", "--set", f"ExplorationStage.store={url}", PGPASSWORD=SECRET)
    assert server.got == [SECRET], server.got
