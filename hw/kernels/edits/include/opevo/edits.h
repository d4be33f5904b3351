/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of LLVM modules: a kernel variant is a base module and a list of edits of its instructions,
 * each with the repairs that keep the module in static single assignment form.
 *
 * References: U1, U2, ... are the instructions of the module as loaded, in their order, A1, A2, ...
 * the arguments of its functions, X and 16 hexadecimal digits the instruction that a copy created
 * (a hash of the edit), and "one" the constant 1 of the needed type (null for pointers and
 * aggregates). An id stays with its place: after a replacement or a swap it names what is there
 * now; a moved instruction takes its id along; a deleted one leaves its id as a position.
 *
 *   copy S before D    a clone of S, and one later operand of its type reads it
 *   delete S           its uses read another value
 *   move S before D    gevo: all its uses read another value, and one later operand reads it;
 *                      keep-uses: only the uses that it does not reach any more read another
 *   replace D by S     a clone of S in the place of D, whose users read it
 *   swap A B           the computations exchange places; the users stay with the places
 *   operand D.i V      operand i of D reads V
 *
 * Terminators, phis, allocas, indirect calls and inline assembly are not copied, deleted, moved,
 * replaced or swapped, so the control flow graph never changes; their operands may. An operand that
 * is not defined where its instruction stands is repaired: it reads a value of its type that is.
 * The repairs are drawn when an edit is made and are a part of it. An edit is applied after those
 * before it in the list: where a repair is missing or its value is gone, a value is chosen by the
 * hash of edit and operand, and an edit whose target is gone is skipped and counted. So a list
 * gives the same module on every machine with the same LLVM.
 *
 * LLVM may end the process on hostile modules: who calls these functions is a worker process.
 * Source: Liou et al., "GEVO", ACM TACO 17 (2020), section 3; docs/gevo.md says what differs. */

#ifndef OPEVO_EDITS_H
#define OPEVO_EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/random.h>
#include <opevo/status.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

struct LLVMOpaqueModule;
struct LLVMOpaqueValue;

/* ---- The base module ---- */

typedef struct opevo_module opevo_module;

typedef enum opevo_module_target {
    OPEVO_MODULE_NVPTX,
    OPEVO_MODULE_AMDGPU,
    OPEVO_MODULE_CPU
} opevo_module_target;

/* Read textual IR or bitcode. Facts that edits can falsify are removed, from the base as from its
 * variants: flags that make results poison (nsw, nuw, exact, inbounds, nnan, ...), attributes such
 * as noundef, memory and willreturn, metadata of aliases, ranges and loops, alignments above that
 * of the type, debug records. Source lines are remembered first. Where the module flag
 * "nvvm-reflect-ftz" is not 0, functions that say nothing of denormals are made to flush them, by
 * "denormal-fp-math-f32". Errors: IO; LIMIT for a file above 64 MiB or more than 100,000
 * instructions; NOMEM; INVALID with "path: " and LLVM's reason, for a module without kernel and for
 * one with exceptions (invoke, callbr). */
opevo_status opevo_module_load(const char *path, opevo_module **out, opevo_error *err);
void opevo_module_destroy(opevo_module *module);

/* Of the text of the module without facts, names of files aside: edits belong to it. */
uint64_t opevo_module_hash(const opevo_module *module);
opevo_module_target opevo_module_machine(const opevo_module *module);
size_t opevo_module_instruction_count(const opevo_module *module);
/* Variable `i` of those that kernels may write to, in shared or global memory, in the module's
 * order; NULL from their number on. Borrowed. */
const char *opevo_module_variable(const opevo_module *module, size_t i);
/* Source of instruction U`number`, 1 up to the count: *file is borrowed, "" where the module has no
 * debug information for it; returns the line or 0. */
unsigned opevo_module_source_line(const opevo_module *module, size_t number, const char **file);

/* ---- Edit lists ---- */

