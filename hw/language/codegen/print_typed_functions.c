/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of int, and of float16 and bfloat16: some lanes of a vector in memory, selections, and
 * conversions. These round to nearest, of two numbers to the even one, and keep subnormal numbers;
 * NaN stays NaN. Instructions of processors and devices that do so are used where compilers have
 * them. */

#include "print_functions_internal.h"

const opevo_i_print_function opevo_i_print_typed_functions[OPEVO_I_TYPED_FUNCTIONS] = {
    {OPEVO_I_FUNCTION_GET_SHORT, "get_short", NULL, 0, 0, NULL,
     "const unsigned short *from, long lanes)\n"
     "{\n"
     "    typedef short S@ __attribute__((vector_size(2 * @)));\n"
     "    if (!lanes)\n"
     "        return (H@){0};\n"
     "    __asm__(\"\" : \"+r\"(lanes));\n"
     "#if defined __AVX512VL__ && defined __AVX512BW__ && @ == 16\n"
     "    return (H@)__builtin_ia32_loaddquhi256_mask((const void *)from, (S@){0}, (unsigned "
     "short)lanes);\n"
     "#elif defined __AVX512VL__ && defined __AVX512BW__ && @ == 8\n"
     "    return (H@)__builtin_ia32_loaddquhi128_mask((const void *)from, (S@){0}, (unsigned "
     "char)lanes);\n"
     "#else\n"
     "    S@ x = {0};\n"
     "    for (int i = 0; i < @; i++)\n"
     "        x[i] = lanes >> i & 1 ? (short)from[i] : 0;\n"
     "    return (H@)x;\n"
     "#endif\n"
     "}\n"},
    {OPEVO_I_FUNCTION_GET_BYTE, "get_byte", NULL, 0, 0, NULL,
     "const signed char *from, long lanes)\n"
     "{\n"
     "    typedef char S@ __attribute__((vector_size(@)));\n"
     "    if (!lanes)\n"
     "        return (B@){0};\n"
     "    __asm__(\"\" : \"+r\"(lanes));\n"
     "#if defined __AVX512VL__ && defined __AVX512BW__ && @ == 16\n"
     "    return (B@)__builtin_ia32_loaddquqi128_mask((const void *)from, (S@){0}, (unsigned "
     "short)lanes);\n"
     "#else\n"
     "    S@ x = {0};\n"
     "    for (int i = 0; i < @; i++)\n"
     "        x[i] = lanes >> i & 1 ? (char)from[i] : 0;\n"
     "    return (B@)x;\n"
     "#endif\n"
     "}\n"},
    {OPEVO_I_FUNCTION_GET_WHOLE, "get_whole", NULL, 0, 0, NULL,
     "const int *from, long lanes)\n"
     "{\n"
     "    typedef int S@ __attribute__((vector_size(4 * @)));\n"
     "    if (!lanes)\n"
     "        return (I@){0};\n"
     "    __asm__(\"\" : \"+r\"(lanes));\n"
     "#if defined __AVX512VL__ && @ == 16\n"
     "    return (I@)__builtin_ia32_loaddqusi512_mask((const void *)from, (S@){0}, (unsigned "
     "short)lanes);\n"
     "#elif defined __AVX512VL__ && @ == 8\n"
     "    return (I@)__builtin_ia32_loaddqusi256_mask((const void *)from, (S@){0}, (unsigned "
     "char)lanes);\n"
     "#else\n"
     "    S@ x = {0};\n"
     "    for (int i = 0; i < @; i++)\n"
     "        x[i] = lanes >> i & 1 ? from[i] : 0;\n"
     "    return (I@)x;\n"
     "#endif\n"
     "}\n"},
    {OPEVO_I_FUNCTION_WHOLE_SELECT, "select_whole", NULL, 0, 0, NULL,
     "I@ lanes, I@ x, I@ y)\n"
     "{\n"
     "    return (lanes & x) | (~lanes & y);\n"
     "}\n"},
    {OPEVO_I_FUNCTION_WHOLE_MAX, "max_whole", NULL, 2, 0, "    return x > y ? x : y;\n",
     "I@ x, I@ y)\n"
     "{\n"
     "    I@ larger = x > y;\n"
     "    return (larger & x) | (~larger & y);\n"
     "}\n"},
    {OPEVO_I_FUNCTION_WHOLE_MIN, "min_whole", NULL, 2, 0, "    return x < y ? x : y;\n",
     "I@ x, I@ y)\n"
     "{\n"
     "    I@ smaller = x < y;\n"
     "    return (smaller & x) | (~smaller & y);\n"
     "}\n"},
    /* The exponent of float16 gets to its place in a float by a product with 2^112, which also
     * makes subnormal numbers normal; infinities and NaN keep the largest exponent. */
    {OPEVO_I_FUNCTION_FROM_HALF, "from_half", NULL, 1, 0,
     "#ifdef __HIP__\n"
     "    union {\n        unsigned short bits;\n        _Float16 value;\n    } half = {x};\n"
     "    return (float)half.value;\n"
     "#elif defined __CUDACC__\n"
     "    float y;\n"
     "    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x));\n"
     "    return y;\n"
     "#elif defined __clang__ && defined __F16C__\n"
     "    union {\n        unsigned short bits;\n        __fp16 value;\n    } half = {x};\n"
     "    return half.value;\n"
     "#elif defined __F16C__\n"
     "    typedef short S8 __attribute__((vector_size(16)));\n"
     "    return __builtin_ia32_vcvtph2ps((S8){(short)x})[0];\n"
     "#else\n"
     "    union {\n        unsigned bits;\n        float value;\n    } y = {(x & 0x7fffu) << 13};\n"
     "    y.value *= 5.192296858534828e+33f;\n"
     "    y.bits |= (x & 0x7fffu) >= 0x7c00u ? 0x7f800000u : 0u;\n"
     "    y.bits |= (x & 0x8000u) << 16;\n"
     "    return y.value;\n"
     "#endif\n",
     "H@ x)\n"
     "{\n"
     "#if defined __clang__ && defined __F16C__\n"
     "    typedef __fp16 F@ __attribute__((vector_size(2 * @)));\n"
     "    return __builtin_convertvector((F@)x, V@);\n"
     "#elif defined __AVX512F__ && @ == 16\n"
     "    typedef short S@ __attribute__((vector_size(2 * @)));\n"
     "    return (V@)__builtin_ia32_vcvtph2ps512_mask((S@)x, (V@){0}, -1, 4);\n"
     "#elif defined __F16C__ && @ == 8\n"
     "    typedef short S@ __attribute__((vector_size(2 * @)));\n"
     "    return (V@)__builtin_ia32_vcvtph2ps256((S@)x);\n"
     "#else\n"
     "    U@ bits = __builtin_convertvector(x, U@), size = (bits & 0x7fff) << 13;\n"
     "    V@ value = (V@)size * 5.192296858534828e+33f;\n"
     "    U@ beyond = (U@)(size >= 0x0f800000) & 0x7f800000;\n"
     "    return (V@)((U@)value | beyond | (bits & 0x8000) << 16);\n"
     "#endif\n"
     "}\n"},
    {OPEVO_I_FUNCTION_FROM_BFLOAT, "from_bfloat", NULL, 1, 0,
     "    union {\n        unsigned bits;\n        float value;\n    } y = {(unsigned)x << 16};\n"
     "    return y.value;\n",
     "H@ x)\n"
     "{\n"
     "    return (V@)(__builtin_convertvector(x, U@) << 16);\n"
     "}\n"},
    /* To nearest, of two the even one: half of the last place, less one where the last bit is 0, is
     * added before the rest is cut off. Numbers below 2^-14 are rounded by the addition of 1/2,
     * whose last place is that of subnormal numbers. */
    {OPEVO_I_FUNCTION_TO_HALF, "to_half", NULL, 1, 0,
     "#ifdef __HIP__\n"
     "    union {\n        _Float16 value;\n        unsigned short bits;\n    } half = "
     "{(_Float16)x};\n"
     "    return half.bits;\n"
     "#elif defined __CUDACC__\n"
     "    unsigned short y;\n"
     "    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x));\n"
     "    return y;\n"
     "#else\n"
     "    union {\n        float value;\n        unsigned bits;\n    } y = {x};\n"
     "    unsigned sign = y.bits >> 16 & 0x8000u, size = y.bits & 0x7fffffffu;\n"
     "    if (size > 0x7f800000u)\n"
     "        return (unsigned short)(sign | 0x7e00u);\n"
     "    if (size > 0x47800000u)\n"
     "        size = 0x47800000u;\n"
     "    if (size >= 0x38800000u)\n"
     "        return (unsigned short)(sign | (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> "
     "13);\n"
     "    y.bits = size;\n"
     "    y.value += 0.5f;\n"
     "    return (unsigned short)(sign | (y.bits - 0x3f000000u));\n"
     "#endif\n",
     "V@ x)\n"
     "{\n"
     "#if defined __clang__ && defined __F16C__\n"
     "    typedef __fp16 F@ __attribute__((vector_size(2 * @)));\n"
     "    return (H@)__builtin_convertvector(x, F@);\n"
     "#elif defined __AVX512F__ && @ == 16\n"
     "    typedef short S@ __attribute__((vector_size(2 * @)));\n"
     "    return (H@)__builtin_ia32_vcvtps2ph512_mask(x, 0, (S@){0}, (unsigned short)-1);\n"
     "#elif defined __F16C__ && @ == 8\n"
     "    return (H@)__builtin_ia32_vcvtps2ph256(x, 0);\n"
     "#else\n"
     "    U@ bits = (U@)x, sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;\n"
     "    U@ nan = (U@)(size > 0x7f800000), large = (U@)(size > 0x47800000);\n"
     "    U@ below = (U@)(size < 0x38800000);\n"
     "    U@ subnormal = (U@)((V@)size + 0.5f) - 0x3f000000;\n"
     "    size = (large & 0x47800000) | (~large & size);\n"
     "    size = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;\n"
     "    size = (below & subnormal) | (~below & size);\n"
     "    size = (nan & 0x7e00) | (~nan & size);\n"
     "    return __builtin_convertvector(sign | size, H@);\n"
     "#endif\n"
     "}\n"},
    {OPEVO_I_FUNCTION_TO_BFLOAT, "to_bfloat", NULL, 1, 0,
     "    union {\n        float value;\n        unsigned bits;\n    } y = {x};\n"
     "    if ((y.bits & 0x7fffffffu) > 0x7f800000u)\n"
     "        return (unsigned short)(y.bits >> 16 | 0x40u);\n"
     "    return (unsigned short)((y.bits + 0x7fffu + (y.bits >> 16 & 1u)) >> 16);\n",
     "V@ x)\n"
     "{\n"
     "    U@ bits = (U@)x, nan = (U@)((bits & 0x7fffffff) > 0x7f800000);\n"
     "    U@ rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;\n"
     "    rounded = (nan & (bits >> 16 | 0x40)) | (~nan & rounded);\n"
     "    return __builtin_convertvector(rounded, H@);\n"
     "}\n"},
};

