/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One launch of a native kernel on this thread. */

#ifndef OPEVO_FIBER_INTERNAL_H
#define OPEVO_FIBER_INTERNAL_H

#include <opevo/fibers.h>

/* A function of a kernel, or the shared memory of its module, linked. */
typedef struct opevo_i_fiber_kernel {
    void (*function)(void); /* of any arguments */
    void *shared;           /* NULL: not known */
    size_t shared_bytes;
} opevo_i_fiber_kernel;

/* Stacks for blocks of any size, kept between launches. */
typedef struct opevo_i_fiber_stacks {
    unsigned char *memory;
    size_t size;
} opevo_i_fiber_stacks;

opevo_status opevo_i_fiber_stacks_create(opevo_i_fiber_stacks *stacks, opevo_error *err);
void opevo_i_fiber_stacks_release(opevo_i_fiber_stacks *stacks);
/* Whether the address is in a page between stacks. */
bool opevo_i_fiber_stacks_guard(const opevo_i_fiber_stacks *stacks, const void *address);

/* Run all blocks. `data` are the buffers that arguments name. */
void opevo_i_fiber_launch(const opevo_i_fiber_stacks *stacks, const opevo_i_fiber_kernel *kernel,
                          const opevo_grid_launch *launch, const opevo_buffer *buffers,
                          const opevo_fibers_options *options, opevo_evaluation *out);

/* A suspended flow of control; `top` ends its stack. */
typedef struct opevo_i_fiber {
    void *state;
} opevo_i_fiber;

/* Make a fiber that begins with entry(), which never returns. */
void opevo_i_fiber_start(opevo_i_fiber *fiber, unsigned char *stack, size_t size,
                         void (*entry)(void));
/* Suspend this flow into *from and continue `to`. */
void opevo_i_fiber_switch(opevo_i_fiber *from, const opevo_i_fiber *to);

/* What kernels import. */
int gk_thread(int axis);
int gk_block(int axis);
int gk_block_size(int axis);
int gk_grid_size(int axis);
void gk_barrier(void);

#endif
