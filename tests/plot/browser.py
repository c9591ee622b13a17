"""Opens a page in headless Chromium and reads back what it drew."""
import collections
import html.parser
import shutil
import subprocess
import sys
import tempfile

# The machine's network may be closed: a browser that looks for updates would wait for it.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--virtual-time-budget=60000"]


class Drawn(html.parser.HTMLParser):
    """The attributes of the root element, the labels of all shapes, split at "; ", the text that is shown, and where links lead."""
    def __init__(self):
        super().__init__()
        self.root, self.shapes, self.text, self.links, self.shown = {}, collections.defaultdict(list), [], [], True

    def handle_data(self, text):
        if self.shown:
            self.text.append(text)

    def handle_endtag(self, tag):
        if tag == "script":
            self.shown = True

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.shown = tag != "script"
        if tag == "html":
            self.root = attributes
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        kind, *rest = (attributes.get("aria-label") or "").split("; ")
        if rest:
            self.shapes[kind].append(rest)


def chromium_or_skip():
    """Ends the test with 77 (skipped) without Chromium."""
    found = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if found is None:
        print("skipped: no Chromium on this machine")
        sys.exit(77)
    return found


def browse(chromium, page):
    """What a page drew, once it has loaded without errors."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        run = subprocess.run([chromium, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", page.as_uri() + "#all"],
                             capture_output=True, text=True, timeout=600)
    drawn = Drawn()
    drawn.feed(run.stdout)
    if drawn.root.get("data-errors") != "" or drawn.root.get("data-warnings") != "" or drawn.root.get("data-drawn") != "all":
        sys.exit(f"the page did not load: {drawn.root}\n{run.stderr[-2000:]}")
    return drawn
