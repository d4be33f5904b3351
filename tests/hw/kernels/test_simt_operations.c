/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each class of instructions against plain C, on random operands and the ends of each type; and the
 * operations for wide vectors against those for any processor. */

#include "draw.h"
#include "simt_fixture.h"

#include <opevo/text.h>

#include "simt_internal.h"
#include "simt_operations.def"

enum { THREADS = 96, SIZE = 8 * THREADS };

/* An instruction %x of type `to` from %a, %b and %c of type `from`, and what C makes of them. */
typedef struct instruction_case {
    const char *from, *to, *ir;
    size_t to_size;
    bool is_float, tame; /* tame: sixteenths up to 125, which integers have the whole part of */
} instruction_case;

#define CASES(X)                                                                                   \
    X(int32_t, int32_t, "i32", "i32", 0, 0, "%x = add i32 %a, %b",                                 \
      (int32_t)((uint32_t)a + (uint32_t)b))                                                        \
    X(int32_t, int32_t, "i32", "i32", 0, 0, "%x = sub i32 %a, %b",                                 \
      (int32_t)((uint32_t)a - (uint32_t)b))                                                        \
    X(int32_t, int32_t, "i32", "i32", 0, 0, "%x = mul i32 %a, %b",                                 \
      (int32_t)((uint32_t)a * (uint32_t)b))                                                        \
    X(uint8_t, uint8_t, "i8", "i8", 0, 0, "%x = mul i8 %a, %b", (uint8_t)(a * b))                  \
    X(uint16_t, uint16_t, "i16", "i16", 0, 0, "%x = mul i16 %a, %b", (uint16_t)(1u * a * b))       \
    X(uint64_t, uint64_t, "i64", "i64", 0, 0, "%x = mul i64 %a, %b", a *b)                         \
    X(uint64_t, uint64_t, "i64", "i64", 0, 0, "%x = and i64 %a, %b", a &b)                         \
    X(uint16_t, uint16_t, "i16", "i16", 0, 0, "%x = or i16 %a, %b", (uint16_t)(a | b))             \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0, "%x = xor i32 %a, %b", a ^ b)                        \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0, "%s = and i32 %b, 31\n %x = shl i32 %a, %s",         \
      a << (b & 31))                                                                               \
    X(uint64_t, uint64_t, "i64", "i64", 0, 0, "%s = and i64 %b, 63\n %x = lshr i64 %a, %s",        \
      a >> (b & 63))                                                                               \
    X(int16_t, int16_t, "i16", "i16", 0, 0, "%s = and i16 %b, 15\n %x = ashr i16 %a, %s",          \
      (int16_t)(a >> (b & 15)))                                                                    \
    X(int32_t, int32_t, "i32", "i32", 0, 0, "%s = ashr i32 %a, 7\n %x = add i32 %s, 1",            \
      (a >> 7) + 1)                                                                                \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0, "%d = or i32 %b, 1\n %x = udiv i32 %a, %d",          \
      a / (b | 1))                                                                                 \
    X(uint64_t, uint64_t, "i64", "i64", 0, 0, "%d = or i64 %b, 1\n %x = urem i64 %a, %d",          \
      a % (b | 1))                                                                                 \
    X(int32_t, int32_t, "i32", "i32", 0, 0,                                                        \
      "%d = or i32 %b, 1\n %e = and i32 %a, 2147483647\n %x = sdiv i32 %e, %d",                    \
      (a & INT32_MAX) / (b | 1))                                                                   \
    X(int8_t, int8_t, "i8", "i8", 0, 0,                                                            \
      "%d = or i8 %b, 1\n %e = and i8 %a, 127\n %x = srem i8 %e, %d",                              \
      (int8_t)((a & 127) % (b | 1)))                                                               \
    X(int32_t, uint8_t, "i32", "i8", 0, 0, "%y = icmp slt i32 %a, %b\n %x = zext i1 %y to i8",     \
      a < b)                                                                                       \
    X(int64_t, uint8_t, "i64", "i8", 0, 0, "%y = icmp sge i64 %a, %b\n %x = zext i1 %y to i8",     \
      a >= b)                                                                                      \
    X(uint16_t, uint8_t, "i16", "i8", 0, 0, "%y = icmp ugt i16 %a, %b\n %x = zext i1 %y to i8",    \
      a > b)                                                                                       \
    X(uint8_t, uint8_t, "i8", "i8", 0, 0, "%y = icmp ule i8 %a, %b\n %x = zext i1 %y to i8",       \
      a <= b)                                                                                      \
    X(uint32_t, int32_t, "i32", "i32", 0, 0, "%y = icmp ne i32 %a, %b\n %x = sext i1 %y to i32",   \
      -(a != b))                                                                                   \
    X(uint32_t, uint8_t, "i32", "i8", 0, 0,                                                        \
      "%y = icmp ult i32 %a, %b\n %z = icmp ult i32 %b, %c\n %w = xor i1 %y, %z\n"                 \
      " %v = and i1 %w, %y\n %u = or i1 %v, %z\n %r = icmp ult i1 %u, %y\n %x = zext i1 %r to i8", \
      (uint8_t)((((((a < b) ^ (b < c)) & (a < b)) | (b < c)) == 0) & (a < b)))                     \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0,                                                      \
      "%y = icmp ult i32 %a, %b\n %x = select i1 %y, i32 %b, i32 %c", a < b ? b : c)               \
    X(double, double, "double", "double", 1, 0,                                                    \
      "%y = fcmp olt double %a, %b\n %x = select i1 %y, double %b, double %c", a < b ? b : c)      \
    X(float, float, "float", "float", 1, 0, "%x = fadd float %a, %b", a + b)                       \
    X(float, float, "float", "float", 1, 0, "%x = fsub float %a, %b", a - b)                       \
    X(float, float, "float", "float", 1, 0, "%x = fmul float %a, %b", a *b)                        \
    X(float, float, "float", "float", 1, 0, "%x = fdiv float %a, %b", a / b)                       \
    X(double, double, "double", "double", 1, 0, "%x = fmul double %a, %b", a *b)                   \
    X(double, double, "double", "double", 1, 0, "%x = frem double %a, %b", fmod(a, b))             \
    X(float, float, "float", "float", 1, 0, "%x = fneg float %a", -a)                              \
    X(float, float, "float", "float", 1, 0, "%m = fmul float %a, %b\n %x = fadd float %m, %c",     \
      a *b + c)                                                                                    \
    X(float, float, "float", "float", 1, 0,                                                        \
      "%x = call float @llvm.fma.f32(float %a, float %b, float %c)", fmaf(a, b, c))                \
    X(double, double, "double", "double", 1, 0,                                                    \
      "%x = call double @llvm.fmuladd.f64(double %a, double %b, double %c)", fma(a, b, c))         \
    X(float, float, "float", "float", 1, 0, "%x = call float @llvm.sqrt.f32(float %a)", sqrtf(a))  \
    X(float, float, "float", "float", 1, 0, "%x = call float @llvm.nvvm.ex2.approx.f(float %a)",   \
      exp2f(a))                                                                                    \
    X(float, float, "float", "float", 1, 0, "%x = call float @expf(float %a)", expf(a))            \
    X(float, float, "float", "float", 1, 0,                                                        \
      "%x = call float @llvm.minnum.f32(float %a, float %b)", isnan(b) || a < b ? a : b)           \
    X(float, float, "float", "float", 1, 0,                                                        \
      "%x = call float @llvm.copysign.f32(float %a, float %b)", copysignf(a, b))                   \
    X(double, double, "double", "double", 1, 0, "%x = call double @llvm.floor.f64(double %a)",     \
      floor(a))                                                                                    \
    X(double, double, "double", "double", 1, 0, "%x = call double @llvm.fabs.f64(double %a)",      \
      fabs(a))                                                                                     \
    X(double, double, "double", "double", 1, 0, "%x = call double @llvm.rint.f64(double %a)",      \
      rint(a))                                                                                     \
    X(float, uint8_t, "float", "i8", 1, 0, "%y = fcmp oeq float %a, %b\n %x = zext i1 %y to i8",   \
      a == b)                                                                                      \
    X(float, uint8_t, "float", "i8", 1, 0, "%y = fcmp une float %a, %b\n %x = zext i1 %y to i8",   \
      a != b)                                                                                      \
    X(float, uint8_t, "float", "i8", 1, 0, "%y = fcmp one float %a, %b\n %x = zext i1 %y to i8",   \
      a<b || a> b)                                                                                 \
    X(float, uint8_t, "float", "i8", 1, 0, "%y = fcmp ueq float %a, %b\n %x = zext i1 %y to i8",   \
      !(a < b || a > b))                                                                           \
    X(double, uint8_t, "double", "i8", 1, 0,                                                       \
      "%y = fcmp ugt double %a, %b\n %x = zext i1 %y to i8", !(a <= b))                            \
    X(double, uint8_t, "double", "i8", 1, 0,                                                       \
      "%y = fcmp ule double %a, %b\n %x = zext i1 %y to i8", !(a > b))                             \
    X(double, uint8_t, "double", "i8", 1, 0,                                                       \
      "%y = fcmp oge double %a, %b\n %x = zext i1 %y to i8", a >= b)                               \
    X(double, uint8_t, "double", "i8", 1, 0,                                                       \
      "%y = fcmp uno double %a, %b\n %x = zext i1 %y to i8", isnan(a) || isnan(b))                 \
    X(double, uint8_t, "double", "i8", 1, 0,                                                       \
      "%y = fcmp ord double %a, %b\n %x = zext i1 %y to i8", !isnan(a) && !isnan(b))               \
    X(int8_t, int64_t, "i8", "i64", 0, 0, "%x = sext i8 %a to i64", a)                             \
    X(int16_t, int32_t, "i16", "i32", 0, 0, "%x = sext i16 %a to i32", a)                          \
    X(uint32_t, uint64_t, "i32", "i64", 0, 0, "%x = zext i32 %a to i64", a)                        \
    X(uint8_t, uint16_t, "i8", "i16", 0, 0, "%x = zext i8 %a to i16", a)                           \
    X(uint64_t, uint8_t, "i64", "i8", 0, 0, "%x = trunc i64 %a to i8", (uint8_t)a)                 \
    X(uint64_t, uint32_t, "i64", "i32", 0, 0, "%x = trunc i64 %a to i32", (uint32_t)a)             \
    X(uint32_t, uint16_t, "i32", "i16", 0, 0, "%x = trunc i32 %a to i16", (uint16_t)a)             \
    X(uint32_t, uint8_t, "i32", "i8", 0, 0, "%y = trunc i32 %a to i1\n %x = zext i1 %y to i8",     \
      a & 1)                                                                                       \
    X(float, double, "float", "double", 1, 0, "%x = fpext float %a to double", (double)a)          \
    X(double, float, "double", "float", 1, 0, "%x = fptrunc double %a to float", (float)a)         \
    X(int32_t, float, "i32", "float", 0, 0, "%x = sitofp i32 %a to float", (float)a)               \
    X(uint64_t, double, "i64", "double", 0, 0, "%x = uitofp i64 %a to double", (double)a)          \
    X(uint8_t, float, "i8", "float", 0, 0, "%x = uitofp i8 %a to float", (float)a)                 \
    X(float, int32_t, "float", "i32", 1, 1, "%x = fptosi float %a to i32", (int32_t)a)             \
    X(double, int16_t, "double", "i16", 1, 1, "%x = fptosi double %a to i16", (int16_t)a)          \
    X(float, uint64_t, "float", "i64", 1, 1,                                                       \
      "%p = call float @llvm.fabs.f32(float %a)\n %x = fptoui float %p to i64",                    \
      (uint64_t)fabsf(a))                                                                          \
    X(float, uint32_t, "float", "i32", 1, 0, "%x = bitcast float %a to i32", bits_of_float(a))     \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0, "%x = call i32 @llvm.ctpop.i32(i32 %a)",             \
      (uint32_t)__builtin_popcount(a))                                                             \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0, "%x = call i32 @llvm.ctlz.i32(i32 %a, i1 false)",    \
      a ? (uint32_t)__builtin_clz(a) : 32)                                                         \
    X(uint64_t, uint64_t, "i64", "i64", 0, 0, "%x = call i64 @llvm.cttz.i64(i64 %a, i1 false)",    \
      a ? (uint64_t)__builtin_ctzll(a) : 64)                                                       \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0, "%x = call i32 @llvm.bswap.i32(i32 %a)",             \
      __builtin_bswap32(a))                                                                        \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0,                                                      \
      "%x = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 %c)",                                      \
      c & 31 ? a << (c & 31) | b >> (32 - (c & 31)) : a)                                           \
    X(int32_t, int32_t, "i32", "i32", 0, 0, "%x = call i32 @llvm.smax.i32(i32 %a, i32 %b)",        \
      a > b ? a : b)                                                                               \
    X(int16_t, int16_t, "i16", "i16", 0, 0, "%x = call i16 @llvm.smin.i16(i16 %a, i16 %b)",        \
      a < b ? a : b)                                                                               \
    X(uint64_t, uint64_t, "i64", "i64", 0, 0, "%x = call i64 @llvm.umin.i64(i64 %a, i64 %b)",      \
      a < b ? a : b)                                                                               \
    X(int32_t, int32_t, "i32", "i32", 0, 0, "%x = call i32 @llvm.abs.i32(i32 %a, i1 false)",       \
      a < 0 ? (int32_t)(0u - (uint32_t)a) : a)                                                     \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0,                                                      \
      "%s = and i32 %a, 3\n switch i32 %s, label %d [i32 1, label %e\n i32 2, label %f]\n"         \
      "e:\n %g = add i32 %b, 5\n br label %h\nf:\n %i = mul i32 %b, %c\n br label %h\n"            \
      "d:\n br label %h\nh:\n %x = phi i32 [%g, %e], [%i, %f], [%c, %d]",                          \
      (a & 3) == 1   ? b + 5                                                                       \
      : (a & 3) == 2 ? b * c                                                                       \
                     : c)                                                                          \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0, "%x = call i32 @twice(i32 %a, i32 %b)",              \
      a > b ? a - b : 3 * (a + b))                                                                 \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0,                                                      \
      "%v = insertelement <2 x i32> poison, i32 %a, i32 0\n"                                       \
      " %w = insertelement <2 x i32> %v, i32 %b, i32 1\n %y = add <2 x i32> %w, <i32 3, i32 4>\n"  \
      " %z = shufflevector <2 x i32> %y, <2 x i32> poison, <2 x i32> <i32 1, i32 0>\n"             \
      " %p = extractelement <2 x i32> %z, i32 0\n %q = extractelement <2 x i32> %z, i32 1\n"       \
      " %x = sub i32 %p, %q",                                                                      \
      b + 4 - (a + 3))                                                                             \
    X(uint32_t, uint32_t, "i32", "i32", 0, 0,                                                      \
      "%l = alloca [4 x i32]\n %s = and i32 %a, 3\n %g = getelementptr [4 x i32], ptr %l, i32 0, " \
      "i32 %s\n"                                                                                   \
      " store i32 %b, ptr %g\n %r = load i32, ptr %g\n %x = add i32 %r, %c",                       \
      b + c)

