"""The pages' document and files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from eyewall_monitor.dashboard.web.pages import FOLDER, StaticFiles

if TYPE_CHECKING:
    from pathlib import Path

    from running_dashboard import RunningDashboard


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/topology/word_count",
        "/decisions",
        "/decisions/1-a-1",
        "/plan",
        "/plan/p1",
        "/provision",
        "/health",
    ],
)
def test_every_page_has_a_url(alone: RunningDashboard, path: str) -> None:
    answer = alone.http.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.content == (FOLDER / "index.html").read_bytes()
    again = alone.http.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    assert alone.http.head(path).status_code == 200


def test_an_unknown_url_is_a_page_for_people_and_a_problem_for_programs(
    alone: RunningDashboard,
) -> None:
    for path in ("/clusters", "/plan/p1/apply"):
        shown = alone.http.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
        assert shown.status_code == 404
        assert shown.content == (FOLDER / "index.html").read_bytes()
        body = alone.http.get(path)
        assert (body.status_code, body.json()["status"]) == (404, 404)


def test_an_unknown_file_is_404_with_similar_names(alone: RunningDashboard) -> None:
    assert alone.http.get("/static/index.html").status_code == 200
    answer = alone.http.get("/static/indx.html")
    assert answer.status_code == 404
    assert "index.html" in answer.json()["nearest"]


@pytest.mark.parametrize(
    "name",
    [
        "../api.d.ts",
        "..%2fapi.d.ts",
        "%2e%2e/api.d.ts",
        "/etc/passwd",
        "a%00b",
        ".",
        "a" * 300,
    ],
)
def test_no_file_outside_the_folder_is_served(alone: RunningDashboard, name: str) -> None:
    assert alone.http.get(f"/static/{name}").status_code == 404


def test_a_changed_file_is_served_as_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    file = tmp_path / "deep" / "main.js"
    file.write_text("1")
    files = StaticFiles(tmp_path)
    first = files.body("deep/main.js")
    assert first is not None
    assert (first.data, first.media_type) == (b"1", "text/javascript; charset=utf-8")
    assert files.body("deep/main.js") is first
    assert files.body("deep/../deep/main.js") is first  # or every way to write it would be kept
    file.write_text("2")
    os.utime(file, ns=(1, 1))
    second = files.body("deep/main.js")
    assert second is not None
    assert second.data == b"2"
    assert second.etag != first.etag
    (tmp_path / "link.js").symlink_to("/etc/hostname")
    assert files.body("link.js") is None
