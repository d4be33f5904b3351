/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries without a heap, files or a clock, in C99: weights and what the test needs are arrays,
 * and kernels are plain loops. */

#include "library_internal.h"

#include <ctype.h>
#include <string.h>

/* ---- Kernels ---- */

/* Whether a text names a type of vectors: V16, I4. */
static bool has_vectors(const char *text)
{
    for (const char *at = text; *at; at++) {
        bool starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');

        if (starts && isupper((unsigned char)*at) && isdigit((unsigned char)at[1]))
            return true;
    }
    return false;
}

/* A function of the head of a kernel: as it is; left out if it is of vectors; and where a function
 * of a number computes by them, "static inline float opevo_erf(float x)", that of the C library. */
static void add_function(const char *text, opevo_text *out)
{
    static const char head[] = "static inline float opevo_";
    const char *name = text + strlen(head);
    bool is_one = strncmp(text, head, strlen(head)) == 0;
    size_t size = is_one ? strcspn(name, "(") : 0;

    if (!has_vectors(text)) {
        opevo_text_add(out, strstr(text, "opevo_row(") ? "" : text);
    } else if (is_one) {
        opevo_text_printf(out, "%s%.*s(float x)\n{\n    return ", head, (int)size, name);
        if (strncmp(name, "sigmoid", size) == 0)
            opevo_text_add(out, "1.0f / (1.0f + expf(-x));\n}\n");
        else
            opevo_text_printf(out, "%.*sf(x);\n}\n", (int)size, name);
    }
}

/* Plain loops use no vectors. In front of the kernel are the functions that it may call. */
static void add_plain(const char *source, const char *entry, opevo_text *out)
{
    opevo_text signature = {0};
    const char *kernel = NULL;

    opevo_text_printf(&signature, "void %s(", entry);
    kernel = signature.failed ? NULL : strstr(source, opevo_text_string(&signature));
    while (kernel && source < kernel) {
        const char *end = strncmp(source, "static ", 7) == 0 ? strstr(source, "\n}\n") : NULL;
        size_t length = end ? (size_t)(end - source) + 3 : strcspn(source, "\n") + 1;
        opevo_text one = {0};

        opevo_text_add_bytes(&one, source, end ? length : 0);
        if (!one.failed)
            add_function(opevo_text_string(&one), out);
        out->failed |= one.failed;
        opevo_text_free(&one);
        source += length;
    }
    if (kernel && strstr(kernel, "opevo_row("))
        opevo_text_add(out, opevo_i_library_free_row);
    opevo_text_add(out, kernel ? kernel : "");
    out->failed |= signature.failed;
    opevo_text_free(&signature);
}

void opevo_i_library_free_kernel(const opevo_network_library *self, int task, opevo_text *out)
{
    opevo_i_library_part parts[] = {{"definitions", {0}}, {"source", {0}}};
    opevo_text source = {0};

    opevo_i_library_kernel_parts(&self->task[task], &parts[0].text, &source);
    if (!source.failed)
        add_plain(opevo_text_string(&source), self->task[task].kernel.entry, &parts[1].text);
    out->failed |= source.failed;
    opevo_text_free(&source);
    opevo_i_library_fill(self, opevo_i_library_free_kernel_text, parts, 2, out);
}

/* ---- Arrays ---- */

/* Bytes as words of 32 bits, least significant byte first, the last one filled up with zeros. */
static void add_words(const void *data, size_t bytes, opevo_text *out)
{
    const unsigned char *from = data;

    for (size_t i = 0; i < bytes; i += 4) {
        uint32_t word = 0;

        for (size_t k = 0; k < 4 && i + k < bytes; k++)
            word |= (uint32_t)from[i + k] << 8 * k;
        opevo_text_printf(out, "0x%lx,%s", (unsigned long)word, i / 4 % 10 == 9 ? "\n" : " ");
    }
}

static size_t bytes_of(const opevo_array *array)
{
    return (size_t)opevo_array_elements(array) * opevo_network_type_bytes(array->type);
}

/* As the offsets in library->weight say. */
static void add_weight_words(const opevo_network_library *self, opevo_text *out)
{
    for (int i = 0; i < self->stored_count; i++) {
        const opevo_array *array = &self->inference->value[self->stored[i]].array;
        int64_t bytes = (int64_t)bytes_of(array);

        add_words(array->data, (size_t)bytes, out);
        for (int64_t at = (bytes + 3) / 4 * 4; at < opevo_i_library_aligned(bytes); at += 4)
            opevo_text_add(out, "0, ");
        opevo_text_add(out, "\n");
    }
}

static void add_array(const char *name, int i, const opevo_array *array, opevo_text *out)
{
    size_t words = (bytes_of(array) + 3) / 4;

    opevo_text_printf(
        out, "static const union {\n    uint32_t word[%zu];\n    double aligned;\n} %s_%d = {{\n",
        words + 1, name, i);
    add_words(array->data, bytes_of(array), out);
    opevo_text_add(out, "0}};\n");
}

void opevo_i_library_free_main(const opevo_network_library *self,
                               const opevo_i_library_recorded *recorded, opevo_text *out)
{
    opevo_i_library_part parts[] = {
        {"recorded", {0}}, {"given", {0}}, {"made", {0}}, {"wanted", {0}}};

    for (int i = 0; i < recorded->inputs; i++) {
        add_array("input", i, &recorded->input[i], &parts[0].text);
        opevo_text_printf(&parts[1].text, "(const void *)input_%d.word, ", i);
    }
    for (int i = 0; i < recorded->outputs; i++) {
        add_array("expected", i, &recorded->output[i], &parts[0].text);
        opevo_text_printf(
            &parts[0].text,
            "static union {\n    uint32_t word[%zu];\n    double aligned;\n} output_%d;\n",
            (bytes_of(&recorded->output[i]) + 3) / 4 + 1, i);
        opevo_text_printf(&parts[2].text, "(void *)output_%d.word, ", i);
        opevo_text_printf(&parts[3].text, "expected_%d.word, ", i);
    }
    opevo_i_library_fill(self, opevo_i_library_free_main_text, parts, sizeof parts / sizeof *parts,
                         out);
}

/* ---- The other files ---- */

void opevo_i_library_free_weights_file(const opevo_network_library *self, opevo_text *out)
{
    static const opevo_i_library_place places[] = {{"words", add_weight_words}};

    opevo_i_library_print(self, opevo_i_library_free_weights, places, 1, out);
}

void opevo_i_library_free_make(const opevo_network_library *self, opevo_text *out)
{
    opevo_i_library_fill_build(self, opevo_i_library_free_makefile, " \\\n    ", ".o", NULL, 0,
                               out);
}
