/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of operators. */

#include "network_internal.h"

#include <stdio.h>
#include <string.h>

const opevo_i_net_operator *const opevo_i_net_families[] = {
    opevo_i_net_elementwise, opevo_i_net_unary,
    opevo_i_net_logic,       opevo_i_net_windows,
    opevo_i_net_transposed,  opevo_i_net_products,
    opevo_i_net_reductions,  opevo_i_net_normal,
    opevo_i_net_moves,       opevo_i_net_padding,
    opevo_i_net_cumulative,  opevo_i_net_rearrange,
    opevo_i_net_indices,     opevo_i_net_constants,
    opevo_i_net_resize,      opevo_i_net_recurrent,
    opevo_i_net_quantized,   opevo_i_net_groups,
    opevo_i_net_einsum,      opevo_i_net_selected,
    opevo_i_net_grams,       NULL};

const opevo_i_net_operator *opevo_i_net_operator_find(const char *name)
{
    for (const opevo_i_net_operator *const *family = opevo_i_net_families; *family; family++) {
        for (const opevo_i_net_operator *row = *family; row->name; row++)
            if (strcmp(row->name, name) == 0)
                return row;
    }
    return NULL;
}

const char *opevo_i_net_domain_of(const char *domain)
{
    return !domain || strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

void opevo_i_net_name_of(const Onnx__Node *source, char *out, size_t size)
{
    const char *domain = opevo_i_net_domain_of(source->domain);

    *out = '\0';
    if (source->op_type && !strchr(source->op_type, '.'))
        snprintf(out, size, "%.24s%s%.32s", domain, *domain ? "." : "", source->op_type);
}

const opevo_i_net_operator *opevo_i_net_row_of(const Onnx__Node *source)
{
    char name[OPEVO_I_NET_NAME];

    opevo_i_net_name_of(source, name, sizeof name);
    return opevo_i_net_operator_find(name);
}
