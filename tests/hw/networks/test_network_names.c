/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries with names of their own: two of them are parts of one program, and names that would not
 * compile or would hide something are refused. */

#include "library_networks.h"

#include <opevo/network_library.h>

#include <ctype.h>
#include <sys/stat.h>

/* Different networks, which have a convolution in common. */
static void draw_two(network_draw *first, network_draw *second)
{
    const int64_t size[] = {1, 3, 9, 7};
    int from = 0;

    network_start(first);
    from = network_input(first, 4, size);
    network_output(first, add_end(first, add_convolution(first, from, 8, -1), 10));
    network_start(second);
    from = network_input(second, 4, size);
    from = add_element_wise(second, add_convolution(second, from, 8, -1), "max(X0[0,c,y,x], 0)");
    network_output(second, add_end(second, from, 5));
    network_output(second, from);
}

static void write_named(const opevo_network_inference *inference, opevo_kernel_dialect dialect,
                        const char *name)
{
    const opevo_network_library_options options = {.dialect = dialect,
                                                   .threads = 1,
                                                   .facts = {.vector_bits = 256},
                                                   .seed = 3,
                                                   .model = "net.onnx",
                                                   .version = "0",
                                                   .name = name};
    opevo_network_library *library = NULL;
    opevo_network_library_sizes sizes = {0};

    remove_tree(name);
    assert_int_equal(mkdir(name, 0777), 0);
    CHECK_OK(opevo_network_library_create(inference, &options, &library, &err));
    CHECK_OK(opevo_network_library_write(library, name, &sizes, &err));
    opevo_network_library_destroy(library);
}

/* ---- One program ---- */

/* Both have the results that are recorded with them. */
static const char program[] =
    "#include \"alpha.h\"\n#include \"Beta2.h\"\n"
    "#include <math.h>\n#include <stdio.h>\n#include <string.h>\n"
    "static void read_all(const char *path, float *to, size_t count)\n{\n"
    "    FILE *file = fopen(path, \"rb\");\n\n"
    "    if (!file || fread(to, sizeof *to, count, file) != count)\n        perror(path);\n"
    "    if (file)\n        fclose(file);\n}\n"
    "static int is_near(const float *found, const float *expected, size_t count)\n{\n"
    "    int near = 1;\n\n    for (size_t i = 0; i < count; i++)\n"
    "        near &= fabsf(found[i] - expected[i]) <= 1e-3f * (1 + fabsf(expected[i]));\n"
    "    return near;\n}\n"
    "int main(void)\n{\n"
    "    static float image[3 * 9 * 7], recorded[5 + 8 * 9 * 7], a[10], b[5], more[8 * 9 * 7];\n"
    "    const float *inputs[ALPHA_INPUTS] = {image}, *same[BETA2_INPUTS] = {image};\n"
    "    float *outputs[ALPHA_OUTPUTS] = {a}, *others[BETA2_OUTPUTS] = {b, more};\n"
    "    alpha *first = alpha_create(1);\n    Beta2 *second = Beta2_create(1);\n    int right = "
    "0;\n\n"
    "    if (!first || !second || strcmp(alpha_inputs[0].name, Beta2_inputs[0].name) != 0)\n"
    "        return 2;\n"
    "    read_all(\"alpha/inputs.bin\", image, 3 * 9 * 7);\n"
    "    read_all(\"alpha/outputs.bin\", recorded, 10);\n"
    "    alpha_run(first, inputs, outputs);\n    Beta2_run(second, same, others);\n"
    "    right = is_near(a, recorded, 10);\n"
    "    read_all(\"Beta2/outputs.bin\", recorded, 5 + 8 * 9 * 7);\n"
    "    right &= is_near(b, recorded, 5) && is_near(more, recorded + 5, 8 * 9 * 7);\n"
    "    alpha_destroy(first);\n    Beta2_destroy(second);\n    return right ? 0 : 1;\n}\n";

/* Every external symbol begins with the name of its library, and there are some. */
#define CHECK_SYMBOLS(ending)                                                                      \
    "for name in alpha Beta2; do nm -g --defined-only $name/lib${name}" ending                     \
    " | awk 'NF == 3 { print $3 }' >symbols; grep -q ^${name}_create symbols || exit 1;"           \
    " ! grep -v ^${name}_ symbols || exit 1; done"

static void link_both(opevo_kernel_dialect dialect, const char *const *script)
{
    static network_draw first, second;
    FILE *file = fopen("both.c", "w");

    assert_non_null(file);
    assert_true(fputs(program, file) >= 0 && fclose(file) == 0);
    draw_two(&first, &second);
    write_named(&first.super, dialect, "alpha");
    write_named(&second.super, dialect, "Beta2");
    CHECK_PROGRAM(script);
    network_free(&first);
    network_free(&second);
    remove_tree("alpha");
    remove_tree("Beta2");
}

