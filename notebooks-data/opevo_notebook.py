# SPDX-License-Identifier: GPL-3.0-or-later
"""What the three notebooks share: the program, the recorded data, the look of the figures."""

import json
import os
import pathlib
import shlex
import shutil
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
BLUE, ORANGE, GREEN, PURPLE, SKY, RED, YELLOW, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#777777")
TOPOLOGIES = {"prime-move": (BLUE, "-", "o"), "any-divisor": (ORANGE, "--", "s"),
              "complete": (GREEN, "-.", "D")}


def find_program():
    """The program: $OPEVO, else the one built beside this folder, else the one on the PATH, else None."""
    named = os.environ.get("OPEVO")
    if named:
        return shutil.which(named)
    built = FOLDER.parent / "build" / "opevo"
    return str(built) if os.access(built, os.X_OK) else shutil.which("opevo")


PROGRAM = find_program()


def run(command, seconds=60):
    """(exit status, stdout, stderr) of `opevo COMMAND`; status None where the program is missing or too slow."""
    if not PROGRAM:
        return None, "", ""
    try:
        done = subprocess.run([PROGRAM, *shlex.split(command)], cwd=FOLDER, text=True, timeout=seconds,
                              stdin=subprocess.DEVNULL, capture_output=True)
    except (OSError, subprocess.TimeoutExpired):
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def ask(command):
    """The JSON object that `opevo COMMAND --json` prints, or where the program is missing, the recorded
    one of the same command from answers.json."""
    if PROGRAM:
        status, text, message = run(command + " --json")
        if status != 0:
            raise RuntimeError(f"opevo {command} --json: exit status {status}\n{message}")
        return json.loads(text)
    return json.loads((FOLDER / "answers.json").read_text())[command]


def where():
    """One sentence: where small answers come from."""
    if PROGRAM:
        return "Small answers are computed now, by " + run("--version")[1].strip() + "."
    return "No opevo was found: small answers are read from answers.json."


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
