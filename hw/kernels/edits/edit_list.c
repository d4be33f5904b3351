/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits, their text and hash, and lists of them. */

#include "edits_internal.h"

#include <opevo/memory.h>

#include <inttypes.h>
#include <stdlib.h>

static const char *const names[OPEVO_I_EDIT_KINDS] = {"swap",    "move",   "copy",
                                                      "replace", "delete", "operand"};

const char *opevo_i_edit_name(opevo_i_edit_kind kind)
{
    return names[kind];
}

opevo_i_edit *opevo_i_edit_create(opevo_i_edit_kind kind)
{
    opevo_i_edit *edit = opevo_calloc(1, sizeof *edit);

    if (edit) {
        edit->owners = 1;
        edit->kind = kind;
    }
    return edit;
}

void opevo_i_edit_release(opevo_i_edit *edit)
{
    if (!edit || --edit->owners > 0)
        return;
    opevo_free(edit->fixes);
    opevo_free(edit);
}

bool opevo_i_edit_fix(opevo_i_edit *edit, bool other, uint32_t operand, opevo_i_edit_ref value)
{
    if (edit->fix_count == OPEVO_I_FIXES_MOST ||
        !opevo_reserve((void **)&edit->fixes, &edit->fix_capacity, edit->fix_count + 1,
                       sizeof *edit->fixes))
        return false;
    edit->fixes[edit->fix_count++] = (opevo_i_edit_operand_fix){other, operand, value};
    return true;
}

const opevo_i_edit_ref *opevo_i_edit_fixed(const opevo_i_edit *edit, bool other, uint32_t operand)
{
    for (size_t i = 0; i < edit->fix_count; i++)
        if (edit->fixes[i].other == other && edit->fixes[i].operand == operand)
            return &edit->fixes[i].value;
    return NULL;
}

void opevo_i_edit_ref_print(opevo_i_edit_ref ref, opevo_text *out)
{
    switch (ref.kind) {
    case OPEVO_I_INSTRUCTION:
        opevo_text_printf(out, "U%" PRIu64, ref.number);
        break;
    case OPEVO_I_ARGUMENT:
        opevo_text_printf(out, "A%" PRIu64, ref.number);
        break;
    case OPEVO_I_CREATED:
        opevo_text_printf(out, "X%016" PRIx64, ref.number);
        break;
    case OPEVO_I_ONE:
    case OPEVO_I_NO_REF:
        opevo_text_add(out, "one");
        break;
    }
}

static void print_edit(const opevo_i_edit *edit, opevo_text *out)
{
    opevo_text_printf(out, "%s ", names[edit->kind]);
    opevo_i_edit_ref_print(edit->a, out);
    if (edit->kind == OPEVO_I_EDIT_OPERAND)
        opevo_text_printf(out, ".%" PRIu32, edit->operand);
    if (edit->b.kind) {
        opevo_text_add(out, " ");
        opevo_i_edit_ref_print(edit->b, out);
    }
    if (edit->with.kind) {
        opevo_text_add(out, " with=");
        opevo_i_edit_ref_print(edit->with, out);
    }
    if (edit->use.kind) {
        opevo_text_add(out, " use=");
        opevo_i_edit_ref_print(edit->use, out);
        opevo_text_printf(out, ".%" PRIu32, edit->use_operand);
    }
    for (size_t i = 0; i < edit->fix_count; i++) {
        opevo_text_printf(out, " %s%" PRIu32 "=", edit->fixes[i].other ? "other" : "fix",
                          edit->fixes[i].operand);
        opevo_i_edit_ref_print(edit->fixes[i].value, out);
    }
}

static int compare_fixes(const void *a, const void *b)
{
    const opevo_i_edit_operand_fix *x = a, *y = b;

    if (x->other != y->other)
        return x->other ? 1 : -1;
    return (x->operand > y->operand) - (x->operand < y->operand);
}

bool opevo_i_edit_seal(opevo_i_edit *edit)
{
    opevo_text text = {0};
    bool ok;

    if (edit->fix_count > 1)
        qsort(edit->fixes, edit->fix_count, sizeof *edit->fixes, compare_fixes);
    print_edit(edit, &text);
    ok = !text.failed;
    /* The top bit tells hashes from the numbers of the base's instructions. */
    edit->hash =
        opevo_hash_mix(opevo_hash_bytes(OPEVO_HASH_START, opevo_text_string(&text), text.length)) |
        UINT64_C(1) << 63;
    opevo_text_free(&text);
    return ok;
}

/* ---- Lists ---- */