static uint32_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define EXPECT(T, R, from, to, is_float, tame, ir, value)                                          \
    if (number-- == 0) {                                                                           \
        const T a = ((const T *)at_a)[i], b = ((const T *)at_b)[i], c = ((const T *)at_c)[i];      \
        const R x = (R)(value);                                                                    \
                                                                                                   \
        (void)a, (void)b, (void)c;                                                                 \
        ((R *)at_x)[i] = x;                                                                        \
        return;                                                                                    \
    }

/* What case `number` gives for element i. */
static void expect(size_t number, size_t i, const void *at_a, const void *at_b, const void *at_c,
                   void *at_x)
{
    CASES(EXPECT)
}

#define ROW(T, R, from, to, is_float, tame, ir, value) {from, to, ir, sizeof(R), is_float, tame},
static const instruction_case cases[] = {CASES(ROW)};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

static const char declarations[] =
    "declare float @llvm.fma.f32(float, float, float)\n"
    "declare double @llvm.fmuladd.f64(double, double, double)\n"
    "declare float @llvm.sqrt.f32(float)\ndeclare float @llvm.nvvm.ex2.approx.f(float)\n"
    "declare float @expf(float)\ndeclare float @llvm.minnum.f32(float, float)\n"
    "declare float @llvm.copysign.f32(float, float)\ndeclare double @llvm.floor.f64(double)\n"
    "declare double @llvm.fabs.f64(double)\ndeclare float @llvm.fabs.f32(float)\n"
    "declare double @llvm.rint.f64(double)\ndeclare i32 @llvm.ctpop.i32(i32)\n"
    "declare i32 @llvm.ctlz.i32(i32, i1)\ndeclare i64 @llvm.cttz.i64(i64, i1)\n"
    "declare i32 @llvm.bswap.i32(i32)\ndeclare i32 @llvm.fshl.i32(i32, i32, i32)\n"
    "declare i32 @llvm.smax.i32(i32, i32)\ndeclare i16 @llvm.smin.i16(i16, i16)\n"
    "declare i64 @llvm.umin.i64(i64, i64)\ndeclare i32 @llvm.abs.i32(i32, i1)\n"
    "define internal i32 @twice(i32 %p, i32 %q) {\n"
    " %more = icmp ugt i32 %p, %q\n br i1 %more, label %yes, label %no\n"
    "yes:\n %d = sub i32 %p, %q\n ret i32 %d\n"
    "no:\n %s = add i32 %p, %q\n %t = mul i32 %s, 3\n ret i32 %t\n}\n";

