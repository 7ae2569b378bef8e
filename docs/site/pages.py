#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the input of MkDocs for docs/site.sh: the pages, and mkdocs.yml.

usage: pages.py material | plain FOLDER
FOLDER/pages gets the pages of docs/, and README.md, CONTRIBUTING.md and CHANGELOG.md in the same folder. So links
between these pages are changed. Code blocks become fences with their language, so that the theme highlights them and
gives them copy buttons. Indented lines of a list move to the next multiple of four columns, because MkDocs would take
an item that is indented by two or three columns for an item of the outer list.
"""
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
# ITEM: the beginning of a list item. COMMAND: the beginning of a line that is a shell command. MATERIAL, PLAIN: the
# parts of mkdocs.yml that depend on the theme.
ITEM = re.compile(r" *([-*+]|\d+\.) ")
COMMAND = re.compile(r"(\$ |(\w+=\S+ )*(build/rill|rill|make|cd|git|python3|pip|cat|sed|export|mkdir|gtkwave|sudo|apt-get|vivado|"
                     r"xbutil|printf|echo|head|tail|docs/|tests/|verif/|bench/|boards/|models/|F=|\./)\S*( |$))")

MATERIAL = """
theme:
  name: material
  font: false
  icon: {logo: material/waves}
  features: [navigation.tabs, navigation.top, navigation.indexes, toc.follow, search.suggest, search.highlight,
             content.code.copy]
  palette:
    - media: "(prefers-color-scheme)"
      toggle: {icon: material/brightness-auto, name: Switch to light mode}
    - media: "(prefers-color-scheme: light)"
      scheme: default
      primary: indigo
      toggle: {icon: material/weather-sunny, name: Switch to dark mode}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: indigo
      toggle: {icon: material/weather-night, name: Switch to the system's setting}
plugins: [search]
extra: {generator: false, polyfills: [site.js]}
extra_css: [site.css]
validation: {anchors: warn}
markdown_extensions:
  - tables
  - attr_list
  - md_in_html
  - toc: {permalink: true, slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}}
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.inlinehilite
"""
PLAIN = """
theme: {name: mkdocs, highlightjs: false, nav_style: light}
plugins: [search]
extra_css: [site.css]
extra_javascript: [site.js]
markdown_extensions: [attr_list, md_in_html]
"""


def language(lines):
    """Returns the language of a code block: its name for the theme, or `text`."""
    text = "\n".join(lines)
    filled = [line for line in lines if line.strip()]
    if any(line.startswith("$ ") for line in filled):
        return "console"
    if re.search(r"^\s*(module|endmodule|assign|always|reg|wire|input|output) |`(default_nettype|include)", text, re.M):
        return "verilog"
    if re.search(r"^\s*#include|^\s*(static |const )?(void|int|float|struct|bool|uint\d+_t) .*[;{(]", text, re.M):
        return "c"
    if re.search(r"^(import|from \w+ import|def|with) |^\w+ = \w+\.", text, re.M):
        return "python"
    if COMMAND.match(filled[0]):
        return "bash"
    if filled[0].lstrip().startswith("{") and '"' in text:
        return "json"
    keys = sum(bool(re.match(r"\s*(- )*[{'\w][\w.'*-]*:( |$)|\s*- \{|\s*#", line)) for line in filled)
    return "yaml" if keys * 2 > len(filled) else "text"


def fenced(text):
    """Returns the page with its code blocks as fences and with lists indented as MkDocs nests them."""
    lines, out, in_list, at = text.split("\n"), [], False, 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            end = lines.index("```", at + 1)
            out += lines[at:end + 1]
            at = end + 1
            continue
        # A line without indentation begins an item, continues the item of the line directly above, or ends the list.
        if line.strip() and not line.startswith(" "):
            in_list = bool(ITEM.match(line)) or (in_list and at and lines[at - 1].strip() and not line.startswith(("#", "|", "<")))
        indent = len(line) - len(line.lstrip(" "))
        if line.startswith("    ") and not in_list and (at == 0 or not lines[at - 1].strip()):
            block = []
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                block.append(lines[at][4:])
                at += 1
            while not block[-1].strip():
                block.pop()
            out += ["```" + language(block), *block, "```", ""]
            continue
        if in_list and line.strip() and indent:
            line = " " * (4 * -(-indent // 4)) + line.lstrip(" ")
        out.append(line)
        at += 1
    return "\n".join(out)


def page_of(path):
    """Returns the text of a page for the site. All pages of the site except the decisions are in one folder, so links
    between folders are changed. The site has no page for LICENSE, so links to it become plain text."""
    text = path.read_text()
    if path.parent == ROOT:
        text = text.replace("[LICENSE](LICENSE)", "LICENSE").replace("[Apache-2.0](LICENSE)", "Apache-2.0")
        text = text.replace("](docs/", "](")
    up = "../.." if path.parent.name == "decisions" else ".."
    return fenced(text.replace(f"]({up}/", "](../" if up == "../.." else "]("))


def title_of(path):
    return re.search(r"^# +(.*)$", path.read_text(), re.M)[1].replace('"', "'").replace("`", "")


def readers():
    """Returns {reader: [pages]} in the order of docs/pages.md. A heading there is `## READER: purpose`, and the table
    below it has rows `| question | links |`. A heading without a colon is skipped. A page that several readers have
    belongs to the first of them."""
    found, seen = {}, set()
    for part in re.split(r"^## ", (DOCS / "pages.md").read_text(), flags=re.M)[1:]:
        reader, _, _ = part.split("\n", 1)[0].partition(": ")
        if ": " not in part.split("\n", 1)[0]:
            continue
        rows = "\n".join(line for line in part.split("\n") if line.startswith("| "))
        for page in re.findall(r"\]\((?:\.\./)?([\w-]+\.md)[)#]", rows):
            if page not in seen:
                seen.add(page)
                found.setdefault(reader, []).append(page)
    return found


def navigation():
    """Yields the lines of `nav` in mkdocs.yml: an overview, a tab for each reader of docs/pages.md, one for the
    decisions, and one for all other pages."""
    yield from ("- Home: index.md", "- Overview:", "  - What Rill is: overview.md", "  - pages.md")
    found = readers()
    for reader, pages in found.items():
        yield f"- {reader}:"
        for page in pages:
            yield f'  - "{title_of(DOCS / page)}": {page}' if (DOCS / page).exists() else f"  - {page}"
    yield from ("- Decisions:", "  - decisions/README.md")
    listed = re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "decisions/README.md").read_text())
    yield from (f"  - decisions/{page}" for page in listed)
    yield "- Reference:"
    seen = {"pages.md", *(page for pages in found.values() for page in pages)}
    yield from (f"  - {path.name}" for path in sorted(DOCS.glob("*.md")) if path.name not in seen)
    yield "  - CHANGELOG.md"


def main():
    theme, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    pages = folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    (pages / "decisions").mkdir(parents=True)
    shutil.copytree(DOCS / "pictures", pages / "pictures", ignore=shutil.ignore_patterns("*.dot", "*.sh"))
    for path in DOCS.glob("*.svg"):
        shutil.copy(path, pages)
    for path in [*DOCS.glob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]:
        (pages / path.name).write_text(page_of(path))
    for path in (DOCS / "decisions").glob("*.md"):
        (pages / "decisions" / path.name).write_text(page_of(path))
    shutil.copy(DOCS / "site/landing.md", pages / "index.md")
    # MkDocs takes README.md and index.md of a folder for the same page, so README.md gets another name.
    (pages / "README.md").rename(pages / "overview.md")
    for path in [*pages.glob("*.md"), *(pages / "decisions").glob("*.md")]:
        up = "../" if path.parent != pages else ""
        path.write_text(re.sub(rf"\]\({re.escape(up)}README\.md", f"]({up}overview.md", path.read_text()))
    shutil.copy(DOCS / f"site/{theme}.css", pages / "site.css")
    shutil.copy(DOCS / f"site/{theme}.js", pages / "site.js")
    config = f"site_name: Rill\ndocs_dir: pages\nsite_dir: ../site\nuse_directory_urls: false{MATERIAL if theme == 'material' else PLAIN}nav:\n"
    config += "".join(f"  {line}\n" for line in navigation())
    (folder / "mkdocs.yml").write_text(config)


main()
