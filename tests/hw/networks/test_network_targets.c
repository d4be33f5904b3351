/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries with kernels for several targets: each target gives what the definitions do, compiled
 * by gcc and by clang, here, on processors that QEMU simulates, and for aarch64; the best that a
 * processor can run is taken, and nothing that it lacks is executed. */

#include "library_networks.h"

#include <opevo/network_library.h>

#include <sys/stat.h>

static const char all[] = "v2,v3,v4,aarch64";

/* ---- Libraries ---- */

/* A convolution in blocks of channels with ReLU, as the passes write it. */
static void add_blocks(network_draw *self)
{
    const int64_t in[] = {1, 2, 9, 10, 16}, weights[] = {2, 2, 3, 3, 16, 16},
                  out[] = {1, 2, 7, 8, 16};
    int from = network_input(self, 5, in);
    int weight = network_constant(self, 6, weights, .2, &network_seed);
    int output = network_value(self, 5, out);
    opevo_network_step *step = network_step(self, OPEVO_NETWORK_STEP_COMPUTE, output);

    network_read(step, from);
    network_read(step, weight);
    network_define(step, "X0[1,2,9,10,16]\nconst X1[2,2,3,3,16,16]\n"
                         "C[n:1,b:2,y:7,x:8,c:16] = sum(d:2,e:16,i:3,j:3) "
                         "X0[n,d,y + i,x + j,e]*X1[b,d,i,j,e,c]\n"
                         "Y0[n:1,b:2,y:7,x:8,c:16] = max(C[n,b,y,x,c], 0)");
    network_output(self, output);
}

/* Convolutions, a dense layer, and functions that C lacks for vectors. */
static void draw_all(network_draw *self)
{
    const int64_t size[] = {1, 3, 9, 8};
    int value = 0;

    network_start(self);
    value = add_convolution(self, network_input(self, 4, size), 8, -1);
    value = add_element_wise(self, value, "max(X0[0,c,y,x], 0) + exp(X0[0,c,y,x]/9)");
    network_output(self, value);
    network_output(self, add_end(self, value, 10));
    add_blocks(self);
}

