/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Faults as sentences: which instruction of which thread did what. */

#include "simt_registers_internal.h"

#include <opevo/text.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What stands for them where code is analysed. */
#undef opevo_i_simt_fault
#undef opevo_i_simt_fault_undefined

const char *opevo_simt_outcome_name(opevo_simt_outcome outcome)
{
    static const char *const names[] = {
#define NAME(suffix, text) text,
        OPEVO_SIMT_OUTCOME_LIST(NAME)
#undef NAME
    };

    return names[outcome];
}

static void set_place(opevo_simt *self, uint32_t place)
{
    opevo_simt_result *result = self->result;

    if (place == OPEVO_I_SIMT_NOWHERE) {
        (void)snprintf(result->instruction, sizeof result->instruction, "?");
        return;
    }
    (void)snprintf(result->instruction, sizeof result->instruction, "%s", self->places[place].name);
    result->line = self->places[place].line;
}

static void set_thread(opevo_simt *self, const opevo_i_simt_warp *warp, unsigned lane)
{
    const uint32_t *block = self->launch->block;
    uint32_t thread = warp->index * OPEVO_I_SIMT_LANES + lane;

    memcpy(self->result->block, self->block, sizeof self->block);
    self->result->thread[0] = thread % block[0];
    self->result->thread[1] = thread / block[0] % block[1];
    self->result->thread[2] = thread / block[0] / block[1];
}

/* "U5 (line 3) of thread (0, 0, 0) in block (0, 0, 0) of matmul "; the message is cut at its
 * size. */
static void add_place(const opevo_simt *self, opevo_text *out)
{
    const opevo_simt_result *result = self->result;

    opevo_text_add(out, result->instruction);
    if (result->line)
        opevo_text_printf(out, " (line %u)", result->line);
    opevo_text_printf(out, " of thread (%u, %u, %u) in block (%u, %u, %u) of %s ",
                      result->thread[0], result->thread[1], result->thread[2], result->block[0],
                      result->block[1], result->block[2], self->kernel->name);
}

bool opevo_i_simt_fault(opevo_simt *self, const opevo_i_simt_warp *warp, uint32_t place,
                        unsigned lane, opevo_simt_outcome outcome, const char *format, ...)
{
    opevo_text text = {0};
    va_list arguments;

    self->result->outcome = outcome;
    set_place(self, place);
    set_thread(self, warp, lane);
    add_place(self, &text);
    va_start(arguments, format);
    opevo_text_vprintf(&text, format, arguments);
    va_end(arguments);
    opevo_text_add(&text, ".");
    (void)snprintf(self->result->message, sizeof self->result->message, "%s",
                   text.failed ? opevo_simt_outcome_name(outcome) : opevo_text_string(&text));
    opevo_text_free(&text);
    return false;
}

bool opevo_i_simt_fault_undefined(opevo_simt *self, const opevo_i_simt_warp *warp,
                                  const opevo_i_simt_code *code, uint32_t origin, uint32_t lanes,
                                  const char *use)
{
    bool is_data = opevo_i_simt_is_data(origin);
    uint32_t from = is_data ? origin & ~OPEVO_I_SIMT_OF_DATA : origin;
    bool known = from != OPEVO_I_SIMT_NOWHERE && from != code->place;
    uint32_t place = known ? from : code->place;
    const char *user = code->place == OPEVO_I_SIMT_NOWHERE ? "?" : self->places[code->place].name;

    return opevo_i_simt_fault(self, warp, place, (unsigned)__builtin_ctz(lanes),
                              is_data ? OPEVO_SIMT_DATA : OPEVO_SIMT_UNINITIALISED,
                              is_data && known ? "gives bits that depend on data, and %s %s"
                              : is_data        ? "uses bits that depend on data: %s %s"
                              : known          ? "gives a value that nothing defined, and %s %s"
                                               : "uses a value that nothing defined: %s %s",
                              user, use);
}

void opevo_i_simt_doubt(opevo_simt *self, uint32_t place, const char *why)
{
    if (self->doubtful != OPEVO_I_SIMT_NOWHERE)
        return;
    self->doubtful = place;
    self->doubt = why;
}
