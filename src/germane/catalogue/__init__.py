"""Catalogues of named things with parameters, such as measures and models: one grammar, parser, printer and page.

    thing    = name [ "(" argument { "," argument } ")" ] [ "@" number ]
    argument = key "=" value | value          only the first may omit its key, if the entry allows it
    value    = number | word | thing          brackets nest; quotes around a value are dropped

Names and choices ignore case, and treat ``-``, ``_`` and spaces as equal; keys are exact. Each parameter may be given
once, and one at its default is not printed. Parsing what was printed gives exactly the same thing.
"""

from germane.catalogue.catalogue import Catalogue, Written, nearest_entry
from germane.catalogue.entry import Entry, sections_of, summary_of
from germane.catalogue.parameters import REQUIRED, Choice, Count, Parameter, Positive, Probability, Range, Share, Weight
from germane.catalogue.spelling import fold, given_once, known_name, pick, spell, split, written

__all__ = [
    "REQUIRED",
    "Catalogue",
    "Choice",
    "Count",
    "Entry",
    "Parameter",
    "Positive",
    "Probability",
    "Range",
    "Share",
    "Weight",
    "Written",
    "fold",
    "given_once",
    "known_name",
    "nearest_entry",
    "pick",
    "sections_of",
    "spell",
    "split",
    "summary_of",
    "written",
]