/* A kernel for each case: x[i] = f(a[i], b[i], c[i]). */
static void add_kernel(opevo_text *text, size_t number)
{
    const instruction_case *one = &cases[number];

    opevo_text_printf(text,
                      "define void @case%zu(ptr %%pa, ptr %%pb, ptr %%pc, ptr %%px) {\n"
                      " %%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n",
                      number);
    for (const char *name = "abc"; *name; name++)
        opevo_text_printf(text,
                          " %%at_%c = getelementptr %s, ptr %%p%c, i32 %%t\n"
                          " %%%c = load %s, ptr %%at_%c\n",
                          *name, one->from, *name, *name, one->from, *name);
    opevo_text_printf(text,
                      " %s\n %%at_x = getelementptr %s, ptr %%px, i32 %%t\n"
                      " store %s %%x, ptr %%at_x\n ret void\n}\n",
                      one->ir, one->to, one->to);
}

static void fill_tame(uint64_t *state, const char *type, void *out)
{
    for (size_t i = 0; i < THREADS; i++) {
        double value = (double)draw(state, 4001) / 16 - 125;

        if (strcmp(type, "double") == 0)
            ((double *)out)[i] = value;
        else
            ((float *)out)[i] = (float)value;
    }
}

/* Random bits; a third of the elements are ends of ranges, zeros, ones, infinities and NaNs. */
static void fill_wild(uint64_t *state, const char *type, void *out)
{
    static const double special[] = {0, -0.0, 1, -1, 0.5, 1e300, 1e-310, 3.5e38, -7.25, 1e-40};
    static const uint64_t whole[] = {
        0,          1,          UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN,
        0x80000000, 0x7fffffff, 0x8000,     0x80,      0x7f};
    bool wide = strcmp(type, "double") == 0, is_float = wide || strcmp(type, "float") == 0;

    for (size_t i = 0; i < THREADS; i++) {
        uint64_t bits = draw(state, UINT64_MAX), which = draw(state, 36);

        ((uint64_t *)out)[i] = bits;
        if (which >= 12 || !is_float)
            continue;
        if (wide)
            ((double *)out)[i] = which == 10 ? INFINITY : which == 11 ? NAN : special[which];
        else
            ((float *)out)[i] = which == 10 ? INFINITY : which == 11 ? NAN : (float)special[which];
    }
    for (size_t i = 0; !is_float && i < THREADS / 3; i++) {
        uint64_t bits = whole[draw(state, 10)];

        switch (atoi(type + 1)) {
        case 8:
            ((uint8_t *)out)[i] = (uint8_t)bits;
            break;
        case 16:
            ((uint16_t *)out)[i] = (uint16_t)bits;
            break;
        case 32:
            ((uint32_t *)out)[i] = (uint32_t)bits;
            break;
        default:
            ((uint64_t *)out)[i] = bits;
            break;
        }
    }
}

