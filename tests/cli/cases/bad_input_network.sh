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
try text.onnx --shape data=1,x
try text.onnx --shape data=1,1,1,1,1,1,1,1,1
try text.onnx --run absent.pb
printf '\010\001' >wrong.pb
try text.onnx --run wrong.pb
try text.onnx --run wrong.pb --shape data=1
