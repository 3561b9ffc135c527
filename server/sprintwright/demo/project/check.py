"""Run the tests and print each failure as ``path:line: error: message``, as compilers do."""

import sys
import traceback
import unittest
from pathlib import Path
from types import TracebackType

HERE = Path(__file__).resolve().parent
Problem = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]


class Result(unittest.TestResult):
    def addError(self, test: unittest.TestCase, err: Problem) -> None:
        self.report(test, err)
        super().addError(test, err)

    addFailure = addError

    def report(self, test: unittest.TestCase, err: Problem) -> None:
        frames = [f for f in traceback.extract_tb(err[2]) if Path(f.filename).is_relative_to(HERE / "tests")]
        place = f"{Path(frames[0].filename).relative_to(HERE)}:{frames[0].lineno}" if frames else "check.py:1"
        message = " ".join(str(err[1]).split()) or type(err[1]).__name__
        print(f"{place}: error: {test.id().rpartition('.')[2]}: {message}")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    suite = unittest.defaultTestLoader.discover(str(HERE / "tests"), top_level_dir=str(HERE / "tests"))
    result = suite.run(Result())
    print(f"{result.testsRun} tests, {len(result.failures) + len(result.errors)} failed")
    sys.exit(not result.wasSuccessful())