/* Equal bits, or two NaNs, whose bits are not said. */
static bool equal(const instruction_case *one, const unsigned char *x, const unsigned char *y)
{
    float narrow[2];
    double wide[2];

    if (memcmp(x, y, one->to_size) == 0)
        return true;
    memcpy(&narrow[0], x, sizeof *narrow);
    memcpy(&narrow[1], y, sizeof *narrow);
    memcpy(&wide[0], x, sizeof *wide);
    memcpy(&wide[1], y, sizeof *wide);
    return strcmp(one->to, "float") == 0    ? isnan(narrow[0]) && isnan(narrow[1])
           : strcmp(one->to, "double") == 0 ? isnan(wide[0]) && isnan(wide[1])
                                            : false;
}

CHECK_TEST(test_instructions)
{
    static _Alignas(16) unsigned char in[3][SIZE + 16], out[SIZE + 16], expected[SIZE + 16];
    uint64_t stream = 1;
    opevo_text text = {0};
    simt_setting machine;

    opevo_text_add(&text, SIMT_HEAD);
    opevo_text_add(&text, declarations);
    for (size_t i = 0; i < CASE_COUNT; i++)
        add_kernel(&text, i);
    machine = simt_open(opevo_text_string(&text), NULL);
    for (size_t number = 0; number < CASE_COUNT; number++) {
        const instruction_case *one = &cases[number];

        for (int round = 0; round < 4; round++) {
            char name[32];
            simt_call call = {.kernel = name, .grid = 1, .block = THREADS, .buffer_count = 4};
            opevo_simt_result result;

            snprintf(name, sizeof name, "case%zu", number);
            for (size_t i = 0; i < 3; i++) {
                (one->tame ? fill_tame : fill_wild)(&stream, one->from, in[i]);
                call.buffers[i] =
                    (opevo_simt_buffer){.data = in[i], .size_bytes = SIZE, .initialised = true};
            }
            call.buffers[3] =
                (opevo_simt_buffer){.data = out, .size_bytes = one->to_size * THREADS};
            result = simt_launch(&machine, &call);
            if (result.outcome != OPEVO_SIMT_OK)
                fail_msg("%s: %s", one->ir, result.message);
            for (size_t i = 0; i < THREADS; i++) {
                expect(number, i, in[0], in[1], in[2], expected);
                if (!equal(one, out + i * one->to_size, expected + i * one->to_size))
                    fail_msg("%s: element %zu differs", one->ir, i);
            }
        }
    }
    simt_close(&machine);
    opevo_text_free(&text);
}

/* Results of floats are compared as bits where both tables compute numbers. */
CHECK_TEST(test_wide_operations)
{
#ifdef __x86_64__
    static _Alignas(32) unsigned char in[3][256], any[256], wide[256];
    uint64_t stream = 2;

    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        print_message("skipped: this processor has no AVX2\n");
        skip();
    }
    for (size_t number = 0; number < OPEVO_I_SIMT_OPERATION_COUNT; number++)
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 3; i++) /* integers of few bits, or floats of all widths below 2 */
                for (int j = 0; j < 32; j++)
                    ((uint64_t *)(void *)in[i])[j] =
                        round % 2 ? draw(&stream, UINT64_MAX) & UINT64_C(0x3fff3fff3fff3fff)
                                  : draw(&stream, 1000);
            memset(any, 0, sizeof any);
            memset(wide, 0, sizeof wide);
            opevo_i_simt_any_operations[number](any, in[0], in[1], in[2], 12);
            opevo_i_simt_wide_operations[number](wide, in[0], in[1], in[2], 12);
            if (memcmp(any, wide, sizeof any) != 0)
                fail_msg("operation %zu differs", number);
        }
#else
    skip();
#endif
}
