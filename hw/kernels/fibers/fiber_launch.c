/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A block: its work items run in their order, each to a barrier or its end; then all go on behind
 * the barrier. If some are at a barrier and others at their end, the barrier is divergent. One
 * launch runs at a time in a process, whose place is in `here`. */

#include "fiber_internal.h"

#include <opevo/random.h>

#include <ffi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Structs of a launch have 64 members at most, and begin at multiples of 16 bytes. */
enum { MOST_ITEMS = 1024, STACK_BYTES = 1 << 16, MOST_ARGUMENTS = 64, STRUCT_BYTES = 1024 };

static struct {
    int thread[MOST_ITEMS][3], block[3], block_size[3], grid_size[3];
    size_t item; /* that runs */
    bool ended[MOST_ITEMS];
    opevo_i_fiber fibers[MOST_ITEMS], scheduler;
    ffi_cif call;
    void *values[MOST_ARGUMENTS];
    size_t count;
    _Alignas(16) uint8_t structs[STRUCT_BYTES]; /* one behind the other */
    size_t struct_bytes;
    size_t struct_at[MOST_ARGUMENTS]; /* the byte behind that of an argument; 0: not a struct */
    void (*function)(void);
} here;

int gk_thread(int axis)
{
    return here.thread[here.item][axis];
}

int gk_block(int axis)
{
    return here.block[axis];
}

int gk_block_size(int axis)
{
    return here.block_size[axis];
}

int gk_grid_size(int axis)
{
    return here.grid_size[axis];
}

void gk_barrier(void)
{
    opevo_i_fiber_switch(&here.fibers[here.item], &here.scheduler);
}

/* Each work item has copies of the structs, on its stack: kernels get their addresses. */
static void work(void)
{
    _Alignas(16) uint8_t copies[STRUCT_BYTES];
    void *addresses[MOST_ARGUMENTS], *values[MOST_ARGUMENTS];

    memcpy(copies, here.structs, here.struct_bytes);
    for (size_t i = 0; i < here.count; i++) {
        addresses[i] = copies + here.struct_at[i] - 1;
        values[i] = here.struct_at[i] ? &addresses[i] : here.values[i];
    }
    ffi_call(&here.call, here.function, NULL, values);
    here.ended[here.item] = true;
    gk_barrier(); /* for ever */
}

/* ---- Stacks ---- */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

opevo_status opevo_i_fiber_stacks_create(opevo_i_fiber_stacks *stacks, opevo_error *err)
{
    size_t page = page_size(), pitch = STACK_BYTES + page, size = MOST_ITEMS * pitch + page;
    unsigned char *memory =
        mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the stacks of work items.");
    for (size_t i = 0; i < MOST_ITEMS; i++) {
        if (mprotect(memory + page + i * pitch, STACK_BYTES, PROT_READ | PROT_WRITE) != 0) {
            munmap(memory, size);
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the stacks of work items.");
        }
    }
    *stacks = (opevo_i_fiber_stacks){memory, size};
    return OPEVO_OK;
}

void opevo_i_fiber_stacks_release(opevo_i_fiber_stacks *stacks)
{
    if (stacks->memory)
        munmap(stacks->memory, stacks->size);
}

bool opevo_i_fiber_stacks_guard(const opevo_i_fiber_stacks *stacks, const void *address)
{
    size_t offset = (size_t)((const unsigned char *)address - stacks->memory);

    return (const unsigned char *)address >= stacks->memory && offset < stacks->size &&
           offset % (STACK_BYTES + page_size()) < page_size();
}

static unsigned char *stack_of(const opevo_i_fiber_stacks *stacks, size_t item)
{
    return stacks->memory + page_size() + item * (STACK_BYTES + page_size());
}

/* ---- Launches ---- */

static ffi_type *type_of(const opevo_argument *argument)
{
    static ffi_type *const types[] = {[OPEVO_KERNEL_ELEMENT_F32] = &ffi_type_float,
                                      [OPEVO_KERNEL_ELEMENT_F64] = &ffi_type_double,
                                      [OPEVO_KERNEL_ELEMENT_I32] = &ffi_type_sint32,
                                      [OPEVO_KERNEL_ELEMENT_U32] = &ffi_type_uint32,
                                      [OPEVO_KERNEL_ELEMENT_I64] = &ffi_type_sint64,
                                      [OPEVO_KERNEL_ELEMENT_U64] = &ffi_type_uint64,
                                      [OPEVO_KERNEL_ELEMENT_I16] = &ffi_type_sint16,
                                      [OPEVO_KERNEL_ELEMENT_U16] = &ffi_type_uint16,
                                      [OPEVO_KERNEL_ELEMENT_I8] = &ffi_type_sint8,
                                      [OPEVO_KERNEL_ELEMENT_U8] = &ffi_type_uint8};

    return argument->kind == OPEVO_ARGUMENT_SCALAR ? types[argument->element] : &ffi_type_pointer;
}

static void refuse(opevo_evaluation *out, opevo_kernel_verdict verdict, const char *sentence)
{
    out->verdict = verdict;
    snprintf(out->message, sizeof out->message, "%s", sentence);
}

