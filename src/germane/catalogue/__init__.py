"""Things with a name and parameters: one grammar, one parser, one printer and one page for all of them.

    thing    = name [ "(" argument { "," argument } ")" ] [ "@" number ]
    argument = key "=" value | value          without a key only the first, where the entry names its first parameter
    value    = number | word | thing          brackets nest; quotes around a value are dropped

Names and choices are read in any case, with ``-``, ``_`` and blanks alike; keys are exact. A parameter is given once,
and one at its default is not printed. What is printed, read again, is the same thing to the last bit.
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
