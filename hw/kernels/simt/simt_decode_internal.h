/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Decoding: from functions of a module to code. Calls of functions with a body are inlined, so that
 * code has no stack; each activation of a function is a frame. */

#ifndef OPEVO_SIMT_DECODE_INTERNAL_H
#define OPEVO_SIMT_DECODE_INTERNAL_H

#include "simt_internal.h"
#include "simt_operations.def"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

enum {
    OPEVO_I_SIMT_PARTS = 64, /* registers of a value: elements of a vector, members of a struct */
    OPEVO_I_SIMT_CALL_DEPTH = 64, /* also what ends recursion */
    OPEVO_I_SIMT_NO_SIZE = 255
};

/* From pointers to numbers. */
typedef struct opevo_i_simt_map {
    const void **keys;
    uint32_t *values;
    size_t count, capacity; /* a power of 2 */
} opevo_i_simt_map;

bool opevo_i_simt_map_get(const opevo_i_simt_map *map, const void *key, uint32_t *value);
bool opevo_i_simt_map_put(opevo_i_simt_map *map, const void *key, uint32_t value);
void opevo_i_simt_map_free(opevo_i_simt_map *map);

typedef struct opevo_i_simt_slot {
    uint32_t at;  /* register */
    uint8_t size; /* bytes of a lane; 0: i1 */
} opevo_i_simt_slot;

typedef struct opevo_i_simt_value {
    uint32_t first, count; /* of the decoder's slots */
} opevo_i_simt_value;

typedef enum opevo_i_simt_field {
    OPEVO_I_SIMT_FIELD_A,
    OPEVO_I_SIMT_FIELD_B,
    OPEVO_I_SIMT_FIELD_C,
    OPEVO_I_SIMT_FIELD_NUMBER,
    OPEVO_I_SIMT_FIELD_CASE
} opevo_i_simt_field;

/* A place of the code that names a block which is not emitted yet. */
typedef struct opevo_i_simt_fixup {
    uint32_t code, block; /* a number of an instruction, or of a case */
    opevo_i_simt_field field;
} opevo_i_simt_fixup;

/* What a function's floats of 16 and 32 bits do with denormals; simt.h. */
typedef enum opevo_i_simt_denormals {
    OPEVO_I_SIMT_DENORMALS_KEPT,
    OPEVO_I_SIMT_DENORMALS_FLUSHED,
    OPEVO_I_SIMT_DENORMALS_OPEN /* as no GPU does */
} opevo_i_simt_denormals;

/* An activation of a function. Block number block_count is its end. */
typedef struct opevo_i_simt_frame {
    LLVMValueRef function;
    opevo_i_simt_denormals denormals;
    LLVMBasicBlockRef *blocks;
    uint32_t block_count;
    uint32_t *start; /* of each block in the code */
    uint32_t *meet;  /* its immediate post-dominator */
    opevo_i_simt_map values, numbers;
    opevo_i_simt_fixup *fixups;
    size_t fixup_count, fixup_capacity;
    const opevo_i_simt_value *result; /* where a returned value goes; NULL: of a kernel */
    unsigned depth;
} opevo_i_simt_frame;

typedef struct opevo_i_simt_decoder {
    opevo_simt *simt;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    opevo_i_simt_kernel *kernel;
    opevo_i_simt_map places, regions; /* of the module */
    opevo_i_simt_map constants;       /* of the kernel */
    opevo_i_simt_value *values;
    size_t value_count, value_capacity;
    opevo_i_simt_slot *slots;
    size_t slot_count, slot_capacity;
    uint32_t block_code; /* the BLOCK that counts what is emitted */
    uint32_t place;      /* of the instruction that is decoded */
    bool pairs;          /* doubles are two floats: opevo_i_simt_has_pairs */
    bool forked;         /* in the body of a parallel region */
    uint32_t thread_register;
    unsigned least_access;   /* bytes */
    unsigned least_float;    /* bytes, of those that are accessed as values */
    opevo_i_simt_code spare; /* what is written to when memory failed */
    opevo_status status;
    opevo_error *err;
} opevo_i_simt_decoder;

/* What a call does. */
typedef enum opevo_i_simt_callee {
    OPEVO_I_SIMT_CALL_UNKNOWN,
    OPEVO_I_SIMT_CALL_NOTHING,
    OPEVO_I_SIMT_CALL_SAME, /* its first operand */
    OPEVO_I_SIMT_CALL_OPERATION,
    OPEVO_I_SIMT_CALL_SPECIAL,
    OPEVO_I_SIMT_CALL_WARP_SIZE,
    OPEVO_I_SIMT_CALL_BARRIER,
    OPEVO_I_SIMT_CALL_WARP_BARRIER,
    OPEVO_I_SIMT_CALL_SHUFFLE,
    OPEVO_I_SIMT_CALL_VOTE,
    OPEVO_I_SIMT_CALL_COPY,
    OPEVO_I_SIMT_CALL_FILL,
    OPEVO_I_SIMT_CALL_MASKED_LOAD,
    OPEVO_I_SIMT_CALL_MASKED_STORE,
    OPEVO_I_SIMT_CALL_COMPRESS
} opevo_i_simt_callee;

/* Where an operation on floats flushes denormals. */
typedef enum opevo_i_simt_ftz {
    OPEVO_I_SIMT_FTZ_OF_FUNCTION, /* in functions that do */
    OPEVO_I_SIMT_FTZ_ALWAYS,
    OPEVO_I_SIMT_FTZ_NEVER
} opevo_i_simt_ftz;

