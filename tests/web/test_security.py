"""Nobody gets in: hosts, origins, links, roles, addresses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from germane.errors import GermaneError
from germane.judging.store.people import links_of, revoke_link
from tests.web.judging_site import Client, Live, Reply, live, plain_text

from germane.web.security import HEADERS, POLICY, refusal  # isort: skip - after the check that the extra is there
from germane.web.serving import check_openness  # isort: skip
from germane.web.site import Address, declared_address, local_addresses  # isort: skip

HOSTS = {address.host: address for address in (*local_addresses(8080), Address("https", "judging.example"))}
OURS, PROXIED = "http://127.0.0.1:8080", "https://judging.example"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    docs = {f"d{number}": plain_text(number) for number in range(20)}
    with live(tmp_path_factory.mktemp("project") / "p", docs) as found:
        yield found


COMES_IN = [
    # method  path            headers                                                                 status or None
    ("POST", "/api/answers", {"host": "127.0.0.1:8080", "origin": OURS, "sec-fetch-site": "same-origin"}, None),
    ("POST", "/api/answers", {"host": "127.0.0.1:8080", "sec-fetch-site": "same-origin"}, None),
    ("POST", "/api/answers", {"host": "127.0.0.1:8080", "origin": OURS}, None),
    ("POST", "/api/answers", {"host": "judging.example", "origin": PROXIED}, None),
    ("POST", "/api/answers", {"host": "JUDGING.example", "origin": PROXIED}, None),
    ("POST", "/api/answers", {"host": "judging.example", "origin": "http://judging.example"}, 403),
    ("POST", "/api/answers", {"host": "127.0.0.1:8080"}, 403),
    ("POST", "/api/answers", {"host": "127.0.0.1:8080", "origin": "null"}, 403),
    ("POST", "/api/answers", {"host": "127.0.0.1:8080", "origin": "http://localhost:8080"}, 403),
    ("POST", "/api/answers", {"host": "127.0.0.1:8080", "origin": OURS, "sec-fetch-site": "cross-site"}, 403),
    ("POST", "/api/answers", {"host": "127.0.0.1:8080", "origin": OURS, "sec-fetch-site": "same-site"}, 403),
    ("POST", "/api/answers", {"host": "127.0.0.1:8080", "sec-fetch-site": "none"}, 403),
    ("POST", "/api/answers", {"host": "127.0.0.1:8080", "authorization": "Bearer x"}, None),
    ("POST", "/api/answers", {"host": "evil.example", "authorization": "Bearer x"}, 421),
    ("GET", "/api/me", {"host": "127.0.0.1:8080", "sec-fetch-site": "same-origin"}, None),
    ("GET", "/api/me", {"host": "127.0.0.1:8080", "sec-fetch-site": "none"}, None),
    ("GET", "/api/me", {"host": "127.0.0.1:8080", "sec-fetch-site": "cross-site"}, 403),
    ("GET", "/judge", {"host": "127.0.0.1:8080", "sec-fetch-site": "cross-site"}, None),
    ("GET", "/judge", {"host": "127.0.0.1:8081"}, 421),
    ("GET", "/judge", {"host": "evil.example:8080"}, 421),
    ("GET", "/judge", {}, 421),
]


@pytest.mark.parametrize(("method", "path", "headers", "status"), COMES_IN)
def test_what_comes_in(method: str, path: str, headers: dict[str, str], status: int | None) -> None:
    found = refusal(method, path, headers, HOSTS)
    assert (found[0] if found else None) == status


def test_every_answer_has_the_headers(running: Live) -> None:
    client = Client(running.port)
    for path in ("/enter", "/static/judge.js", "/api/me", "/nowhere", "/openapi.json"):
        reply = client("GET", path)
        assert {name: reply.headers.get(name.lower()) for name in HEADERS} == HEADERS, path
        assert reply.headers["cache-control"] in ("no-store", "no-cache")
    refused = client("GET", "/enter", headers={"Host": "evil.example"})
    assert (refused.status, refused.headers["x-content-type-options"]) == (421, "nosniff")
    assert "unsafe" not in POLICY
    assert "http" not in POLICY


def test_pages_have_no_inline_script(running: Live) -> None:
    cookie = cookie_of(running, "olga", "organiser")
    client = Client(running.port, cookie=cookie)
    for page in ("enter", "judge", "progress", "agreement", "adjudicate", "people", "bundles"):
        reply = client("GET", f"/{page}")
        assert reply.status == 200, page
        assert "<script>" not in reply.text
        assert "javascript:" not in reply.text
        assert " on" + "click" not in reply.text
        assert "style=" not in reply.text


def cookie_of(running: Live, name: str, role: str) -> str:
    secret = running.secret(name, role)  # type: ignore[arg-type]
    headers = {"Origin": running.origin}
    reply = Client(running.port)("POST", "/api/session", {"secret": secret}, headers)
    assert reply.status == 200, reply.text
    return reply.headers["set-cookie"].partition(";")[0]


def test_a_link_becomes_a_cookie_that_scripts_cannot_read(running: Live) -> None:
    secret = running.secret("ann")

    def enter(**headers: str) -> Reply:
        return Client(running.port)("POST", "/api/session", {"secret": secret}, headers)

    assert enter().status == 403  # from nowhere
    assert enter(Origin="http://evil.example").status == 403
    reply = enter(Origin=running.origin)
    attributes = reply.headers["set-cookie"].lower()
    assert "httponly" in attributes
    assert "samesite=lax" in attributes
    assert secret not in attributes
    assert reply.json == {"name": "ann", "role": "assessor"}
    cookie = reply.headers["set-cookie"].partition(";")[0]
    assert Client(running.port, cookie=cookie)("GET", "/api/me").json["name"] == "ann"
    assert enter(Origin=running.origin).status == 200  # a personal link works again
    other_site = {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert Client(running.port, cookie=cookie)("POST", "/api/work", {}, other_site).status == 403


def test_the_organisers_link_works_once(running: Live) -> None:
    secret = running.secret("olga", "organiser", "once")
    headers = {"Origin": running.origin}
    tried = [Client(running.port)("POST", "/api/session", {"secret": secret}, headers).status for _ in range(2)]
    assert tried == [200, 403]


def test_a_revoked_link_ends_its_sessions(running: Live) -> None:
    cookie = cookie_of(running, "rita", "assessor")
    client = Client(running.port, cookie=cookie)
    assert client("GET", "/api/me").status == 200
    revoke_link(
        running.site.database, next(one.link for one in links_of(running.site.database) if one.person == "rita")
    )
    assert client("GET", "/api/me").status == 401


def test_signing_out_ends_the_session(running: Live) -> None:
    client = Client(running.port, cookie=cookie_of(running, "sam", "assessor"))
    assert client("DELETE", "/api/session").status == 200
    assert client("GET", "/api/me").status == 401


def test_a_token_needs_no_cookie_and_a_bad_one_does_not_fall_back_on_it(running: Live) -> None:
    assert running.client("tom")("GET", "/api/me").json["name"] == "tom"
    cookie = cookie_of(running, "tom", "assessor")
    assert Client(running.port, cookie=cookie, token="wrong")("GET", "/api/me").status == 401
    assert Client(running.port, token=cookie.partition("=")[2])("GET", "/api/me").status == 401


def test_roles(running: Live) -> None:
    allowed = {
        # path                     assessor viewer organiser
        "/api/progress": (200, 403, 200),
        "/api/project/progress": (403, 200, 200),
        "/api/project/events": (403, 403, 200),
        "/api/people": (403, 403, 200),
        "/api/cases": (403, 403, 200),
        "/api/bundles": (403, 403, 200),
        "/judge": (200, 403, 200),
        "/progress": (403, 200, 200),
        "/agreement": (403, 200, 200),
        "/people": (403, 403, 200),
    }
    people = [running.client("ann"), running.client("vic", "viewer"), running.client("olga", "organiser")]
    for path, expected in allowed.items():
        assert tuple(client("GET", path).status for client in people) == expected, path
    nobody = Client(running.port)
    assert [nobody("GET", path).status for path in allowed] == [401] * 6 + [303] * 4


def test_every_endpoint_but_the_entrance_needs_somebody(running: Live) -> None:
    from germane.web.app import ENDPOINTS

    nobody = Client(running.port)
    for endpoint in ENDPOINTS:
        if endpoint.path == "/api/session" and endpoint.method == "POST":
            continue
        path = endpoint.path.replace("{link:int}", "1").replace("{task}", "x").replace("{name}", "x")
        body = b"{}" if endpoint.takes is not None or endpoint.takes_text else None
        status = nobody(endpoint.method, path, body, {"Origin": running.origin}).status
        assert status in (401, 422), (endpoint.method, path)
        assert status == 401 or endpoint.takes is not None


def test_passwords_and_patience(running: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    from germane.web import sessions_api

    organiser = running.client("olga", "organiser")
    running.secret("petra")
    assert organiser("PATCH", "/api/people/petra", {"password": "short"}).status == 422
    assert organiser("PATCH", "/api/people/petra", {"password": "correct horse battery"}).status == 200
    monkeypatch.setattr(sessions_api, "FAILURES", 2)
    tried = [
        Client(running.port)(
            "POST", "/api/session", {"name": "petra", "password": password}, {"Origin": running.origin}
        ).status
        for password in ("correct horse battery", "wrong", "wrong", "correct horse battery")
    ]
    assert tried == [200, 403, 403, 429]


@pytest.mark.parametrize(
    ("host", "declared", "tls", "accounts", "refused"),
    [
        ("127.0.0.1", [], False, False, None),
        ("::1", [], False, False, None),
        ("0.0.0.0", [], False, True, "traffic would be unencrypted"),
        ("192.168.1.5", [], False, True, "traffic would be unencrypted"),
        ("192.168.1.5", [], True, False, "only you have an account"),
        ("192.168.1.5", [], True, True, None),
        ("0.0.0.0", [], True, True, "not a name that a browser can open"),
        ("0.0.0.0", ["judging.example"], False, False, None),
        ("0.0.0.0", ["judging.example"], True, True, None),
    ],
)
def test_an_address_for_others_is_refused_with_the_reason(
    host: str, declared: list[str], tls: bool, accounts: bool, refused: str | None
) -> None:
    if refused is None:
        check_openness(host, declared, tls=tls, accounts=accounts)
    else:
        with pytest.raises(GermaneError, match=refused) as error:
            check_openness(host, declared, tls=tls, accounts=accounts)
        assert error.value.hint


@pytest.mark.parametrize("text", ["*.example.org", "https://", "ftp://x", "https://a@b.example", "a:port"])
def test_a_declared_host_is_a_name(text: str) -> None:
    with pytest.raises(GermaneError, match="expected a host"):
        declared_address(text)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("Judging.Example", "judging.example"),
        ("https://a.example:443/x", "a.example"),
        ("http://a.example:81", "a.example:81"),
    ],
)
def test_a_host_is_named_as_browsers_name_it(text: str, host: str) -> None:
    assert declared_address(text).host == host


def test_two_projects_on_one_machine_have_cookies_of_their_own(tmp_path: Path) -> None:
    from germane.web.security import cookie_name

    names = {cookie_name(Address("http", f"127.0.0.1:{port}")) for port in (80, 81)}
    assert len(names) == 2
    assert cookie_name(Address("https", "judging.example")).startswith("__Host-")
