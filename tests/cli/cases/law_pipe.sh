# SPDX-License-Identifier: GPL-3.0-or-later
# A reader that stops early is nobody's error.
opevo law 'discrete(1,2,3)' | head -n 1