typedef struct opevo_i_simt_intrinsic {
    opevo_i_simt_callee callee;
    uint32_t number;   /* operation of the least width, special register, shuffle or vote */
    unsigned operands; /* of an operation */
    unsigned least;    /* bytes of its least width */
    opevo_i_simt_cost cost_32, cost_64;
    opevo_i_simt_ftz ftz;
} opevo_i_simt_intrinsic;

/* Whether operations are told apart by their bits (opevo_simt_arithmetic.mark). */
static inline bool opevo_i_simt_tells_apart(const opevo_i_simt_decoder *self)
{
    return self->simt->options.arithmetic && self->simt->options.arithmetic->mark;
}
/* The operation of the arithmetic, and the make of its result where that counts. */
void opevo_i_simt_set_value(const opevo_i_simt_decoder *self, opevo_i_simt_code *code,
                            opevo_simt_value_number value, opevo_simt_make make);

/* simt_calls.c */
opevo_i_simt_intrinsic opevo_i_simt_intrinsic_find(const char *name);

/* simt_carried.c: whether iterations of the loop that a call shares out leave something in
 * variables of their thread, as far as the text does not exclude it. Where they may do so in
 * variables that have addresses, these must hold nothing at the call. */
enum { OPEVO_I_SIMT_CARRIED = 64 };
typedef struct opevo_i_simt_carried {
    LLVMValueRef variable[OPEVO_I_SIMT_CARRIED];
    unsigned count;
} opevo_i_simt_carried;
bool opevo_i_simt_carries(LLVMValueRef share, bool chunked, opevo_i_simt_carried *out);

/* simt_denormals.c */
opevo_i_simt_denormals opevo_i_simt_denormals_of(LLVMValueRef function);
/* Whether an instruction computes with floats of 16 or 32 bits. */
bool opevo_i_simt_computes_floats(LLVMValueRef instruction);

/* simt_values.c: values and constants */
/* The registers of a value, allocated when it is first asked for; NULL if its type is not supported
 * or memory failed (decoder->status). Borrowed until the next call. */
const opevo_i_simt_value *opevo_i_simt_value_of(opevo_i_simt_decoder *self,
                                                opevo_i_simt_frame *frame, LLVMValueRef value);
/* A part of a value, of an operand that is supported. */
opevo_i_simt_slot opevo_i_simt_part(const opevo_i_simt_decoder *self,
                                    const opevo_i_simt_value *value, uint32_t part);
uint32_t opevo_i_simt_register(opevo_i_simt_decoder *self, uint8_t size);
/* Let `value` be `count` slots; false if it has registers of its own already. */
bool opevo_i_simt_alias(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame, LLVMValueRef value,
                        const opevo_i_simt_slot *slots, uint32_t count);
/* A register that holds a number in all lanes. */
uint32_t opevo_i_simt_constant_register(opevo_i_simt_decoder *self, uint8_t size, uint64_t bits,
                                        bool undefined);
/* Sizes of the parts of a type; 0 parts: not supported. */
uint32_t opevo_i_simt_type_parts(const opevo_i_simt_decoder *self, LLVMTypeRef type,
                                 uint8_t sizes[OPEVO_I_SIMT_PARTS]);
/* Bytes of a float in memory; 0 for other types. */
uint8_t opevo_i_simt_float_size(LLVMTypeRef type);
/* Type of the parts of a value. */
LLVMTypeRef opevo_i_simt_part_type(LLVMTypeRef type, uint32_t part);
/* Regions of all global variables. */
void opevo_i_simt_globals(opevo_i_simt_decoder *self);

/* simt_instructions.c: an instruction that is not a terminator. */
void opevo_i_simt_instruction(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame,
                              LLVMValueRef instruction);

/* simt_value_operations.c: what an operation on floats is where they are values. `code` is
 * emitted already, and its operands are set later. */
void opevo_i_simt_value_code(const opevo_i_simt_decoder *self, opevo_i_simt_code *code,
                             uint32_t number);
/* Its result is rounded to a float of so many bytes, where the operation is not exact. */
void opevo_i_simt_value_rounding(const opevo_i_simt_decoder *self, opevo_i_simt_code *code,
                                 uint8_t bytes);

/* simt_pairs.c: whether no instruction of a module takes a double for a number. Conventions of
 * calls pass two floats under that type, and optimisers then load and store them so. */
bool opevo_i_simt_has_pairs(LLVMModuleRef module);

/* simt_emit.c */
opevo_i_simt_code *opevo_i_simt_emit(opevo_i_simt_decoder *self, opevo_i_simt_kind kind);
void opevo_i_simt_emit_unsupported(opevo_i_simt_decoder *self, const char *what);
/* Count an instruction of the current block. */
void opevo_i_simt_charge(opevo_i_simt_decoder *self, opevo_i_simt_cost cost);
void opevo_i_simt_move(opevo_i_simt_decoder *self, opevo_i_simt_slot to, opevo_i_simt_slot from);
/* The decoder fails. */
void opevo_i_simt_no_memory(opevo_i_simt_decoder *self);

/* simt_decode.c */
/* Decode a function's body; what it returns goes to frame->result, and lanes meet behind it. */
void opevo_i_simt_inline(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame);

/* simt_postdominators.c: frame->meet. */
bool opevo_i_simt_postdominators(opevo_i_simt_frame *frame);
uint32_t opevo_i_simt_block_number(const opevo_i_simt_frame *frame, LLVMBasicBlockRef block);

#endif
