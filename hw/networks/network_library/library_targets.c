/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Targets: processors that a library can have kernels for, beside each other. The kernels of each
 * are a library of their own, named PREFIX_for_TARGET; net.c chooses one of them, and weights, test
 * and build files are common. */

#include "library_internal.h"

#include "parts/processor.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The best first: in this order they are tried. Caches are the smallest of common processors of a
 * level, as blocks that do not fit cost more than blocks that are small. */
static const struct {
    const char *name, *machine;
    const char *arguments; /* of the compiler, with semicolons between */
    const char *words;     /* of clang on any machine */
    int level;             /* of x86-64 */
    opevo_device_facts facts;
} targets[] = {
    /* Skylake-SP, Cascade Lake, Zen 4; later ones of Intel have larger caches. Clang would cut
     * vectors of 16 in two. */
    {"v4",
     "x86_64",
     "-march=x86-64-v4;-mprefer-vector-width=512",
     "--target=x86_64-linux-gnu\n-march=x86-64-v4\n",
     4,
     {512, 32 << 10, 1 << 20, 32}},
    /* Zen 1 to 3; Haswell to Skylake have 256 KiB, all later ones more. */
    {"v3",
     "x86_64",
     "-march=x86-64-v3",
     "--target=x86_64-linux-gnu\n-march=x86-64-v3\n",
     3,
     {256, 32 << 10, 512 << 10, 16}},
    /* Nehalem to Ivy Bridge. */
    {"v2",
     "x86_64",
     "-march=x86-64-v2",
     "--target=x86_64-linux-gnu\n-march=x86-64-v2\n",
     2,
     {128, 32 << 10, 256 << 10, 16}},
    /* Cortex-A53 and A72 have 32 KiB, the former shares 512 KiB; A76 has 64 and 512, Neoverse 64
     * and 1024 KiB. */
    {"aarch64",
     "aarch64",
     "-march=armv8-a",
     "--target=aarch64-linux-gnu\n-march=armv8-a\n",
     0,
     {128, 32 << 10, 512 << 10, 32}},
};
enum { TARGETS = sizeof targets / sizeof *targets };

static int number_of(const char *name, size_t length)
{
    int t = 0;

    while (t < TARGETS &&
           (strlen(targets[t].name) != length || strncmp(targets[t].name, name, length) != 0))
        t++;
    return t;
}

opevo_status opevo_library_targets_read(const char *list, opevo_library_targets *out,
                                        opevo_error *err)
{
    bool given[TARGETS] = {false};
    opevo_library_targets found = {0};

    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        int t = number_of(at, length);

        if (t == TARGETS)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "\"%.*s\" is not a target; give v2, v3, v4 (levels of x86-64) or "
                              "aarch64, with commas between.",
                              length < 40 ? (int)length : 40, at);
        if (given[t])
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s is given twice.", targets[t].name);
        given[t] = true;
        at += length;
        if (!*at)
            break;
    }
    for (int t = 0; t < TARGETS; t++) {
        if (given[t])
            found.name[found.count++] = targets[t].name;
    }
    *out = found;
    return OPEVO_OK;
}

const char *opevo_library_target_name(int number)
{
    return targets[number].name;
}

const char *opevo_library_target_words(int number)
{
    return targets[number].words;
}

opevo_device_facts opevo_library_target_facts(const char *name)
{
    return targets[number_of(name, strlen(name))].facts;
}

const char *opevo_library_target_here(void)
{
#ifdef __aarch64__
    static const char machine[] = "aarch64";
#else
    static const char machine[] = "x86_64";
#endif
    int level = processor_level(); /* 0: of another machine than x86-64 */

    for (int t = 0; t < TARGETS; t++) {
        if (strcmp(targets[t].machine, machine) == 0 && targets[t].level <= level)
            return targets[t].name;
    }
    return NULL;
}

bool opevo_i_library_is_target_name(const char *name, size_t *stem)
{
    for (int t = 0; t < TARGETS; t++) {
        char ending[32];
        size_t length = strlen(name), more = 0;

        snprintf(ending, sizeof ending, OPEVO_I_LIBRARY_FOR "%s", targets[t].name);
        more = strlen(ending);
        if (length > more && strcmp(name + length - more, ending) == 0) {
            *stem = length - more;
            return true;
        }
    }
    return false;
}

