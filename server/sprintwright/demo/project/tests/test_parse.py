"""What ``parse`` promises."""

import unittest

from durations import parse


class Parse(unittest.TestCase):
    def test_one_unit(self) -> None:
        self.assertEqual(parse("2m"), 120)

    def test_a_plain_number_is_seconds(self) -> None:
        self.assertEqual(parse("90"), 90)

    def test_hours_and_minutes(self) -> None:
        self.assertEqual(parse("1h30m"), 5400)

    def test_nonsense_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            parse("soon")
