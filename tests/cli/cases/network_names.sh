# SPDX-License-Identifier: GPL-3.0-or-later
# What is printed of a model: long names are cut, line breaks in them are escaped, one thing is counted in the singular; weights that
# are NaN are named, not infinite ones.
# Relu of x, of 2 elements: named NODE, with the result OUTPUT.
relu() {
    perl -e 'my ($node, $output) = @ARGV;
        sub varint { my $n = shift; my $s = ""; while ($n > 127) { $s .= chr($n & 127 | 128); $n >>= 7 } $s . chr($n) }
        sub field { my ($number, $text) = @_; chr($number << 3 | 2) . varint(length $text) . $text }
        my $type = field(2, field(1, "\x08\x01" . field(2, field(1, "\x08\x02"))));
        print "\x08\x07", field(7, field(1, field(1, "x") . field(2, $output) . field(3, $node) . field(4, "Relu")) .
            field(11, field(1, "x") . $type) . field(12, field(1, $output))), field(8, "\x10\x0d")' "$1" "$2"
}
relu "two
lines" "$(printf 'a\033[31mb\nc')" >lines.onnx
opevo network lines.onnx
long=$(printf '%0300d' 0)
relu "$long" "$long" >long.onnx
opevo network long.onnx
# A convolution of 1 x 1 whose third weight is NaN, and a Relu.
printf '\010\007\072\223\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\300\177\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001y\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >nan.onnx
opevo network nan.onnx | head -3
