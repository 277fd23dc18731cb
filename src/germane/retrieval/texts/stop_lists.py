"""Named stop lists: words that carry no topical meaning."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from germane.errors import InputError

LUCENE = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
will with
"""

# English function words by class. The parts of contractions ("don't" is read as don and t) come last.
ENGLISH = """
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one oneself who whom whose which what whatever whoever whichever
someone somebody something anyone anybody anything everyone everybody everything nobody nothing none
am is are was were be been being have has had having do does did doing done
can could may might must shall should will would ought cannot
and or but nor so yet if then else because although though unless until while whereas whether than as since
about above across after against along among amongst around at before behind below beneath beside besides between
beyond by despite down during except for from in inside into like near of off on onto out outside over past per
through throughout to toward towards under underneath upon up via with within without
not no yes here there where when why how again once also too very just only even ever never always often sometimes
now still already almost quite rather perhaps however therefore thus hence moreover furthermore meanwhile
all any both each either neither every few many more most much other another others some such several same own less
least enough
don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn mustn ll ve re s t d m
"""


@dataclass(frozen=True)
class StopList:
    """A named list of stop words."""

    name: str
    words: frozenset[str]

    def __repr__(self) -> str:
        return f"<StopList {self.name}: {len(self.words)} words>"


STOP_LISTS = {
    "lucene": StopList("lucene", frozenset(LUCENE.split())),
    "english": StopList("english", frozenset(ENGLISH.split())),
}
"""Built-in stop lists: the 33 words of Lucene's English analyser, and the function words of English."""


def stop_list_of(words: Iterable[str], label: str) -> StopList:
    """Return a custom stop list. Its name ends with a hash of its words, so that a name never means two lists.

    >>> stop_list_of(["the", "of"], "mine").name
    'mine-a381d70250aa'
    """
    distinct = frozenset(words)
    digest = hashlib.sha256("\n".join(sorted(distinct)).encode()).hexdigest()[:12]
    return StopList(f"{re.sub(r'[^A-Za-z0-9_.]+', '_', label)}-{digest}", distinct)


def read_stop_list(path: str | Path) -> StopList:
    """Read a stop list from a UTF-8 file: words separated by white space; lines that start with # are comments."""
    where = Path(path)
    try:
        lines = where.read_text(encoding="utf-8-sig").splitlines()
    except OSError as problem:
        raise InputError(where, None, f"cannot read the stop list: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        found = f"found the byte {problem.object[problem.start]:#04x} at {problem.start}"
        raise InputError(where, None, f"expected UTF-8, {found}", hint="save the file as UTF-8") from problem
    words = [word for line in lines if not line.lstrip().startswith("#") for word in line.split()]
    if not words:
        raise InputError(
            where, None, "expected one word per line, found none", hint="to keep all words, use the stop list none"
        )
    return stop_list_of(words, where.name)
