/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of operators that stand for others. */

#include "network_read_internal.h"

#include <string.h>

const opevo_i_net_form *const opevo_i_net_forms[] = {
    opevo_i_net_control, opevo_i_net_sequences, opevo_i_net_transformers,
    opevo_i_net_fused,   opevo_i_net_scaled,    opevo_i_net_losses,
    opevo_i_net_signal,  opevo_i_net_composed,  NULL};

static bool has_graph(const Onnx__Node *source)
{
    bool any = false;

    for (size_t i = 0; i < source->n_attribute; i++)
        any |= source->attribute[i]->g != NULL;
    return any;
}

/* An If without branches is the node that takes one of two tensors. */
const opevo_i_net_form *opevo_i_net_form_of(const Onnx__Node *source)
{
    char name[OPEVO_I_NET_NAME];

    opevo_i_net_name_of(source, name, sizeof name);
    if (strcmp(name, "If") == 0 && !has_graph(source))
        return NULL;
    for (const opevo_i_net_form *const *family = opevo_i_net_forms; *family; family++) {
        for (const opevo_i_net_form *form = *family; form->name; form++)
            if (strcmp(form->name, name) == 0)
                return form;
    }
    return NULL;
}
