/* SPDX-License-Identifier: GPL-3.0-or-later */

/* AutoTVM enumerates a split depth first: the outermost loop runs over the last component, in
 * ascending order of the divisors of the extent, and a branch is kept when the components chosen so
 * far divide it. So the entities below a branch with what is left m and j components still to
 * choose are the (j + 1)-factorisations of m, which a product of binomials counts, and a number is
 * found without listing the others. */

#include "knobs_internal.h"

#include <string.h>

enum {
    DIVISORS_MOST = 2048,
    ARITY_MOST = 1024, /* of a parameter */
    TRIAL_MOST = 1 << 20
};

typedef struct split {
    size_t arity;
    uint64_t extent;
    size_t prime_count;
    uint64_t primes[OPEVO_I_EXTENT_PRIMES_MOST];
    size_t divisor_count;
    uint64_t divisors[DIVISORS_MOST]; /* ascending */
} split;

/* The divisors in ascending order; false when there are too many. */
static bool list_divisors(split *self)
{
    self->divisors[self->divisor_count++] = 1;
    for (size_t i = 0; i < self->prime_count; i++) {
        size_t before = self->divisor_count;
        uint64_t power = 1;

        for (uint64_t left = self->extent; left % self->primes[i] == 0; left /= self->primes[i]) {
            power *= self->primes[i];
            if (self->divisor_count + before > DIVISORS_MOST)
                return false;
            for (size_t k = 0; k < before; k++)
                self->divisors[self->divisor_count++] = self->divisors[k] * power;
        }
    }
    for (size_t i = 1; i < self->divisor_count; i++) {
        uint64_t divisor = self->divisors[i];
        size_t at = i;

        for (; at > 0 && self->divisors[at - 1] > divisor; at--)
            self->divisors[at] = self->divisors[at - 1];
        self->divisors[at] = divisor;
    }
    return true;
}

/* C of a factor(C,v), 0 for other types. */
static uint64_t extent_of(const opevo_parameter *parameter)
{
    opevo_value value[ARITY_MOST];
    uint64_t extent = 1;

    if (strcmp(opevo_parameter_type(parameter), "factor") != 0)
        return 0;
    opevo_parameter_value(parameter, 0, value);
    for (size_t i = 0; i < opevo_parameter_arity(parameter); i++)
        extent *= (uint64_t)value[i].as.integer;
    return extent;
}

size_t opevo_i_tvm_extent_primes(const opevo_parameter *parameter, uint64_t *primes)
{
    uint64_t left = extent_of(parameter);
    size_t count = 0;

    for (uint64_t p = 2; p < TRIAL_MOST && p * p <= left; p++) {
        if (left % p)
            continue;
        primes[count++] = p;
        while (left % p == 0)
            left /= p;
    }
    if (left > 1)
        primes[count++] = left;
    return count;
}

/* False when the parameter keeps its own numbers. */
static bool split_of(const opevo_parameter *parameter, split *self)
{
    self->extent = extent_of(parameter);
    if (self->extent == 0)
        return false;
    self->arity = opevo_parameter_arity(parameter);
    self->divisor_count = 0;
    self->prime_count = opevo_i_tvm_extent_primes(parameter, self->primes);
    if (self->prime_count > 0 &&
        self->primes[self->prime_count - 1] > (uint64_t)TRIAL_MOST * TRIAL_MOST)
        return false;
    return list_divisors(self);
}

/* Ways to choose `slots` more components whose product divides `left`. */
static opevo_index count_below(const split *self, uint64_t left, size_t slots)
{
    opevo_index count = 1;

    for (size_t i = 0; i < self->prime_count; i++) {
        uint64_t exponent = 0;
        opevo_index ways = 1;

        for (; left % self->primes[i] == 0; left /= self->primes[i])
            exponent++;
        opevo_index_binomial(exponent + slots, slots, &ways);
        count *= ways;
    }
    return count;
}

opevo_index opevo_i_tvm_knob_of_vertex(const opevo_parameter *parameter, opevo_index vertex)
{
    opevo_value value[ARITY_MOST];
    opevo_index knob = 0;
    uint64_t left = 0;
    split self;

    if (!split_of(parameter, &self))
        return vertex;
    left = self.extent;
    opevo_parameter_value(parameter, vertex, value);
    for (size_t i = self.arity - 1; i > 0; i--) {
        uint64_t size = (uint64_t)value[i].as.integer;

        for (size_t d = 0; self.divisors[d] < size; d++) {
            if (left % self.divisors[d] == 0)
                knob += count_below(&self, left / self.divisors[d], i - 1);
        }
        left /= size;
    }
    return knob;
}

opevo_index opevo_i_tvm_knob_to_vertex(const opevo_parameter *parameter, opevo_index knob)
{
    opevo_value value[ARITY_MOST];
    opevo_index vertex = 0;
    uint64_t left = 0;
    split self;

    if (!split_of(parameter, &self))
        return knob;
    left = self.extent;
    for (size_t i = self.arity - 1; i > 0; i--) {
        size_t d = 0;

        for (; d + 1 < self.divisor_count; d++) {
            opevo_index below = 0;

            if (left % self.divisors[d])
                continue;
            below = count_below(&self, left / self.divisors[d], i - 1);
            if (knob < below)
                break;
            knob -= below;
        }
        value[i] = opevo_value_of_integer((int64_t)self.divisors[d]);
        left /= self.divisors[d];
    }
    value[0] = opevo_value_of_integer((int64_t)left);
    opevo_parameter_find(parameter, value, &vertex);
    return vertex;
}

opevo_index opevo_i_tvm_knob_index(const opevo_space *space, opevo_index point)
{
    size_t width = opevo_space_parameter_count(space);
    opevo_index index = 0, stride = 1;
    opevo_index vertices[ARITY_MOST]; /* a space has at most 1024 parameters too */

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < width; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);

        index += stride * opevo_i_tvm_knob_of_vertex(parameter, vertices[i]);
        stride *= opevo_parameter_size(parameter);
    }
    return index;
}

opevo_index opevo_i_tvm_knob_point(const opevo_space *space, opevo_index index)
{
    size_t width = opevo_space_parameter_count(space);
    opevo_index vertices[ARITY_MOST];

    for (size_t i = 0; i < width; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        opevo_index size = opevo_parameter_size(parameter);

        vertices[i] = opevo_i_tvm_knob_to_vertex(parameter, index % size);
        index /= size;
    }
    return opevo_space_encode(space, vertices);
}
