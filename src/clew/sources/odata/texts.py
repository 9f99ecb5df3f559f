"""Texts from a description are data: invisible characters are taken out and named, and length is bounded."""

import re

TEXT_LIMIT = 4000
_NAMED = 24
# Controls, marks of direction, zero widths, fillers, tags, and variation selectors, which can hide a text in a text.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def clean_text(text: str) -> tuple[str, str]:
    r"""Gives the text as it may be shown, and what was done to it in words; nothing is said where nothing was done.

    >>> clean_text("Row\u200b id")
    ('Row id', 'the invisible U+200B was taken out')
    """
    done: list[str] = []
    if not text.isascii() or not text.isprintable():
        found = dict.fromkeys(_INVISIBLE.findall(text))
        if found:
            text = _INVISIBLE.sub("", text)
            shown = ", ".join(f"U+{ord(character):04X}" for character in sorted(found)[:_NAMED])
            done.append(f"the invisible {shown} {'was' if len(found) == 1 else 'were'} taken out")
    if len(text) > TEXT_LIMIT:
        done.append(f"it was cut to {TEXT_LIMIT} of {len(text)} characters")
        text = text[:TEXT_LIMIT]
    return text, " and ".join(done)
