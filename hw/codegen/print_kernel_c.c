/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole kernels in C for a CPU. Sums that live in registers become variables with a name each,
 * since compilers keep arrays in memory. No header is included: reading <immintrin.h> takes longer
 * than everything else. */

#include "print_cpu_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- Which buffers become variables ---- */

typedef struct finder {
    opevo_i_printer *self; /* its loop variables are known that are numbers where we are */
    bool spoilt[OPEVO_I_BUFFERS];
} finder;

static bool all_known(const opevo_i_printer *self, const opevo_i_affine *a, int lane)
{
    for (int i = 0; i < a->count; i++) {
        int one = a->term[i].atom;

        if (one != lane &&
            (self->atoms->item[one].is_loop ? !self->known[one]
                                            : !all_known(self, &self->atoms->item[one].inner, -1)))
            return false;
    }
    return true;
}

/* Of a value, also one element for all lanes. */
static void look_at(finder *all, const opevo_i_access *access, int lane, int64_t width,
                    bool of_value)
{
    opevo_i_printer *self = all->self;
    int64_t factor = lane >= 0 ? opevo_i_affine_factor(&access->address, lane) : 0;
    int lanes = factor == 1 ? (int)width : 1;

    if (self->nest->buffer[access->buffer].scope != OPEVO_SCOPE_LOCAL)
        return;
    if (!all_known(self, &access->address, lane) ||
        (lane >= 0 && factor != 1 && (factor != 0 || !of_value)) ||
        !opevo_i_affine_is_aligned(&access->address, lane, lanes) ||
        (self->named[access->buffer] && self->named[access->buffer] != lanes))
        all->spoilt[access->buffer] = true;
    self->named[access->buffer] = lanes;
}

static void find_named(finder *all, const opevo_i_node *node, const opevo_i_node *parent)
{
    opevo_i_printer *self = all->self;
    bool becomes_known = node->kind == OPEVO_I_LOOP &&
                         (node->extent == 1 || node->annotation == OPEVO_ANNOTATION_EXPAND ||
                          node->annotation == OPEVO_ANNOTATION_UNROLL);

    if (node->kind == OPEVO_I_LEAF) {
        bool vector = parent && opevo_i_is_vector_loop(parent);
        int lane = vector ? parent->atom : -1;
        int64_t width = vector ? parent->extent : 1;
        bool of_value = node->leaf->kind >= OPEVO_I_STORE;

        look_at(all, &node->leaf->to, lane, width, false);
        for (int i = 0; i < node->leaf->factors; i++)
            look_at(all, &node->leaf->factor[i], lane, width, of_value);
        return;
    }
    if (becomes_known)
        self->known[node->atom] = true;
    for (const opevo_i_node *one = node->first; one; one = one->next)
        find_named(all, one, node);
    if (node->otherwise)
        find_named(all, node->otherwise, node);
    if (becomes_known)
        self->known[node->atom] = false;
}

/* ---- The text ---- */

/* GCC would keep what one step reads for the next, as windows overlap, and then broadcasts it from
 * registers, on the port of a multiply-add. */
static const char head[] =
    "#if defined(__GNUC__) && !defined(__clang__)\n"
    "#pragma GCC optimize(\"no-predictive-commoning\")\n"
    "#endif\n"
    "typedef float V2 __attribute__((vector_size(8), aligned(4), may_alias));\n"
    "typedef float V4 __attribute__((vector_size(16), aligned(4), may_alias));\n"
    "typedef float V8 __attribute__((vector_size(32), aligned(4), may_alias));\n"
    "typedef float V16 __attribute__((vector_size(64), aligned(4), may_alias));\n";

/* Non-temporal stores are not ordered with others: threads that are told by those that a result is
 * there could miss it. */
static const char stream_head[] =
    "#define STREAM2(to, value) (*(V2 *)(to) = (value))\n"
    "#define STREAM4(to, value) (*(V4 *)(to) = (value))\n"
    "#ifdef __AVX__\n"
    "#define STREAM_FENCE __asm__ volatile(\"sfence\" : : : \"memory\")\n"
    "#define STREAM8(to, value) __asm__(\"vmovntps %1, %0\" : \"=m\"(*(V8 *)(to)) : "
    "\"x\"((V8)(value)))\n"
    "#else\n"
    "#define STREAM_FENCE (void)0\n"
    "#define STREAM8(to, value) (*(V8 *)(to) = (value))\n"
    "#endif\n"
    "#ifdef __AVX512F__\n"
    "#define STREAM16(to, value) __asm__(\"vmovntps %1, %0\" : \"=m\"(*(V16 *)(to)) : "
    "\"v\"((V16)(value)))\n"
    "#else\n"
    "#define STREAM16(to, value) (*(V16 *)(to) = (value))\n"
    "#endif\n";

