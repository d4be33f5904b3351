# SPDX-License-Identifier: GPL-3.0-or-later
# 1/x at 1, 2, 0 and -0: what is infinite or no number equals only what is the same.
printf '\010\007\072\105\012\036\012\001x\022\001y\032\012reciprocal\042\012Reciprocal\022\001g\132\017\012\001x\022\012\012\010\010\001\022\004\012\002\010\004\142\017\012\001y\022\012\012\010\010\001\022\004\012\002\010\004\102\004\012\000\020\015' >model.onnx
one='\000\000\200\077' half='\000\000\000\077' inf='\000\000\200\177' less='\000\000\200\377' nan='\000\000\300\177'
tensor() { printf '\010\004\020\001\112\020'"$2$3$4$5" >$1; }
tensor x.pb $one '\000\000\000\100' '\000\000\000\000' '\000\000\000\200'
expect() {
    tensor y.pb "$@"
    opevo network model.onnx --run x.pb --expect y.pb
    echo $?
}
expect $one $half $inf $less
expect $one $half $inf $inf
expect $one $half $less $less
expect $one $inf $inf $less
expect $less $half $inf $less
expect $one $half $one $less
expect $one $half $inf $nan
expect $one $nan $inf $less
opevo network model.onnx --run x.pb --expect y.pb,y.pb
echo $?
