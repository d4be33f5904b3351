# SPDX-License-Identifier: GPL-3.0-or-later
try() { opevo network "$@"; [ $? = 2 ] || echo "exit status is not 2"; }
try
try absent.onnx
try .
printf 'not a model' >text.onnx
try text.onnx
: >empty.onnx
try empty.onnx
try text.onnx --expect out.pb
try text.onnx --shape data
try text.onnx --shape data=1,1.5
try text.onnx --shape data=1,1,1,1,1,1,1,1,1
try text.onnx --shape x=1,2 --shape y=3 --shape x=1,3
try text.onnx --run absent.pb
printf '\010\001' >wrong.pb
try text.onnx --run wrong.pb
try text.onnx --run wrong.pb --shape data=1
# Relu without a name of its output; z = x + y, of 2 elements each
{
    printf '\010\007:8\012\021\012\001x\022\000\032\004relu"\004Relu\022\001gZ\017\012\001x'
    printf '\022\012\012\010\010\001\022\004\012\002\010\004b\017\012\001x\022\012\012\010\010'
    printf '\001\022\004\012\002\010\004B\004\012\000\020\015'
} >nameless.onnx
{
    printf '\010\007:K\012\023\012\001x\012\001y\022\001z\032\003add"\003Add\022\001gZ\017\012'
    printf '\001x\022\012\012\010\010\001\022\004\012\002\010\002Z\017\012\001y\022\012\012'
    printf '\010\010\001\022\004\012\002\010\002b\017\012\001z\022\012\012\010\010\001\022\004'
    printf '\012\002\010\002B\004\012\000\020\015'
} >add.onnx
printf '\010\002\020\001J\010\000\000\200?\000\000\000@' >two.pb
printf '\010\003\020\001J\014\000\000\200?\000\000\000@\000\000@@' >three.pb
{
    printf '\010\002\020\007J\020\001\000\000\000\000\000\000\000\002\000\000\000\000\000\000'
    printf '\000'
} >whole.pb
# Relu of an input of 4 open dimensions
{
    printf '\010\007:E\012\022\012\001x\022\001y\032\004relu"\004Relu\022\001gZ\033\012\001x'
    printf '\022\026\012\024\010\001\022\020\012\002\010\000\012\002\010\000\012\002\010\000'
    printf '\012\002\010\000b\017\012\001y\022\012\012\010\010\001\022\004\012\002\010\000B'
    printf '\004\012\000\020\015'
} >open.onnx
try nameless.onnx --shape x=n
try nameless.onnx
try add.onnx --run ''
try add.onnx --run two.pb
try add.onnx --run two.pb,two.pb,two.pb
try add.onnx --run two.pb,three.pb
try add.onnx --run two.pb,whole.pb
try add.onnx --shape z=2
try open.onnx
try open.onnx --shape x=65536,65536,65536,65536
try open.onnx --shape x=1,1,1,2147483648