/* *tasks: of each of them. */
static void write_targets(const char *folder, const char *list, int *tasks)
{
    static network_draw network;
    opevo_library_targets targets;
    opevo_network_library *library[OPEVO_LIBRARY_TARGETS] = {NULL};
    opevo_network_library_sizes sizes[OPEVO_LIBRARY_TARGETS];

    draw_all(&network);
    remove_tree(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    CHECK_OK(opevo_library_targets_read(list, &targets, &err));
    for (size_t i = 0; i < targets.count; i++) {
        const opevo_network_library_options options = {
            .threads = 2,
            .facts = opevo_library_target_facts(targets.name[i]),
            .seed = 3,
            .model = "m",
            .version = "0",
            .name = folder,
            .target = targets.name[i]};

        CHECK_OK(opevo_network_library_create(&network.super, &options, &library[i], &err));
        for (int t = 0; t < opevo_network_library_tasks(library[i]); t++)
            assert_null(opevo_network_library_task(library[i], t)->fallback);
    }
    *tasks = opevo_network_library_tasks(library[0]);
    CHECK_OK(opevo_network_library_write_targets(library, targets.count, folder, sizes, &err));
    for (size_t i = 0; i < targets.count; i++)
        opevo_network_library_destroy(library[i]);
    network_free(&network);
}

/* A script in the folder of a library; $1 is a list of words. */
static void run_script(const char *text, const char *words)
{
    const char *const script[] = {"sh", "-euc", text, "sh", words, NULL};

    if (!program_succeeds(script))
        fail_msg("%s", program_output);
}

static bool has_program(const char *name)
{
    const char *const script[] = {"sh", "-c", "command -v \"$1\"", "sh", name, NULL};

    return program_succeeds(script);
}

/* ---- The processor ---- */

/* Whether /proc/cpuinfo names all of these features. */
static bool has_features(const char *const *names)
{
    char line[8192] = "", word[64];
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool has = true;

    while (file && fgets(line, sizeof line, file) && strncmp(line, "flags", 5) != 0)
        ;
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = ' ';
    for (; *names && has; names++) {
        snprintf(word, sizeof word, " %s ", *names);
        has = strstr(line, word) != NULL;
    }
    return has;
}

/* The targets that this machine is, by what the kernel says of it, the best first. */
static const char *here(void)
{
    static const char *const v2[] = {"cx16",   "lahf_lm", "popcnt", "pni",
                                     "sse4_1", "sse4_2",  "ssse3",  NULL};
    static const char *const v3[] = {"avx", "avx2", "bmi1",  "bmi2",  "f16c",
                                     "fma", "abm",  "movbe", "xsave", NULL};
    static const char *const v4[] = {"avx512f",  "avx512bw", "avx512cd",
                                     "avx512dq", "avx512vl", NULL};

#ifdef __aarch64__
    return "aarch64";
#endif
    if (!has_features(v2))
        return "";
    return !has_features(v3) ? "v2" : !has_features(v4) ? "v3 v2" : "v4 v3 v2";
}

CHECK_TEST(the_processor_is_recognised)
{
    const char *best = opevo_library_target_here(), *expected = here();

    assert_int_equal(strcspn(expected, " "), best ? strlen(best) : 0);
    assert_true(!best || strncmp(best, expected, strlen(best)) == 0);
}

CHECK_TEST(lists_are_ordered_or_refused)
{
    opevo_library_targets targets = {0};

    CHECK_OK(opevo_library_targets_read("v2,aarch64,v4", &targets, &err));
    assert_int_equal(targets.count, 3);
    assert_string_equal(targets.name[0], "v4");
    assert_string_equal(targets.name[1], "v2");
    assert_string_equal(targets.name[2], "aarch64");
    CHECK_FAILS(OPEVO_INVALID, "\"v5\" is not a target; give v2, v3, v4",
                opevo_library_targets_read("v3,v5", &targets, &err));
    CHECK_FAILS(OPEVO_INVALID, "\"\" is not a target",
                opevo_library_targets_read("v3,", &targets, &err));
    CHECK_FAILS(OPEVO_INVALID, "\"v\" is not a target",
                opevo_library_targets_read("v", &targets, &err));
    CHECK_FAILS(OPEVO_INVALID, "v3 is given twice.",
                opevo_library_targets_read("v3,v2,v3", &targets, &err));
    assert_int_equal(targets.count, 3);
}

/* What a library for several targets calls its parts is not the name of another one. */
CHECK_TEST(names_of_parts_are_refused)
{
    CHECK_FAILS(OPEVO_INVALID, "give another name.",
                opevo_network_library_check_name("net_for_v3", &err));
    CHECK_FAILS(OPEVO_INVALID, "give another name.",
                opevo_network_library_check_name("a_for_aarch64", &err));
    CHECK_OK(opevo_network_library_check_name("resnet_v2", &err));
    CHECK_OK(opevo_network_library_check_name("tell_for_v9", &err));
}

/* ---- Results ---- */

/* Each target that this machine is gives the recorded results, the others are refused, and without
 * a name the best is taken. */
#define RUNS                                                                                       \
    "best=; for name in $1; do ./many --target $name >said; grep -q \"kernels for $name$\" said; " \
    "[ -n \"$best\" ] || best=$name; done\n"                                                       \
    "for name in v2 v3 v4 aarch64 v5; do case \" $1 \" in *\" $name \"*) continue ;; esac\n"       \
    "status=0; ./many --target $name 2>said || status=$?; [ $status = 2 ] && grep -q "             \
    "'This processor has not all\\|no kernels of this name' said; done\n"                          \
    "./many --time .001 | grep \"kernels for ${best:-none}$\"\n"

/* Code for a processor is in its own files only. */
#define INSTRUCTIONS                                                                               \
    "all() { for file; do objdump -d --no-show-raw-insn $file; done; }\n"                          \
    "all many_for_v2.o kernel_v2_*.o many.o main.o >said\n"                                        \
    "! grep '%[yz]mm\\|[[:blank:]]v[a-z0-9]*[[:blank:]]' said | grep . || exit 1\n"                \
    "all many_for_v3.o kernel_v3_*.o >said; ! grep '%zmm' said | grep . || exit 1\n"               \
    "grep -q '%ymm' said && grep -q 'vfmadd' said\n"                                               \
    "all kernel_v4_*.o >said; grep -q '%zmm' said\n"

CHECK_TEST(each_target_is_right)
{
    int tasks = 0;

    if (!*here())
        CHECK_SKIP("the targets do not include this machine");
    write_targets("many", all, &tasks);
    assert_true(tasks >= 4);
    if (strncmp(here(), "v4", 2) != 0)
        print_message("v4 is compiled and does not run: this processor lacks AVX-512\n");
    run_script(
        "cd many; make -s -j2 CFLAGS='-O2 -fno-math-errno -Wall -Wextra -Werror' check\n" RUNS,
        here());
#ifdef __x86_64__
    run_script("cd many; command -v objdump >/dev/null || exit 0\n" INSTRUCTIONS, "");
#endif
    remove_tree("many");
}

#ifdef __x86_64__
/* Processors that the machine is not. */
CHECK_TEST(simulated_processors_get_what_they_can_run)
{
    int tasks = 0;

    if (!has_program("qemu-x86_64"))
        CHECK_SKIP("qemu-x86_64 is not installed (Debian: qemu-user)");
    write_targets("many", "v2,v3,v4", &tasks);
    run_script(
        "cd many; make -s -j2 CFLAGS=-O2 many\n"
        "on() { status=0; qemu-x86_64 -cpu $1 ./many >said 2>&1 || status=$?; }\n"
        "on Nehalem; [ $status = 0 ]; grep 'kernels for v2$' said\n"
        "on Haswell; [ $status = 0 ]; grep 'kernels for v3$' said\n"
        "on qemu64; [ $status = 2 ]\n"
        "grep 'This processor can run none of the kernels, which are for v4, v3 and v2' said",
        "");
    remove_tree("many");
}

/* Without OpenMP, as its library for clang may be missing. */
CHECK_TEST(clang_compiles_them)
{
    int tasks = 0;

    if (!has_program("clang"))
        CHECK_SKIP("clang is not installed");
    write_targets("many", all, &tasks);
    run_script("cd many; make -s -j2 CC=clang OPENMP= CFLAGS='-O2 -fno-math-errno -Wall -Wextra "
               "-Werror' check\n" RUNS,
               here());
    remove_tree("many");
}
#endif

/* The folder that was written here builds for another machine. */
CHECK_TEST(another_machine_is_served)
{
    int tasks = 0;

    if (!has_program("aarch64-linux-gnu-gcc") || !has_program("qemu-aarch64"))
        CHECK_SKIP("aarch64-linux-gnu-gcc or qemu-aarch64 is not installed (Debian: "
                   "gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user)");
    write_targets("many", all, &tasks);
    run_script(
        "cd many; make -s -j2 CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar "
        "CFLAGS='-O2 -fno-math-errno -Wall -Wextra -Werror' many\n"
        "qemu-aarch64 -L /usr/aarch64-linux-gnu ./many >said; grep 'kernels for aarch64$' said\n"
        "status=0; qemu-aarch64 -L /usr/aarch64-linux-gnu ./many --target v3 2>said || "
        "status=$?; [ $status = 2 ]; grep 'no kernels of this name' said",
        "");
    remove_tree("many");
}

/* ---- Programs ---- */

/* Two libraries with targets in one program, which takes each of their kernels by name. */
static const char program[] =
    "#include \"many.h\"\n#include \"other.h\"\n"
    "#include <cstdio>\n#include <cstring>\n#include <vector>\n"
    "int main()\n{\n"
    "    std::vector<std::vector<float>> in, out;\n"
    "    std::vector<const float *> inputs;\n    std::vector<float *> outputs;\n"
    "    for (int i = 0; i < MANY_INPUTS; i++)\n"
    "        in.emplace_back(many_inputs[i].elements, .25f * (float)(i + 1));\n"
    "    for (int i = 0; i < MANY_OUTPUTS; i++)\n"
    "        out.emplace_back(many_outputs[i].elements);\n"
    "    for (auto &one : in)\n        inputs.push_back(one.data());\n"
    "    for (auto &one : out)\n        outputs.push_back(one.data());\n"
    "    other *second = other_create(1);\n"
    "    int ran = 0;\n"
    "    if (!second || std::strcmp(other_target(second), other_targets[0]) != 0 || "
    "many_create_for(\"v9\", 1))\n"
    "        return 1;\n"
    "    other_run(second, inputs.data(), outputs.data());\n"
    "    for (int t = 0; many_targets[t]; t++) {\n"
    "        std::vector<float> expected = out[0];\n"
    "        many *self = many_create_for(many_targets[t], 1);\n"
    "        if (!self != (many_refusal(many_targets[t]) != nullptr))\n            return 2;\n"
    "        if (!self)\n            continue;\n"
    "        many_run(self, inputs.data(), outputs.data());\n        ran++;\n"
    "        for (std::size_t k = 0; k < expected.size(); k++)\n"
    "            if (!(out[0][k] - expected[k] < 1e-4f && expected[k] - out[0][k] < 1e-4f))\n"
    "                return 3;\n"
    "        many_destroy(self);\n    }\n"
    "    other_destroy(second);\n"
    "    return ran == 0 || many_refusal(nullptr) ? 4 : 0;\n}\n";

CHECK_TEST(two_are_parts_of_one_program)
{
    FILE *file = fopen("both.cc", "w");
    uint64_t seed = network_seed;
    int tasks = 0;

    assert_non_null(file);
    assert_true(fputs(program, file) >= 0 && fclose(file) == 0);
    if (!*here() || !has_program("c++"))
        CHECK_SKIP("a C++ compiler, or a machine that is one of the targets, is missing");
    write_targets("many", "v2,v3,aarch64", &tasks);
    network_seed = seed; /* the same network */
    write_targets("other", "v2,aarch64", &tasks);
    run_script("for name in many other; do make -s -j2 -C $name CFLAGS=-O1 lib$name.a\n"
               "nm -g --defined-only $name/lib$name.a | awk 'NF == 3 { print $3 }' >said\n"
               "! grep -v ^${name}_ said || exit 1; done\n"
               "c++ -std=c++11 -Wall -Wextra -Werror -Imany -Iother -o both both.cc many/libmany.a "
               "other/libother.a -fopenmp\n./both",
               "");
    remove_tree("many");
    remove_tree("other");
}

/* A machine that the library has no kernels for stops make with a sentence. */
CHECK_TEST(a_machine_without_kernels_is_refused)
{
    int tasks = 0;

#ifdef __aarch64__
    write_targets("many", "v2", &tasks);
#else
    write_targets("many", "aarch64", &tasks);
#endif
    run_script("cd many; status=0; make -s -j2 libmany.a 2>said || status=$?\n"
               "[ $status != 0 ]; grep \"^cc compiles for .*, and the kernels are for\" said",
               "");
    remove_tree("many");
}

int main(void)
{
    return enter_folder() ? leave_folder(check_tests(NULL, NULL)) : 1;
}
