/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Memory of OpenCL's device by address. Addresses are numbers of ours, as OpenCL 1.2 has none: an
 * allocation is a range of them, and an address inside one that is an argument of a kernel becomes
 * a sub-buffer to the end of the allocation. */

#include "opencl_internal.h"

#include <opevo/memory.h>

#include <dlfcn.h>
#include <string.h>

enum { FIRST_ADDRESS = 1 << 20, ADDRESS_GAP = 1 << 20, MOST_BLOCK = 1 << 14 };

/* A part of an allocation that was an argument, from its address to the end. */
typedef struct part {
    uint64_t address;
    cl_mem memory;
} part;

/* An allocation and its parts: arguments do not keep the memory that they name, so that it does. */
typedef struct region {
    uint64_t address;
    size_t bytes;
    cl_mem whole;
    unsigned char *shared; /* the same memory in this process; NULL: the device has its own */
    part *parts;
    size_t part_count, part_capacity;
} region;

static region *regions;
static size_t region_count, region_capacity;
static uint64_t next_address = FIRST_ADDRESS;

static region *region_of(uint64_t address)
{
    for (size_t i = 0; i < region_count; i++) {
        if (address >= regions[i].address && address - regions[i].address < regions[i].bytes)
            return &regions[i];
    }
    return NULL;
}

/* ---- Shared memory -------------------------------------------------------------------------- */

typedef void *shared_allocate(cl_context context, cl_bitfield flags, size_t bytes,
                              cl_uint alignment);
typedef void shared_free(cl_context context, void *memory);

/* Functions of OpenCL 2.0; NULL where the loader has none. */
static void *find_function(const char *name)
{
    return opevo_i_opencl_now()->has_shared ? dlsym(RTLD_DEFAULT, name) : NULL;
}

static unsigned char *allocate_shared(size_t bytes)
{
    enum { SVM_FINE_GRAIN_BUFFER = 1 << 10 };
    void *found = find_function("clSVMAlloc");
    shared_allocate *function = NULL;

    if (!found || !find_function("clSVMFree"))
        return NULL;
    memcpy(&function, &found, sizeof found);
    return function(opevo_i_opencl_now()->context, CL_MEM_READ_WRITE | SVM_FINE_GRAIN_BUFFER, bytes,
                    0);
}

static void free_shared(unsigned char *memory)
{
    void *found = find_function("clSVMFree");
    shared_free *function = NULL;

    if (!memory || !found)
        return;
    memcpy(&function, &found, sizeof found);
    function(opevo_i_opencl_now()->context, memory);
}

/* Where an address is in this process, once all commands have ended; NULL with a code of 0: the
 * device has its own memory. */
static unsigned char *shared_at(uint64_t address, int *code)
{
    const region *found = region_of(address);

    *code = found ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
    if (!found || !found->shared)
        return NULL;
    *code = opevo_i_opencl_settle();
    return *code == CL_SUCCESS ? found->shared + (address - found->address) : NULL;
}

/* ---- Allocations ---------------------------------------------------------------------------- */

static int allocate(uint64_t *address, size_t bytes)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    void *items = regions;
    cl_int code = CL_SUCCESS;
    cl_mem memory = NULL;
    unsigned char *shared = NULL;

    if (!opevo_reserve(&items, &region_capacity, region_count + 1, sizeof *regions))
        return CL_OUT_OF_HOST_MEMORY;
    regions = items;
    shared = allocate_shared(bytes);
    memory = now->call->clCreateBuffer(
        now->context, CL_MEM_READ_WRITE | (shared ? CL_MEM_USE_HOST_PTR : 0), bytes, shared, &code);
    if (code != CL_SUCCESS) {
        free_shared(shared);
        return code;
    }
    regions[region_count++] =
        (region){.address = next_address, .bytes = bytes, .whole = memory, .shared = shared};
    *address = next_address;
    next_address = (next_address + bytes + ADDRESS_GAP) / ADDRESS_GAP * ADDRESS_GAP + ADDRESS_GAP;
    return CL_SUCCESS;
}

static int release(uint64_t address)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    region *found = region_of(address);

    if (!found)
        return CL_INVALID_MEM_OBJECT;
    for (size_t i = 0; i < found->part_count; i++)
        now->call->clReleaseMemObject(found->parts[i].memory);
    opevo_free(found->parts);
    now->call->clReleaseMemObject(found->whole);
    free_shared(found->shared);
    *found = regions[--region_count];
    return CL_SUCCESS;
}

