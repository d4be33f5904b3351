/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points: from the values that a template prefers by analysis to a point of its space. Where
 * the limits of the device refuse them, the template prefers smaller ones.
 *
 * The tile of registers follows the model of a processor with two multiply-add pipes of a latency
 * of four cycles, 32 vector registers of 512 bits or 16 smaller ones, and broadcasts from memory.
 * Source: Low, Igual, Smith, Quintana-Orti, "Analytical modeling is enough for high-performance
 * BLIS", ACM TOMS 43 (2016), for the tile and for the blocks that fill half a cache. */

#include "template_internal.h"

#include <opevo/memory.h>
#include <opevo/nearest.h>

#include <math.h>

/* Tries with ever smaller values before a template has no start. */
enum { ROUNDS = 8 };

/* Registers of a tile beside its accumulators: the vectors of columns, and one broadcast. */
enum { BROADCASTS = 1 };

/* Accumulators that hide the latency, with a margin; loads that one accumulator hides; and the
 * share of accumulators to loads beyond which more does not help. */
enum { ACCUMULATORS = 12 };
static const double load_cost = 1.3;
static const double enough_reuse = 1.6;

opevo_device_facts opevo_i_template_known_facts(const opevo_device_facts *facts)
{
    return (opevo_device_facts){
        .vector_bits = facts->vector_bits ? facts->vector_bits : 256,
        .l1_bytes = facts->l1_bytes ? facts->l1_bytes : 32 << 10,
        .l2_bytes = facts->l2_bytes ? facts->l2_bytes : 512 << 10,
        .vector_registers = facts->vector_registers,
    };
}

int64_t opevo_i_template_divisor_below(int64_t number, int64_t most)
{
    int64_t divisor = most < number ? most : number;

    while (divisor > 1 && number % divisor != 0)
        divisor--;
    return divisor > 1 ? divisor : 1;
}

void opevo_i_template_prefer(opevo_i_template_values *out, int parameter, int count,
                             const int64_t *values)
{
    for (int i = 0; i < count; i++)
        out->at[parameter][i] = values[i];
}

/* Among tiles with about the same rate, that with more uses of a load: up to 16 %. */
double opevo_i_template_tile_rate(int64_t rows, int64_t vectors, int64_t lanes)
{
    double accumulators = (double)(rows * vectors);
    double loads = (double)(rows + vectors);
    double cycles = fmax(fmax(accumulators, load_cost * loads), ACCUMULATORS);

    return accumulators * (double)lanes / cycles *
           (1 + fmin(accumulators / loads, enough_reuse) / 10);
}

/* Vector registers, by the numbers in one where they are not known; 128 bits: ARM. */
static int64_t registers_of(const opevo_device_facts *facts, int64_t widest)
{
    if (facts->vector_registers)
        return facts->vector_registers;
    return widest >= 16 || widest == 4 ? 32 : 16;
}

int64_t opevo_i_template_most_rows(const opevo_device_facts *facts, int64_t vectors)
{
    int64_t widest = (int64_t)opevo_i_template_known_facts(facts).vector_bits / 32;

    return (registers_of(facts, widest) - vectors - BROADCASTS) / vectors;
}

opevo_i_template_register_tile opevo_i_template_choose_tile(const opevo_device_facts *facts,
                                                            int64_t row_extent,
                                                            int64_t column_extent)
{
    int64_t widest = (int64_t)opevo_i_template_known_facts(facts).vector_bits / 32;
    int64_t registers = registers_of(facts, widest);
    opevo_i_template_register_tile best = {.rows = 1, .columns = 1, .lanes = 1};
    double most = 0;

    for (int64_t columns = 1; columns <= column_extent && columns <= registers * widest;
         columns++) {
        int64_t lanes = opevo_i_template_lanes(columns, widest);
        int64_t vectors = columns / lanes;

        for (int64_t rows = 1; column_extent % columns == 0 && rows <= row_extent; rows++) {
            double rate = opevo_i_template_tile_rate(rows, vectors, lanes);

            if (rows * vectors + vectors + BROADCASTS > registers)
                break;
            if (row_extent % rows == 0 && rate > most * (1 + 1e-9)) {
                most = rate;
                best = (opevo_i_template_register_tile){rows, columns, lanes};
            }
        }
    }
    return best;
}

/* Iterations for each thread with which it does not matter that the last ones have none. */
enum { UNEVEN = 4 };

bool opevo_i_template_prefer_divided(int64_t panels, unsigned threads, int64_t *outer,
                                     int64_t *inner)
{
    int64_t most = panels / threads;

    if (most < 1)
        return false;
    *inner = opevo_i_template_divisor_below(panels, *inner < most ? *inner : most);
    if (panels / *inner % threads != 0 && most / UNEVEN >= 1)
        *inner =
            opevo_i_template_divisor_below(panels, *inner < most / UNEVEN ? *inner : most / UNEVEN);
    *outer = panels / *inner;
    return true;
}

/* ---- From preferred values to a point ------------------------------------------------------- */

static opevo_status nearest(const opevo_space *space, const opevo_i_template_values *wanted,
                            bool *found, opevo_index *point, opevo_error *err)
{
    opevo_index vertex[OPEVO_I_VALUES] = {0};

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        opevo_value value[OPEVO_I_COMPONENTS];

        for (size_t k = 0; k < opevo_parameter_arity(parameter); k++)
            value[k] = opevo_value_of_integer(wanted->at[i][k]);
        opevo_parameter_nearest(parameter, value, &vertex[i]);
    }
    return opevo_space_nearest_allowed(space, vertex, found, point, err);
}

opevo_status opevo_i_template_is_accepted(const opevo_kernel_maker *maker, opevo_index point,
                                          bool *accepted, opevo_error *err)
{
    opevo_kernel kernel = {.dialect = maker->dialect};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    opevo_status status = maker->ops->make(maker, point, &kernel, &refused, &why, err);

    *accepted = status == OPEVO_OK && refused == OPEVO_OUTCOME_OK;
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    return status;
}

opevo_status opevo_i_template_start(const opevo_kernel_maker *maker,
                                    const opevo_i_template *template, const opevo_operator *op,
                                    const opevo_device_facts *facts, bool *found,
                                    opevo_index *point, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *found = false;
    for (int round = 0; template->prefer && round < ROUNDS && !*found; round++) {
        opevo_i_template_values wanted = {0};
        opevo_index near = 0;
        bool any = false;

        template->prefer(op, facts, round, &wanted);
        if (maker->threads > 1)
            wanted.at[opevo_space_parameter_count(maker->space) - 1][0] =
                template->prefer_parallel(op, maker->threads, &wanted);
        OPEVO_TRY(nearest(maker->space, &wanted, &any, &near, err));
        if (!any)
            return OPEVO_OK;
        OPEVO_TRY(opevo_i_template_is_accepted(maker, near, found, err));
        if (*found)
            *point = near;
    }
cleanup:
    return status;
}
