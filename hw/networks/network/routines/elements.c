/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Routines that work element by element, shapes broadcast to each other. */

#include "routines.h"

/* ---- Functions of one tensor ---- */

static double gelu_tanh(double x)
{
    return .5 * x * (1 + tanh(0.79788456080286536 * (x + .044715 * x * x * x)));
}

static double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double apply_activation(int code, double x, double a, double b)
{
    switch (code) {
    case ROUTINE_RELU:
        return x < 0 ? 0 : x;
    case ROUTINE_LEAKY_RELU:
        return x < 0 ? a * x : x;
    case ROUTINE_SIGMOID:
        return 1 / (1 + exp(-x));
    case ROUTINE_HARD_SIGMOID:
        x = a * x + b;
        return x < 0 ? 0 : x > 1 ? 1 : x;
    case ROUTINE_HARD_SWISH:
        a = x / 6 + .5;
        return x * (a < 0 ? 0 : a > 1 ? 1 : a);
    case ROUTINE_ELU:
        return x < 0 ? a * expm1(x) : x;
    case ROUTINE_SELU:
        return b * (x < 0 ? a * expm1(x) : x);
    case ROUTINE_CELU:
        return x < 0 ? a * expm1(x / a) : x;
    case ROUTINE_THRESHOLDED_RELU:
        return x > a ? x : x != x ? x : 0;
    case ROUTINE_SHRINK:
        return x < -b ? x + a : x > b ? x - a : x * 0;
    case ROUTINE_SOFTSIGN:
        return x / (1 + fabs(x));
    case ROUTINE_SOFTPLUS:
        return softplus(x);
    case ROUTINE_GELU:
        return .5 * x * (1 + erf(x * 0.70710678118654752));
    case ROUTINE_GELU_TANH:
        return gelu_tanh(x);
    case ROUTINE_MISH:
        return x * tanh(softplus(x));
    case ROUTINE_SWISH:
        return x / (1 + exp(-a * x));
    default:
        return NAN;
    }
}

static double apply_one(int code, double x, double a, double b)
{
    switch (code) {
    case ROUTINE_TANH:
        return tanh(x);
    case ROUTINE_EXP:
        return exp(x);
    case ROUTINE_SQRT:
        return sqrt(x);
    case ROUTINE_ERF:
        return erf(x);
    case ROUTINE_NEGATE:
        return -x;
    case ROUTINE_ABSOLUTE:
        return fabs(x);
    case ROUTINE_RECIPROCAL:
        return 1 / x;
    case ROUTINE_SIGN:
        return x > 0 ? 1 : x < 0 ? -1 : x;
    case ROUTINE_LOG:
        return log(x);
    case ROUTINE_FLOOR:
        return floor(x);
    case ROUTINE_CEIL:
        return ceil(x);
    case ROUTINE_ROUND:
        return rint(x);
    case ROUTINE_SIN:
        return sin(x);
    case ROUTINE_COS:
        return cos(x);
    case ROUTINE_TAN:
        return tan(x);
    case ROUTINE_ASIN:
        return asin(x);
    case ROUTINE_ACOS:
        return acos(x);
    case ROUTINE_ATAN:
        return atan(x);
    case ROUTINE_SINH:
        return sinh(x);
    case ROUTINE_COSH:
        return cosh(x);
    case ROUTINE_ASINH:
        return asinh(x);
    case ROUTINE_ACOSH:
        return acosh(x);
    case ROUTINE_ATANH:
        return atanh(x);
    case ROUTINE_IS_NAN:
        return isnan(x);
    case ROUTINE_IS_INF: /* a, b: whether it looks for those below and above 0 */
        return isinf(x) && (x < 0 ? a : b) != 0;
    default:
        return apply_activation(code, x, a, b);
    }
}

