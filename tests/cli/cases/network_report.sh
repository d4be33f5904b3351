# SPDX-License-Identifier: GPL-3.0-or-later
# A convolution of 1 x 1 with weights, and a Relu: what the report of its store says of memory and latency is what the
# library has and `opevo network` prints.
printf '\010\007\072\223\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\000\277\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001y\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >model.onnx
emit() { opevo network model.onnx --on cpu --threads 1 --finals 0 --quiet --store runs.db -o library "$@"; }
member() { grep -o "\"$1\": [^,}]*" | head -n 1 | sed 's/.*: //'; }
emit --trials 6 >printed
opevo report runs.db -o report.html >/dev/null
sed -n '/"networks": \[/,/"edits": /p' report.html >networks
grep -o '"name": "model.onnx", "network": true, "aim": "sum"' networks
grep -o '"name": "Conv+Relu (0)"' networks
# The best kernel of the store is that of the library.
arena=$(sed -n 's/#define ARENA_BYTES //p' library/net.c)
packed=$(sed -n 's/#define PACKED_BYTES //p' library/net.c)
scratch=$(sed -n '/shared, and of each thread/,/};/s/^ *{\([0-9]*\), \([0-9]*\)},$/\1 \2/p' library/net.c |
    awk '{ if ($1 + $2 > most) most = $1 + $2 } END { print most + 0 }')
[ "$(grep -o '"after": {[^}]*' networks | member bytes)" = $((arena + $(wc -c <library/weights.bin) + packed + scratch)) ] ||
    echo "other memory than that of the library"
predicted=$(sed -n 's/.*predicted latency: \([0-9.]*\) us/\1/p' printed)
[ -z "$predicted" ] && predicted=$(sed -n 's/.*predicted latency: \([0-9.]*\) ns/\1/p' printed | awk '{ print $1 / 1e3 }')
awk -v a="$(grep -o '"after": [0-9][^,]*' networks | member after)" -v b="$predicted" \
    'BEGIN { print (a * 1e6 / b > 1 - 1e-5 && a * 1e6 / b < 1 + 1e-5 ? "the latency that was printed" : a " for " b) }'
# The same again changes nothing.
emit --trials 6 >/dev/null
opevo report runs.db -o report.html >/dev/null
sed -n '/"networks": \[/,/"edits": /p' report.html | cmp - networks
# Another tuner makes another line; analyze and runs take it too.
emit --trials 4 --tuner random >/dev/null
opevo report runs.db -o report.html >/dev/null
grep -c '"name": "model.onnx"' report.html
# The shapes that the call gives are in the name: the network at others is another.
emit --trials 4 --shape x=1,2,6,6 >/dev/null
opevo report runs.db -o report.html >/dev/null
grep -o '"name": "model.onnx, x=1,2,6,6"' report.html
opevo analyze runs.db >/dev/null && opevo runs runs.db | grep -c cpu:sketch