size_t opevo_i_library_target_length(const char *name)
{
    size_t length = strcspn(name, "_");

    return name[length] && number_of(name, length) < TARGETS ? length + 1 : 0;
}

/* ---- What is common to the libraries of targets ---- */

opevo_status opevo_i_library_front_open(opevo_network_library *const *of, size_t count,
                                        opevo_network_library *out, opevo_error *err)
{
    *out = *of[0];
    for (size_t k = 0; k < count; k++) {
        for (int t = 0; t < of[k]->tasks; t++) {
            if (!isnan(of[k]->task[t].super.time_s))
                *out = *of[k]; /* whose steps have times */
        }
    }
    out->options.target = NULL;
    out->of = of;
    out->of_count = count;
    return opevo_i_library_part_open(out, err);
}

opevo_status opevo_i_library_part_open(opevo_network_library *self, opevo_error *err)
{
    self->model = self->version = self->made = (opevo_text){0};
    return opevo_i_library_set_name(self, self->options.name, err);
}

void opevo_i_library_part_close(opevo_network_library *self)
{
    opevo_text_free(&self->model);
    opevo_text_free(&self->version);
}

/* ---- Texts ---- */

/* A text for one target, with its name, its library, its machine and one more slot. */
static void add_for(const opevo_network_library *self, const opevo_network_library *of,
                    const char *text, opevo_text_slot more, opevo_text *out)
{
    int t = number_of(of->options.target, strlen(of->options.target));
    char macro[16];
    opevo_i_library_part parts[] = {
        {"target", {0}}, {"of", {0}}, {"machine", {0}}, {more.name ? more.name : "", {0}}};

    snprintf(macro, sizeof macro, "__%s__", targets[t].machine);
    opevo_text_add(&parts[0].text, targets[t].name);
    opevo_text_add(&parts[1].text, of->name);
    opevo_text_add(&parts[2].text, macro);
    opevo_text_add(&parts[3].text, more.name ? more.value : "");
    opevo_i_library_fill(self, text, parts, 4, out);
}

static void add_each(const opevo_network_library *self, const char *text, opevo_text *out)
{
    for (size_t k = 0; k < self->of_count; k++)
        add_for(self, self->of[k], text, (opevo_text_slot){NULL, NULL}, out);
}

static void add_headers(const opevo_network_library *self, opevo_text *out)
{
    add_each(self, "#ifdef @machine@\n#include \"@of@.h\"\n#endif\n", out);
}

/* Without its licence. */
static void add_processor(const opevo_network_library *self, opevo_text *out)
{
    const char *text = strchr(opevo_i_library_part_processor_h, '\n') + 2;

    (void)self;
    opevo_text_add(out, text);
    opevo_text_add(out, "\n");
}

static void add_rows(const opevo_network_library *self, opevo_text *out)
{
    for (size_t k = 0; k < self->of_count; k++) {
        opevo_text sized = {0};

        if (self->inference->dynamic)
            add_for(self, self->of[k], opevo_i_library_targets_row_sized,
                    (opevo_text_slot){NULL, NULL}, &sized);
        add_for(self, self->of[k], opevo_i_library_targets_row,
                (opevo_text_slot){"sized", opevo_text_string(&sized)}, out);
        out->failed |= sized.failed;
        opevo_text_free(&sized);
    }
}

static void add_sized_member(const opevo_network_library *self, opevo_text *out)
{
    if (self->inference->dynamic)
        opevo_i_library_add(self,
                            "    int (*profile_sized)(void *self, const long long *sizes, const "
                            "@net@_real *const *inputs,\n"
                            "                         @net@_real *const *outputs, double "
                            "*seconds);\n",
                            out);
}

static void add_table(const opevo_network_library *self, opevo_text *out)
{
    for (size_t k = 0; k < self->of_count; k++) {
        const opevo_network_library *of = self->of[k];
        int t = number_of(of->options.target, strlen(of->options.target));
        opevo_text level = {0};

        opevo_text_printf(&level, "%d", targets[t].level);
        add_for(self, of,
                self->inference->dynamic
                    ? "#ifdef @machine@\n    {\"@target@\", \"This processor has not all "
                      "instructions of @target@.\", @level@, create_@target@,\n     "
                      "destroy_@target@, profile_@target@, error_@target@, "
                      "profile_sized_@target@},\n#endif\n"
                    : "#ifdef @machine@\n    {\"@target@\", \"This processor has not all "
                      "instructions of @target@.\", @level@, create_@target@,\n     "
                      "destroy_@target@, profile_@target@, error_@target@},\n#endif\n",
                (opevo_text_slot){"level", opevo_text_string(&level)}, out);
        opevo_text_free(&level);
    }
}