static int64_t apply_one_whole(int code, const routine_tensor *of, int64_t x)
{
    int64_t negative = (int64_t)(0 - (uint64_t)x);
    int sign = routine_order(of, x, 0);

    switch (code) {
    case ROUTINE_RELU:
        return sign > 0 ? x : 0;
    case ROUTINE_NEGATE:
        return negative;
    case ROUTINE_ABSOLUTE:
        return sign < 0 ? negative : x;
    case ROUTINE_SIGN:
        return sign;
    case ROUTINE_BITWISE_NOT:
        return ~x;
    default:
        return x;
    }
}

const char *routine_unary(const routine_call *call)
{
    const routine_tensor *from = call->in, *to = call->out;
    int code = (int)call->whole[0];
    double a = call->number[0], b = call->number[1];
    int64_t count = routine_elements(to);

    for (int64_t i = 0; i < count; i++) {
        if (routine_is_whole(from) && from->type == to->type)
            routine_set_whole(to, i, apply_one_whole(code, from, routine_whole(from, i)));
        else
            routine_set_number(to, i, apply_one(code, routine_number(from, i), a, b));
    }
    return NULL;
}

/* ---- Of several tensors ---- */

static double apply(int code, bool c, double a, double b)
{
    double rest = 0;

    switch (code) {
    case ROUTINE_ADD:
        return a + b;
    case ROUTINE_SUBTRACT:
        return a - b;
    case ROUTINE_MULTIPLY:
        return a * b;
    case ROUTINE_DIVIDE:
        return a / b;
    case ROUTINE_MAXIMUM:
        return isnan(a) || a > b ? a : b;
    case ROUTINE_MINIMUM:
        return isnan(a) || a < b ? a : b;
    case ROUTINE_POWER:
        return pow(a, b);
    case ROUTINE_PRELU:
        return a < 0 ? a * b : a;
    default: /* the sign of the divisor, or with fmod of the dividend */
        rest = fmod(a, b);
        return c || rest == 0 || (rest < 0) == (b < 0) ? rest : rest + b;
    }
}

/* Products wrap around, as those of int64. */
static int64_t whole_power(int64_t a, int64_t b, bool is_unsigned)
{
    uint64_t result = 1, base = (uint64_t)a, power = (uint64_t)b;

    if (b < 0 && !is_unsigned)
        return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    for (; power; power /= 2, base *= base)
        result *= power % 2 ? base : 1;
    return (int64_t)result;
}

static int64_t apply_signed(int code, bool c, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    int64_t rest = code != ROUTINE_MODULO || b == -1 ? 0 : a % b;

    switch (code) {
    case ROUTINE_ADD:
        return (int64_t)(x + y);
    case ROUTINE_SUBTRACT:
        return (int64_t)(x - y);
    case ROUTINE_MULTIPLY:
        return (int64_t)(x * y);
    case ROUTINE_DIVIDE: /* rounds to zero; the only overflow wraps */
        return b == -1 ? (int64_t)(0 - x) : a / b;
    case ROUTINE_MAXIMUM:
        return a > b ? a : b;
    case ROUTINE_MINIMUM:
        return a < b ? a : b;
    case ROUTINE_PRELU:
        return a < 0 ? (int64_t)(x * y) : a;
    case ROUTINE_BITWISE_AND:
        return a & b;
    case ROUTINE_BITWISE_OR:
        return a | b;
    case ROUTINE_BITWISE_XOR:
        return a ^ b;
    case ROUTINE_SHIFT_LEFT:
        return y < 64 ? (int64_t)(x << y) : 0;
    case ROUTINE_SHIFT_RIGHT:
        return y < 64 ? (int64_t)(x >> y) : 0;
    default:
        return c || rest == 0 || (rest < 0) == (b < 0) ? rest : rest + b;
    }
}

/* Where the numbers of uint64 differ from those of int64, modulo 2^64. */
static int64_t apply_unsigned(int code, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (code) {
    case ROUTINE_DIVIDE:
        return (int64_t)(x / y);
    case ROUTINE_MODULO:
        return (int64_t)(x % y);
    case ROUTINE_MAXIMUM:
        return x > y ? a : b;
    case ROUTINE_MINIMUM:
        return x < y ? a : b;
    case ROUTINE_PRELU:
        return a;
    default:
        return apply_signed(code, false, a, b);
    }
}

