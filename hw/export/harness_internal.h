/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parts of a harness that are the same for every kernel. */

#ifndef OPEVO_HARNESS_INTERNAL_H
#define OPEVO_HARNESS_INTERNAL_H

/* Functions that the others need: memory, inputs, clock. */
extern const char opevo_i_harness_head[];
/* `reference` for matrix products and for convolutions, from the numbers defined before. */
extern const char opevo_i_harness_matmul[], opevo_i_harness_conv2d[];
/* `send`, `execute` and `fetch` on a processor and on a GPU. */
extern const char opevo_i_harness_cpu[], opevo_i_harness_gpu[];
/* Check, timing and main. */
extern const char opevo_i_harness_check[], opevo_i_harness_main[];

#endif
