/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations from texts and back, where neither fails. */

#ifndef OPEVO_TESTS_COMPUTATION_TEXTS_H
#define OPEVO_TESTS_COMPUTATION_TEXTS_H

#include "check.h"

#include <opevo/computation.h>

#include <stdlib.h>
#include <string.h>

static inline opevo_computation *computation_of(const char *text)
{
    opevo_computation *made = NULL;

    CHECK_OK(opevo_computation_parse(text, "computation", NULL, 0, &made, &err));
    return made;
}

/* The canonical text, one statement a line; free() it. */
static inline char *text_of(const opevo_computation *computation)
{
    opevo_text text = {0};
    char *copy = NULL;

    opevo_computation_print(computation, "\n", &text);
    CHECK_OK(opevo_text_check(&text, &err));
    copy = strdup(opevo_text_string(&text));
    assert_non_null(copy);
    opevo_text_free(&text);
    return copy;
}

/* Whether the canonical text has this part. */
static inline bool has_text(const opevo_computation *computation, const char *part)
{
    char *text = text_of(computation);
    bool has = strstr(text, part) != NULL;

    free(text);
    return has;
}

/* With `from`, which the canonical text has, replaced by `to`. */
static inline opevo_computation *replaced_text(const opevo_computation *computation,
                                               const char *from, const char *to)
{
    char *text = text_of(computation), *at = strstr(text, from);
    opevo_text made = {0};
    opevo_computation *out = NULL;

    assert_non_null(at);
    *at = '\0';
    opevo_text_printf(&made, "%s%s%s", text, to, at + strlen(from));
    out = computation_of(opevo_text_string(&made));
    opevo_text_free(&made);
    free(text);
    return out;
}

static inline void check_neighbours(const opevo_tensor *const *a, const opevo_tensor *const *b,
                                    int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(a[i]->number, b[i]->number);
}

/* Whether an object is what its text reads as. */
static inline void check_text(const opevo_computation *made)
{
    char *text = text_of(made), *again = NULL;
    opevo_computation *read = computation_of(text);

    again = text_of(read);
    assert_string_equal(text, again);
    assert_true(opevo_computation_same(made, read));
    assert_true(opevo_computation_signature(made) == opevo_computation_signature(read));
    for (int i = 0; i < made->tensors; i++) {
        const opevo_tensor *a = made->tensor[i], *b = read->tensor[i];

        assert_int_equal(a->number, i);
        assert_int_equal(a->readers, b->readers);
        assert_int_equal(a->producers, b->producers);
        check_neighbours(a->reader, b->reader, a->readers);
        check_neighbours(a->producer, b->producer, a->producers);
    }
    opevo_computation_destroy(read);
    free(text);
    free(again);
}

#endif
