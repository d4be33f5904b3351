/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Space files, NNI's form and T1: what is written gives an equal space, and points read back. Graph
 * files have targets of their own. */

#include "fuzz.h"

#include <opevo/diagram.h>
#include <opevo/space.h>

#include <stdlib.h>
#include <string.h>

static void check_points(const opevo_space *space)
{
    opevo_index size = opevo_space_size(space);
    const opevo_index points[] = {0, size / 3, size - 1};
    opevo_text printed = {0};

    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        opevo_error err = {OPEVO_OK, ""};
        opevo_index again = 0;

        opevo_text_clear(&printed);
        opevo_space_print(space, points[i], &printed);
        FUZZ_CHECK(opevo_space_read(space, printed.data, &again, &err) == OPEVO_OK);
        FUZZ_CHECK(again == points[i]);
        FUZZ_CHECK(opevo_space_allows(space, points[i]) == opevo_space_allows(space, again));
    }
    opevo_text_free(&printed);
}

static void check_again(const opevo_space *space)
{
    opevo_text json = {0};
    opevo_space *again = NULL;
    opevo_error err = {OPEVO_OK, ""};

    opevo_space_write_json(space, &json);
    FUZZ_CHECK(opevo_space_parse(opevo_text_string(&json), "again", NULL, &again, &err) ==
               OPEVO_OK);
    FUZZ_CHECK(opevo_space_signature(again) == opevo_space_signature(space));
    FUZZ_CHECK(opevo_space_size(again) == opevo_space_size(space));
    opevo_space_destroy(again);
    opevo_text_free(&json);
}

/* The diagram, where it is small, allows what the constraints allow. */
static void check_diagram(const opevo_space *space)
{
    const opevo_diagram_limits limits = {1 << 18, 1 << 24};
    opevo_index size = opevo_space_size(space), count = 0;
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_diagram *diagram = NULL;
    opevo_error err = {OPEVO_OK, ""};
    opevo_status status = opevo_diagram_create(space, &limits, &diagram, &err);

    FUZZ_CHECK(status == OPEVO_OK || status == OPEVO_LIMIT);
    if (!diagram)
        return;
    FUZZ_CHECK(opevo_diagram_is_sound(diagram) && opevo_diagram_count(diagram, &count));
    FUZZ_CHECK(count <= size);
    for (opevo_index i = 0; i < 16; i++) {
        opevo_space_decode(space, size / 16 * i + size % 16 * i / 16, vertices);
        FUZZ_CHECK(opevo_diagram_allows(diagram, vertices) ==
                   opevo_space_allows(space, opevo_space_encode(space, vertices)));
    }
    if (count > 0)
        FUZZ_CHECK(opevo_space_allows(space, opevo_diagram_point(diagram, count / 2)));
    opevo_diagram_destroy(diagram);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_space *space = NULL;

    if (!strstr(text, "graph") &&
        fuzz_accepts(opevo_space_parse(text, "fuzz.json", NULL, &space, &err), &err)) {
        check_points(space);
        check_again(space);
        check_diagram(space);
        opevo_space_destroy(space);
    }
    free(text);
}