typedef enum opevo_edit_move { OPEVO_MOVE_GEVO, OPEVO_MOVE_KEEP_USES } opevo_edit_move;
/* Whether "one" takes part in every draw of a repair, or only where nothing else fits. */
typedef enum opevo_edit_one { OPEVO_ONE_ALWAYS, OPEVO_ONE_LAST } opevo_edit_one;
/* Order in a list: as made; or by kind (swap, move, copy, replace, delete, operand) and text. In
 * both, a copy stands before the edits that name its instruction. */
typedef enum opevo_edit_order { OPEVO_ORDER_CHRONO, OPEVO_ORDER_CANONICAL } opevo_edit_order;
/* What is shuffled and divided between two children: the edits of both parents; or those that only
 * one of them has, while common ones go to both. */
typedef enum opevo_edit_crossover {
    OPEVO_CROSSOVER_CONCAT,
    OPEVO_CROSSOVER_SYMDIFF
} opevo_edit_crossover;

typedef struct opevo_edit_settings {
    opevo_edit_move move;
    opevo_edit_one const_one;
    opevo_edit_order order;
    opevo_edit_crossover crossover;
} opevo_edit_settings;

/* keep-uses, last, chrono, symdiff. */
#define OPEVO_EDIT_SETTINGS_DEFAULT                                                                \
    ((opevo_edit_settings){OPEVO_MOVE_KEEP_USES, OPEVO_ONE_LAST, OPEVO_ORDER_CHRONO,               \
                           OPEVO_CROSSOVER_SYMDIFF})

/* Set one by its name: move=gevo|keep-uses, const-one=always|last, order=chrono|canonical,
 * crossover=concat|symdiff. Errors: INVALID, which names what is allowed. */
opevo_status opevo_edit_settings_set(opevo_edit_settings *settings, const char *name,
                                     const char *value, opevo_error *err);

enum { OPEVO_EDITS_MOST = 10000 }; /* edits of a list */

typedef struct opevo_edits opevo_edits;

/* The text of docs/formats/edits.md: edits separated by ";" or line feeds, "none" for no edit. A
 * leading "module HASH" must be that of the module. Errors: INVALID, which names the edit and what
 * is wrong with it; LIMIT; NOMEM. */
opevo_status opevo_edits_parse(const opevo_module *module, const char *text, opevo_edits **out,
                               opevo_error *err);
/* No edits: the base module. NULL without memory. */
opevo_edits *opevo_edits_create(void);
/* A copy without edit `left_out` (pass the count for all). NULL without memory. */
opevo_edits *opevo_edits_without(const opevo_edits *edits, size_t left_out);
/* A copy with the edits at `chosen[0..count)` in that order. NULL without memory.
 * Hook of tests. */
opevo_edits *opevo_edits_select(const opevo_edits *edits, const size_t *chosen, size_t count);

void opevo_edits_destroy(opevo_edits *edits);
size_t opevo_edits_count(const opevo_edits *edits);
/* Append the canonical text in one line: parse of it prints the same. */
void opevo_edits_print(const opevo_edits *edits, opevo_text *out);
/* Append the text of edit `index`. */
void opevo_edits_print_one(const opevo_edits *edits, size_t index, opevo_text *out);

/* `count` random edits of the base, none of which is skipped when applied (in order chrono). This
 * and the two below are functions of their arguments and the stream. Errors: LIMIT if no edit was
 * found, as where all that can be edited is deleted, or for a list at its limit; NOMEM. */
opevo_status opevo_edits_sample(const opevo_module *module, const opevo_edit_settings *settings,
                                size_t count, opevo_rng *rng, opevo_edits **out, opevo_error *err);
/* A copy of the list with 1 + k more random edits, k geometric: P(k) = (1 - q) q^k, 0 <= q < 1. The
 * kind of each is uniform over the six, then its arguments over those that are legal. */
opevo_status opevo_edits_mutate(const opevo_module *module, const opevo_edit_settings *settings,
                                const opevo_edits *parent, double q, opevo_rng *rng,
                                opevo_edits **out, opevo_error *err);
/* One-point messy crossover: what settings->crossover names is shuffled and cut at a uniform place
 * into two children. `second` may be NULL. Edits of a child may be skipped when applied, and a
 * child may be empty. Errors: NOMEM. */
