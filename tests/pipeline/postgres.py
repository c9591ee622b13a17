"""A PostgreSQL server of one's own for tests, which listens on a socket in its folder. Run by another user where this one is root."""
import glob
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile


def programs():
    """The folder of initdb, pg_ctl and psql; None where there is no server."""
    for folder in [*sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True), os.path.dirname(shutil.which("initdb") or "")]:
        if all(os.access(os.path.join(folder, name), os.X_OK) for name in ("initdb", "pg_ctl", "psql")):
            return pathlib.Path(folder)
    return None


def _as_another_user(folder):
    """What a command line begins with: initdb refuses root."""
    if os.geteuid() != 0:
        return []
    user = next(entry for name in ("postgres", "nobody") for entry in pwd.getpwall() if entry.pw_name == name)
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


class Server:
    def __enter__(self):
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="zz-pg-"))  # short: names of sockets have 107 bytes
        self._folder.chmod(0o755)
        self._as = _as_another_user(self._folder)
        self._do("initdb", "-D", self._folder / "data", "-A", "trust", "-U", "zz", "--no-sync", "--no-locale", "-E", "UTF8")
        self.start()
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def start(self):
        self._do("pg_ctl", "-D", self._folder / "data", "-w", "-l", self._folder / "log", "-o",
                 f"-k {self._folder} -c listen_addresses='' -c fsync=off -c max_connections=40", "start")

    def stop(self):
        self._do("pg_ctl", "-D", self._folder / "data", "-w", "-m", "immediate", "stop")

    def sql(self, text, database="postgres"):
        return self._do("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self._folder, "-U", "zz", "-d", database,
                        "-c", text).strip()

    def database(self, name):
        """The URL of a new database."""
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, name):
        return f"postgresql://zz:secret@/{name}?host={self._folder}"

    def _do(self, program, *arguments):
        # A file, not a pipe: the server that pg_ctl starts would hold the pipe open.
        with tempfile.TemporaryFile("w+") as said:
            done = subprocess.run([*self._as, programs() / program, *arguments], cwd=self._folder, stdin=subprocess.DEVNULL,
                                  stdout=said, stderr=subprocess.STDOUT)
            said.seek(0)
            text = said.read()
        assert done.returncode == 0, f"{program}: {text}"
        return text