static void add_target_names(const opevo_network_library *self, opevo_text *out)
{
    add_each(self, "#ifdef @machine@\n    \"@target@\",\n#endif\n", out);
}

static void add_list(const opevo_network_library *self, opevo_text *out)
{
    for (size_t k = 0; k < self->of_count; k++)
        opevo_text_printf(out, "%s%s",
                          k == 0                    ? ""
                          : k + 1 == self->of_count ? " and "
                                                    : ", ",
                          self->of[k]->options.target);
}

void opevo_i_library_targets_source(const opevo_network_library *self, opevo_text *out)
{
    static const opevo_i_library_place places[] = {{"headers", add_headers},
                                                   {"processor", add_processor},
                                                   {"rows", add_rows},
                                                   {"sized_member", add_sized_member},
                                                   {"table", add_table},
                                                   {"names", add_target_names},
                                                   {"list", add_list},
                                                   {"step_rows", opevo_i_library_step_rows},
                                                   {"inputs", opevo_i_library_inputs},
                                                   {"outputs", opevo_i_library_outputs},
                                                   {"sizes", opevo_i_library_sizes_code}};

    opevo_i_library_print(self, opevo_i_library_targets_net_c, places,
                          sizeof places / sizeof *places, out);
}

void opevo_i_library_targets_header(const opevo_network_library *self, opevo_text *out)
{
    if (self->of)
        opevo_i_library_add(self, opevo_i_library_targets_calls, out);
}

/* ---- The program ---- */

/* The target whose kernels were tuned; NULL: none was. */
static const char *tuned(const opevo_network_library *self)
{
    for (size_t k = 0; k < self->of_count; k++) {
        for (int t = 0; t < self->of[k]->tasks; t++) {
            if (!isnan(self->of[k]->task[t].super.time_s))
                return self->of[k]->options.target;
        }
    }
    return NULL;
}

void opevo_i_library_target_parts(const opevo_network_library *self,
                                  opevo_i_library_part parts[OPEVO_I_LIBRARY_TARGET_PARTS])
{
    static const struct {
        const char *name, *one, *several;
    } rows[OPEVO_I_LIBRARY_TARGET_PARTS - 1] = {
        {"target_help", "",
         "    \"  --target NAME   on the kernels for NAME (default: the best that this processor "
         "can\\n\"\n    \"                  run)\\n\"\n"},
        {"target_option", "",
         "        else if (strcmp(argument[i], \"--target\") == 0 && more)\n"
         "            wanted = argument[++i];\n"},
        {"target_name", "", ", --target NAME"},
        {"step_seconds", "@net@_steps[i].seconds", "seconds_of(self, i)"},
    };
    opevo_i_library_part whose[] = {{"tuned", {0}}};

    for (int i = 0; i + 1 < OPEVO_I_LIBRARY_TARGET_PARTS; i++) {
        parts[i] = (opevo_i_library_part){rows[i].name, {0}};
        opevo_i_library_add(self, self->of ? rows[i].several : rows[i].one, &parts[i].text);
    }
    parts[OPEVO_I_LIBRARY_TARGET_PARTS - 1] = (opevo_i_library_part){"create", {0}};
    opevo_text_add(&whose[0].text, self->of && tuned(self) ? tuned(self) : "");
    opevo_i_library_fill(self, self->of ? opevo_i_library_targets_create : opevo_i_library_create,
                         whose, 1, &parts[OPEVO_I_LIBRARY_TARGET_PARTS - 1].text);
}

/* ---- Build files ---- */

/* The kernels of a library, each between two texts. */
static void add_kernels(const opevo_network_library *of, const char *before, const char *behind,
                        opevo_text *out)
{
    for (int t = 0; t < of->tasks; t++)
        opevo_text_printf(out, "%skernel_%s_%03d%s", before, of->options.target, t, behind);
}