opevo_status opevo_edits_cross(const opevo_edit_settings *settings, const opevo_edits *a,
                               const opevo_edits *b, opevo_rng *rng, opevo_edits **first,
                               opevo_edits **second, opevo_error *err);

/* ---- Variants ---- */

typedef struct opevo_variant opevo_variant;

/* The base with the edits applied, verified. A module that LLVM's verifier rejects is an outcome:
 * opevo_variant_fault then says why. The module must outlive its variants. Errors: NOMEM. Cost: a
 * clone of the module, a pass over its instructions for each edit, and the verifier. */
opevo_status opevo_variant_create(const opevo_module *module, const opevo_edits *edits,
                                  opevo_variant **out, opevo_error *err);
void opevo_variant_destroy(opevo_variant *variant);
/* NULL if the verifier accepts the module. */
const char *opevo_variant_fault(const opevo_variant *variant);
/* Whether edit `index` was skipped, as its target is gone. */
bool opevo_variant_skipped(const opevo_variant *variant, size_t index);
/* How many were. Hook of tests. */
size_t opevo_variant_skipped_count(const opevo_variant *variant);
/* LLVM's module, borrowed; an LLVMModuleRef. */
struct LLVMOpaqueModule *opevo_variant_llvm(const opevo_variant *variant);
/* The id of an instruction of that module, such as U12 or X..., with " (file:line)" where known;
 * false for anything else. */
bool opevo_variant_name(const opevo_variant *variant, const struct LLVMOpaqueValue *instruction,
                        opevo_text *out);
/* Of the module's text, for caches: edits without effect give that of the base. */
uint64_t opevo_variant_hash(const opevo_variant *variant);
/* Append what the edits changed, function by function: lines "- ", "+ " and "  " of instructions
 * with their ids, and source lines where the base has them. */
void opevo_variant_diff(const opevo_variant *variant, opevo_text *out);

/* Forms that a variant can be written in. NVPTX modules have all; others only "ll", and on a CPU
 * "cpu-object".
 *
 *   ll           the module
 *   ptx          assembly for NVIDIA, machine "sm_70" unless named
 *   amdgcn-ll    lowered to AMD's GPUs, machine "gfx906" unless named
 *   amdgcn       a code object of it, linked by ld.lld; kernels keep their names
 *   cpu-ll       lowered to this machine's CPU (see below)
 *   cpu-object   a relocatable object of it, position-independent code
 *   opencl       OpenCL C 1.2; dynamic shared memory is one more argument of kernels, of local
 *                memory, behind the others, and a struct by value one of as many bytes; a
 *                kernel that has the name of a function of OpenCL C gets "_" behind it
 *
 * On a CPU a kernel is a function of its arguments for one work item, of a struct by value its
 * address. It calls these functions,
 * which the launcher defines, with axis 0 (x) to 2 (z):
 *
 *   int gk_thread(int axis), gk_block(int axis): this work item
 *   int gk_block_size(int axis), gk_grid_size(int axis)
 *   void gk_barrier(void)
 *
 * Shared memory is one array of each module, `gk_shared`, of `gk_shared_size` (a uint64_t) bytes;
 * both are visible outside. */
typedef enum opevo_variant_form {
    OPEVO_FORM_LL,
    OPEVO_FORM_PTX,
    OPEVO_FORM_AMDGCN_LL,
    OPEVO_FORM_AMDGCN,
    OPEVO_FORM_CPU_LL,
    OPEVO_FORM_CPU_OBJECT,
    OPEVO_FORM_OPENCL
} opevo_variant_form;

/* The form of a name above; false for others. */
bool opevo_variant_form_of(const char *name, opevo_variant_form *out);

/* Append the bytes of the form. `machine` may be NULL; `block_size` is the largest number of work
 * items of a block, for AMD (0: 1024). Errors: INVALID for a form that the target lacks, for what
 * has no counterpart there (with the intrinsic's name) and for what the code generator refuses; IO
 * if ld.lld is missing or fails; NOMEM. */
opevo_status opevo_variant_emit(const opevo_variant *variant, opevo_variant_form form,
                                const char *machine, unsigned block_size, opevo_text *out,
                                opevo_error *err);

OPEVO_END_C

#endif
