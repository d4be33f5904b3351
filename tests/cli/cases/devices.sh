# SPDX-License-Identifier: GPL-3.0-or-later
# What a machine has differs; that each kind has at least a line does not.
for kind in cpu cuda hip opencl; do opevo devices | grep -o "^$kind" | sort -u; done
opevo devices --json | grep -c '"device": "cpu", "present": true'
# Whether its energy can be read depends on who asks; that each device says so does not.
opevo devices | grep -c '^        energy by RAPL$\|^        no energy: .' | grep -c '^[1-9]'
opevo devices --json | grep -c '"present": true.*"energy": true, "energy_by": "\|"present": true.*"energy": false, "energy_missing": "\|"present": false.*"energy": false}' |
    grep -cx "$(opevo devices --json | grep -c '"device"')"