/* The order of `count` items, by the seed and the number of the block. */
static void set_order(const opevo_fibers_options *options, uint64_t block, size_t *order,
                      size_t count)
{
    opevo_rng rng;

    if (options->order == OPEVO_FIBERS_SHUFFLED) {
        opevo_rng_init(&rng, options->order_seed, "fibers", block);
        opevo_rng_order(&rng, order, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = options->order == OPEVO_FIBERS_FORWARD ? i : count - 1 - i;
}

/* False at a divergent barrier. */
static bool run_block(const opevo_i_fiber_stacks *stacks, const size_t *order, size_t count)
{
    size_t ended = 0;

    memset(here.ended, 0, sizeof here.ended);
    for (bool started = false; ended < count; started = true) {
        ended = 0;
        for (size_t i = 0; i < count; i++) {
            size_t item = order[i];

            here.item = item;
            if (!started)
                opevo_i_fiber_start(&here.fibers[item], stack_of(stacks, item), STACK_BYTES, work);
            opevo_i_fiber_switch(&here.scheduler, &here.fibers[item]);
            ended += here.ended[item];
        }
        if (ended > 0 && ended < count)
            return false;
    }
    return true;
}

static void run_blocks(const opevo_i_fiber_stacks *stacks, const opevo_i_fiber_kernel *kernel,
                       const opevo_grid_launch *launch, const opevo_fibers_options *options,
                       opevo_evaluation *out)
{
    size_t items = (size_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t plane = (uint64_t)launch->grid[0] * launch->grid[1];
    uint64_t blocks = plane * launch->grid[2];
    size_t order[MOST_ITEMS];

    for (uint64_t turn = 0; turn < blocks; turn++) {
        uint64_t block = options->order == OPEVO_FIBERS_REVERSE ? blocks - 1 - turn : turn;

        here.block[0] = (int)(block % launch->grid[0]);
        here.block[1] = (int)(block % plane / launch->grid[0]);
        here.block[2] = (int)(block / plane);
        if (turn == 0 || options->order == OPEVO_FIBERS_SHUFFLED)
            set_order(options, block, order, items);
        if (kernel->shared)
            memset(kernel->shared, 0xff, kernel->shared_bytes);
        if (!run_block(stacks, order, items)) {
            refuse(out, OPEVO_VERDICT_DIVERGENT_BARRIER, "");
            snprintf(out->message, sizeof out->message,
                     "Not all work items of block (%d, %d, %d) of %.60s reach a barrier.",
                     here.block[0], here.block[1], here.block[2], launch->kernel);
            return;
        }
    }
}

static uint64_t address(const void *context, size_t buffer)
{
    return (uint64_t)(uintptr_t)((const opevo_buffer *)context)[buffer].data;
}

/* libffi has no type of them. */
static bool has_half(const opevo_grid_launch *launch)
{
    for (size_t i = 0; i < launch->argument_count; i++) {
        if (launch->arguments[i].kind == OPEVO_ARGUMENT_SCALAR &&
            launch->arguments[i].element == OPEVO_KERNEL_ELEMENT_F16)
            return true;
    }
    return false;
}

static void add_struct(const opevo_argument *argument, const opevo_buffer *buffers, size_t i)
{
    uint8_t bytes[OPEVO_STRUCT_MOST];
    size_t size = opevo_argument_lay_out(argument, address, buffers, bytes);

    memcpy(here.structs + here.struct_bytes, bytes, size);
    here.struct_at[i] = here.struct_bytes + 1;
    here.struct_bytes += (size + 15) / 16 * 16;
}

void opevo_i_fiber_launch(const opevo_i_fiber_stacks *stacks, const opevo_i_fiber_kernel *kernel,
                          const opevo_grid_launch *launch, const opevo_buffer *buffers,
                          const opevo_fibers_options *options, opevo_evaluation *out)
{
    ffi_type *types[MOST_ARGUMENTS];
    uint64_t bits[MOST_ARGUMENTS];
    const void *pointers[MOST_ARGUMENTS];
    size_t items = (size_t)launch->block[0] * launch->block[1] * launch->block[2];

    if (launch->shared_bytes > 0 || items > MOST_ITEMS || launch->argument_count > MOST_ARGUMENTS) {
        refuse(out, OPEVO_VERDICT_UNSUPPORTED,
               "Dynamic shared memory, and blocks of more than 1024 work items, are unsupported.");
        return;
    }
    if (has_half(launch)) {
        refuse(out, OPEVO_VERDICT_UNSUPPORTED, "Scalars of f16 are unsupported here.");
        return;
    }
    here.count = launch->argument_count;
    here.struct_bytes = 0;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const opevo_argument *argument = &launch->arguments[i];

        here.struct_at[i] = 0;
        if (argument->kind == OPEVO_ARGUMENT_STRUCT)
            add_struct(argument, buffers, i);
        types[i] = type_of(argument);
        bits[i] = argument->bits;
        pointers[i] = argument->kind == OPEVO_ARGUMENT_BUFFER ? buffers[argument->buffer].data : 0;
        here.values[i] = argument->kind == OPEVO_ARGUMENT_BUFFER ? (void *)&pointers[i] : &bits[i];
    }
    if (ffi_prep_cif(&here.call, FFI_DEFAULT_ABI, (unsigned)launch->argument_count, &ffi_type_void,
                     types) != FFI_OK) {
        refuse(out, OPEVO_VERDICT_UNSUPPORTED, "The arguments of the kernel cannot be passed.");
        return;
    }
    here.function = kernel->function;
    for (size_t i = 0; i < items; i++) {
        here.thread[i][0] = (int)(i % launch->block[0]);
        here.thread[i][1] = (int)(i / launch->block[0] % launch->block[1]);
        here.thread[i][2] = (int)(i / launch->block[0] / launch->block[1]);
    }
    for (size_t axis = 0; axis < 3; axis++) {
        here.block_size[axis] = (int)launch->block[axis];
        here.grid_size[axis] = (int)launch->grid[axis];
    }
    run_blocks(stacks, kernel, launch, options, out);
}
