"""Grids of test parameters: a few points in every run, all of them in CI."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest


def grid(points: Iterable[Any], always: Callable[[Any], bool] | Collection[Any]) -> list[Any]:
    """Every point; those that are not ``always`` run have the mark `exhaustive`."""
    is_always = always if callable(always) else always.__contains__
    return [point if is_always(point) else pytest.param(point, marks=pytest.mark.exhaustive) for point in points]
