# SPDX-License-Identifier: GPL-3.0-or-later
opevo tune mm1 --on sim:gtx1080ti --trials 300 --json --threads 1 >one
opevo tune mm1 --on sim:gtx1080ti --trials 300 --json --threads 2 >two
cmp one two && echo same
opevo tune mm1 --on sim:gtx1080ti --trials 100 --runs 8 --json --threads 1 >one
opevo tune mm1 --on sim:gtx1080ti --trials 100 --runs 8 --json --threads 2 >two
cmp one two && echo same
