/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The order in which AutoTVM numbers the values of a parameter (a "knob") and the points of a
 * space, where that differs from ours: its logs name a configuration by that number, and droplet
 * search steps through it. */

#ifndef OPEVO_KNOBS_INTERNAL_H
#define OPEVO_KNOBS_INTERNAL_H

#include <opevo/space.h>

/* Number of a vertex among the values of its knob, and back; both below the parameter's size.
 *
 * factor(C,v): the entities of define_split with the policy "factors" and v outputs, which ascend
 * by the last component, among equals by the last but one, and so on; the first component is what
 * is left. Every other type, and a factor whose C has more than 2048 divisors or a cofactor above
 * 2^40 without a prime below 2^20, keeps our own numbers.
 *
 * Cost: O(v divisors(C) primes(C)), and trial division of C up to 2^20. */
opevo_index opevo_i_tvm_knob_of_vertex(const opevo_parameter *parameter, opevo_index vertex);
opevo_index opevo_i_tvm_knob_to_vertex(const opevo_parameter *parameter, opevo_index knob);

enum { OPEVO_I_EXTENT_PRIMES_MOST = 15 }; /* the product of more exceeds 2^63 */

/* The primes of C of a factor(C,v), ascending, into room for OPEVO_I_EXTENT_PRIMES_MOST, and their
 * number; the last is what is left after division by the primes below 2^20, which may be no prime
 * when it exceeds 2^40. 0 for other types. */
size_t opevo_i_tvm_extent_primes(const opevo_parameter *parameter, uint64_t *primes);

/* AutoTVM's index of a configuration, and back: mixed radix, the first parameter running fastest.
 * Hook of tests. */
opevo_index opevo_i_tvm_knob_index(const opevo_space *space, opevo_index point);
opevo_index opevo_i_tvm_knob_point(const opevo_space *space, opevo_index index);

#endif