/* Bit i of a mask is for lane i. opevo_lanes: those from low to below high; opevo_turns: those i
 * with (at + i) % turn < kept. opevo_start: how many numbers e below `at` have e % turn < kept. A
 * vector that is packed leaves no gaps for the lanes that are left out. */
static const char lanes_head[] =
    "static inline long opevo_lanes(long low, long high)\n"
    "{\n"
    "    low = low > 0 ? low : 0;\n"
    "    high = high < 16 ? high : 16;\n"
    "    return low < high ? (0xffffl >> (16 - (high - low))) << low : 0;\n"
    "}\n";

static const char turns_head[] =
    "static inline long opevo_turns(long at, long turn, long kept)\n"
    "{\n"
    "    long lanes = 0;\n"
    "    for (long from = -(long)((unsigned long)at % (unsigned long)turn); from < 16; from += "
    "turn)\n"
    "        lanes |= opevo_lanes(from, from + kept);\n"
    "    return lanes;\n"
    "}\n";

static const char start_head[] =
    "static inline long opevo_start(long at, long turn, long kept)\n"
    "{\n"
    "    long rest = (long)((unsigned long)at % (unsigned long)turn);\n"
    "    return (long)((unsigned long)at / (unsigned long)turn) * kept + (rest < kept ? rest : "
    "kept);\n"
    "}\n";

/* Vectors that go to memory under a mask, lane by lane or by the instructions of AVX-512. Where gcc
 * 12 knows the lanes of a masked load, it may load the whole vector and blend, which reads past the
 * end of an array: the empty statement keeps them from it. */
static const char mask_head[] =
    "#define LANES(name, gets, width) \\\n"
    "    static inline void name##width(float *to, V##width value, long lanes, long packed) \\\n"
    "    { \\\n"
    "        for (long i = 0; i < width; i++) { \\\n"
    "            if (lanes >> i & 1) \\\n"
    "                *to gets value[i]; \\\n"
    "            to += !packed || (lanes >> i & 1); \\\n"
    "        } \\\n"
    "    }\n"
    "#ifdef __AVX512VL__\n"
    "#define PACK(width, bits, places) \\\n"
    "    static inline V##width opevo_pack##width(V##width value, long *lanes, long packed) \\\n"
    "    { \\\n"
    "        *lanes &= (1l << width) - 1; \\\n"
    "        if (!packed) \\\n"
    "            return value; \\\n"
    "        value = (V##width)__builtin_ia32_compresssf##bits##_mask(value, (V##width){0}, "
    "(places)*lanes); \\\n"
    "        *lanes = (1l << __builtin_popcountl((unsigned long)*lanes)) - 1; \\\n"
    "        return value; \\\n"
    "    }\n"
    "#define PUT(width, bits, places) \\\n"
    "    static inline void opevo_put##width(float *to, V##width value, long lanes, long packed) "
    "\\\n"
    "    { \\\n"
    "        value = opevo_pack##width(value, &lanes, packed); \\\n"
    "        __builtin_ia32_storeups##bits##_mask((void *)to, value, (places)lanes); \\\n"
    "    }\n"
    "#define ADD(width, bits, places) \\\n"
    "    static inline void opevo_add##width(float *to, V##width value, long lanes, long packed) "
    "\\\n"
    "    { \\\n"
    "        value = opevo_pack##width(value, &lanes, packed); \\\n"
    "        __asm__(\"\" : \"+r\"(lanes)); \\\n"
    "        value += (V##width)__builtin_ia32_loadups##bits##_mask((void *)to, (V##width){0}, "
    "(places)lanes); \\\n"
    "        __builtin_ia32_storeups##bits##_mask((void *)to, value, (places)lanes); \\\n"
    "    }\n"
    "#endif\n";

static bool has(const char *text, const char *name, int width)
{
    char call[32];

    snprintf(call, sizeof call, "%s%d(", name, width);
    return strstr(text, call) != NULL;
}

/* Of the functions above those that a text calls. Rows call opevo_lanes only where there is
 * AVX-512. */
