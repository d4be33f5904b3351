/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pseudo-random numbers for tests that try many inputs: the same on every machine. */

#ifndef OPEVO_TESTS_DRAW_H
#define OPEVO_TESTS_DRAW_H

#include <opevo/hash.h>

/* A number below `below`; the bias of the remainder does not matter here. */
static inline uint64_t draw(uint64_t *state, uint64_t below)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return opevo_hash_mix(*state) % below;
}

#endif
