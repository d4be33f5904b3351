# SPDX-License-Identifier: GPL-3.0-or-later
# Structs by value as arguments of C functions, which a harness names, and C functions on a device, which are refused.
cat >shift.c <<'EOT'
struct box { int n; unsigned char kind; float add[2]; const float *in; };

void shift(float *out, struct box given, int last)
{
    for (int i = 0; i < given.n; i += block)
        for (int k = i; k < i + block && k < given.n; k++)
            out[k] = given.kind * given.in[k] + given.add[k % 2] + last;
    given.n = 0;
}
EOT
cat >shift.json <<'EOT'
{"tune": {"sizes": {"n": 1001}},
 "buffers": {"x": {"type": "f32", "count": "n", "fill": {"uniform": [-1, 1]}}, "y": {"type": "f32", "count": "n"}},
 "steps": [{"call": "shift", "arguments": ["y", {"struct": [{"i32": "n"}, {"u8": 3}, {"f32": 0.5}, {"f32": 0.25}, "x"],
            "type": "struct box"}, {"i32": 7}]}],
 "outputs": {"y": {"relative": 1e-6, "floor": 1}},
 "reference": {"computation": "y[i:1001] = 3 * x[i] + select(i % 2 == 0, 0.5, 0.25) + 7"}}
EOT
echo '{"block": {"_type": "choice", "_value": [1, 4]}}' >shift.space.json
tune() { opevo tune shift.c --space shift.space.json --on cpu --tuner grid --trials 2 --finals 0 --quiet "$@"; }
tune --harness shift.json --json | grep -o '"failed": [0-9]*'
sed 's/"u8": 3/"u8": 4/' shift.json >other.json
tune --harness other.json 2>&1 | grep -c wrong: # the reference has another number
for type in '' ', "type": "struct box; "' ', "kind": "struct box"'; do
    sed "s/, *\"type\": \"struct box\"/$type/; s/\"type\": \"struct box\"/\"type\": 1/" shift.json | tr '\n' ' ' |
        sed 's/"x"\],  *"type": 1}/"x"]'"$type"'}/' >other.json
    tune --harness other.json; echo "status $?"
done
# A function of the host that launches kernels is not one of a device.
echo 'void shift(float *x) {}' >shift.cl
sed 's/"struct box"/"box"/' shift.json >calls.json
opevo tune shift.cl --harness calls.json --space shift.space.json --on opencl:0; echo "status $?"