static const opevo_i_print_function_signature signatures[] = {
    {OPEVO_I_FUNCTION_MASK, NULL, NULL, 'I'},
    {OPEVO_I_FUNCTION_GET_SHORT, NULL, NULL, 'H'},
    {OPEVO_I_FUNCTION_GET_BYTE, NULL, NULL, 'B'},
    {OPEVO_I_FUNCTION_GET_WHOLE, NULL, NULL, 'I'},
    {OPEVO_I_FUNCTION_WHOLE_SELECT, NULL, NULL, 'I'},
    {OPEVO_I_FUNCTION_WHOLE_MAX, "int", "int", 'I'},
    {OPEVO_I_FUNCTION_WHOLE_MIN, "int", "int", 'I'},
    {OPEVO_I_FUNCTION_FROM_HALF, "float", "unsigned short", 'V'},
    {OPEVO_I_FUNCTION_FROM_BFLOAT, "float", "unsigned short", 'V'},
    {OPEVO_I_FUNCTION_TO_HALF, "unsigned short", "float", 'H'},
    {OPEVO_I_FUNCTION_TO_BFLOAT, "unsigned short", "float", 'H'},
};

opevo_i_print_function_signature opevo_i_print_function_signature_of(int kind)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        if (signatures[i].kind == kind)
            return signatures[i];
    }
    return (opevo_i_print_function_signature){kind, "float", "float", 'V'};
}
