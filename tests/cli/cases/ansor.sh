# SPDX-License-Identifier: GPL-3.0-or-later
# The tuner ansor on a landscape: its model sees parameters, and says so; a run in parts is the whole run; the searches of
# its ablation; a search that ends by itself.
search() { opevo tune mm1 --on sim:gtx1080ti --tuner ansor --set population=200 "$@" | sed 's/ with XGBoost [0-9.]*//'; }
tune() { search --set trees=20 "$@"; }
tune --dry-run --set innermost=32 
tune --trials 300 --json --threads 2 --quiet >whole
tune --trials 150 --store runs.db --json --quiet >part
tune --trials 300 --store runs.db --json --quiet >rest
sed 's/"resumed": [0-9]*/"resumed": 0/' rest | cmp - whole
search --trials 300 --set search=random --quiet --json | grep -c '"trials": 300'
tune --trials 300 --set search=beam --quiet --json | grep -c '"trials": 300'
search --set search=random --set patience=60 --quiet
opevo tune mm1 --on sim:gtx1080ti --tuner ansor --set search=annealing
