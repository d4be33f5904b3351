/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inside of hw/kernels/edits. A body is a clone of the base module in which edits are applied: its
 * instructions stand in slots, one for each id, linked in the order of their blocks. Always: a slot
 * without a value is only a position; a value is in the slot that the map names for it; orders
 * ascend along a block. */

#ifndef OPEVO_EDITS_INTERNAL_H
#define OPEVO_EDITS_INTERNAL_H

#include <llvm-c/Core.h>

#include <opevo/edits.h>
#include <opevo/hash.h>

#define OPEVO_I_NO_BLOCK UINT32_MAX

/* ---- Base ---- */

typedef struct opevo_i_edit_block {
    uint32_t function;
    uint32_t last;         /* slot */
    uint32_t enter, leave; /* numbers in a walk of the dominator tree */
    bool reachable;
} opevo_i_edit_block;

typedef struct opevo_i_edit_function {
    uint32_t argument_first, argument_count;
    uint32_t block_first, block_count;
} opevo_i_edit_function;

typedef struct opevo_i_edit_line {
    unsigned line;
    const char *file; /* borrowed from the module's names */
} opevo_i_edit_line;

struct opevo_module {
    LLVMContextRef context;
    LLVMModuleRef llvm;
    opevo_text *diagnostic; /* what LLVM reported last */
    opevo_module_target machine;
    uint64_t hash;
    opevo_i_edit_function *functions; /* those with a body */
    opevo_i_edit_block *blocks;
    opevo_i_edit_line *lines; /* of instruction i at i */
    char **files;
    char **kernels;
    size_t function_count, block_count, argument_count, instruction_count;
    size_t file_count, kernel_count;
    unsigned immarg_kind, fpmath_kind;
};

/* Remove the facts that edits can falsify. */
void opevo_i_edit_strip_facts(opevo_module *module);
/* Fill in functions and blocks. Errors: NOMEM. */
opevo_status opevo_i_edit_index_module(opevo_module *module, opevo_error *err);

/* Whether block a dominates block b; a block dominates itself. */
static inline bool opevo_i_edit_dominates(const opevo_module *module, uint32_t a, uint32_t b)
{
    const opevo_i_edit_block *above = &module->blocks[a], *below = &module->blocks[b];

    return above->function == below->function && above->enter <= below->enter &&
           below->leave <= above->leave;
}

/* ---- Edits ---- */

typedef enum opevo_i_edit_kind { /* in canonical order */
                                 OPEVO_I_EDIT_SWAP,
                                 OPEVO_I_EDIT_MOVE,
                                 OPEVO_I_EDIT_COPY,
                                 OPEVO_I_EDIT_REPLACE,
                                 OPEVO_I_EDIT_DELETE,
                                 OPEVO_I_EDIT_OPERAND,
                                 OPEVO_I_EDIT_KINDS
} opevo_i_edit_kind;

typedef enum opevo_i_edit_ref_kind {
    OPEVO_I_NO_REF,
    OPEVO_I_INSTRUCTION,
    OPEVO_I_ARGUMENT,
    OPEVO_I_CREATED,
    OPEVO_I_ONE
} opevo_i_edit_ref_kind;

typedef struct opevo_i_edit_ref {
    opevo_i_edit_ref_kind kind;
    uint64_t number; /* from 1; of a created instruction its hash */
} opevo_i_edit_ref;

typedef struct opevo_i_edit_operand_fix {
    bool other; /* of the second computation of a swap */
    uint32_t operand;
    opevo_i_edit_ref value;
} opevo_i_edit_operand_fix;

enum { OPEVO_I_FIXES_MOST = 1000 };

/* Immutable once sealed, and shared between lists. */
typedef struct opevo_i_edit {
    size_t owners;
    opevo_i_edit_kind kind;
    opevo_i_edit_ref a, b; /* in the order of the text; b: also the value of an operand edit */
    uint32_t operand;      /* of an operand edit */
    opevo_i_edit_ref with; /* what the old uses read */
    opevo_i_edit_ref use;  /* the instruction that reads the result, */
    uint32_t use_operand;  /* and its operand */
    opevo_i_edit_operand_fix *fixes; /* ascending */
    size_t fix_count, fix_capacity;
    uint64_t hash; /* of the text */
} opevo_i_edit;

struct opevo_edits {
    opevo_i_edit **items;
    size_t count, capacity;
};

opevo_i_edit *opevo_i_edit_create(opevo_i_edit_kind kind); /* one owner; NULL without memory */
void opevo_i_edit_release(opevo_i_edit *edit);
/* False without memory or room. */
bool opevo_i_edit_fix(opevo_i_edit *edit, bool other, uint32_t operand, opevo_i_edit_ref value);
const opevo_i_edit_ref *opevo_i_edit_fixed(const opevo_i_edit *edit, bool other, uint32_t operand);
const char *opevo_i_edit_name(opevo_i_edit_kind kind);
/* Sort the fixes and take the hash of the text. False without memory. */
bool opevo_i_edit_seal(opevo_i_edit *edit);
/* Append, sharing the edit. False without memory. */
bool opevo_i_edit_add(opevo_edits *edits, opevo_i_edit *edit);
/* Order by the setting, creators first. Errors: NOMEM. */
opevo_status opevo_i_edit_settle(opevo_edits *edits, opevo_edit_order order, opevo_error *err);
void opevo_i_edit_ref_print(opevo_i_edit_ref ref, opevo_text *out);

