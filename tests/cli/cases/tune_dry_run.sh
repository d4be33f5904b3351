# SPDX-License-Identifier: GPL-3.0-or-later
opevo tune mm1 --on sim:gtx1080ti --dry-run --store runs.db --set q=0.25 --seconds 60
ls
