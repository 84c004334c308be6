"""R scripts and web pages, which have no grammar of their own or more than one, are still found by definition."""

from __future__ import annotations

from recollect.chunking import Chunked, chunk
from recollect.types import Chunk, Document

FILLER = "".join(f"  value_{number} <- compute(value, {number}) # {{ not a bracket\n" for number in range(15))


def r(text: str) -> tuple[Chunk, ...]:
    return chunk(Document("R/fit.R", text, "r")).chunks


def page(text: str, language: str = "html") -> Chunked:
    return chunk(Document("web/index.html", text, language))


def test_r_functions_come_with_their_documentation() -> None:
    found = r(
        f"library(statistics.of.everything)\nlibrary(graphics.of.everything)\nlibrary(utilities.of.everything)\nlibrary(methods.of.everything)\nlibrary(tools.of.everything)\n\n#' Fit it\n#' @export\nfit <- function(x) {{\n{FILLER}}}\n\nscale_all = function(x,\n  y) {{\n{FILLER}}}\n"
    )
    assert [each.title for each in found if each.kind == "function"] == ["fit", "scale_all"]
    assert next(each for each in found if each.title == "fit").text.startswith("#' Fit it\n#' @export\nfit <- function")


def test_r_strings_and_pipes_do_not_end_a_statement() -> None:
    text = f'plan <-\n  data |>\n  filter(a)\n\nquery <- "SELECT {{\nFROM x ("\n\nfit <- function(x)\n{{\n{FILLER}}}\n'
    found = [(symbol.name, symbol.start_line) for each in r(text) for symbol in each.symbols]
    assert found == [("plan", 1), ("query", 5), ("fit", 8)]


def test_a_large_page_is_cut_at_its_sections() -> None:
    words = "<p>Some words about the plants in this part of the garden.</p>\n" * 12
    parts = "".join(f"<section>\n<h2>Part {name}</h2>\n{words}</section>\n" for name in ("roses", "trees", "herbs"))
    found = page(
        f"<html>\n<head><title>My &mdash; garden</title></head>\n<body>\n<h1>Garden</h1>\n{parts}</body>\n</html>\n"
    )
    assert found.title == "My &mdash; garden"
    assert [each.title for each in found.chunks] == ["Garden, Part roses", "Part trees", "Part herbs"]


def test_scripts_in_pages_and_components_are_code() -> None:
    body = "".join(f"    const value{number} = compute({number}, another, argument);\n" for number in range(10))
    script = (
        f"import {{ ref }} from 'vue'\nexport function water(plant) {{\n{body}}}\nfunction cut(rose) {{\n{body}}}\n"
    )
    text = f'<template>\n  <div>{{{{ x }}}}</div>\n</template>\n\n<script setup lang="ts">\n{script}</script>\n\n<style>\n.a {{ b: c }}\n</style>\n'
    found = [symbol for each in page(text, "vue").chunks for symbol in each.symbols]
    assert [(each.name, each.kind, each.start_line) for each in found] == [
        ("water", "function", 7),
        ("cut", "function", 19),
    ]
