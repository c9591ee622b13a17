"""A store on a PostgreSQL server: the same fronts as in a file, for any number of programs, also where one is killed.

usage: shared_store.py ZZ_HOST [--thorough]. Ends with 77 (skipped) without a server to start.
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import postgres  # noqa: E402
import text_case  # noqa: E402

host, thorough = pathlib.Path(sys.argv[1]).resolve(), "--thorough" in sys.argv
STAGE = """  - ExplorationStage:
      axes:
        memories.buffer.size, memories.buffer.r_cost: {sizes}
        operational_array.sizes: [[4, 4], [0, 4], [2, 4], [1, 4]]
      linked: {{memories.buffer.w_cost: memories.buffer.r_cost * 1.2}}
      metrics: {{area: "sqrt(memories.buffer.size) + operational_array.sizes[D1] * operational_array.sizes[D2]"}}
      objectives: [latency, energy, area]
      figures: {figures}
"""
FEW, MANY = [[16, 1], [32768, 3], [65536, 5]], [[4096 + 64 * i, 3 + i / 100] for i in range(1200 if thorough else 128)]


def pipeline(folder, sizes=FEW, figures="latency", name="pipeline.yaml"):
    text_case.prepare({}, folder)
    text = (folder / "pipeline.yaml").read_text().replace("  - SimpleSaveStage\n", STAGE.format(sizes=sizes, figures=figures))
    text = text.replace("  - CompleteSaveStage\n", "").replace("  dump_folder: out\n", "")
    if figures == "separate":
        chain = "  - MinimalLatencyStage\n  - OptimalMappingStage\n  - CostModelStage\n"
        text = text[:text.index("  - MinimalLatencyStage")].replace("  loma_lpf_limit: 6\n", "") + chain
    if sizes is MANY and not thorough:
        text = text.replace("loma_lpf_limit: 6", "loma_lpf_limit: 2")  # it is the number of points that counts
    (folder / name).write_text(text)


def command(*arguments, store=None):
    chosen = ["--set", f"ExplorationStage.store={store}"] if store else []
    return [host, *arguments, *chosen]


def run(folder, *arguments, store=None, status=0):
    done = subprocess.run(command(*arguments, store=store), cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, f"{arguments}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    assert "secret" not in done.stdout + done.stderr, done.stderr
    return done.stdout if status == 0 else done.stderr


def front(folder, store):
    return run(folder, "front", store, "--format=csv")


def end_leases(server, database, of=""):
    """As if nothing had been heard for long of the programs that are at work, or of that process."""
    server.sql(f"UPDATE work SET lease = 0 WHERE NOT done AND worker LIKE '%:{of}%'", database)


def slow_database(server, name):
    """The URL of a new database where each range takes 10 ms more: time to do something to a program amid its work."""
    url = server.database(name)
    server.sql("CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.01); RETURN NEW; END $$; "
               "CREATE FUNCTION slow_down() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN "
               "IF to_regclass('work') IS NOT NULL THEN CREATE OR REPLACE TRIGGER slow BEFORE UPDATE ON work FOR EACH ROW "
               "WHEN (NEW.done) EXECUTE FUNCTION wait(); END IF; END $$; "
               "CREATE EVENT TRIGGER made ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION slow_down()", name)
    return url


def test_same_as_a_file(folder, server):
    pipeline(folder)
    url = server.database("few")
    said = run(folder, "pipeline.yaml", store=url)
    assert "front by latency, energy, area" in said, said
    run(folder, "pipeline.yaml", store="file.sqlite")
    expected = front(folder, "file.sqlite")
    assert front(folder, url) == expected
    assert "points that the store had: 12" in run(folder, "pipeline.yaml", store=url)
    for point in range(0, 12, 1 if thorough else 5):
        asked = [json.loads(run(folder, "why", store, str(point), "--format=json")) for store in (url, "file.sqlite")]
        assert asked[0] == asked[1], asked
    # Any tool sees the views, with numbers that are numbers.
    assert server.sql('SELECT count(*) FROM figures WHERE "memories.buffer.size" > 100 AND state = \'done\'', "few") == "6"
    # Stores of both kinds are united, in both directions.
    assert "12 points" in run(folder, "merge", "all.sqlite", url)
    assert front(folder, "all.sqlite") == expected
    other = server.database("united")
    run(folder, "merge", other, "file.sqlite")
    assert front(folder, other) == expected


def test_workers(folder, server):
    pipeline(folder, MANY)
    run(folder, "pipeline.yaml", store="file.sqlite")
    expected = front(folder, "file.sqlite")
    for workers, killed in ((1, False), (2, True), (4, True)) if thorough else ((2, True),):
        name = f"workers{workers}"
        url = slow_database(server, name)
        begun = [subprocess.Popen(command("pipeline.yaml", store=url), cwd=folder, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True) for _ in range(workers)]
        if killed:
            lost = begun[workers // 2]
            while lost.poll() is None and not server.sql(
                    "SELECT to_regclass('work') IS NOT NULL AND to_regclass('point') IS NOT NULL", name).startswith("t"):
                time.sleep(0.01)
            while lost.poll() is None and f":{lost.pid}:" not in server.sql("SELECT DISTINCT worker FROM work WHERE done", name):
                time.sleep(0.01)
            lost.send_signal(signal.SIGKILL)
            lost.communicate()
            assert lost.returncode == -signal.SIGKILL, "it was at its end before it could be killed"
            if not thorough:
                end_leases(server, name, f"{lost.pid}:")
        for worker in begun:
            if not (killed and worker is lost):
                _, said = worker.communicate()
                assert worker.returncode == 0, said
        assert front(folder, url) == expected, workers
        done = server.sql("SELECT count(*) FROM work WHERE NOT done", name)
        assert done == "0", done


def test_taken_by_another(folder, server):
    """A program that was only thought lost does not finish the range that another one has now."""
    pipeline(folder, MANY)
    run(folder, "pipeline.yaml", store="file.sqlite")
    url = slow_database(server, "taken")
    begun = subprocess.Popen(command("pipeline.yaml", store=url), cwd=folder, stderr=subprocess.PIPE, text=True)
    taken = ""
    while begun.poll() is None and server.sql("SELECT to_regclass('work')", "taken") == "":
        time.sleep(0.01)
    while begun.poll() is None and taken == "":
        now = "extract(epoch FROM clock_timestamp())"
        taken = server.sql(f"UPDATE work SET worker = 'another', lease = {now} + 600 WHERE NOT done AND lease > {now} "
                           "AND EXISTS (SELECT FROM work WHERE done) RETURNING first", "taken")
    left = "SELECT string_agg(first::text, ' ') FROM work WHERE NOT done"
    while begun.poll() is None and " " in server.sql(left, "taken"):
        time.sleep(0.01)
    assert begun.poll() is None and server.sql(left, "taken") == taken != "", taken
    server.sql("UPDATE work SET lease = 0 WHERE NOT done", "taken")
    _, said = begun.communicate()
    assert begun.returncode == 0, said
    assert front(folder, url) == front(folder, "file.sqlite")


def test_proof(folder, server):
    sizes = [[2 ** i, 3 + i / 100] for i in range(4, 17)]
    pipeline(folder, sizes, "separate")
    run(folder, "pipeline.yaml", store="file.sqlite")
    expected = [line.split(",")[0] for line in front(folder, "file.sqlite").splitlines()]
    url = server.database("proof")
    proof = command("pipeline.yaml", "--set", "ExplorationStage.strategy=proof", store=url)
    begun = [subprocess.Popen(proof, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
    for worker in begun:
        said, _ = worker.communicate()
        assert worker.returncode == 0, said
    assert [line.split(",")[0] for line in front(folder, url).splitlines()] == expected


def test_long_list(folder, server):
    """A program goes through the list of ranges once, however long it is."""
    pipeline(folder, MANY)
    url = server.database("long")
    run(folder, "pipeline.yaml", store=url)
    ranges = int(server.sql("SELECT count(*) FROM work", "long"))
    rows_read = ("SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) FROM pg_stat_user_tables "
                 "WHERE relname = 'work'")
    before, read = -1, 0
    while read == 0 or read != before:  # a connection tells what it has read when it ends
        time.sleep(0.2)
        before, read = read, int(server.sql(rows_read, "long"))
    assert ranges >= 256 and read < 20 * ranges, (ranges, read)


def test_done_again(folder, server):
    """Ranges of a proof that are done again, as after a program was lost, count once."""
    pipeline(folder, [[2 ** i, 3 + i / 100] for i in range(4, 17)], "separate")
    url = slow_database(server, "again")
    begun = subprocess.Popen(command("pipeline.yaml", "--set", "ExplorationStage.strategy=proof", store=url), cwd=folder,
                             stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    while begun.poll() is None and server.sql("SELECT to_regclass('work')", "again") == "":
        time.sleep(0.01)
    while begun.poll() is None and int(server.sql("SELECT count(*) FROM work WHERE done", "again")) < 20:
        time.sleep(0.01)
    lost = server.sql("UPDATE work SET done = false, lease = 0 WHERE done RETURNING 1", "again")
    assert begun.poll() is None and int(server.sql("SELECT count(*) FROM box", "again")) > 0 and lost != ""
    _, said = begun.communicate()
    assert begun.returncode == 0, said
    assert server.sql("SELECT count(*) - count(DISTINCT lower || upper) FROM box", "again") == "0"
    run(folder, "front", url, "--page", "again.html")
    counts = re.search(r"(\d+) designs: (\d+) with figures, \d+ of them on the front; (\d+) break a constraint, "
                       r"(\d+) are infeasible, (\d+) were discarded", (folder / "again.html").read_text())
    all_designs, *parts = map(int, counts.groups())
    assert all_designs == sum(parts) == 52, counts.group(0)


def test_refused(folder, server):
    pipeline(folder)
    for url, told in ((server.url("nowhere"), "nowhere"), ("postgresql://zz:secret@localhost:1/x", "cannot be reached"),
                      ("postgresql://zz:secret@[/x", "cannot be reached")):
        said = run(folder, "pipeline.yaml", store=url, status=2)
        assert told in said and "the store 'postgres" in said, said
        run(folder, "front", url, status=2)
    empty = server.database("empty")
    assert "has no space yet" in run(folder, "front", empty, status=2)
    foreign = server.database("theirs")
    server.sql("CREATE TABLE point (a int); INSERT INTO point VALUES (7)", "theirs")
    assert "no store of zz" in run(folder, "pipeline.yaml", store=foreign, status=2)
    assert server.sql("SELECT a FROM point", "theirs") == "7"
    url = server.database("other")
    run(folder, "pipeline.yaml", store=url)
    before = front(folder, url)
    text = (folder / "pipeline.yaml").read_text()
    (folder / "pipeline.yaml").write_text(text.replace("operational_array.sizes: [[4, 4], [0, 4], [2, 4], [1, 4]]",
                                                       "operational_array.sizes[D1]: [4]"))
    assert "is of another space" in run(folder, "pipeline.yaml", store=url, status=2)
    assert front(folder, url) == before
    server.sql("UPDATE space SET value = '99' WHERE name = 'layout'", "other")
    assert "has layout 99" in run(folder, "front", url, status=2)


def test_server_gone(folder, server):
    pipeline(folder, MANY)
    run(folder, "pipeline.yaml", store="file.sqlite")
    url = slow_database(server, "gone")
    begun = subprocess.Popen(command("pipeline.yaml", store=url), cwd=folder, stderr=subprocess.PIPE, text=True)
    while begun.poll() is None and server.sql("SELECT to_regclass('work')", "gone") == "":
        time.sleep(0.01)
    while begun.poll() is None and server.sql("SELECT count(*) FROM work WHERE done", "gone") == "0":
        time.sleep(0.01)
    server.stop()
    _, said = begun.communicate()
    assert begun.returncode == 2 and "the server is gone" in said and "another run goes on from it" in said, said
    server.start()
    had = int(server.sql("SELECT count(*) FROM point", "gone"))
    assert had > 0
    run(folder, "pipeline.yaml", store=url)
    assert front(folder, url) == front(folder, "file.sqlite")


if postgres.programs() is None:
    print("skipped: no PostgreSQL server to start (Debian: postgresql)")
    sys.exit(77)
with postgres.Server() as server, tempfile.TemporaryDirectory() as name:
    everyday = (test_same_as_a_file, test_workers, test_long_list, test_done_again, test_refused)
    for test in (*everyday, test_taken_by_another, test_proof, test_server_gone) if thorough else everyday:
        folder = pathlib.Path(name) / test.__name__
        folder.mkdir()
        begun = time.monotonic()
        test(folder, server)
        print(f"{test.__name__}: {time.monotonic() - begun:.1f} s", flush=True)
