"""What a test looks for in a page."""

from __future__ import annotations

import base64
from html.parser import HTMLParser


class Reader(HTMLParser):
    """Collects what matters of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def content(self, uri: str) -> bytes:
        return base64.b64decode(uri.partition("base64,")[2])
