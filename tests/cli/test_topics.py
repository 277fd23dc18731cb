import gzip
from pathlib import Path

from click.testing import CliRunner

from germane.cli.commands.topics import command
from germane.errors import GermaneError, InputError
from germane.formats.truth.topics_file import read_topics

LOG = b"bm25\nBM25 \npool  depth\nkappa\n"


def test_a_sample_is_printed_between_tabs_and_states_its_seed() -> None:
    result = CliRunner().invoke(command, ["sample", "-", "-n", "3", "--seed", "1", "--counts"], input=LOG)
    assert result.exit_code == 0
    assert sorted(line.split("\t")[1:] for line in result.stdout.splitlines()) == [
        ["bm25", "2"],
        ["kappa", "1"],
        ["pool depth", "1"],
    ]
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["1", "2", "3"]
    assert result.stderr == "sampled 3 of 3 distinct queries (total frequency 4), seed 1\n"


def test_without_counts_it_is_a_file_of_topics_which_is_not_replaced_unasked(tmp_path: Path) -> None:
    made = tmp_path / "topics.tsv"
    words = ["sample", "-", "-n", "3", "--seed", "1"]
    printed = CliRunner().invoke(command, words, input=LOG).stdout
    assert CliRunner().invoke(command, [*words, "-o", str(made)], input=LOG).stdout == ""
    assert made.read_text() == printed
    assert {(topic.title, topic.description) for topic in read_topics(made).values()} == {
        ("bm25", ""),
        ("kappa", ""),
        ("pool depth", ""),
    }
    again = CliRunner().invoke(command, [*words, "-o", str(made)], input=LOG)
    assert isinstance(again.exception, GermaneError)
    assert "file already exists" in str(again.exception)
    assert (
        CliRunner().invoke(command, ["sample", "-", "-n", "1", "-o", str(made), "--overwrite"], input=LOG).exit_code
        == 0
    )
    assert len(made.read_text().splitlines()) == 1


def test_compressed_logs_and_repeatable_samples(tmp_path: Path) -> None:
    path = tmp_path / "log.gz"
    path.write_bytes(gzip.compress(b"".join(b"query %d\t%d\n" % (i, i) for i in range(1, 100))))
    outputs = [
        CliRunner().invoke(command, ["sample", str(path), "-n", "5", "--seed", seed]).stdout for seed in ("3", "3", "4")
    ]
    assert outputs[0] == outputs[1] != outputs[2]
    assert len(outputs[0].splitlines()) == 5


def test_all_queries_may_have_the_same_chance(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("common\t1000000000\n" + "".join(f"rare {i}\t1\n" for i in range(20)))
    weighted = CliRunner().invoke(command, ["sample", str(path), "-n", "1", "--counts"]).stdout
    assert weighted == "1\tcommon\t1000000000\n"
    drawn = {
        CliRunner().invoke(command, ["sample", str(path), "-n", "1", "--uniform", "--seed", str(seed)]).stdout
        for seed in range(5)
    }
    assert len(drawn) > 1


def test_a_log_that_is_wrong_and_a_size_that_is_none() -> None:
    result = CliRunner().invoke(command, ["sample", "-"], input=b"bm25\tmany\n")
    assert isinstance(result.exception, InputError)
    assert str(result.exception).startswith("<stdin>:1: expected the count of the query")
    assert CliRunner().invoke(command, ["sample", "-", "-n", "0"], input=LOG).exit_code == 2
