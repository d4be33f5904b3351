/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of statement features share. */

#ifndef OPEVO_STATEMENT_INTERNAL_H
#define OPEVO_STATEMENT_INTERNAL_H

#include <opevo/statement_features.h>

enum {
    OPEVO_I_STATEMENT_LOOPS = 64, /* around a store */
    OPEVO_I_STATEMENT_DIMENSIONS = 16,
    OPEVO_I_STATEMENT_ACCESSES = 16, /* of a store */
    OPEVO_I_STATEMENT_BUFFERS = 5,   /* of a row */
    OPEVO_I_STATEMENT_CURVE = 10
};

/* The accesses of a store to one buffer. A buffer that is read and written is read where it is
 * written, so that only the write is listed. */
typedef struct opevo_i_feature_touched_buffer {
    size_t buffer;
    bool read, written;
    const opevo_statement_access *accesses[OPEVO_I_STATEMENT_ACCESSES];
    size_t access_count;
} opevo_i_feature_touched_buffer;

/* A buffer that a store inside a loop touches. */
typedef struct opevo_i_feature_touch {
    size_t buffer;
    double elements; /* of its region at this loop */
    double bytes;    /* of an element */
    size_t next;     /* of the same loop; SIZE_MAX: none */
} opevo_i_feature_touch;

/* The touches of all stores so far, by loop, the oldest first. */
typedef struct opevo_i_feature_touches {
    opevo_i_feature_touch *all;
    size_t count, capacity;
    size_t *first, *last; /* of each loop */
} opevo_i_feature_touches;

bool opevo_i_feature_touches_init(opevo_i_feature_touches *self,
                                  const opevo_statement_program *program);
void opevo_i_feature_touches_release(opevo_i_feature_touches *self);
void opevo_i_feature_touches_add(opevo_i_feature_touches *self, size_t loop, size_t buffer,
                                 double elements, double bytes);
/* The oldest one of a buffer; there is one. */
const opevo_i_feature_touch *opevo_i_feature_touches_oldest(const opevo_i_feature_touches *self,
                                                            size_t loop, size_t buffer);
/* Bytes of the regions that a loop's stores touch, and how many bytes one element of each has. */
double opevo_i_feature_touches_bytes(const opevo_i_feature_touches *self, size_t loop);
double opevo_i_feature_touches_one_each(const opevo_i_feature_touches *self, size_t loop);
/* How many touches of a buffer there are, and the elements of the smallest. */
size_t opevo_i_feature_touches_of(const opevo_i_feature_touches *self, size_t loop, size_t buffer,
                                  double *least);

/* Errors: INVALID for more loops, dimensions or accesses than the enumeration above has. */
opevo_status opevo_i_feature_statement_check(const opevo_statement_program *program,
                                             opevo_error *err);
/* Merge the accesses of a store by buffer, the one stored to first; returns the number. */
size_t opevo_i_feature_statement_buffers(const opevo_statement_store *store,
                                         opevo_i_feature_touched_buffer *buffers);
/* Extents of the region of a buffer's accesses when the loops of the store from `outermost` on run:
 * of each dimension. Returns their product. */
double opevo_i_feature_statement_region(const opevo_statement_program *program,
                                        const opevo_statement_store *store,
                                        const opevo_i_feature_touched_buffer *touched,
                                        size_t outermost, double *extents);
/* Smallest distance in elements, over the accesses, between two iterations of a loop; 0 if no
 * access depends on it. */
double opevo_i_feature_statement_stride(const opevo_statement_program *program,
                                        const opevo_i_feature_touched_buffer *touched, size_t loop);
/* Whether an index of an access depends on a loop. */
bool opevo_i_feature_statement_depends(const opevo_statement_program *program,
                                       const opevo_i_feature_touched_buffer *touched, size_t loop);

#endif
