/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of operators in docs/formats/onnx.md: it names those of the code, each once, and says
 * what they are in a library. */

#include "network_models.h"

#include "network_read_internal.h"

/* The cells of one row of the table. */
enum { NAMES, SINCE, RUN, LIBRARY, TUNED, CELLS };

typedef struct table {
    char *text;
    opevo_i_net_names library; /* of operators: the offset of the cell in the text */
} table;

static char *read_page(void)
{
    FILE *file = fopen(OPEVO_ONNX_PAGE, "rb");
    char *text = calloc(1, 1 << 20);

    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static char *trimmed(char *text)
{
    size_t length = 0;

    text += strspn(text, " ");
    length = strlen(text);
    while (length && text[length - 1] == ' ')
        text[--length] = '\0';
    return text;
}

/* One row; no operator may have been there. */
static void take_row(table *self, char *row)
{
    char *cell[CELLS], *rest = row, *name = NULL;

    for (int i = 0; i < CELLS; i++)
        cell[i] = trimmed(strsep(&rest, "|"));
    assert_string_equal(cell[RUN], "yes");
    assert_string_equal(
        cell[TUNED],
        strcmp(cell[LIBRARY], "kernel") == 0 || strcmp(cell[LIBRARY], "parts") == 0 ? "yes" : "no");
    while ((name = strsep(&cell[NAMES], ","))) {
        name = trimmed(name);
        if (opevo_i_net_names_get(&self->library, name) != OPEVO_I_NET_UNNAMED)
            fail_msg("%s is in two rows.", name);
        CHECK_OK(
            opevo_i_net_names_put(&self->library, name, (int)(cell[LIBRARY] - self->text), &err));
    }
}

static void table_read(table *self)
{
    char *rest = NULL;

    *self = (table){.text = read_page()};
    rest = strstr(self->text, "\n| operators |");
    assert_non_null(rest);
    rest++;
    strsep(&rest, "\n");
    strsep(&rest, "\n");
    while (*rest == '|')
        take_row(self, strsep(&rest, "\n") + 1);
    assert_true(self->library.count > 200);
}

static void table_free(table *self)
{
    opevo_i_net_names_free(&self->library);
    free(self->text);
}

static const char *library_of(const table *self, const char *name)
{
    int at = opevo_i_net_names_get(&self->library, name);

    if (at == OPEVO_I_NET_UNNAMED)
        fail_msg("%s is not in the table.", name);
    return self->text + at;
}

/* Whether a node of one float32 image is a computation; false where it takes more than an image. */
static bool is_computed(const opevo_i_net_operator *row, bool *known)
{
    opevo_network *network = NULL;
    bool computed = false;
    model made;

    *known = false;
    if (row->inputs_least != 1 || strchr(row->name, '.'))
        return false;
    model_start(&made);
    made.opset.version = row->since > 13 ? row->since : 13;
    add_input(&made, "x", 4, (int64_t[]){1, 4, 4, 4});
    add_node(&made, row->name, "x", "y");
    set_output(&made, "y");
    if (model_read(&made, NULL, &network) == OPEVO_OK) {
        *known = true;
        computed = opevo_network_node_at(network, 0)->computed;
    }
    opevo_network_destroy(network);
    model_finish(&made);
    return computed;
}

static void check_row(const table *self, const opevo_i_net_operator *row, bool is_constant)
{
    const char *library = library_of(self, row->name);
    bool none = row->define == opevo_i_net_define_none, defined = row->define && !none;
    bool known = false, computed = is_computed(row, &known), right = false;

    if (strcmp(library, "kernel") == 0)
        right = defined && (!known || computed);
    else if (strcmp(library, "routine") == 0)
        right = row->routine && (!known || !computed);
    else if (strcmp(library, "copies") == 0)
        right = !row->define && !row->routine && !is_constant;
    else if (strcmp(library, "copies or routine") == 0)
        right = !row->define && row->routine;
    else if (strcmp(library, "constant") == 0)
        right = !row->define && !row->routine && is_constant;
    else if (strcmp(library, "no") == 0)
        right = !row->define && !row->routine;
    if (!right)
        fail_msg("%s is not %s in a library.", row->name, library);
}

CHECK_TEST(test_table)
{
    size_t rows = 0;
    table self;

    table_read(&self);
    for (const opevo_i_net_operator *const *family = opevo_i_net_families; *family; family++) {
        for (const opevo_i_net_operator *row = *family; row->name; row++) {
            if (strcmp(row->name, "If") == 0)
                continue; /* what chooses where its condition is not known */
            check_row(&self, row, *family == opevo_i_net_constants);
            rows++;
        }
    }
    for (const opevo_i_net_form *const *family = opevo_i_net_forms; *family; family++) {
        for (const opevo_i_net_form *form = *family; form->name; form++) {
            assert_string_equal(library_of(&self, form->name), "parts");
            rows++;
        }
    }
    assert_int_equal(self.library.count, rows);
    table_free(&self);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
