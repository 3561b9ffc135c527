"""Durations as people write them."""

UNITS = {"h": 3600, "m": 60, "s": 1}


def parse(text: str) -> int:
    """Seconds in a duration such as ``90``, ``45s``, ``2m`` or ``1h30m``."""
    text = text.strip().lower()
    if text[-1].isdigit():
        return int(text)
    return int(text[:-1]) * UNITS[text[-1]]
