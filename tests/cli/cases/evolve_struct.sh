# SPDX-License-Identifier: GPL-3.0-or-later
# A kernel that takes a struct by value: a harness gives its members, and one that does not is told so.
command -v opevo-evolver >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
cat >box.ll <<'EOT'
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
%box = type { i32, float, [2 x float], ptr }
define ptx_kernel void @scale(ptr %out, ptr byval(%box) align 8 %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = load i32, ptr %b, align 8
  %inside = icmp slt i32 %t, %n
  br i1 %inside, label %work, label %end
work:
  %from = getelementptr %box, ptr %b, i32 0, i32 3
  %in = load ptr, ptr %from, align 8
  %p = getelementptr float, ptr %in, i32 %t
  %x = load float, ptr %p, align 4
  %shift = getelementptr %box, ptr %b, i32 0, i32 2, i32 1
  %y = load float, ptr %shift, align 4
  %z = fadd float %x, %y
  %to = getelementptr float, ptr %out, i32 %t
  store float %z, ptr %to, align 4
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
EOT
cat >box.json <<'EOT'
{"buffers": {"in": {"type": "f32", "count": "n", "fill": {"uniform": [0, 1]}}, "out": {"type": "f32", "count": "n"}},
 "steps": [{"launch": "scale", "grid": 1, "block": 32,
            "arguments": ["out", {"struct": [{"i32": "n"}, {"f32": 0.5}, {"f32": 1}, {"f32": 2}, "in"]}]}],
 "outputs": {"out": {"relative": 1e-5}},
 "sets": {"search": [{"sizes": [{"n": 20}], "seeds": [1]}], "selection": [{"sizes": [{"n": 31}], "seeds": [2]}],
          "final": [{"sizes": [{"n": 32}], "seeds": [3]}]}}
EOT
opevo edits apply box.ll none | cut -d ' ' -f 1-2; echo "status $?"
opevo edits apply box.ll 'delete U10' | grep -c wrong # the sum is that of other members
opevo edits emit box.ll none --form ptx | grep -c '\.param .align 8 .b8 scale_param_1\[24\]'
for arguments in '{"i32": "n"}' '{"struct": [{"i32": "n"}, {"f32": 1}]}' '"in"'; do
    sed "s/{\"struct\".*/$arguments]}],/" box.json >other.json
    opevo edits apply box.ll none --harness other.json; echo "status $?"
done
opevo edits apply box.ll none --on cpu | grep -c 'error 0$'; echo "status $?"