static void print_mask_heads(opevo_text *out, const char *body, bool rows)
{
    bool turns = strstr(body, "opevo_turns(") != NULL;
    bool lanes = turns || strstr(body, "opevo_lanes(") != NULL;
    bool any = false;

    if (lanes || rows)
        opevo_text_printf(out, lanes ? "%s" : "#ifdef __AVX512F__\n%s#endif\n", lanes_head);
    opevo_text_add(out, turns ? turns_head : "");
    opevo_text_add(out, strstr(body, "opevo_start(") ? start_head : "");
    for (int width = 2; width <= 16; width *= 2) {
        bool put = has(body, "opevo_put", width), add = has(body, "opevo_add", width);
        const char *places = width == 16 ? "unsigned short" : "unsigned char";
        int bits = 32 * width;

        if (!put && !add)
            continue;
        opevo_text_add(out, any ? "" : mask_head);
        any = true;
        if (width > 2) {
            opevo_text_printf(out, "#ifdef __AVX512VL__\nPACK(%d, %d, %s)\n", width, bits, places);
            if (put)
                opevo_text_printf(out, "PUT(%d, %d, %s)\n", width, bits, places);
            if (add)
                opevo_text_printf(out, "ADD(%d, %d, %s)\n", width, bits, places);
            opevo_text_add(out, "#else\n");
        }
        if (put)
            opevo_text_printf(out, "LANES(opevo_put, =, %d)\n", width);
        if (add)
            opevo_text_printf(out, "LANES(opevo_add, +=, %d)\n", width);
        opevo_text_add(out, width > 2 ? "#endif\n" : "");
    }
}

static const char from_head[] = "static inline long opevo_from(long low, long need, long step)\n"
                                "{\n"
                                "    long turn = need > 0 ? (need + step - 1) / step : 0;\n"
                                "    return turn > low ? turn : low;\n"
                                "}\n";

static const char upto_head[] = "static inline long opevo_upto(long high, long room, long step)\n"
                                "{\n"
                                "    long turn = room > 0 ? (room + step - 1) / step : 0;\n"
                                "    return turn < high ? turn : high;\n"
                                "}\n";

static const char row_head[] =
    "#ifdef __AVX512F__\n"
    "static inline void opevo_row(float *to, const float *from, long at, long step, long low,\n"
    "                             long high, long count)\n"
    "{\n"
    "    if (high > count)\n"
    "        high = count;\n"
    "    from += at;\n"
    "    if (step > 2) {\n"
    "        for (long i = 0; i < count; i++)\n"
    "            to[i] = i >= low && i < high ? from[step * i] : 0.0f;\n"
    "        return;\n"
    "    }\n"
    "    for (long i = 0; i < count; i += 16) {\n"
    "        long lanes = opevo_lanes(low - i, high - i);\n"
    "        V16 value = {0};\n"
    "        if (!lanes)\n"
    "            ;\n"
    "        else if (step == 1)\n"
    "            value = __builtin_ia32_loadups512_mask(from + i, (V16){0}, (unsigned "
    "short)lanes);\n"
    "        else {\n"
    "            long first = opevo_lanes(2 * (low - i), 2 * (high - i) - 1);\n"
    "            long last = opevo_lanes(2 * (low - i) - 16, 2 * (high - i) - 17);\n"
    "            value = __builtin_shufflevector(\n"
    "                __builtin_ia32_loadups512_mask(from + 2 * i, (V16){0}, (unsigned "
    "short)first),\n"
    "                __builtin_ia32_loadups512_mask(from + 2 * i + 16, (V16){0}, (unsigned "
    "short)last),\n"
    "                0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);\n"
    "        }\n"
    "        __builtin_ia32_storeups512_mask(to + i, value, (unsigned short)opevo_lanes(0, count - "
    "i));\n"
    "    }\n"
    "}\n"
    "#else\n"
    "static inline void opevo_row(float *to, const float *from, long at, long step, long low,\n"
    "                             long high, long count)\n"
    "{\n"
    "    if (high > count)\n"
    "        high = count;\n"
    "    if (low > high)\n"
    "        low = high;\n"
    "    for (long i = 0; i < low; i++)\n"
    "        to[i] = 0.0f;\n"
    "    if (step == 1 && high > low)\n"
    "        __builtin_memcpy(to + low, from + (at + low), (unsigned long)(high - low) * 4);\n"
    "    else if (step == 2) {\n"
    "        long i = low;\n"
    "        for (; i + 16 < high; i += 16)\n"
    "            *(V16 *)&to[i] = __builtin_shufflevector(\n"
    "                *(const V16 *)&from[at + 2 * i], *(const V16 *)&from[at + 2 * i + 16], 0, 2, "
    "4, 6,\n"
    "                8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);\n"
    "        for (; i + 8 < high; i += 8)\n"
    "            *(V8 *)&to[i] = __builtin_shufflevector(*(const V8 *)&from[at + 2 * i],\n"
    "                                                    *(const V8 *)&from[at + 2 * i + 8], 0, "
    "2,\n"
    "                                                    4, 6, 8, 10, 12, 14);\n"
    "        if (high - low > 8 && i < high) { /* once more, ending at the last element */\n"
    "            i = high - 8;\n"
    "            *(V8 *)&to[i] = __builtin_shufflevector(*(const V8 *)&from[at + 2 * i - 1],\n"
    "                                                    *(const V8 *)&from[at + 2 * i + 7], 1, "
    "3,\n"
    "                                                    5, 7, 9, 11, 13, 15);\n"
    "            i = high;\n"
    "        }\n"
    "        for (; i < high; i++)\n"
    "            to[i] = from[at + 2 * i];\n"
    "    } else\n"
    "        for (long i = low; i < high; i++)\n"
    "            to[i] = from[at + step * i];\n"
    "    for (long i = high; i < count; i++)\n"
    "        to[i] = 0.0f;\n"
    "}\n"
    "#endif\n";

