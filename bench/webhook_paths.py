"""Every wrong value at every path of every kind: ``python -m bench.webhook_paths``, some minutes of one core.

The tests try two values at each path; here all are. The answer is findings or nothing, never a rule that fails.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "webhook"))

from hostile_paths import WRONG, try_all

from raylint.admission import KINDS
from raylint.admission_setup import admission_of


def main() -> None:
    admission = admission_of("")
    began = time.process_time()
    reviews = 0
    for kind in KINDS:
        tried, told = try_all(admission, kind, len(WRONG))
        reviews += tried * len(WRONG)
        print(f"{kind}: {tried} paths, {tried * len(WRONG)} reviews, {told} with findings", flush=True)
    print(f"{reviews} reviews, no rule failed; {time.process_time() - began:.0f} s of CPU time")


if __name__ == "__main__":
    main()
