"""What mkdocs needs beyond the pages in docs/, which are written for readers of the source: mkdocs.yml names this file.

The navigation follows the tables of docs/README.md. Headings have the anchors that code hosts give them. Links out of docs/
lead to the home page in owner.txt, or are plain text while there is none. Notebooks become pages with nbconvert, where it is.
"""
import collections
import html
import importlib.util
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


_titles = collections.Counter()  # of the page that is made


def anchor(title, separator="-"):
    """The anchor of a heading, as code hosts make it: the second one of a title ends in -1."""
    name = re.sub(r"[^\w\- ]", "", html.unescape(title).strip().lower()).replace(" ", separator)
    _titles[name] += 1
    return name if _titles[name] == 1 else f"{name}-{_titles[name] - 1}"


def home_page():
    found = re.search(r"^Home-page: *(\S+)", (SOURCE / "tools/packaging/owner.txt").read_text(), re.MULTILINE)
    return found and found[1]


def doors():
    """[{door: [{title: page}]}] of the tables of docs/README.md."""
    found = []
    for name, section in _SECTION.findall((SOURCE / "docs/README.md").read_text()):
        pages = [{title: page} for title, page in _LINK.findall(section) if re.fullmatch(r"[\w/.-]+\.md", page)]
        found.append({name: pages})
    return [{"Contents": "README.md"}, *(door for door in found if [*door.values()][0])]


def on_config(config):
    config["nav"] = doors()
    config["mdx_configs"].setdefault("toc", {})["slugify"] = anchor
    return config


def on_page_markdown(markdown, page, config, files):
    """Links as the site has them."""
    _titles.clear()
    folder = pathlib.PurePosixPath(page.file.src_path).parent

    def changed(match):
        text, target = match.groups()
        if re.match(r"\w+:|#", target):
            return match[0]
        path, hash_sign, part = target.partition("#")
        # A page is named by the folder that it stands in.
        place = (SOURCE / "docs" / folder / path).resolve()
        if not place.is_relative_to(SOURCE / "docs"):
            home = home_page()
            return f"[{text}]({home}/{place.relative_to(SOURCE)})" if home else text
        if place.is_dir() and not (place / "README.md").exists():
            return text
        return f"[{text}]({path.rstrip('/')}/README.md{hash_sign}{part})" if place.is_dir() else match[0]

    parts = re.split(r"(^```.*?^```|`[^`\n]+`)", markdown, flags=re.MULTILINE | re.DOTALL)
    # Links may have code in their text: only blocks are left alone.
    joined, block = [], ""
    for part in parts:
        if part.startswith("```"):
            joined += [_LINK.sub(changed, block), part]
            block = ""
        else:
            block += part
    return "".join([*joined, _LINK.sub(changed, block)])


def _notebooks_are_pages():
    return importlib.util.find_spec("nbconvert") is not None


def on_page_content(content, page, config, files):
    return re.sub(r'(href="[^":]+)\.ipynb"', r'\1.html"', content) if _notebooks_are_pages() else content


def on_post_build(config):
    if _notebooks_are_pages():
        # Scripts from elsewhere stay out: the site works without a network.
        subprocess.run([sys.executable, "-m", "nbconvert", "--log-level=ERROR", "--to", "html", "--HTMLExporter.mathjax_url=",
                        "--HTMLExporter.require_js_url=", "--HTMLExporter.jquery_url=", "--output-dir",
                        pathlib.Path(config["site_dir"]) / "notebooks", *sorted((SOURCE / "docs/notebooks").glob("*.ipynb"))],
                       check=True)