/* "V3" */
static void add_variable(const opevo_network_library *of, opevo_text *out)
{
    for (const char *at = of->options.target; *at; at++)
        opevo_text_add_bytes(out, &(char){(char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at)},
                             1);
}

static void add_arguments(const opevo_network_library *of, char separator, opevo_text *out)
{
    int t = number_of(of->options.target, strlen(of->options.target));

    for (const char *at = targets[t].arguments; *at; at++)
        opevo_text_add_bytes(out, *at == ';' ? &separator : at, 1);
}

static void add_lists(const opevo_network_library *self, opevo_text *out)
{
    for (size_t k = 0; k < self->of_count; k++) {
        const opevo_network_library *of = self->of[k];

        add_variable(of, out);
        opevo_text_printf(out, " = %s.o", of->name);
        add_kernels(of, " \\\n    ", ".o", out);
        opevo_text_add(out, "\n$(");
        add_variable(of, out);
        opevo_text_add(out, "): TARGET = ");
        add_arguments(of, ' ', out);
        opevo_text_add(out, "\n");
    }
}

static void add_of_machine(const opevo_network_library *self, const char *machine, opevo_text *out)
{
    for (size_t k = 0, found = 0; k < self->of_count; k++) {
        const char *name = self->of[k]->options.target;

        if (machine && strcmp(targets[number_of(name, strlen(name))].machine, machine) != 0)
            continue;
        opevo_text_add(out, found++ || !machine ? " $(" : "$(");
        add_variable(self->of[k], out);
        opevo_text_add(out, ")");
    }
}

enum { LISTS, X86_64, AARCH64, ALL, NAMES, MORE };

static void fill(const opevo_network_library *self, const char *text,
                 const opevo_i_library_part parts[MORE], opevo_text *out)
{
    opevo_text_slot slots[MORE];

    for (int i = 0; i < MORE; i++)
        slots[i] = (opevo_text_slot){parts[i].name, opevo_text_string(&parts[i].text)};
    opevo_i_library_fill_build(self, text, "", "", slots, MORE, out);
}

static void free_parts(opevo_i_library_part parts[MORE], opevo_text *out)
{
    for (int i = 0; i < MORE; i++) {
        out->failed |= parts[i].text.failed;
        opevo_text_free(&parts[i].text);
    }
}

void opevo_i_library_targets_makefile(const opevo_network_library *self, opevo_text *out)
{
    opevo_i_library_part parts[MORE] = {
        {"lists", {0}}, {"of_x86_64", {0}}, {"of_aarch64", {0}}, {"all", {0}}, {"names", {0}}};

    add_lists(self, &parts[LISTS].text);
    add_of_machine(self, "x86_64", &parts[X86_64].text);
    add_of_machine(self, "aarch64", &parts[AARCH64].text);
    add_of_machine(self, NULL, &parts[ALL].text);
    add_list(self, &parts[NAMES].text);
    fill(self, opevo_i_library_targets_makefile_text, parts, out);
    free_parts(parts, out);
}

void opevo_i_library_targets_cmake(const opevo_network_library *self, opevo_text *out)
{
    opevo_i_library_part parts[MORE] = {
        {"lists", {0}}, {"of_x86_64", {0}}, {"of_aarch64", {0}}, {"all", {0}}, {"names", {0}}};

    for (size_t k = 0; k < self->of_count; k++) {
        const opevo_network_library *of = self->of[k];
        int t = number_of(of->options.target, strlen(of->options.target));
        opevo_i_library_part own[] = {
            {"of", {0}}, {"sources", {0}}, {"options", {0}}, {"machine", {0}}};

        opevo_text_add(&own[0].text, of->name);
        add_kernels(of, "\n  ", ".c", &own[1].text);
        opevo_text_printf(&own[2].text, "\"%s\"", targets[t].arguments);
        opevo_text_add(&own[3].text,
                       strcmp(targets[t].machine, "x86_64") == 0 ? "X86_64" : "AARCH64");
        opevo_i_library_fill(self, opevo_i_library_targets_cmake_list, own, 4, &parts[LISTS].text);
    }
    add_list(self, &parts[NAMES].text);
    fill(self, opevo_i_library_targets_cmake_text, parts, out);
    free_parts(parts, out);
}
