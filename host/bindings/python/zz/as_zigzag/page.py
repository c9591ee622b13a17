"""Where messages send their readers."""

PAGE = "docs/zigzag-scripts.md"