/* ---- Bodies ---- */

typedef struct opevo_i_edit_slot {
    LLVMValueRef value; /* NULL: gone, or not there yet */
    uint64_t id;        /* the number of the base's instruction, or the hash of a created one */
    uint64_t order;     /* in its block */
    uint32_t block;
    uint32_t before, after; /* slots of the block; 0: none */
    bool pinned;
} opevo_i_edit_slot;

typedef struct opevo_i_edit_body {
    const opevo_module *base;
    LLVMModuleRef llvm;
    LLVMBuilderRef builder;
    opevo_i_edit_slot *slots; /* from 1; those of the base first */
    size_t slot_count, slot_capacity;
    uint32_t *firsts; /* first slot of each block */
    LLVMValueRef *arguments;
    opevo_index_map *places; /* slot of a value */
    bool failed;             /* no memory */
} opevo_i_edit_body;

opevo_status opevo_i_edit_body_open(const opevo_module *base, opevo_i_edit_body *body,
                                    opevo_error *err);
/* Release all but the LLVM module, which the caller gets; NULL if there is none. */
LLVMModuleRef opevo_i_edit_body_close(opevo_i_edit_body *body);

/* A use: operand `operand` of the instruction in `slot`. */
typedef struct opevo_i_edit_use {
    uint32_t slot, operand;
} opevo_i_edit_use;

/* Slot of a value; 0 for anything but an instruction of the body. */
uint32_t opevo_i_edit_slot_of(const opevo_i_edit_body *body, LLVMValueRef value);
/* Slot of a reference to an instruction; 0 if it does not exist. */
uint32_t opevo_i_edit_slot_named(const opevo_i_edit_body *body, opevo_i_edit_ref ref);
opevo_i_edit_ref opevo_i_edit_slot_ref(const opevo_i_edit_body *body, uint32_t slot);
uint32_t opevo_i_edit_slot_function(const opevo_i_edit_body *body, uint32_t slot);
/* A new slot without a value before `slot`; 0 without memory. */
uint32_t opevo_i_edit_slot_insert(opevo_i_edit_body *body, uint32_t slot);
void opevo_i_edit_slot_move(opevo_i_edit_body *body, uint32_t slot, uint32_t before);
/* Put an instruction that stands in no block at the place of a slot. */
void opevo_i_edit_slot_fill(opevo_i_edit_body *body, uint32_t slot, LLVMValueRef value);

/* Whether a variable may be an operand of an instruction. */
bool opevo_i_edit_operand_open(const opevo_module *base, LLVMValueRef instruction,
                               uint32_t operand);
/* The place where a use reads: its instruction, for a phi the end of the block that its value comes
 * from. Whether what slot `from` or a value names is defined before the place. */
uint32_t opevo_i_edit_use_place(const opevo_i_edit_body *body, opevo_i_edit_use use);
bool opevo_i_edit_slot_reaches(const opevo_i_edit_body *body, uint32_t from, uint32_t place);
bool opevo_i_edit_reaches(const opevo_i_edit_body *body, LLVMValueRef value, uint32_t place);
/* The value of a reference in the function, of the type; NULL if none. */
LLVMValueRef opevo_i_edit_value_named(const opevo_i_edit_body *body, opevo_i_edit_ref ref,
                                      uint32_t function, LLVMTypeRef type);

/* ---- Application ---- */

/* Where choices come from: a stream, which records them in the edit, or the edit. */
typedef struct opevo_i_edit_chooser {
    opevo_rng *rng; /* NULL: the edit */
    const opevo_edit_settings *settings;
} opevo_i_edit_chooser;

/* Apply the edit; false if it is skipped, with the module unchanged. With a stream, the edit, whose
 * instructions are given, gets its repairs (an operand edit its value) and is sealed.
 * body->failed: no memory. */
bool opevo_i_edit_apply(opevo_i_edit_body *body, opevo_i_edit *edit,
                        const opevo_i_edit_chooser *chooser);

struct opevo_variant {
    const opevo_module *base;
    opevo_i_edit_body body; /* its llvm is the variant's module */
    opevo_edits *edits;
    bool *skipped;
    size_t skipped_count;
    char *fault;
};

/* Rewrite a clone of the variant for another machine. Errors: INVALID with what has no counterpart;
 * NOMEM. */
opevo_status opevo_i_edit_lower_cpu(LLVMModuleRef llvm, opevo_error *err);
/* The part of it that gives NVIDIA's functions the names of gk_ functions, of LLVM and of the C
 * library. */
opevo_status opevo_i_edit_lower_names(LLVMModuleRef llvm, opevo_error *err);
opevo_status opevo_i_edit_lower_amdgcn(const opevo_module *base, LLVMModuleRef llvm,
                                       const char *gpu, unsigned most, opevo_error *err);
/* Append the clone, which is changed, as OpenCL C 1.2. Errors as above. */
opevo_status opevo_i_edit_print_opencl(const opevo_module *base, LLVMModuleRef llvm,
                                       opevo_text *out, opevo_error *err);

#endif
