# SPDX-License-Identifier: GPL-3.0-or-later
opevo space mm1
