/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Forms of sizes through the numbers of several readings. They have 2^k factors for k sizes, which
 * follow from the corners of the box of sizes; further readings inside the box must agree. */

#include "network_dynamic_internal.h"

int64_t opevo_network_form_value(const opevo_network_form *form, const int64_t *sizes)
{
    int64_t sum = 0;

    for (int set = 0; set < OPEVO_NETWORK_FACTORS; set++) {
        int64_t product = form->factor[set];

        for (int i = 0; product && i < OPEVO_NETWORK_SIZES; i++)
            product *= set >> i & 1 ? sizes[i] : 1;
        sum += product;
    }
    return sum;
}

bool opevo_network_form_is_constant(const opevo_network_form *form)
{
    bool constant = true;

    for (int set = 1; set < OPEVO_NETWORK_FACTORS; set++)
        constant &= form->factor[set] == 0;
    return constant;
}

/* The form is linear in each size, so that its extremes are at corners. */
bool opevo_i_net_dynamic_is_most(const opevo_network_dynamic *self, const opevo_network_form *form)
{
    int64_t most = opevo_network_form_value(form, self->size[0]);
    bool is_most = true;

    for (int set = 0; set < 1 << self->ranges.count; set++) {
        int64_t sizes[OPEVO_NETWORK_SIZES] = {0}, value = 0;

        for (int i = 0; i < self->ranges.count; i++)
            sizes[i] = set >> i & 1 ? self->ranges.range[i].least : self->ranges.range[i].most;
        value = opevo_network_form_value(form, sizes);
        is_most &= value >= 0 && value <= most;
    }
    return is_most;
}

/* Corner `set` has the smaller one of sizes i in the set. Between two corners that differ in size i
 * the form is a line, base + slope n_i. */
bool opevo_network_dynamic_fit(const opevo_network_dynamic *self, const int64_t *values,
                               opevo_network_form *out)
{
    int corners = 1 << self->ranges.count;

    *out = (opevo_network_form){{0}};
    for (int set = 0; set < corners; set++)
        out->factor[set] = values[set];
    for (int i = 0; i < self->ranges.count; i++) {
        int64_t large = self->size[0][i], small = self->size[corners - 1][i];

        for (int set = 0; set < corners; set++) {
            int64_t *base = &out->factor[set & ~(1 << i)], *slope = &out->factor[set | 1 << i];
            int64_t rise = *base - *slope;

            if (set >> i & 1)
                continue;
            if (rise % (large - small) != 0)
                return false;
            *base -= rise / (large - small) * large;
            *slope = rise / (large - small);
        }
    }
    for (int k = corners; k < self->points; k++) {
        if (opevo_network_form_value(out, self->size[k]) != values[k])
            return false;
    }
    return true;
}

bool opevo_i_net_dynamic_form(const opevo_network_dynamic *self, opevo_i_net_dynamic_number at,
                              const void *context, opevo_network_form *out)
{
    int64_t values[OPEVO_NETWORK_READINGS];

    for (int k = 0; k < self->points; k++)
        values[k] = at(context, k);
    return opevo_network_dynamic_fit(self, values, out);
}

opevo_network_form opevo_network_dynamic_extent(const opevo_network_dynamic *self, int value,
                                                int dim)
{
    int64_t values[OPEVO_NETWORK_READINGS];
    opevo_network_form form;

    for (int k = 0; k < self->points; k++)
        values[k] = self->at[k]->value[value].array.extent[dim];
    (void)opevo_network_dynamic_fit(self, values, &form); /* it was compared */
    return form;
}
