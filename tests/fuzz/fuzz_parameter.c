/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A parameter as text, after a line with its topology: what is printed gives the same parameter,
 * and its values read back. Graph files have targets of their own. */

#include "fuzz.h"

#include <opevo/parameter.h>

#include <stdlib.h>
#include <string.h>

static void check_values(const opevo_parameter *parameter)
{
    opevo_index size = opevo_parameter_size(parameter);
    const opevo_index vertices[] = {0, size / 2, size - 1};
    opevo_text printed = {0};

    for (size_t i = 0; i < sizeof vertices / sizeof *vertices; i++) {
        opevo_error err = {OPEVO_OK, ""};
        opevo_index again = 0;

        opevo_text_clear(&printed);
        opevo_parameter_print(parameter, vertices[i], &printed);
        FUZZ_CHECK(opevo_parameter_read(parameter, printed.data, &again, &err) == OPEVO_OK);
        FUZZ_CHECK(again == vertices[i]);
        if (opevo_parameter_degree(parameter, vertices[i]) > 0)
            FUZZ_CHECK(opevo_parameter_neighbour(parameter, vertices[i], 0) < size);
    }
    opevo_text_free(&printed);
}

static void check_again(const opevo_parameter *parameter)
{
    const char *text = opevo_parameter_text(parameter);
    opevo_error err = {OPEVO_OK, ""};
    opevo_parameter *again = NULL;

    if (strstr(text, "...")) /* cut */
        return;
    FUZZ_CHECK(opevo_parameter_parse("p", text, opevo_parameter_topology(parameter), &again,
                                     &err) == OPEVO_OK);
    FUZZ_CHECK(strcmp(opevo_parameter_text(again), text) == 0);
    FUZZ_CHECK(opevo_parameter_size(again) == opevo_parameter_size(parameter));
    opevo_parameter_destroy(again);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *topology = fuzz_line(&data, &size);
    char *text = fuzz_text(data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_parameter *parameter = NULL;

    if (!strstr(text, "graph") &&
        fuzz_accepts(
            opevo_parameter_parse("p", text, *topology ? topology : NULL, &parameter, &err),
            &err)) {
        check_values(parameter);
        check_again(parameter);
        opevo_parameter_destroy(parameter);
    }
    free(topology);
    free(text);
}
