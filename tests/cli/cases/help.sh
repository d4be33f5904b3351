# SPDX-License-Identifier: GPL-3.0-or-later
opevo help
opevo --version
opevo help law | head -n 1
opevo law --help | head -n 1
opevo man | head -n 1
opevo -V
opevo
echo $?
opevo tun
echo $?
