# SPDX-License-Identifier: GPL-3.0-or-later
# What a machine has differs; that each kind has at least a line does not.
for kind in cpu cuda hip; do opevo devices | grep -o "^$kind" | sort -u; done
opevo devices --json | grep -c '"device": "cpu", "present": true'