static int part_of(region *found, uint64_t address, cl_mem *out)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    size_t offset = address - found->address;
    const cl_buffer_region range = {offset, found->bytes - offset};
    void *items = found->parts;
    cl_int code = CL_SUCCESS;

    *out = found->whole;
    if (offset == 0)
        return CL_SUCCESS;
    for (size_t i = 0; i < found->part_count; i++) {
        *out = found->parts[i].memory;
        if (found->parts[i].address == address)
            return CL_SUCCESS;
    }
    if (!opevo_reserve(&items, &found->part_capacity, found->part_count + 1, sizeof(part)))
        return CL_OUT_OF_HOST_MEMORY;
    found->parts = items;
    *out = now->call->clCreateSubBuffer(found->whole, CL_MEM_READ_WRITE,
                                        CL_BUFFER_CREATE_TYPE_REGION, &range, &code);
    if (code == CL_SUCCESS)
        found->parts[found->part_count++] = (part){address, *out};
    return code;
}

int opevo_i_opencl_memory_at(uint64_t address, cl_mem *out)
{
    region *found = region_of(address);

    return found ? part_of(found, address, out) : CL_INVALID_MEM_OBJECT;
}

/* ---- Copies --------------------------------------------------------------------------------- */

static int copy_in(uint64_t to, const void *from, size_t bytes)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    const region *found = region_of(to);
    cl_event event = NULL;
    int code = CL_SUCCESS;
    unsigned char *shared = shared_at(to, &code);

    if (shared)
        memcpy(shared, from, bytes);
    if (shared || code != CL_SUCCESS)
        return code;
    code = now->call->clEnqueueWriteBuffer(now->queue, found->whole, CL_FALSE, to - found->address,
                                           bytes, from, 0, NULL, &event);
    opevo_i_opencl_count();
    return opevo_i_opencl_await(code, event);
}

static int copy_out(void *to, uint64_t from, size_t bytes)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    const region *found = region_of(from);
    cl_event event = NULL;
    int code = CL_SUCCESS;
    const unsigned char *shared = shared_at(from, &code);

    if (shared)
        memcpy(to, shared, bytes);
    if (shared || code != CL_SUCCESS)
        return code;
    code = now->call->clEnqueueReadBuffer(now->queue, found->whole, CL_FALSE, from - found->address,
                                          bytes, to, 0, NULL, &event);
    opevo_i_opencl_count();
    return opevo_i_opencl_await(code, event);
}

static int copy(uint64_t to, uint64_t from, size_t bytes)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    const region *source = region_of(from);
    const region *target = region_of(to);
    int code = CL_INVALID_MEM_OBJECT;

    if (!source || !target)
        return code;
    if (source->shared && target->shared) {
        code = opevo_i_opencl_settle();
        if (code == CL_SUCCESS)
            memmove(target->shared + (to - target->address),
                    source->shared + (from - source->address), bytes);
        return code;
    }
    opevo_i_opencl_count();
    return now->call->clEnqueueCopyBuffer(now->queue, source->whole, target->whole,
                                          from - source->address, to - target->address, bytes, 0,
                                          NULL, NULL);
}

/* By copies of what is written already. */
static void repeat(unsigned char *to, cl_uint pattern, size_t words)
{
    size_t bytes = words * sizeof pattern, done = bytes < sizeof pattern ? bytes : sizeof pattern;

    memcpy(to, &pattern, done);
    for (size_t block = 0; done < bytes; done += block) {
        block = done < MOST_BLOCK ? done : MOST_BLOCK;
        block = block < bytes - done ? block : bytes - done;
        memcpy(to + done, to, block);
    }
}

static int fill(uint64_t to, unsigned value, size_t words)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    const region *found = region_of(to);
    const cl_uint pattern = value;
    int code = CL_SUCCESS;
    unsigned char *shared = shared_at(to, &code);

    if (shared)
        repeat(shared, pattern, words);
    if (shared || code != CL_SUCCESS)
        return code;
    opevo_i_opencl_count();
    return words ? now->call->clEnqueueFillBuffer(now->queue, found->whole, &pattern,
                                                  sizeof pattern, to - found->address,
                                                  sizeof pattern * words, 0, NULL, NULL)
                 : CL_SUCCESS;
}

void opevo_i_opencl_memory_functions(opevo_i_gpu_driver *out)
{
    out->allocate = allocate;
    out->release = release;
    out->copy_in = copy_in;
    out->copy_out = copy_out;
    out->copy = copy;
    out->fill = fill;
}
