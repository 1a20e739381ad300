"""Who may ask what, of a running dashboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from eyewall_monitor.dashboard.config import Access, DashboardConfig, SidecarAddress
from free_ports import free_port
from running_dashboard import RunningDashboard

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

JSON = {"Content-Type": "application/json"}


def a_dashboard(**access: Any) -> RunningDashboard:
    sidecar = SidecarAddress(address=f"127.0.0.1:{free_port()}")  # nobody there
    return RunningDashboard(
        DashboardConfig(listen="127.0.0.1:0", sidecar=sidecar, access=Access(**access))
    )


@pytest.fixture(scope="module")
def dashboard() -> Iterator[RunningDashboard]:
    with a_dashboard(allowed_hosts=("eyewall.example.org",)) as running:
        yield running


def plan(dashboard: RunningDashboard, **headers: str) -> httpx.Response:
    body = '{"topology": "t"}'
    return dashboard.http.post("/api/v1/plans", content=body, headers=JSON | headers)


AWAY = 503
"""The request got through, as far as to the sidecar that is not there."""


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8089",
        "localhost",
        "localhost:8089",
        "[::1]:8089",
        "10.83.0.1",
        "eyewall.example.org",
        "EYEWALL.example.org.:443",
    ],
)
def test_addresses_localhost_and_allowed_names_are_accepted(
    dashboard: RunningDashboard, host: str
) -> None:
    assert dashboard.get("cluster", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "eyewall.example.org.evil.example",
        "127.0.0.1.evil.example:8089",
        "localhost.evil.example",
        "",
    ],
)
def test_other_host_names_are_refused(dashboard: RunningDashboard, host: str) -> None:
    answer = dashboard.get("cluster", headers={"Host": host})
    assert answer.status_code == 403
    assert answer.headers["content-type"] == "application/problem+json"
    assert "allowed_hosts" in answer.json()["detail"]


def test_own_pages_and_programs_may_change_things(
    dashboard: RunningDashboard,
) -> None:
    assert plan(dashboard).status_code == AWAY
    own = {"Origin": dashboard.url, "Sec-Fetch-Site": "same-origin"}
    assert plan(dashboard, **own).status_code == AWAY
    # Behind a proxy that speaks TLS.
    host = "eyewall.example.org"
    assert plan(dashboard, Host=host, Origin=f"https://{host}").status_code == AWAY


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://["},
    ],
)
def test_pages_of_other_sites_may_not_change_things(
    dashboard: RunningDashboard, headers: dict[str, str]
) -> None:
    answer = plan(dashboard, **headers)
    assert answer.status_code == 403
    assert "only the dashboard's own pages" in answer.json()["detail"]
    assert dashboard.put("frozen", {"frozen": True}, headers=headers).status_code == 403


def test_a_form_cannot_change_things(dashboard: RunningDashboard) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = plan(dashboard, **{"Content-Type": kind})
        assert answer.status_code == 415
        assert "application/json" in answer.json()["detail"]


def test_a_body_that_is_too_large_is_refused(dashboard: RunningDashboard) -> None:
    large = b'{"topology": "' + b"x" * 70_000 + b'"}'
    answer = dashboard.http.post("/api/v1/plans", content=large, headers=JSON)
    assert answer.status_code == 413
    in_pieces = (large[at : at + 1000] for at in range(0, len(large), 1000))
    assert dashboard.http.post("/api/v1/plans", content=in_pieces, headers=JSON).status_code == 422


def test_a_read_only_dashboard_refuses_changes() -> None:
    with a_dashboard(read_only=True) as dashboard:
        assert dashboard.get("cluster").status_code == 200
        for answer in (
            plan(dashboard),
            dashboard.post("plans/plan-1/apply"),
            dashboard.put("frozen", {"frozen": True}),
            dashboard.put("topologies/t/frozen", {"frozen": True}),
        ):
            assert answer.status_code == 403
            assert "read_only" in answer.json()["detail"]


def test_every_response_has_the_security_headers(
    dashboard: RunningDashboard,
) -> None:
    for path in ("/", "/api/v1/cluster", "/nowhere", "/static/nothing.js", "/openapi.json"):
        headers = dashboard.http.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


def test_unknown_paths_and_methods_are_problems(
    dashboard: RunningDashboard,
) -> None:
    for answer, status in (
        (dashboard.http.get("/nowhere"), 404),
        (dashboard.http.delete("/api/v1/plans"), 405),
    ):
        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == status
