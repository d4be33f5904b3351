/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Code, one piece after the other. */

#include "simt_work_internal.h"

#include <opevo/memory.h>

void opevo_i_simt_no_memory(opevo_i_simt_decoder *self)
{
    self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory to decode a kernel.");
}

opevo_i_simt_code *opevo_i_simt_emit(opevo_i_simt_decoder *self, opevo_i_simt_kind kind)
{
    opevo_simt *simt = self->simt;
    opevo_i_simt_code *code = &self->spare;

    if (simt->code_count >= OPEVO_I_SIMT_CODE_LIMIT) {
        self->status =
            OPEVO_FAIL(self->err, OPEVO_LIMIT,
                       "Kernel %s has more than %d instructions with those that it calls.",
                       self->kernel->name, OPEVO_I_SIMT_CODE_LIMIT);
    } else if (!opevo_reserve((void **)&simt->code, &simt->code_capacity, simt->code_count + 1,
                              sizeof *simt->code)) {
        opevo_i_simt_no_memory(self);
    } else {
        code = &simt->code[simt->code_count++];
    }
    *code = (opevo_i_simt_code){.kind = (uint8_t)kind,
                                .to = OPEVO_I_SIMT_NO_REGISTER,
                                .a = OPEVO_I_SIMT_NO_REGISTER,
                                .b = OPEVO_I_SIMT_NO_REGISTER,
                                .c = OPEVO_I_SIMT_NO_REGISTER,
                                .place = self->place};
    return code;
}

void opevo_i_simt_emit_unsupported(opevo_i_simt_decoder *self, const char *what)
{
    opevo_simt *simt = self->simt;

    if (!opevo_reserve((void **)&simt->words, &simt->word_capacity, simt->word_count + 1,
                       sizeof *simt->words) ||
        !(simt->words[simt->word_count] = opevo_strdup(what))) {
        opevo_i_simt_no_memory(self);
        return;
    }
    opevo_i_simt_emit(self, OPEVO_I_SIMT_UNSUPPORTED)->a = (uint32_t)simt->word_count++;
}

void opevo_i_simt_charge(opevo_i_simt_decoder *self, opevo_i_simt_cost cost)
{
    opevo_i_simt_code *block;

    if (self->status != OPEVO_OK)
        return;
    block = &self->simt->code[self->block_code];
    block->a++;
    block->number += (int64_t)opevo_i_simt_cost_of(self->simt, cost);
}

void opevo_i_simt_move(opevo_i_simt_decoder *self, opevo_i_simt_slot to, opevo_i_simt_slot from)
{
    bool raw = to.size == OPEVO_I_SIMT_RAW_SIZE;
    opevo_i_simt_code *code =
        opevo_i_simt_emit(self, raw ? OPEVO_I_SIMT_RAW : OPEVO_I_SIMT_OPERATE);
    uint32_t number = to.size == 0   ? (uint32_t)OPEVO_I_SIMT_BIT_MOVE
                      : to.size == 1 ? OPEVO_I_SIMT_MOVE
                      : to.size == 2 ? OPEVO_I_SIMT_MOVE + 1
                      : to.size == 4 ? OPEVO_I_SIMT_MOVE + 2
                                     : OPEVO_I_SIMT_MOVE + 3;

    code->to = to.at;
    code->size = to.size;
    code->a = from.at;
    code->number = raw ? from.size : 0;
    code->operation = self->simt->operations[number];
    opevo_i_simt_value_code(self, code, number);
}
