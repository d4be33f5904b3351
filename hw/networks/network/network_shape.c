/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Shapes of inputs as users write them. */

#include <opevo/network.h>

#include <opevo/memory.h>
#include <opevo/text.h>

#include <ctype.h>
#include <string.h>

/* The name is a part of `text`, which is cut there. */
static opevo_status read_shape(char *text, opevo_network_shape *out, opevo_error *err)
{
    char *numbers = strrchr(text, '='), *word = NULL;

    if (!numbers || numbers == text)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is not of the form NAME=N,N,..., such as data=1,3,224,224.", text);
    *numbers++ = '\0';
    *out = (opevo_network_shape){.name = text};
    if (!*numbers)
        return OPEVO_OK; /* one number, without dimensions */
    while ((word = strsep(&numbers, ","))) {
        if (out->dims == OPEVO_NETWORK_DIMS)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s has more than %d dimensions.", text,
                              OPEVO_NETWORK_DIMS);
        if (isalpha((unsigned char)*word) || *word == '_')
            out->dimension[out->dims] = word;
        else if (!opevo_parse_i64(word, &out->extent[out->dims]) || out->extent[out->dims] < 1)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s has the extent \"%s\"; extents are 1, 2, and so on.", text, word);
        out->dims++;
    }
    return OPEVO_OK;
}

opevo_status opevo_network_shapes_read(const char *const *texts, size_t count,
                                       opevo_network_shapes *out, opevo_error *err)
{
    opevo_network_shapes made = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEW(made.shape, count + 1, "the shapes of inputs");
    OPEVO_NEW(made.text, count + 1, "the shapes of inputs");
    while (made.count < count) {
        char *text = opevo_strdup(texts[made.count]);

        OPEVO_NEED(text, "the shapes of inputs");
        made.text[made.count++] = text;
        OPEVO_TRY(read_shape(text, &made.shape[made.count - 1], err));
        for (size_t k = 0; k + 1 < made.count; k++) {
            if (strcmp(made.shape[k].name, text) == 0)
                OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID,
                                     "%s is given twice; give each input one shape.", text));
        }
    }
    *out = made;
    made = (opevo_network_shapes){0};
cleanup:
    opevo_network_shapes_free(&made);
    return status;
}

void opevo_network_shapes_free(opevo_network_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++)
        opevo_free(shapes->text[i]);
    opevo_free(shapes->text);
    opevo_free(shapes->shape);
}