CHECK_TEST(two_are_parts_of_one_program)
{
    static const char *const script[] = {
        "sh", "-euc",
        "for name in alpha Beta2; do make -s -C $name CFLAGS='-O2 -Wall -Wextra -Werror' check; "
        "$name/$name --data $name --help | grep \"usage: $name \"; done\n" CHECK_SYMBOLS(
            ".a") "\ncc -Wall -Wextra -Werror -Ialpha -IBeta2 -o both both.c alpha/libalpha.a "
                  "Beta2/libBeta2.a -lm -fopenmp\n./both",
        NULL};

    link_both(OPEVO_KERNEL_C, script);
}

/* With the runtime that emulates a device in each of them. */
CHECK_TEST(two_for_a_gpu_are_parts_of_one_program)
{
    static const char *const script[] = {
        "sh", "-euc",
        "for name in alpha Beta2; do make -s -C $name CFLAGS='-O1 -Wall -Wextra -Werror' emulate; "
        "done\n" CHECK_SYMBOLS(
            "_emulated.a") "\ncc -Wall -Wextra -Werror -Ialpha -IBeta2 -o both both.c "
                           "alpha/libalpha_emulated.a Beta2/libBeta2_emulated.a "
                           "-lm\n./both",
        NULL};

    link_both(OPEVO_KERNEL_CUDA, script);
    link_both(OPEVO_KERNEL_HIP, script);
}

/* ---- Names ---- */

static void check_refused(const char *name)
{
    opevo_error err = {OPEVO_OK, ""};

    if (opevo_network_library_check_name(name, &err) != OPEVO_INVALID || !*err.message)
        fail_msg("The name \"%s\" is allowed.", name);
}

CHECK_TEST(names_that_do_not_compile_are_refused)
{
    static const char *const refused[] = {"",         "9a",
                                          "a-b",      "_net",
                                          "a b",      "net.",
                                          "int",      "for",
                                          "class",    "math",
                                          "sinf",     "stdio",
                                          "main",     "memcpy",
                                          "pthread",  "tm",
                                          "time",     "move",
                                          "step_1",   "kernel_000",
                                          "net_step", "NET_ARENA",
                                          "net_run",  "emulatedMalloc",
                                          "\303\251", "a2345678901234567890123456"};
    static const char *const allowed[] = {
        "net",  "resnet18",    "R",  "network", "a23456789012345678901234",
        "net2", "squeeze_net", "Net"};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_refused(refused[i]);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        CHECK_OK(opevo_network_library_check_name(allowed[i], &err));
}

/* The words of code, without comments and strings, that do not begin with the name. */
static void check_words(const char *text)
{
    while (*text) {
        char word[64] = "";
        size_t length = 0;

        if (strncmp(text, "/*", 2) == 0) {
            text = strstr(text, "*/") + 2;
            continue;
        }
        if (*text == '"' || *text == '\'') {
            char quote = *text++;

            while (*text++ != quote)
                text += text[-1] == '\\';
            continue;
        }
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        text += length ? length : 1;
        if (isalpha((unsigned char)*word) && strncmp(word, "zz9", 3) != 0 &&
            strncmp(word, "ZZ9_", 4) != 0)
            check_refused(word);
    }
}

/* No name can mean something else in a source that has the type of this name. */
CHECK_TEST(words_of_the_sources_are_refused)
{
    static const opevo_kernel_dialect dialects[] = {OPEVO_KERNEL_C, OPEVO_KERNEL_CUDA};
    static const char *const files[] = {"zz9/zz9.c",  "zz9/zz9.h",    "zz9/main.c",  "zz9/run.c",
                                        "zz9/plan.h", "zz9/kernel.h", "zz9/device.h"};
    static network_draw network;

    draw_network(&network); /* with copies */
    for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++) {
        size_t read = 0;

        write_named(&network.super, dialects[d], "zz9");
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            FILE *file = fopen(files[i], "r");
            char *text = calloc(1, 1 << 20);

            assert_non_null(text);
            if (file) {
                assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
                fclose(file);
                check_words(text);
                assert_null(strstr(text, "net@"));
                assert_null(strstr(text, "NET@"));
                read++;
            }
            free(text);
        }
        assert_int_equal(read, d ? 7 : 3);
    }
    network_free(&network);
    remove_tree("zz9");
}

/* In one folder, a library with another name takes the place of the one before. */
CHECK_TEST(another_name_replaces)
{
    static network_draw first, second;
    const opevo_network_library_options options = {
        .threads = 1, .model = "m", .version = "0", .name = "beta"};
    opevo_network_library *library = NULL;
    opevo_network_library_sizes sizes = {0};

    draw_two(&first, &second);
    write_named(&first.super, OPEVO_KERNEL_C, "alpha");
    CHECK_OK(opevo_network_library_create(&second.super, &options, &library, &err));
    CHECK_OK(opevo_network_library_write(library, "alpha", &sizes, &err));
    assert_int_equal(access("alpha/beta.c", F_OK), 0);
    assert_int_equal(access("alpha/beta.h", F_OK), 0);
    assert_int_not_equal(access("alpha/alpha.c", F_OK), 0);
    assert_int_not_equal(access("alpha/alpha.h", F_OK), 0);
    opevo_network_library_destroy(library);
    network_free(&first);
    network_free(&second);
    remove_tree("alpha");
}

int main(void)
{
    if (!enter_folder())
        return 1;
    return leave_folder(check_tests(NULL, NULL));
}
