#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""compare.py A B [PAIRS]: run two programs that print "X ms" in turns, and print the median of A's time divided by B's,
with a 95 % interval from order statistics (the number of pairs below the median is binomial)."""

import math
import re
import statistics
import subprocess
import sys


def time_of(program):
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"([0-9.]+) ms", output)[1])


def rank_of(count):
    """The largest rank r such that fewer than r of `count` fair coins are heads with probability at most 2.5 %."""
    below, rank = 0.0, 0
    while below + math.comb(count, rank) / 2**count <= 0.025:
        below += math.comb(count, rank) / 2**count
        rank += 1
    return rank


def main(first, second, pairs="51"):
    ratios, times = [], []
    for i in range(int(pairs)):
        order = [first, second] if i % 2 else [second, first]
        measured = {program: time_of(program) for program in order}
        times.append((measured[first], measured[second]))
        ratios.append(measured[first] / measured[second])
    ratios.sort()
    rank = rank_of(len(ratios))
    print(f"{statistics.median(a for a, _ in times):.3f} ms, {statistics.median(b for _, b in times):.3f} ms, "
          f"ratio {statistics.median(ratios):.3f} ({ratios[rank - 1]:.3f} to {ratios[-rank]:.3f}), {len(ratios)} pairs")


if __name__ == "__main__":
    main(*sys.argv[1:])
