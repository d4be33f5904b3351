/* SPDX-License-Identifier: GPL-3.0-or-later */

/* run_library INPUTS OUTPUTS: runs a library of opevo once. The files have the elements of all
 * tensors, one behind another. */

#include "net.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **word)
{
    const net_real *inputs[NET_INPUTS + 1];
    net_real *outputs[NET_OUTPUTS + 1];
    FILE *from = count == 3 ? fopen(word[1], "rb") : NULL, *to = from ? fopen(word[2], "wb") : NULL;
    net *self = net_create(1);
    int wrong = !to || !self;

    for (int i = 0; i < NET_INPUTS && !wrong; i++) {
        void *data = calloc(net_inputs[i].elements + 1, net_inputs[i].bytes);

        wrong = !data || fread(data, net_inputs[i].bytes, net_inputs[i].elements, from) !=
                             net_inputs[i].elements;
        inputs[i] = data;
    }
    for (int i = 0; i < NET_OUTPUTS && !wrong; i++) {
        outputs[i] = calloc(net_outputs[i].elements + 1, net_outputs[i].bytes);
        wrong = !outputs[i];
    }
    if (wrong)
        return 2;
    if (net_run(self, inputs, outputs)) {
        fprintf(stderr, "%s\n", net_error(self));
        return 1;
    }
    for (int i = 0; i < NET_OUTPUTS; i++)
        fwrite(outputs[i], net_outputs[i].bytes, net_outputs[i].elements, to);
    return fclose(to) != 0;
}
