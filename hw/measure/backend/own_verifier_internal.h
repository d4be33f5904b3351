/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A program of the user that judges results: it finds them as files of NumPy. */

#ifndef OPEVO_OWN_VERIFIER_INTERNAL_H
#define OPEVO_OWN_VERIFIER_INTERNAL_H

#include <jansson.h>

#include <opevo/kernel_harness.h>

typedef struct opevo_i_own_verifier opevo_i_own_verifier;

/* Of the member "verifier" of a setup, a command without a shell, whose last argument is the folder
 * of the files; NULL in *out without one. Errors: INVALID for a command that cannot be split; IO;
 * NOMEM. */
opevo_status opevo_i_own_verifier_open(const json_t *setup, opevo_i_own_verifier **out,
                                       opevo_error *err);
void opevo_i_own_verifier_close(opevo_i_own_verifier *self); /* NULL is allowed */
/* Write the outputs among the buffers, NAME.npy with the contents at data[i], and run the program:
 * it exits with 0 for right results; with 1 they are wrong, and the last line of its standard error
 * says why. Errors: FAULT for any other end, and for more than 10 s; IO, NOMEM. */
opevo_status opevo_i_own_verifier_ask(opevo_i_own_verifier *self, const opevo_buffer *buffers,
                                      size_t count, const void *const *data, opevo_evaluation *out,
                                      opevo_error *err);

#endif
