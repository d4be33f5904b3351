# SPDX-License-Identifier: GPL-3.0-or-later
# A search of edits, resumed, on any number of workers; what it finds is applied, reduced, explained and emitted.
command -v opevo-evolver >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
value() { grep -o "\"$1\": [^,}]*" "$2" | head -n 1 | cut -d ' ' -f 2-; }
opevo evolve planted --trials 300 --seed 1 --store runs.db --jobs 1 --json >first.json
opevo evolve planted --trials 300 --seed 1 --store runs.db --jobs 3 --json >again.json
opevo evolve planted --trials 300 --seed 1 --jobs 3 --json >anew.json
echo "resumed $(value resumed again.json) of $(value trials again.json)"
alike() { sed 's/"resumed": [0-9]*/"resumed": 0/; s/"workers": \[[^]]*\], //' "$1"; }
alike first.json >first
alike again.json | cmp - first && alike anew.json | cmp - first && echo same
for told in first again anew; do # by each worker
    grep -o '"state": "[a-z]*", "measured": [0-9]*, "faults": [0-9]*' $told.json |
        awk -v told=$told '{ n++; m += $4; f += $6 } END { print told ": " n " workers, " m " measured, " f " faults" }'
done
value fraction_of_base first.json | awk '{ print ($1 > 0.2 && $1 < 0.6) ? "gained" : $1 }'
for tuner in climb random; do
    opevo evolve planted --tuner "$tuner" --trials 60 --seed 1 --quiet --json >"$tuner.json"
    value fraction_of_base "$tuner.json" | awk '{ print ($1 > 0.2 && $1 <= 1) ? "valid" : $1 }'
done
value edits first.json | tr -d '"' >best.edits
opevo edits apply planted @best.edits --json >applied.json
[ "$(value fraction_of_base applied.json)" = "$(value fraction_of_base first.json)" ] && echo "as found"
opevo edits minimise planted @best.edits --json >least.json
value edits least.json | tr -d '"' >least.edits
opevo edits explain planted @least.edits --svg graph.svg >explained
grep -c '^<svg' graph.svg
opevo edits emit planted @least.edits --out variant.ll
opevo edits apply variant.ll none --harness "$(dirname "$(command -v opevo)")/kernels/planted.json" | grep -c 'of the base; error 0$'
opevo edits emit planted none --form diff | grep -c '^[-+] '
for form in ptx amdgcn-ll amdgcn cpu-ll cpu-object; do opevo edits emit planted @least.edits --form "$form" --out "v.$form"; done
grep -c '^\.visible \.entry planted' v.ptx
# The list in the help is one of this kernel.
opevo help edits | sed -n "s/^ *opevo edits apply planted.ll '\(.*\)'$/\1/p" >help.edits
opevo edits apply planted @help.edits | grep -c 'of the base; error 0$'
opevo edits apply planted 'delete U27 with=U13'; echo "status $?"
