/* SPDX-License-Identifier: GPL-3.0-or-later */

/* 128-bit numbers: arithmetic that refuses to overflow, and decimal text. */

#include <opevo/index.h>

#include <string.h>

bool opevo_index_mul(opevo_index a, opevo_index b, opevo_index *out)
{
    opevo_index product = 0;

    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

bool opevo_index_add(opevo_index a, opevo_index b, opevo_index *out)
{
    opevo_index sum = 0;

    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

opevo_index opevo_index_gcd(opevo_index a, opevo_index b)
{
    while (b) {
        opevo_index rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* C(n, i) = C(n, i-1) * (n-k+i) / i stays whole when the divisor is cancelled before multiplying,
 * so that an intermediate overflows only where the result does. */
bool opevo_index_binomial(uint64_t n, uint64_t k, opevo_index *out)
{
    opevo_index result = 1;

    if (k > n) {
        *out = 0;
        return true;
    }
    if (k > n - k)
        k = n - k;
    for (uint64_t i = 1; i <= k; i++) {
        opevo_index factor = n - k + i;
        opevo_index shared = opevo_index_gcd(result, i);
        opevo_index rest = i / shared;

        if (__builtin_mul_overflow(result / shared, factor / rest, &result))
            return false;
    }
    *out = result;
    return true;
}

char *opevo_index_format(opevo_index value, char *text)
{
    char digits[OPEVO_INDEX_TEXT_SIZE];
    size_t at = sizeof digits;

    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value);
    return memcpy(text, digits + at, sizeof digits - at);
}

bool opevo_index_parse(const char *text, opevo_index *out)
{
    opevo_index value = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || !opevo_index_mul(value, 10, &value) ||
            !opevo_index_add(value, (opevo_index)(*text - '0'), &value))
            return false;
    }
    *out = value;
    return true;
}