opevo_edits *opevo_edits_create(void)
{
    return opevo_calloc(1, sizeof(opevo_edits));
}

void opevo_edits_destroy(opevo_edits *edits)
{
    if (!edits)
        return;
    for (size_t i = 0; i < edits->count; i++)
        opevo_i_edit_release(edits->items[i]);
    opevo_free(edits->items);
    opevo_free(edits);
}

bool opevo_i_edit_add(opevo_edits *edits, opevo_i_edit *edit)
{
    if (!opevo_reserve((void **)&edits->items, &edits->capacity, edits->count + 1,
                       sizeof(opevo_i_edit *)))
        return false;
    edit->owners++;
    edits->items[edits->count++] = edit;
    return true;
}

opevo_edits *opevo_edits_without(const opevo_edits *edits, size_t left_out)
{
    opevo_edits *copy = opevo_edits_create();

    for (size_t i = 0; copy && i < edits->count; i++)
        if (i != left_out && !opevo_i_edit_add(copy, edits->items[i])) {
            opevo_edits_destroy(copy);
            copy = NULL;
        }
    return copy;
}

opevo_edits *opevo_edits_select(const opevo_edits *edits, const size_t *chosen, size_t count)
{
    opevo_edits *copy = opevo_edits_create();

    for (size_t i = 0; copy && i < count; i++)
        if (!opevo_i_edit_add(copy, edits->items[chosen[i]])) {
            opevo_edits_destroy(copy);
            copy = NULL;
        }
    return copy;
}

size_t opevo_edits_count(const opevo_edits *edits)
{
    return edits->count;
}

void opevo_edits_print_one(const opevo_edits *edits, size_t index, opevo_text *out)
{
    print_edit(edits->items[index], out);
}

void opevo_edits_print(const opevo_edits *edits, opevo_text *out)
{
    if (edits->count == 0)
        opevo_text_add(out, "none");
    for (size_t i = 0; i < edits->count; i++) {
        if (i > 0)
            opevo_text_add(out, "; ");
        print_edit(edits->items[i], out);
    }
}

/* ---- Order ---- */

typedef struct keyed {
    opevo_i_edit *edit;
    char *text; /* NULL in order of making */
    bool done;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *x = a, *y = b;

    if (x->edit->kind != y->edit->kind)
        return x->edit->kind < y->edit->kind ? -1 : 1;
    return x->text && y->text ? strcmp(x->text, y->text) : 0;
}

static bool names_created(const opevo_i_edit *edit, uint64_t hash)
{
    const opevo_i_edit_ref *refs[] = {&edit->a, &edit->b, &edit->with, &edit->use};

    for (size_t i = 0; i < 4; i++)
        if (refs[i]->kind == OPEVO_I_CREATED && refs[i]->number == hash)
            return true;
    for (size_t i = 0; i < edit->fix_count; i++)
        if (edit->fixes[i].value.kind == OPEVO_I_CREATED && edit->fixes[i].value.number == hash)
            return true;
    return false;
}

/* Place the edit behind the copies that it names. A copy cannot name itself, nor can two name each
 * other: each would have to hold the other's hash. */
static void emit(keyed *rows, size_t count, size_t index, opevo_i_edit **out, size_t *placed)
{
    if (rows[index].done)
        return;
    rows[index].done = true;
    for (size_t i = 0; i < count; i++)
        if (!rows[i].done && rows[i].edit->kind == OPEVO_I_EDIT_COPY &&
            names_created(rows[index].edit, rows[i].edit->hash))
            emit(rows, count, i, out, placed);
    out[(*placed)++] = rows[index].edit;
}

opevo_status opevo_i_edit_settle(opevo_edits *edits, opevo_edit_order order, opevo_error *err)
{
    size_t count = edits->count, placed = 0;
    keyed *rows = opevo_calloc(count + 1, sizeof *rows);
    bool ok = rows != NULL;

    for (size_t i = 0; ok && i < count; i++) {
        rows[i].edit = edits->items[i];
        if (order == OPEVO_ORDER_CANONICAL) {
            opevo_text text = {0};

            print_edit(edits->items[i], &text);
            ok = !text.failed;
            rows[i].text = text.data; /* handed over */
        }
    }
    if (ok && order == OPEVO_ORDER_CANONICAL && count > 1)
        qsort(rows, count, sizeof *rows, compare_keyed);
    for (size_t i = 0; ok && i < count; i++)
        emit(rows, count, i, edits->items, &placed);
    for (size_t i = 0; rows && i < count; i++)
        opevo_free(rows[i].text);
    opevo_free(rows);
    return ok ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to order edits.");
}
