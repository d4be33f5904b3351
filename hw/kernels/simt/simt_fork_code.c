/* SPDX-License-Identifier: GPL-3.0-or-later */

/* OpenMP's parallel loops, as clang calls its library, to code. The body of a parallel region,
 * which is a function, is decoded where it is called, between THREAD and JOIN, which goes back to
 * THREAD until each iteration has run. */

#include "simt_work_internal.h"

#include <opevo/memory.h>

enum { STATIC_CHUNKED = 33, STATIC = 34, MODIFIERS = 3 << 29 };

/* A variable of 8 bytes that are 0: what the body takes for its thread's numbers. */
static bool zero_region(opevo_i_simt_decoder *self, uint64_t *address)
{
    opevo_i_simt_region *region = opevo_i_simt_region_add(self->simt);

    if (region) {
        region->kind = OPEVO_I_SIMT_CONSTANT;
        region->read_only = true;
        region->size = sizeof(uint64_t);
        region->initial = opevo_calloc(region->size, 1);
        region->initial_valid = opevo_malloc(region->size, 1);
        region->name = opevo_strdup("of a thread's number");
    }
    if (!region || !region->initial || !region->initial_valid || !region->name) {
        opevo_i_simt_no_memory(self);
        return false;
    }
    memset(region->initial_valid, 1, region->size);
    *address = (uint64_t)(region - self->simt->regions) << OPEVO_I_SIMT_HANDLE_SHIFT;
    return true;
}

/* The arguments behind the function are those of the body behind the first two. */
static bool pass_arguments(const opevo_i_simt_work *self, opevo_i_simt_frame *frame,
                           LLVMValueRef body)
{
    unsigned count = LLVMCountParams(body);
    uint64_t zeros = 0;
    opevo_i_simt_slot slot;

    if (count < 2 || count + 1 != (unsigned)LLVMGetNumArgOperands(self->instruction) ||
        !zero_region(self->decoder, &zeros))
        return false;
    slot = (opevo_i_simt_slot){opevo_i_simt_constant_register(self->decoder, 8, zeros, false), 8};
    for (unsigned i = 0; i < count; i++) {
        opevo_i_simt_value in;

        if (i >= 2) {
            if (!work_passed(self, i + 1, &in) || in.count != 1)
                return false;
            slot = work_part(self, &in, 0);
        }
        if (!opevo_i_simt_alias(self->decoder, frame, LLVMGetParam(body, i), &slot, 1))
            return false;
    }
    return true;
}

static bool decode_fork(opevo_i_simt_work *self)
{
    opevo_i_simt_decoder *decoder = self->decoder;
    LLVMValueRef body = LLVMGetOperand(self->instruction, 2);
    const opevo_i_simt_value nothing = {0};
    opevo_i_simt_frame frame = {
        .function = body, .depth = self->frame->depth + 1, .result = &nothing};
    uint32_t first;

    if (decoder->forked || !LLVMIsAFunction(body) || LLVMIsDeclaration(body) ||
        frame.depth >= OPEVO_I_SIMT_CALL_DEPTH || !pass_arguments(self, &frame, body)) {
        opevo_i_simt_map_free(&frame.values);
        return false;
    }
    frame.denormals = opevo_i_simt_denormals_of(body);
    decoder->simt->forks = true;
    decoder->forked = true;
    decoder->thread_register = opevo_i_simt_register(decoder, 4);
    (void)opevo_i_simt_emit(decoder, OPEVO_I_SIMT_FORK);
    first = (uint32_t)decoder->simt->code_count;
    opevo_i_simt_emit(decoder, OPEVO_I_SIMT_THREAD)->to = decoder->thread_register;
    opevo_i_simt_inline(decoder, &frame);
    opevo_i_simt_emit(decoder, OPEVO_I_SIMT_JOIN)->a = first;
    decoder->forked = false;
    opevo_i_simt_map_free(&frame.values);
    return true;
}

static bool is_number(LLVMValueRef value, int64_t wanted)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) == wanted;
}

static bool is_static(LLVMValueRef schedule)
{
    int64_t kind;

    if (!LLVMIsAConstantInt(schedule))
        return false;
    kind = LLVMConstIntGetSExtValue(schedule) & ~(int64_t)MODIFIERS;
    return kind == STATIC || kind == STATIC_CHUNKED;
}