/* Neither x / 0 nor 0 to a negative power is a whole number. */
static const char *check_whole(const routine_call *call, int64_t a, const routine_tensor *divisor,
                               int64_t b, int64_t element)
{
    int64_t code = call->whole[0];

    if ((code == ROUTINE_DIVIDE || code == ROUTINE_MODULO) && b == 0)
        return routine_fail(call, "Element %lld is divided by the whole number 0.",
                            (long long)element);
    if (code == ROUTINE_POWER && a == 0 && routine_order(divisor, b, 0) < 0)
        return routine_fail(call, "Element %lld is the whole number 0 to the power of %lld.",
                            (long long)element, (long long)b);
    return NULL;
}

/* Element `at` of the result from element i of one tensor and element k of the next. */
static const char *join_whole(const routine_call *call, const routine_tensor *first, int64_t i,
                              const routine_tensor *next, int64_t k, bool is_last, int64_t at)
{
    int code = (int)call->whole[0];
    int64_t x = routine_whole(first, i), y = routine_whole(next, k), by = call->whole[2];
    bool big = first->type == ROUTINE_UINT64;
    const char *wrong = check_whole(call, x, next, y, at);

    if (wrong)
        return wrong;
    x = code == ROUTINE_POWER ? whole_power(x, y, next->type == ROUTINE_UINT64)
        : big                 ? apply_unsigned(code, x, y)
                              : apply_signed(code, call->whole[1] != 0, x, y);
    if (is_last)
        x = big ? apply_unsigned(ROUTINE_DIVIDE, x, by) : x / by;
    routine_set_whole(call->out, at, x);
    return NULL;
}

/* One input after another; whole[0]: the code, [1]: fmod, [2]: what the result is divided by. */
const char *routine_binary(const routine_call *call)
{
    const routine_tensor *all = call->out;
    int64_t count = routine_elements(all);
    int code = (int)call->whole[0];
    bool whole = true;

    for (int k = 0; k < call->ins; k++)
        whole &= routine_is_whole(&call->in[k]);
    for (int k = call->ins > 1; k < call->ins; k++) {
        const routine_tensor *first = k > 1 ? all : call->in, *next = &call->in[k];
        bool is_last = k + 1 == call->ins && call->whole[2] > 1;
        routine_walk walk = {.all = all};

        routine_walk_add(&walk, first);
        routine_walk_add(&walk, next);
        for (int64_t i = 0; i < count; i++, routine_walk_next(&walk)) {
            const char *wrong = NULL;

            if (!whole) {
                double x = routine_number(first, walk.at[0]);

                x = k ? apply(code, call->whole[1] != 0, x, routine_number(next, walk.at[1])) : x;
                routine_set_number(all, i, is_last ? x / (double)call->whole[2] : x);
                continue;
            }
            if (k) {
                wrong = join_whole(call, first, walk.at[0], next, walk.at[1], is_last, i);
                if (wrong)
                    return wrong;
            } else {
                routine_copy(first, i, all, i);
            }
        }
    }
    return NULL;
}

/* The sign of a - b; 2 where one of them is NaN. */
static int order_of(const routine_tensor *a, int64_t i, const routine_tensor *b, int64_t k)
{
    if (routine_is_whole(a)) {
        return routine_order(a, routine_whole(a, i), routine_whole(b, k));
    }
    double p = routine_number(a, i), q = routine_number(b, k);

    return p < q ? -1 : p > q ? 1 : p == q ? 0 : 2;
}

