/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The template of a command: no value makes another argument. */

#include "fuzz.h"

#include "command_line_internal.h"

#include <stdlib.h>

static const char space_text[] =
    "{\"X\": {\"_type\": \"factor\", \"_value\": [64, 3], \"_components\": [\"x1\", \"x2\", "
    "\"x3\"]},"
    " \"c\": {\"_type\": \"choice\", \"_value\": [\"two words\", \"a'b\\\"{}\", \"\", true]}}";

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_space *space = NULL;
    opevo_i_process_arguments command = {0};

    FUZZ_CHECK(opevo_space_parse(space_text, "space", NULL, &space, &err) == OPEVO_OK);
    if (fuzz_accepts(opevo_i_process_command_split(text, &command, &err), &err) &&
        fuzz_accepts(opevo_i_process_command_check(&command, space, &err), &err)) {
        for (opevo_index point = 0; point < opevo_space_size(space); point += 37) {
            opevo_i_process_arguments filled = {0};

            FUZZ_CHECK(opevo_i_process_command_fill(&command, space, point, &filled, &err) ==
                       OPEVO_OK);
            FUZZ_CHECK(filled.count == command.count && filled.items[filled.count] == NULL);
            opevo_i_process_arguments_clear(&filled);
        }
    }
    opevo_i_process_arguments_clear(&command);
    opevo_space_destroy(space);
    free(text);
}