/* A load or a store of a whole number by the pointer that is argument `index`. */
static bool access_argument(const opevo_i_simt_work *self, unsigned index, bool is_store,
                            opevo_i_simt_slot part)
{
    LLVMTypeRef type =
        LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(self->instruction)), 8u * part.size);
    opevo_i_simt_value address;
    opevo_i_simt_code *code;

    if (!work_operand(self, index, &address) || address.count != 1)
        return false;
    code = opevo_i_simt_work_access(self, is_store, work_part(self, &address, 0), part, type, 0);
    code->c = part.size;
    code->space = opevo_i_simt_work_space(LLVMGetOperand(self->instruction, index), part.size);
    opevo_i_simt_work_note_granule(self, part.size);
    return true;
}

/* The variables that must hold nothing before a loop. */
static bool decode_fresh(const opevo_i_simt_work *self, const opevo_i_simt_carried *carried)
{
    for (unsigned i = 0; i < carried->count; i++) {
        const opevo_i_simt_value *found =
            opevo_i_simt_value_of(self->decoder, self->frame, carried->variable[i]);
        opevo_i_simt_value address;

        if (!found || found->count != 1)
            return false;
        address = *found;
        opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_FRESH)->a = work_part(self, &address, 0).at;
    }
    return true;
}

/* (place, thread, schedule, &last, &lower, &upper, &stride, increment, chunk) */
static bool decode_share(const opevo_i_simt_work *self, uint8_t size, bool is_unsigned)
{
    opevo_i_simt_slot lower = {opevo_i_simt_register(self->decoder, size), size};
    opevo_i_simt_slot upper = {opevo_i_simt_register(self->decoder, size), size};
    opevo_i_simt_slot stride = {opevo_i_simt_register(self->decoder, size), size};
    opevo_i_simt_slot last = {opevo_i_simt_register(self->decoder, 4), 4};
    opevo_i_simt_carried carried = {.count = 0};
    opevo_i_simt_code *code;
    bool carries = opevo_i_simt_carries(
        self->instruction, !is_number(LLVMGetOperand(self->instruction, 2), STATIC), &carried);

    if (!self->decoder->forked || !is_static(LLVMGetOperand(self->instruction, 2)) ||
        !is_number(LLVMGetOperand(self->instruction, 7), 1) ||
        !access_argument(self, 4, false, lower) || !access_argument(self, 5, false, upper) ||
        !decode_fresh(self, &carried))
        return false;
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_SHARE);
    code->size = size;
    code->space = is_unsigned;
    code->a = lower.at;
    code->b = upper.at;
    code->c = stride.at;
    code->number = last.at;
    code->to = carries;
    return access_argument(self, 3, true, last) && access_argument(self, 4, true, lower) &&
           access_argument(self, 5, true, upper) && access_argument(self, 6, true, stride);
}

/* Of this thread; outside of regions there is only one. */
static bool decode_number(opevo_i_simt_work *self)
{
    opevo_i_simt_decoder *decoder = self->decoder;
    opevo_i_simt_slot slot = {decoder->forked
                                  ? decoder->thread_register
                                  : opevo_i_simt_constant_register(decoder, 4, 0, false),
                              4};

    return work_gather(self, &slot, 1);
}

/* Its number is passed on to the library alone. */
static bool decode_library_number(opevo_i_simt_work *self)
{
    opevo_i_simt_slot zero = {opevo_i_simt_constant_register(self->decoder, 4, 0, false), 4};

    return work_gather(self, &zero, 1);
}

bool opevo_i_simt_work_threads(opevo_i_simt_work *self, const char *name, bool *good)
{
    static const char share[] = "__kmpc_for_static_init_";
    const opevo_simt_options *options = &self->decoder->simt->options;

    if (!options->one_lane)
        return false;
    if (strcmp(name, "__kmpc_fork_call") == 0)
        *good = decode_fork(self);
    else if (strncmp(name, share, sizeof share - 1) == 0)
        *good = decode_share(self, name[sizeof share - 1] == '8' ? 8 : 4,
                             name[sizeof share - 1] && name[sizeof share] == 'u');
    else if (strcmp(name, "__kmpc_for_static_fini") == 0 ||
             strcmp(name, "__kmpc_push_num_threads") == 0)
        *good = true;
    else if (strcmp(name, "__kmpc_global_thread_num") == 0)
        *good = decode_library_number(self);
    else if (strcmp(name, "omp_get_thread_num") == 0 && options->own_functions)
        *good = decode_number(self);
    else
        return false;
    return true;
}
