"""The site of the documentation: built, with every page, link and anchor, found by its search, and nothing from elsewhere.

usage: site.py SOURCE FOLDER
"""
import html.parser
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse

source, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
if not shutil.which("mkdocs"):
    print("skipped: this machine has no mkdocs")
    sys.exit(77)
shutil.rmtree(work, ignore_errors=True)
built = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--config-file", source / "mkdocs.yml", "--site-dir", work],
                       capture_output=True, text=True)
if built.returncode != 0:
    sys.exit(built.stdout + built.stderr)


class Page(html.parser.HTMLParser):
    """Where a page leads, its anchors, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.anchors.update(value for name, value in told.items() if name in ("id", "name") and value)
        if tag == "a" and told.get("href"):
            self.links.append(told["href"])
        if tag in ("script", "img", "iframe") and told.get("src"):
            self.loaded.append(told["src"])
        if tag == "link" and told.get("rel") in ("stylesheet", "preload") and told.get("href"):
            self.loaded.append(told["href"])


wrong = []
pages = {path: Page(path) for path in sorted(work.rglob("*.html"))}
for markdown in (source / "docs").rglob("*.md"):
    name = markdown.relative_to(source / "docs").with_suffix(".html")
    page = work / (name.with_name("index.html") if name.stem == "README" else name)
    if page not in pages:
        wrong.append(f"there is no page of {name}")
for path, page in pages.items():
    name = path.relative_to(work)
    wrong += [f"{name} loads {one}" for one in page.loaded if re.match(r"(https?:)?//", one)]
    if name.parts[0] == "notebooks" or name.name == "404.html":
        continue
    for link in page.links:
        address, _, anchor = link.partition("#")
        if re.match(r"\w+:|//", address):
            continue
        target = (path.parent / urllib.parse.unquote(address)).resolve() if address else path
        if target.is_dir():
            target /= "index.html"
        if not target.exists():
            wrong.append(f"{name}: {link} leads nowhere")
        elif anchor and target in pages and urllib.parse.unquote(anchor) not in pages[target].anchors:
            wrong.append(f"{name}: {link}: there is no such heading")
index = (work / "index.html").read_text()
for door in re.findall(r"^## (.+)", (source / "docs/README.md").read_text(), re.MULTILINE):
    if f">{door} <" not in index and f">{door}<" not in index:
        wrong.append(f"the navigation has no door {door}")
texts = json.loads((work / "search/search_index.json").read_text())["docs"]
if not any("calibrate" in text["text"] for text in texts):
    wrong.append("the search knows no 'calibrate'")
if str(source) in json.dumps(texts):
    wrong.append(f"the site names {source}")

browser = shutil.which("chromium")
if not browser:
    print("not tried: the search in a browser, as there is no chromium")
else:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        """The site; its first page waits for a picture, so that the browser is there until the search has answered."""

        def __init__(self, *arguments):
            super().__init__(*arguments, directory=work)

        def log_message(self, *arguments):
            pass

        def do_GET(self):
            if self.path.startswith("/index.html?"):
                content = index.replace("</body>", '<img src="/slow.png"></body>').encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            elif self.path == "/slow.png":
                time.sleep(10)
                self.send_error(404)
            else:
                super().do_GET()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/index.html"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,900",
                   f"--user-data-dir={work}.browser"]
        found = subprocess.run([browser, *options, "--dump-dom", f"{address}?q=calibrate"], capture_output=True, text=True).stdout
        results = re.findall(r'<article>.*?<a href="([^"]+)"', found, re.DOTALL)
        if not results:
            wrong.append("a search for 'calibrate' shows nothing")
        subprocess.run([browser, *options, f"--screenshot={work}.png", address], capture_output=True)
        print(f"{len(results)} results of a search; a picture of the first page is in {work}.png")
        server.shutdown()

print(*wrong, sep="\n")
print(f"{len(pages)} pages, {len(wrong)} faults")
sys.exit(1 if wrong else 0)
