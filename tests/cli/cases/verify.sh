# SPDX-License-Identifier: GPL-3.0-or-later
opevo verify --draws 100000 --seed 1 --json | grep -c '"rejected": false, "detectable"'
