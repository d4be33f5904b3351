# SPDX-License-Identifier: GPL-3.0-or-later
"""What the three notebooks share: the program or its recorded answers, and the look of the figures."""

import json
import os
import pathlib
import sys

import pandas as pd

FOLDER = pathlib.Path(__file__).resolve().parent

try:
    import opevo
except ImportError:  # Not installed: the one beside this folder.
    sys.path.append(str(FOLDER.parent / "cli" / "python"))
    import opevo

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
BLUE, ORANGE, GREEN, PURPLE, SKY, RED, YELLOW, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#777777")
TOPOLOGIES = {"prime-move": (BLUE, "-", "o"), "any-divisor": (ORANGE, "--", "s"),
              "complete": (GREEN, "-.", "D")}


def find_program():
    """The program: $OPEVO, else the one built beside this folder, else the package's, else None."""
    built = FOLDER.parent / "build" / "opevo"
    if not os.environ.get("OPEVO") and os.access(built, os.X_OK):
        os.environ["OPEVO"] = str(built)
    try:
        return opevo.program()
    except opevo.Error:
        return None


PROGRAM = find_program()


def call(*words):
    """What opevo.call gives; without the program, the recorded answer of the same command."""
    if PROGRAM:
        return opevo.call(*words)
    return json.loads((FOLDER / "answers.json").read_text())[" ".join(words)]


def law(parameter, start=None, q=0.5):
    """What opevo.law gives; without the program, from the recorded answer of the same command."""
    if PROGRAM:
        return opevo.law(parameter, start, q)
    where = ["--start", ",".join(map(str, start))] if start else []
    answer = call("law", parameter, *where, "--q", str(q))
    values = [tuple(row["value"]) if start else row["value"] for row in answer["law"]]
    index = pd.Index(values, tupleize_cols=False)
    found = pd.Series([row["p"] for row in answer["law"]], index=index)
    found.attrs = {"bound": answer["bound"], "start": start or answer["start"]}
    return found


def where():
    """One sentence: where small answers come from."""
    if PROGRAM:
        return f"Small answers are computed now, by opevo {opevo.version()}."
    return "The program opevo was not found: small answers are read from answers.json."


def style():
    """The look of all figures."""
    import matplotlib.pyplot as plt

    plt.rcParams.update({
        "figure.dpi": 96, "figure.constrained_layout.use": True, "font.size": 10.5,
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
        "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.axisbelow": True,
        "axes.titlesize": 11, "axes.titlelocation": "left", "legend.frameon": False,
        "lines.linewidth": 1.8, "lines.markersize": 5})
    return plt
