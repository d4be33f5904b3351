/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What edits changed, block by block: the longest common subsequence of the instructions of the
 * base and of the variant. Values are printed by their ids, so that an instruction without changes
 * has the same text in both. */

#include "edits_internal.h"

#include <opevo/memory.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CONTEXT = 2, CELLS_MOST = 1 << 24, NAME_SIZE = 24 };

typedef struct line {
    uint32_t slot;
    char *text; /* of LLVM */
} line;

typedef struct lines {
    line *items;
    size_t count, capacity;
} lines;

/* ---- Names ---- */

static void name(LLVMValueRef value, char letter, uint64_t number, bool created)
{
    char text[NAME_SIZE];
    int length =
        snprintf(text, sizeof text, created ? "%c%016" PRIx64 : "%c%" PRIu64, letter, number);

    LLVMSetValueName2(value, text, (size_t)length);
}

static void name_values(opevo_i_edit_body *body)
{
    uint64_t block = 0;

    for (size_t a = 1; a <= body->base->argument_count; a++)
        name(body->arguments[a], 'A', a, false);
    for (uint32_t s = 1; s <= body->slot_count; s++) {
        LLVMValueRef value = body->slots[s].value;
        bool created = s > body->base->instruction_count;

        if (value && LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVoidTypeKind)
            name(value, created ? 'X' : 'U', body->slots[s].id, created);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(body->llvm); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            name(LLVMBasicBlockAsValue(b), 'B', ++block, false);
}

/* ---- Lines ---- */

static void read_block(opevo_i_edit_body *body, uint32_t block, lines *out)
{
    for (uint32_t s = body->firsts[block]; s; s = body->slots[s].after) {
        if (!body->slots[s].value)
            continue;
        if (!opevo_reserve((void **)&out->items, &out->capacity, out->count + 1,
                           sizeof *out->items)) {
            body->failed = true;
            return;
        }
        out->items[out->count++] = (line){s, LLVMPrintValueToString(body->slots[s].value)};
    }
}

static void free_lines(lines *self)
{
    for (size_t i = 0; i < self->count; i++)
        LLVMDisposeMessage(self->items[i].text);
    opevo_free(self->items);
    *self = (lines){0};
}

static void print_line(const opevo_i_edit_body *body, char mark, const line *self, opevo_text *out)
{
    const opevo_i_edit_line *source = &body->base->lines[0];
    opevo_text id = {0};

    if (self->slot <= body->base->instruction_count)
        source = &body->base->lines[self->slot];
    opevo_i_edit_ref_print(opevo_i_edit_slot_ref(body, self->slot), &id);
    opevo_text_printf(out, "%c %-6s ", mark, opevo_text_string(&id));
    opevo_text_add(out, self->text + strspn(self->text, " "));
    if (source->line)
        opevo_text_printf(out, "  ; %s:%u", source->file, source->line);
    opevo_text_add(out, "\n");
    opevo_text_free(&id);
}

/* ---- Common subsequences ---- */

static bool same(const line *a, const line *b)
{
    return a->slot == b->slot && strcmp(a->text, b->text) == 0;
}

/* length[i][j]: of the longest common subsequence from line i of the old and j of the new on. NULL
 * without memory or for blocks too large, of which all lines count as changed. */
static uint32_t *measure(const lines *old, const lines *new)
{
    size_t width = new->count + 1;
    uint32_t *length = NULL;

    if ((old->count + 1) * width <= CELLS_MOST)
        length = opevo_calloc((old->count + 1) * width, sizeof *length);
    for (size_t i = old->count; length && i-- > 0;)
        for (size_t j = new->count; j-- > 0;) {
            uint32_t right = length[i * width + j + 1], below = length[(i + 1) * width + j];

            length[i * width + j] = same(&old->items[i], &new->items[j])
                                        ? length[(i + 1) * width + j + 1] + 1
                                        : (right > below ? right : below);
        }
    return length;
}

typedef struct row {
    char mark;
    const line *line;
} row;

static size_t align(const lines *old, const lines *new, row *rows)
{
    uint32_t *length = measure(old, new);
    size_t width = new->count + 1, i = 0, j = 0, count = 0;

    while (i < old->count || j < new->count) {
        if (length && i < old->count && j < new->count &&same(&old->items[i], &new->items[j])) {
            rows[count++] = (row){' ', &new->items[j++]};
            i++;
        } else if (i < old->count && (j == new->count || !length ||
                                      length[(i + 1) * width + j] >= length[i * width + j + 1])) {
            rows[count++] = (row){'-', &old->items[i++]};
        } else {
            rows[count++] = (row){'+', &new->items[j++]};
        }
    }
    opevo_free(length);
    return count;
}

static bool near_change(const row *rows, size_t count, size_t at)
{
    size_t from = at < CONTEXT ? 0 : at - CONTEXT;

    for (size_t i = from; i < count && i <= at + CONTEXT; i++)
        if (rows[i].mark != ' ')
            return true;
    return false;
}

static void print_block(const opevo_i_edit_body *before, const opevo_i_edit_body *after,
                        uint32_t block, const lines *old, const lines *new, opevo_text *out)
{
    row *rows = opevo_calloc(old->count + new->count + 1, sizeof *rows);
    size_t count = rows ? align(old, new, rows) : 0;
    bool begun = false, gap = false;

    for (size_t i = 0; i < count; i++) {
        if (!near_change(rows, count, i)) {
            gap = begun;
            continue;
        }
        if (!begun)
            opevo_text_printf(out, "@@ B%u @@\n", block + 1);
        else if (gap)
            opevo_text_add(out, "  ...\n");
        begun = true;
        gap = false;
        print_line(rows[i].mark == '-' ? before : after, rows[i].mark, rows[i].line, out);
    }
    out->failed |= !rows;
    opevo_free(rows);
}

static void print_functions(opevo_i_edit_body *before, opevo_i_edit_body *after, opevo_text *out)
{
    const opevo_module *base = before->base;
    LLVMValueRef function = LLVMGetFirstFunction(before->llvm);

    for (size_t f = 0; f < base->function_count; f++, function = LLVMGetNextFunction(function)) {
        opevo_text part = {0};
        size_t size = 0;

        while (LLVMIsDeclaration(function))
            function = LLVMGetNextFunction(function);
        for (uint32_t b = 0; b < base->functions[f].block_count; b++) {
            uint32_t block = base->functions[f].block_first + b;
            lines old = {0}, new = {0};

            read_block(before, block, &old);
            read_block(after, block, &new);
            print_block(before, after, block, &old, &new, &part);
            free_lines(&old);
            free_lines(&new);
        }
        if (part.length > 0)
            opevo_text_printf(out, "%s\n%s", LLVMGetValueName2(function, &size),
                              opevo_text_string(&part));
        out->failed |= part.failed || before->failed || after->failed;
        opevo_text_free(&part);
    }
}

void opevo_variant_diff(const opevo_variant *variant, opevo_text *out)
{
    static const opevo_i_edit_chooser replay = {NULL, NULL};
    opevo_i_edit_body before = {0}, after = {0};
    LLVMModuleRef llvm[2];

    LLVMContextSetDiscardValueNames(variant->base->context, false);
    if (opevo_i_edit_body_open(variant->base, &before, NULL) ||
        opevo_i_edit_body_open(variant->base, &after, NULL)) {
        out->failed = true;
    } else {
        for (size_t i = 0; i < variant->edits->count; i++)
            (void)opevo_i_edit_apply(&after, variant->edits->items[i], &replay);
        name_values(&before);
        name_values(&after);
        print_functions(&before, &after, out);
    }
    LLVMContextSetDiscardValueNames(variant->base->context, true);
    llvm[0] = opevo_i_edit_body_close(&before);
    llvm[1] = opevo_i_edit_body_close(&after);
    for (int i = 0; i < 2; i++)
        if (llvm[i])
            LLVMDisposeModule(llvm[i]);
}
