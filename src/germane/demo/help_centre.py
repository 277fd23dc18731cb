"""A small help centre: the articles of a shop for household appliances, and what its customers type.

An article is about one kind of trouble, of one appliance or of all of them. Customers use other words than the shop:
they write hoover for vacuum cleaner. Everything is drawn with one seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

APPLIANCES = {
    "washing machine": ("washing machine", "washer", "laundry machine"),
    "dishwasher": ("dishwasher", "dish washer"),
    "refrigerator": ("fridge", "refrigerator"),
    "vacuum cleaner": ("vacuum cleaner", "hoover", "vacuum"),
    "kettle": ("kettle", "electric kettle"),
    "toaster": ("toaster",),
    "coffee machine": ("coffee machine", "coffee maker", "espresso machine"),
    "microwave": ("microwave", "microwave oven"),
    "steam iron": ("iron", "steam iron"),
    "hair dryer": ("hair dryer", "hairdryer"),
    "fan heater": ("heater", "fan heater"),
    "air purifier": ("air purifier", "air cleaner"),
    "blender": ("blender", "mixer"),
    "robot mower": ("robot mower", "lawn mower"),
}
"""What the shop calls them, and what customers do."""


@dataclass(frozen=True)
class Trouble:
    """What an article is about: its title, its sentences, and how customers put it."""

    title: str
    sentences: tuple[str, str, str]
    asked: tuple[str, ...]
    near: tuple[str, ...] = ()
    """Troubles whose articles help a little."""


TROUBLES = {
    "dead": Trouble(
        "{A} does not switch on",
        (
            "Check that the plug sits firmly and that the socket has power.",
            "If nothing lights up, press the safety button on the back of the {a} for five seconds.",
            "Any {a} that stays dead after that needs a new fuse, or a repair.",
        ),
        ("does not turn on", "no power", "dead", "won't start"),
        ("repair", "error"),
    ),
    "leak": Trouble(
        "Water under the {a}",
        (
            "Switch the {a} off and pull the plug before you wipe up the water.",
            "Most leaks come from a worn seal: turn it by hand and look for cracks.",
            "If the {a} still drips with a new seal, ask for a repair.",
        ),
        ("leaks", "leaking water", "drips"),
        ("parts", "repair"),
    ),
    "noise": Trouble(
        "{A} is louder than usual",
        (
            "Any {a} on an uneven floor shakes and hums: adjust its feet.",
            "A rattle often is a coin or a screw that fell into the housing.",
            "Grinding means that a bearing is worn out, and that the {a} should not be used.",
        ),
        ("loud noise", "rattles", "too loud"),
        ("repair",),
    ),
    "smell": Trouble(
        "Unpleasant smell from the {a}",
        (
            "A new {a} may smell of plastic for the first hours of use; that is harmless.",
            "A smell of burning is not: pull the plug and do not use it again.",
            "A musty smell goes away when the {a} is cleaned with citric acid.",
        ),
        ("smells", "burning smell", "stinks"),
        ("clean", "dead"),
    ),
    "clean": Trouble(
        "Cleaning and descaling the {a}",
        (
            "Descale the {a} once a month where the water is hard, with citric acid and never with vinegar.",
            "Wipe the outside with a damp cloth; sharp cleaners leave marks.",
            "Let all parts dry before you switch the {a} on again.",
        ),
        ("how to clean", "descale", "limescale"),
        ("smell", "filter"),
    ),
    "filter": Trouble(
        "Changing the filter of the {a}",
        (
            "The filter sits behind the flap at the bottom of the {a}.",
            "Rinse it every month and put in a new one twice a year.",
            "A clogged filter makes the {a} slow and loud.",
        ),
        ("change filter", "filter", "where is the filter"),
        ("clean", "parts"),
    ),
    "parts": Trouble(
        "Spare parts for your {a}",
        (
            "Seals, feet, filters and lids can be ordered for ten years after the purchase.",
            "You need the type number, which is on a plate on the back of the {a}.",
            "Parts are sent within three working days.",
        ),
        ("spare parts", "replacement part", "new seal"),
        ("filter", "repair"),
    ),
    "repair": Trouble(
        "Having your {a} repaired",
        (
            "During the guarantee of three years we repair your {a} free of charge.",
            "Print the label, pack the {a} well and bring it to any post office.",
            "A repair takes ten working days; you can follow it in your account.",
        ),
        ("repair", "guarantee", "warranty claim", "broken"),
        ("parts", "return"),
    ),
    "return": Trouble(
        "Returning your {a}",
        (
            "You may send the {a} back within thirty days, even if the box was opened.",
            "Register the return in your account and print the label.",
            "The money is on its way as soon as we have the {a}.",
        ),
        ("return", "send back", "refund", "money back"),
        ("repair",),
    ),
    "first": Trouble(
        "Using the {a} for the first time",
        (
            "Remove all tape and foam, also from the inside of the {a}.",
            "Let it run once without anything in it, to get rid of dust and smell.",
            "The short manual has a picture of every button.",
        ),
        ("manual", "first use", "instructions", "set up"),
        ("clean",),
    ),
    "power": Trouble(
        "How much electricity the {a} needs",
        (
            "The label shows what the {a} uses in a year of average use.",
            "The saving programme takes longer and needs a third less.",
            "On standby the {a} draws less than half a watt.",
        ),
        ("energy use", "power consumption", "watts"),
    ),
    "error": Trouble(
        "Error codes of the {a}",
        (
            "E1 means that no water comes in or that a lid is open, E2 that a sensor is too hot.",
            "Switch the {a} off for a minute to clear the code.",
            "A code that comes back must be looked at: ask for a repair and tell us the code.",
        ),
        ("error code e1", "shows e2", "error"),
        ("dead", "repair"),
    ),
}


REMARKS = (
    "A video in our app shows each step.",
    "Our service answers the phone from eight to six.",
    "Keep the receipt, since you will be asked for it.",
    "Children should not do this on their own.",
    "The older models have a lever instead of a button.",
    "Write to us if this did not help.",
    "You find the type number on the back.",
    "In some countries the rules are different.",
    "It takes about ten minutes and a screwdriver.",
    "Never use force.",
)
"""What articles say besides, about anything."""


@dataclass(frozen=True)
class Article:
    """An article: what it is about, and its words. An article without an appliance is about all of them."""

    id: str
    appliance: str
    trouble: str
    title: str
    text: str


@dataclass(frozen=True)
class Need:
    """What somebody wants to know who types a query; an empty trouble: anything about the appliance."""

    appliance: str
    trouble: str


def articles(seed: int) -> list[Article]:
    """One article for each appliance and trouble, less a few that nobody has written, and one for each trouble."""
    draw = np.random.default_rng(seed)
    found = []
    for trouble, about in TROUBLES.items():
        for appliance in ("", *APPLIANCES):
            written = draw.random() > 0.12
            order = draw.random(3).argsort(kind="stable").tolist()
            besides = [remark for remark in REMARKS if draw.random() < 0.2]
            also = list(TROUBLES)[int(draw.integers(len(TROUBLES)))]
            if written or not appliance:
                name = appliance or "device"
                sentences = [*(about.sentences[i].format(a=name) for i in order), *besides]
                other = TROUBLES[also].title.format(A=name.capitalize(), a=name)
                words = f" Customers also say: {', '.join(APPLIANCES[appliance])}." if appliance else ""
                title = about.title.format(A=name.capitalize(), a=name)
                text = f"{' '.join(sentences)} See also: {other}.{words}"
                found.append(Article(f"{trouble}-{name.replace(' ', '-')}", appliance, trouble, title, text))
    return found


def queries(seed: int) -> Iterator[tuple[str, Need, int]]:
    """What customers type, what they want by it, and how often it was typed."""
    draw = np.random.default_rng(seed)
    for appliance, called in APPLIANCES.items():
        yield called[0], Need(appliance, ""), 20 + int(draw.integers(60))
        for trouble, about in TROUBLES.items():
            for name in called:
                for words in about.asked:
                    if draw.random() < 0.16:
                        text = f"{words} {name}" if draw.random() < 0.3 else f"{name} {words}"
                        yield text, Need(appliance, trouble), 1 + int(40 * draw.random() ** 4)


def grade(need: Need, article: Article) -> int:
    """2: the answer; 1: of some use; 0: none."""
    if not need.trouble:
        return 1 if article.appliance == need.appliance else 0
    if article.trouble == need.trouble:
        return 2 if article.appliance == need.appliance else 0 if article.appliance else 1
    near = article.trouble in TROUBLES[need.trouble].near
    return 1 if near and article.appliance == need.appliance else 0
