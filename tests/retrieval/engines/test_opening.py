"""Which engine a source means, and what is said of one that means none."""

from pathlib import Path

import pytest

from germane.errors import GermaneError
from germane.retrieval.engines.address import Address
from germane.retrieval.engines.callable import CallableEngine
from germane.retrieval.engines.local import LocalEngine
from germane.retrieval.engines.open_engine import open_engine
from germane.retrieval.engines.servers.opensearch import OpenSearchEngine
from germane.retrieval.indexes.index import Index

NOT_A_SOURCE = [
    # source                          message
    ("no_such_folder", "no_such_folder: no such folder"),
    ("opensearch://host/index", "unknown engine opensearch://; did you mean opensearch+http?"),
    ("mysql://host/db", "unknown engine mysql://"),
    (42, "expected a search engine, found int"),
    ("opensearch+https://host:9200", "expected a host and an index name"),
    ("opensearch+https://host:nine/index", "expected a number as the server's port"),
    ("opensearch+https://host/index?field=body", "unknown setting 'field'; did you mean fields?"),
    ("opensearch+https://host/index?id=a&id=b", "duplicate setting 'id'"),
]


@pytest.mark.parametrize(("source", "message"), NOT_A_SOURCE)
def test_what_is_no_source_is_explained(source: str, message: str) -> None:
    with pytest.raises(GermaneError) as told:
        open_engine(source)
    assert message in told.value.message


def test_each_kind_of_source_is_told_from_the_others(tmp_path: Path) -> None:
    assert isinstance(open_engine(Index.of({"d1": "wine"}, "plain")), LocalEngine)
    assert isinstance(open_engine("opensearch+http://host:9200/library"), OpenSearchEngine)
    assert isinstance(open_engine("elasticsearch+https://host/library"), OpenSearchEngine)
    assert isinstance(open_engine("os.path:basename"), CallableEngine)
    mine = CallableEngine(dict, "mine")
    assert open_engine(mine) is mine
    with pytest.raises(GermaneError, match=r"found a folder without manifest\.json"):
        open_engine(tmp_path)


@pytest.mark.parametrize(
    ("source", "option", "message"),
    [
        ("opensearch+http://host/library", {"model": "BM25"}, "model is not supported with opensearch+http"),
        ("os.path:basename", {"feedback": "rm3"}, "feedback is not supported with os.path:basename"),
        ("os.path:basename", {"template": "t.json"}, "template is not supported with os.path:basename"),
        ("postgresql://host/db", {"template": "t.json"}, "template is not supported with postgresql"),
    ],
)
def test_an_option_that_the_source_cannot_follow_is_refused(source: str, option: dict[str, str], message: str) -> None:
    with pytest.raises(GermaneError) as told:
        open_engine(source, **option)  # type: ignore[arg-type]
    assert told.value.message == message


PASSWORDS = [
    "postgresql://ann:se/cret@host/db?table=docs&text=body",
    "postgresql://ann:12/cret@host/db?table=docs&text=body",
    "postgresql://ann:cre?t@host/db",
    "postgresql://ann:cret@host/db?table",
    "opensearch+https://ann:cret@host:9200/library",
    "opensearch+https://ann:cret@host:nine/library",
    "opensearch+https://ann:cret@host/library?colour=red",
    "mysql://ann:cret@host/db",
]


@pytest.mark.parametrize("url", PASSWORDS)
def test_no_message_shows_a_password(url: str) -> None:
    with pytest.raises(GermaneError) as told:
        open_engine(url)
    assert "cret" not in str(told.value)
    assert "ann" not in str(told.value)


def test_an_address_gives_up_our_settings_only() -> None:
    address = Address.parse("postgresql://ann@/lib?host=/run/x&table=docs&options=-c%20a%3Db", {"table"})
    assert address.without_settings == "postgresql://ann@/lib?host=%2Frun%2Fx&options=-c%20a%3Db"
