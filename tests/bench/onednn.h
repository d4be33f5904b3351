/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators by oneDNN 2, on one thread, where it was there when this was built. */

#ifndef OPEVO_TESTS_BENCH_ONEDNN_H
#define OPEVO_TESTS_BENCH_ONEDNN_H

#include <opevo/operator.h>

#include <stdbool.h>

typedef struct onednn onednn;

bool onednn_is_there(void);
/* On operands laid out as ours are or, for convolutions, in layouts of oneDNN's own choice, then in
 * its own memory and with nothing brought into them or back.
 * NULL where oneDNN is not there or refuses. */
onednn *onednn_create(const opevo_operator *op, float *const *operand, bool own_layouts);
bool onednn_run(onednn *self);
void onednn_destroy(onednn *self);

#endif