static void print_row_heads(opevo_text *out, const char *body)
{
    opevo_text_add(out, strstr(body, "opevo_from(") ? from_head : "");
    opevo_text_add(out, strstr(body, "opevo_upto(") ? upto_head : "");
    opevo_text_add(out, row_head);
}

static const char sum_head[] =
    "static inline float opevo_sum16(V16 x)\n"
    "{\n"
    "#if defined __clang__ || __GNUC__ >= 12\n"
    "    V8 y = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +\n"
    "           __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);\n"
    "    V4 z = __builtin_shufflevector(y, y, 0, 1, 2, 3) + __builtin_shufflevector(y, y, 4, 5, 6, "
    "7);\n"
    "#else\n"
    "    V4 z = {0};\n"
    "    for (int i = 0; i < 16; i++)\n"
    "        z[i % 4] += x[i];\n"
    "#endif\n"
    "    return (z[0] + z[2]) + (z[1] + z[3]);\n"
    "}\n";

/* The thread of a parallel loop that its part of the scratch memory belongs to. */
static const char thread_head[] = "#ifdef _OPENMP\n"
                                  "int omp_get_thread_num(void);\n"
                                  "#define THREAD omp_get_thread_num()\n"
                                  "#else\n"
                                  "#define THREAD 0\n"
                                  "#endif\n";

void opevo_i_print_cpu(opevo_i_printer *self)
{
    finder all = {.self = self};
    opevo_text *out = self->out;
    opevo_text body = {0};

    find_named(&all, self->nest->root, NULL);
    for (int i = 0; i < OPEVO_I_BUFFERS; i++) {
        if (all.spoilt[i])
            self->named[i] = 0;
    }
    self->out = &body;
    self->depth = 1;
    opevo_i_print_cpu_buffers(self, NULL);
    opevo_i_print_node(self, self->nest->root);
    opevo_i_print_fence(self);
    self->out = out;
    opevo_text_add(out, head);
    if (self->nest->streams)
        opevo_text_add(out, stream_head);
    print_mask_heads(out, opevo_text_string(&body), self->uses_rows);
    if (self->uses_rows)
        print_row_heads(out, opevo_text_string(&body));
    if (self->uses_sums)
        opevo_text_add(out, sum_head);
    if (self->uses_transposes)
        opevo_i_print_transpose_head(out, false);
    if (self->streams_transposes)
        opevo_i_print_transpose_head(out, true);
    if (self->uses_scatters)
        opevo_i_print_scatter_head(out);
    opevo_i_print_functions(self);
    if (self->thread_scratch)
        opevo_text_add(out, thread_head);
    opevo_i_print_signature(self, "void ", "*restrict ");
    opevo_text_add(out, ";\n");
    opevo_i_print_signature(self, "void ", "*restrict ");
    opevo_text_add(out, "\n{\n");
    opevo_i_print_unused_scratch(self);
    opevo_i_print_unused_operands(self);
    opevo_text_add(out, opevo_text_string(&body));
    out->failed |= body.failed;
    opevo_text_add(out, "}\n");
    opevo_text_free(&body);
}
