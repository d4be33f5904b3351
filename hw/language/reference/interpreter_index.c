/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Integer index expressions at all lanes: one part depends on the lane axes only and is computed
 * once for each block of lanes, one on the outer axes only, once for all lanes; only a division
 * of both is computed for each lane every time. */

#include "interpreter_internal.h"

static bool is_of(unsigned axes, unsigned some)
{
    return (axes & ~some) == 0;
}

static uint64_t divide(const opevo_i_reference_division *division, int64_t inner)
{
    int64_t quotient = inner / division->divisor;

    quotient -= inner % division->divisor < 0;
    return division->factor *
           (uint64_t)(division->modulo ? inner - quotient * division->divisor : quotient);
}

static void set_base_of(opevo_i_reference_machine *self, const opevo_i_reference_linear *linear,
                        int64_t *base)
{
    const opevo_i_reference_program *program = self->program;

    for (int i = 0; i < OPEVO_I_LANES; i++)
        base[i] = (int64_t)linear->constant;
    for (int a = 0; a < program->definition->axes; a++) {
        if (!(self->lane_axes >> a & 1) || !linear->factor[a])
            continue;
        for (int i = 0; i < OPEVO_I_LANES; i++)
            base[i] =
                (int64_t)((uint64_t)base[i] + linear->factor[a] * (uint64_t)self->coordinate[a][i]);
    }
    for (int d = 0; d < linear->divisions; d++) {
        const opevo_i_reference_division *division = &program->divisions[linear->first + d];

        if (!is_of(program->linears[division->inner].axes, self->lane_axes))
            continue;
        for (int i = 0; i < OPEVO_I_LANES; i++)
            base[i] =
                (int64_t)((uint64_t)base[i] + divide(division, self->base[division->inner][i]));
    }
}

void opevo_i_reference_machine_set_base(opevo_i_reference_machine *self)
{
    for (size_t l = 0; l < self->program->linear_count; l++)
        set_base_of(self, &self->program->linears[l], self->base[l]);
}

/* Divisions that depend on outer axes only; an inner number of those has its constant in its
 * base. */
static uint64_t shift_of(const opevo_i_reference_machine *self,
                         const opevo_i_reference_linear *linear)
{
    const opevo_i_reference_program *program = self->program;
    uint64_t shift = 0;

    for (int a = 0; a < program->definition->axes; a++) /* 0 for lane axes */
        shift += linear->factor[a] * (uint64_t)self->outer[a];
    for (int d = 0; d < linear->divisions; d++) {
        const opevo_i_reference_division *division = &program->divisions[linear->first + d];
        unsigned axes = program->linears[division->inner].axes;

        if (is_of(axes, ~self->lane_axes) && axes)
            shift +=
                divide(division, self->base[division->inner][0] + self->shift[division->inner]);
    }
    return shift;
}

/* Whether a division depends on lane axes and on outer ones. */
static bool is_mixed(const opevo_i_reference_machine *self,
                     const opevo_i_reference_division *division)
{
    unsigned axes = self->program->linears[division->inner].axes;

    return !is_of(axes, self->lane_axes) && !is_of(axes, ~self->lane_axes);
}

void opevo_i_reference_machine_set_mixed(opevo_i_reference_machine *self)
{
    const opevo_i_reference_program *program = self->program;

    for (size_t l = 0; l < program->linear_count; l++) {
        const opevo_i_reference_linear *linear = &program->linears[l];

        for (int d = 0; d < linear->divisions; d++)
            self->is_mixed[l] |= is_mixed(self, &program->divisions[linear->first + d]);
    }
}

static void add_mixed(opevo_i_reference_machine *self, size_t l)
{
    const opevo_i_reference_program *program = self->program;
    const opevo_i_reference_linear *linear = &program->linears[l];
    int64_t *mixed = self->mixed[l];

    for (int i = 0; i < OPEVO_I_LANES; i++)
        mixed[i] = (int64_t)((uint64_t)self->base[l][i] + (uint64_t)self->shift[l]);
    for (int d = 0; d < linear->divisions; d++) {
        const opevo_i_reference_division *division = &program->divisions[linear->first + d];

        for (int i = 0; i < OPEVO_I_LANES && is_mixed(self, division); i++)
            mixed[i] = (int64_t)((uint64_t)mixed[i] +
                                 divide(division,
                                        opevo_i_reference_machine_value(self, division->inner, i)));
    }
}

void opevo_i_reference_machine_set_shift(opevo_i_reference_machine *self)
{
    for (size_t l = 0; l < self->program->linear_count; l++) {
        self->shift[l] = (int64_t)shift_of(self, &self->program->linears[l]);
        if (self->is_mixed[l])
            add_mixed(self, l);
    }
}
