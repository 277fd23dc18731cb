"""trec_eval's own regression tests, byte for byte, in both versions."""

import io
from pathlib import Path

import pytest

from germane.measures.foreign_names import TrecVersion
from germane.trec_eval import main

MEASURES_WITH_PARAMETERS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35"
    " -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4"
    " -msuccess.2,5,20 qrels.test results.test"
)
IN_BOTH = [
    # arguments                                                                 prints
    ("qrels.test results.test", "out.test"),
    ("-m all_trec qrels.test results.test", "out.test.a"),
    ("-m all_trec -q qrels.test results.test", "out.test.aq"),
    ("-m all_trec -q -c qrels.test results.trunc", "out.test.aqc"),
    ("-m all_trec -q -c -M100 qrels.test results.trunc", "out.test.aqcM"),
    ("-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test", "out.test.aql"),
    ("-m all_prefs -q -R prefs prefs.test prefs.results.test", "out.test.prefs"),
    ("-m all_prefs -q -R qrels_prefs qrels.test results.test", "out.test.qrels_prefs"),
    ("-m qrels_jg -q -R qrels_jg qrels.123 results.test", "out.test.qrels_jg"),
    (MEASURES_WITH_PARAMETERS, "out.test.meas_params"),
]
ONLY_IN_9 = [("-q -m all_trec -Z v9.0.8/zscores_file qrels.test results.test", "out.test.aqZ")]
ONLY_IN_10 = [
    ("-q -m all_trec -Z zscores_file qrels.test results.test", "out.test.aqZ"),
    ("qrels.test.with-comments results.test", "out.test"),
    ("qrels.comment.test results.comment.test", "out.comment.test"),
    ("-m all_prefs -q -R prefs prefs.comment.test prefs.results.test", "out.test.prefs"),
    ("-m qrels_jg -q -R qrels_jg qrels.comments.123 results.test", "out.test.qrels_jg"),
]
CASES = [
    *((9, "v9.0.8", *case) for case in [*IN_BOTH, *ONLY_IN_9]),
    *((10, "v10.0", *case) for case in [*IN_BOTH, *ONLY_IN_10]),
]


@pytest.mark.shared
@pytest.mark.parametrize(("version", "outputs", "arguments", "expected"), CASES)
def test_regression(
    version: TrecVersion, outputs: str, arguments: str, expected: str, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shared / "data" / "trec_eval")
    stdout, stderr = io.BytesIO(), io.StringIO()
    assert main(arguments.split(), stdout, stderr, version=version) == 0
    assert stderr.getvalue() == ""
    assert stdout.getvalue().decode() == Path(outputs, expected).read_text()
