#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The flags and parameters of gcc's optimisers as a search space, and gcc with a point of it.

gcc_flags.py space [-O3] [--flags-only]   print a space file: what this gcc lists and accepts
gcc_flags.py start SPACE                  print the configuration of a space file that is -O3 alone
gcc_flags.py show CONFIG                  print the flags of a configuration, a JSON object
gcc_flags.py cc CONFIG ARGUMENT...        run gcc with them and the arguments

The compiler is $CC, or gcc. The level -O3 is the start of all three: a flag or parameter that a
configuration leaves at "default" is what it is there.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

LEVEL = "-O3"
# Of warnings, reports, checkers, profiles, other languages, debug information and the compiler's own memory.
IRRELEVANT = re.compile("analyzer|asan|hash|ggc|lto|vartrack|logging|feedback|fdo|profile|parloops|debug|ssp|uninit"
                        "|stack-clash|comdat|openacc|branch-probabilities|opt-info|exceptions|unwind|record")


def compiler():
    return os.environ.get("CC", "gcc")


def ask(*options):
    result = subprocess.run([compiler(), *options], capture_output=True, text=True, check=True)
    return result.stdout


def accepts(flag):
    """Whether an empty file compiles with the flag, without a word."""
    result = subprocess.run([compiler(), LEVEL, flag, "-S", "-x", "c", "/dev/null", "-o", "/dev/null"],
                            capture_output=True, text=True)
    return result.returncode == 0 and not result.stderr


def switches():
    """Flags that are on or off, as --help=optimizers lists them: (flag, it is on at this level)."""
    for line in ask("-Q", LEVEL, "--help=optimizers").splitlines():
        match = re.fullmatch(r"\s+-f([a-z0-9-]+)\s+\[(enabled|disabled)\]", line)
        if match and not match[1].startswith("no-") and not IRRELEVANT.search(match[1]):
            yield match[1], match[2] == "enabled"


def parameters():
    """Parameters as --help=params lists them: (name, default, least, most or None)."""
    for line in ask("-Q", LEVEL, "--help=params").splitlines():
        match = re.fullmatch(r"\s+--param=([a-z0-9-]+)=(?:<(\d+),(\d+)>)?\s+(\d+)", line)
        if match and not IRRELEVANT.search(match[1]):
            yield match[1], int(match[4]), int(match[2] or 0), int(match[3]) if match[3] else None


def values_of(default, least, most):
    """The default, and a few values around it by powers of two."""
    wanted = {default // 16, default // 4, default // 2, default, 2 * default, 4 * default, 16 * default}
    if default == 0:
        wanted |= {1, 4, 16}
    return sorted({value for value in wanted if least <= value and (most is None or value <= most)})


def make_space(with_parameters):
    wanted = [(f"f_{name.replace('-', '_')}", "choice", ["default", "off" if is_on else "on"],
               f"-f{'no-' if is_on else ''}{name}") for name, is_on in switches()]
    for name, default, least, most in parameters() if with_parameters else ():
        values = values_of(default, least, most)
        if len(values) > 1:
            wanted.append((f"p_{name.replace('-', '_')}", "discrete", values, f"--param={name}={values[-1]}"))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        accepted = list(pool.map(lambda entry: accepts(entry[3]), wanted))
    return {name: {"_type": kind, "_value": values}
            for (name, kind, values, _), is_accepted in zip(wanted, accepted) if is_accepted}


def parameter_defaults():
    return {name.replace("-", "_"): default for name, default, _, _ in parameters()}


def flags_of(configuration):
    defaults = parameter_defaults()
    for name, value in configuration.items():
        option = name[2:].replace("_", "-")
        if name.startswith("p_"):
            if value != defaults.get(name[2:]):
                yield f"--param={option}={value}"
        elif value != "default":
            yield f"-f{'no-' if value == 'off' else ''}{option}"


def start_of(space):
    defaults = parameter_defaults()
    for name, parameter in space.items():
        yield f"{name}={'default' if parameter['_type'] == 'choice' else defaults[name[2:]]}"


def main(arguments):
    if arguments[:1] == ["space"]:
        json.dump(make_space("--flags-only" not in arguments), sys.stdout, indent=1)
        print()
    elif len(arguments) == 2 and arguments[0] == "start":
        with open(arguments[1]) as file:
            print(" ".join(start_of(json.load(file))))
    elif len(arguments) >= 2 and arguments[0] == "show":
        print(" ".join([LEVEL, *flags_of(json.loads(arguments[1]))]))
    elif len(arguments) >= 2 and arguments[0] == "cc":
        command = [compiler(), LEVEL, *flags_of(json.loads(arguments[1])), *arguments[2:]]
        os.execvp(command[0], command)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
