# SPDX-License-Identifier: GPL-3.0-or-later
# Stores of one value to a shared variable are allowed by its name, and the barriers around them are needed all the
# same; where checks are off, every output says so.
command -v opevo-evolver >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
cat >flag.ll <<'EOT'
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@mark = internal addrspace(3) global i32 undef, align 4
define ptx_kernel void @flag(ptr %out, i32 %value) {
  store i32 0, ptr addrspace(3) @mark, align 4
  call void @llvm.nvvm.barrier0()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %set, label %go
set:
  store i32 %value, ptr addrspace(3) @mark, align 4
  br label %go
go:
  call void @llvm.nvvm.barrier0()
  %v = load i32, ptr addrspace(3) @mark, align 4
  %to = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %to, align 4
  ret void
}
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!nvvm.annotations = !{!0}
!0 = !{ptr @flag, !"kernel", i32 1}
EOT
cat >flag.json <<'EOT'
{"buffers": {"out": {"type": "i32", "count": "b"}},
 "steps": [{"launch": "flag", "grid": 1, "block": "b", "arguments": ["out", {"i32": 7}]}],
 "outputs": {"out": "exact"}, "races": ["mark"],
 "sets": {"search": [{"sizes": [{"b": 32}], "seeds": [1]}], "selection": [{"sizes": [{"b": 20}], "seeds": [2]}],
          "final": [{"sizes": [{"b": 3}], "seeds": [3]}]}}
EOT
sed 's/"mark"//' flag.json >strict.json
sed 's/"mark"/"mask"/' flag.json >other.json
opevo edits apply flag.ll none | cut -d ' ' -f 1-2; echo "status $?"
for barrier in U2 U8; do opevo edits apply flag.ll "delete $barrier" | sed -n 's/ of thread.*//; s/^search: //p'; done
for harness in strict other; do opevo edits apply flag.ll none --harness $harness.json; echo "status $?"; done
set -- flag.ll --harness strict.json --with races=off
opevo edits apply "$@" 'delete U2' | head -n 2
opevo edits apply flag.ll 'delete U2' --on cpu | grep checked
opevo edits minimise "$@" 'delete U2' --json | grep -o '"unchecked": "races"'
opevo edits explain "$@" 'delete U2' | head -n 1
opevo edits explain "$@" 'delete U2' --with uninitialised=off --json >explained.json
opevo evolve "$@" --trials 20 --store runs.db --quiet | sed -n '1s/: .*//p; 3p'
opevo evolve "$@" --trials 20 --json --quiet | grep -o '"unchecked": "races"'
opevo evolve flag.ll --trials 20 --json --quiet | grep -o '"unchecked": ""'
opevo analyze runs.db --json | grep -o 'on simt, not checked for races"' | head -n 1
opevo report runs.db --edits explained.json -o page.html --quiet >/dev/null
grep -o '"unchecked": *"[a-z, ]*"' page.html
