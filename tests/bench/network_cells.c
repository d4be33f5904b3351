/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Recurrent networks with random weights, as PyTorch exports them:
 *
 *     network_cells KIND ROWS SEED OUT.onnx
 *
 * KIND is lstm or gru, two layers of 256 on rows of 128, or bilstm, two layers of 128 in both
 * directions; then 40 scores of each row. Sources: Hochreiter, Schmidhuber, "Long short-term
 * memory", 1997; Cho et al., "Learning phrase representations", EMNLP 2014. Of opset 14. */

#include "network_layers.h"

enum { OPSET = 14, INPUTS = 128, SCORES = 40 };

static const char *add_layers(const char *cell, int64_t rows, int64_t hidden, bool both)
{
    const char *x = add_input("rows", OPEVO_NETWORK_FLOAT32, 3, (int64_t[]){rows, 1, INPUTS});
    int64_t width = INPUTS;

    for (int i = 0; i < 2; i++) {
        x = add_recurrent(cell, x, width, hidden, both);
        x = add_unary("Transpose", x);
        add_list("perm", 4, (int64_t[]){0, 2, 1, 3});
        width = both ? 2 * hidden : hidden;
        x = add_binary("Reshape", x, add_wholes(3, (int64_t[]){rows, 1, width}));
    }
    x = add_binary("MatMul", x, add_weight(2, (int64_t[]){width, SCORES}));
    return add_binary("Add", x, add_weight(1, (int64_t[]){SCORES}));
}

int main(int count, char **argument)
{
    Onnx__Model *model = NULL;
    const char *scores = NULL;
    int64_t rows = 0;

    if (count != 5)
        stop("Give KIND ROWS SEED OUT.onnx.");
    rows = strtoll(argument[2], NULL, 10);
    state = strtoull(argument[3], NULL, 10);
    if (rows < 1 || rows > 1000)
        stop("ROWS is from 1 to 1000.");
    model = make_model(argument[1], OPSET);
    if (strcmp(argument[1], "lstm") == 0)
        scores = add_layers("LSTM", rows, 256, false);
    else if (strcmp(argument[1], "gru") == 0)
        scores = add_layers("GRU", rows, 256, false);
    else if (strcmp(argument[1], "bilstm") == 0)
        scores = add_layers("LSTM", rows, 128, true);
    else
        stop("KIND is lstm, gru or bilstm.");
    add_output(scores, 3, (int64_t[]){rows, 1, SCORES});
    write_model(model, argument[4]);
    return 0;
}
