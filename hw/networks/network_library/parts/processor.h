/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which level of x86-64 the processor has: a part of the program, and of libraries with several
 * targets. The operating system counts, too: it keeps registers that it knows. */

#ifdef __x86_64__
#include <cpuid.h>

/* 1 to 4. Source: System V ABI for x86-64, table "Micro-Architecture Levels"; Intel SDM, CPUID and
 * XCR0. */
static int processor_level(void)
{
    /* What each level from 2 adds: bits of leaf 1 (ecx), of leaf 7 (ebx), of leaf 80000001h (ecx),
     * and of the states that are kept (XCR0). */
    static const unsigned need[][4] = {
        /* SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF */
        {1U << 0 | 1U << 9 | 1U << 13 | 1U << 19 | 1U << 20 | 1U << 23, 0, 1U << 0, 0},
        /* FMA, MOVBE, XGETBV, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; 256 bits */
        {1U << 12 | 1U << 22 | 1U << 27 | 1U << 28 | 1U << 29, 1U << 3 | 1U << 5 | 1U << 8, 1U << 5,
         3U << 1},
        /* AVX-512 F, DQ, CD, BW, VL; 512 bits and masks */
        {0, 1U << 16 | 1U << 17 | 1U << 28 | 1U << 30 | 1U << 31, 0, 7U << 5}};
    unsigned has[4] = {0}, a = 0, b = 0, c = 0, d = 0;
    int level = 1;

    if (__get_cpuid(1, &a, &b, &has[0], &d) && has[0] >> 27 & 1)
        __asm__("xgetbv" : "=a"(has[3]), "=d"(d) : "c"(0));
    (void)__get_cpuid_count(7, 0, &a, &has[1], &c, &d);
    (void)__get_cpuid(0x80000001, &a, &b, &has[2], &d);
    while (level < 4) {
        for (int i = 0; i < 4; i++) {
            if ((has[i] & need[level - 1][i]) != need[level - 1][i])
                return level;
        }
        level++;
    }
    return level;
}
#else
static int processor_level(void)
{
    return 0;
}
#endif
