# SPDX-License-Identifier: GPL-3.0-or-later
# max((x times w) times s + x, 0), behind an Identity
{
    printf '\010\010:\261\001\012\024\012\001x\022\001a\032\002na\042\010Identity\012\025\012\001a\012'
    printf '\001w\022\001b\032\002nb\042\006MatMul\012\022\012\001b\012\001s\022\001c\032\002nc\042'
    printf '\003Mul\012\022\012\001c\012\001x\022\001d\032\002nd\042\003Add\012\020\012\001d\022\001y'
    printf '\032\002ny\042\004Relu*\033\010\002\010\002\020\001B\001wJ\020\000\000\200?\000\000\000@'
    printf '\000\000@@\000\000\200@*\021\010\002\020\001B\001sJ\010\000\000\000?\000\000\000@Z\023\012'
    printf '\001x\022\016\012\014\010\001\022\010\012\002\010\003\012\002\010\002b\003\012\001yB\002'
    printf '\020\015'
} >model.onnx
printf '\010\003\010\002\020\001J\030\000\000\200\277\000\000\000@\000\000@\300\000\000\200@\000\000\240\300\000\000\300@' >x.pb
opevo network model.onnx
echo
opevo network model.onnx --passes | tee passes
opevo help network | tr -s ' \n' ' ' | sed -n 's/.*(default all[^:]*: \(.* winograd\).*/\1/p' >help
awk 'NR > 2 { print $1 }' passes | while read -r pass; do grep -qw "$pass" help || echo "the help does not name $pass"; done
echo
opevo network model.onnx --passes --only fuse,scale --without scale
echo
opevo network model.onnx --json | grep computation
opevo network model.onnx --without scale,fuse --json | grep -c computation
opevo network model.onnx --run x.pb
opevo network model.onnx --run x.pb --passes
try() { opevo network "$@"; [ $? = 2 ] || echo "exit status is not 2"; }
try model.onnx --only melt
try model.onnx --passes --json
try model.onnx --run x.pb --without fuse
for e in 0 -1 x nan; do try model.onnx --error $e; done
try model.onnx --error 1e-3 --without block
try model.onnx --error 1e-3 --only fuse --passes
try model.onnx --error 1e-3 --run x.pb
opevo network model.onnx --error 1e-3 --json | grep -A1 winograd