/* whole[0], [1]: whether there are bounds; number[0], [1]: those that are not inputs. NaN stays. */
const char *routine_clip(const routine_call *call)
{
    const routine_tensor *all = call->out;
    double least = call->number[0], most = call->number[1];
    bool below = call->whole[0] != 0, above = call->whole[1] != 0;

    for (int64_t i = 0, count = routine_elements(all); i < count; i++) {
        const routine_tensor *from = call->in;
        double value = routine_number(from, i), bounded = value;
        int64_t at = i;

        if (below && routine_has(call, 1) && order_of(from, at, &call->in[1], 0) == -1) {
            from = &call->in[1];
            at = 0;
        }
        if (above && routine_has(call, 2) && order_of(from, at, &call->in[2], 0) == 1) {
            from = &call->in[2];
            at = 0;
        }
        if (call->ins > 1) {
            routine_copy(from, at, all, i);
            continue;
        }
        bounded = below && bounded < least ? least : bounded;
        bounded = above && bounded > most ? most : bounded;
        if (bounded < value || bounded > value)
            routine_set_number(all, i, bounded);
        else
            routine_copy(call->in, i, all, i);
    }
    return NULL;
}

/* ---- Truth ---- */

static bool compare(int code, int order)
{
    switch (code) {
    case ROUTINE_EQUAL:
        return order == 0;
    case ROUTINE_LESS:
        return order == -1;
    case ROUTINE_LESS_EQUAL:
        return order == -1 || order == 0;
    case ROUTINE_GREATER:
        return order == 1;
    default:
        return order == 1 || order == 0;
    }
}

const char *routine_logic(const routine_call *call)
{
    const routine_tensor *all = call->out, *a = call->in, *b = &call->in[call->ins - 1];
    int code = (int)call->whole[0];
    uint8_t *to = all->data;
    routine_walk walk = {.all = all};

    routine_walk_add(&walk, a);
    routine_walk_add(&walk, b);
    for (int64_t i = 0, count = routine_elements(all); i < count; i++, routine_walk_next(&walk)) {
        bool x = false, y = false;

        if (code < ROUTINE_AND) {
            to[i] = compare(code, order_of(a, walk.at[0], b, walk.at[1]));
            continue;
        }
        x = routine_number(a, walk.at[0]) != 0;
        y = routine_number(b, walk.at[1]) != 0;
        to[i] = code == ROUTINE_AND   ? x && y
                : code == ROUTINE_OR  ? x || y
                : code == ROUTINE_XOR ? x != y
                                      : !x;
    }
    return NULL;
}

const char *routine_where(const routine_call *call)
{
    const routine_tensor *all = call->out;
    routine_walk walk = {.all = all};

    for (int i = 0; i < 3; i++)
        routine_walk_add(&walk, &call->in[i]);
    for (int64_t i = 0, count = routine_elements(all); i < count; i++, routine_walk_next(&walk)) {
        int from = ((const uint8_t *)call->in[0].data)[walk.at[0]] ? 1 : 2;

        routine_copy(&call->in[from], walk.at[from], all, i);
    }
    return NULL;
}

/* The first tensor or the second, whole. */
const char *routine_if(const routine_call *call)
{
    const routine_tensor *taken = &call->in[routine_whole(call->in, 0) ? 1 : 2];

    memcpy(call->out->data, taken->data, (size_t)routine_elements(taken) * routine_bytes(taken));
    return NULL;
}

/* ---- Conversions ---- */

/* whole[0]: the type in the file, [1]: whether what is too large becomes the largest number of
 * float8. Short floats are float32 with numbers of theirs. */
const char *routine_cast(const routine_call *call)
{
    const routine_tensor *from = call->in, *to = call->out;
    int64_t count = routine_elements(to);

    for (int64_t i = 0; i < count; i++) {
        if (from->type == ROUTINE_UINT64 && to->type == ROUTINE_FLOAT32)
            ((float *)to->data)[i] = (float)((const uint64_t *)from->data)[i];
        else if (routine_is_whole(from) && (routine_is_whole(to) || from->type != ROUTINE_UINT64))
            routine_set_whole(to, i, routine_whole(from, i));
        else
            routine_set_number(to, i, routine_number(from, i));
    }
    for (int64_t i = 0; i < count && routine_is_short(call->whole[0]); i++)
        ((float *)to->data)[i] =
            routine_narrow(routine_number(from, i), (int)call->whole[0], call->whole[1] != 0);
    return NULL;
}
