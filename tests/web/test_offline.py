"""The bundle page: one file, blind, under a policy that fits it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from germane.judging.bundle import reserve
from germane.output.page.shell import content_hash, joined_modules
from tests.web.hostile import XSS
from tests.web.judging_site import PNG, live
from tests.web.test_judging_api import leaks

from germane.web import offline  # isort: skip - after the check that the extra is there


def test_one_file_that_loads_nothing_and_tells_nothing(tmp_path: Path) -> None:
    docs: dict[str, str | bytes] = {f"d{number}.html": text for number, text in enumerate(XSS)}
    docs |= {"p.png": PNG, "t.txt": "</script><script>1</script>"}
    with live(tmp_path / "p", docs, title="</script><b>") as running:
        running.secret("bob")
        bundle = reserve(running.site.database, "bob", 50)
        page = offline.bundle_page(running.site, bundle)
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.S)
    [style] = re.findall(r"<style>(.*?)</style>", page, flags=re.S)
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert len(scripts) == 1
    assert content_hash(scripts[0]) in policy
    assert content_hash(style) in policy
    [data] = re.findall(r'id="data-bundle">(.*?)</script>', page, flags=re.S)
    found = json.loads(data)
    assert len(found["tasks"]) == len(docs)
    assert set(found) == {"bundle", "assessor", "pool", "rubric", "created", "scale", "tasks"}
    assert set(found["tasks"][0]) == {"task", "topic", "label", "raw", "document"}
    assert leaks(data) == []
    assert not re.search(r'(?:src|href)="(?!data:)', page)


def test_joined_modules_import_nothing_and_declare_each_name_once() -> None:
    script = joined_modules("offline.js", offline._text)
    assert not re.search(r"^\s*(import|export)\b", script, flags=re.M)
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", script, flags=re.M)
    assert len(names) > 10
    assert sorted(names) == sorted(set(names))


def test_our_scripts_make_no_markup_and_no_code_of_data() -> None:
    for path in sorted(Path(str(offline.STATIC)).glob("*.js")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            path
        )
