"""The installed documentation stands alone: every relative link leads to a file of the installation, and no page speaks of files that
only the source tree has.

usage: installed_docs.py FOLDER
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve() / "zz"
[guide] = root.glob("share/doc/*/user-guide.md")
pages = sorted(guide.parent.rglob("*.md")) + sorted(root.glob("share/zz/**/*.md"))
assert len(pages) > 50, f"only {len(pages)} pages are installed"
wrong = []
for page in pages:
    text = page.read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        path = target.partition("#")[0]
        if re.match(r"[a-z]+:", target) or not path:
            continue
        found = (page.parent / path).resolve()
        if not found.exists() or root not in found.parents:
            wrong.append(f"{page.relative_to(root)}: {target} leads nowhere")
    # tools/list and tools/call are methods of the Model Context Protocol.
    for found in re.findall(r"\b(?:core|host|plugins|sdk|tests|tools)/[\w/]+\.(?:cpp|hpp|h|py|yaml|json)\b|\btools/(?!list\b|call\b)\w+", text):
        wrong.append(f"{page.relative_to(root)}: names {found}, which is not installed")
sys.exit("\n".join(wrong) or None)
