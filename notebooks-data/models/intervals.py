# SPDX-License-Identifier: GPL-3.0-or-later
"""Means with intervals of Student's t at 95 %, as the tables of docs/results/tree-gru.md print them, and random search
among recorded sketches.
"""

import csv
import io
import lzma
import math
import pathlib
import statistics

RECORDINGS = pathlib.Path(__file__).resolve().parent.parent / "cpu-sketches"


def student_below(x, freedom):
    """P(T <= x) for x >= 0, by Simpson's rule on the density."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    steps = 2000
    total = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * (1 + (x * i / steps) ** 2 / freedom) **
                (-(freedom + 1) / 2) for i in range(steps + 1))
    return 0.5 + scale * total * x / steps / 3


def student_quantile(freedom):
    """t with P(|T| <= t) = .95, by bisection."""
    low, high = 0.0, 16.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if student_below(middle, freedom) < 0.975 else (low, middle)
    return high


def paired(differences):
    """Mean and half of the interval."""
    half = student_quantile(len(differences) - 1) * statistics.stdev(differences) / math.sqrt(len(differences))
    return statistics.mean(differences), half


def welch(first, second):
    """Mean of first - second and half of the interval; degrees of freedom are rounded down."""
    parts = [statistics.variance(values) / len(values) for values in (first, second)]
    if sum(parts) == 0:
        return statistics.mean(first) - statistics.mean(second), 0.0
    freedom = sum(parts) ** 2 / sum(part ** 2 / (len(values) - 1) for part, values in zip(parts, (first, second)))
    return (statistics.mean(first) - statistics.mean(second),
            student_quantile(max(1, math.floor(freedom))) * math.sqrt(sum(parts)))


def short(value, digits=2):
    """0.123 as .12."""
    text = f"{abs(value):.{digits}f}"
    return ("-" if value < 0 else "") + (text[1:] if text.startswith("0.") else text)


def signed(value):
    return ("-" if value < 0 else "+") + short(abs(value))


def interval(mean, half):
    return f"{signed(mean)} ({signed(mean - half)} to {signed(mean + half)})"


def recorded(name):
    with lzma.open(RECORDINGS / (name + ".csv.xz"), "rt") as file:
        return [float(row["gflops"] or 0) for row in csv.DictReader(io.StringIO(file.read()))]


def random_best(values, count):
    """Mean of the best of `count` distinct values."""
    ordered = sorted(values)
    return sum(value * math.comb(i, count - 1) for i, value in enumerate(ordered)) / math.comb(len(ordered), count)
