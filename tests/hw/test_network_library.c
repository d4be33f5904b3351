/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries of random small networks: compiled without a warning, they compute what the definitions
 * do, also several at once. OPEVO_TEST_POINTS raises the number of networks. */

#include "network_draw.h"

#include "../build_source.h"
#include "../remove_tree.h"

#include <opevo/network_library.h>
#include <opevo/network_passes.h>

#include <sys/stat.h>

static uint64_t state = 11;

/* ---- Networks ---- */

static int64_t *extent_of(network_draw *self, int value)
{
    return self->value[value].array.extent;
}

/* A convolution of 3 x 3 with a bias; with a residual it is added and cut at 0. */
static int add_convolution(network_draw *self, int from, int channels, int residual)
{
    const int64_t *in = extent_of(self, from);
    const int64_t weights[] = {channels, in[1], 3, 3}, out[] = {1, channels, in[2], in[3]};
    int weight = network_constant(self, 4, weights, 0.3, &state);
    int bias = network_constant(self, 1, &weights[0], 1, &state), output = 0;
    int c = (int)in[1], h = (int)in[2], w = (int)in[3];
    opevo_net_step *step = NULL;

    output = network_value(self, 4, out);
    step = network_step(self, OPEVO_NET_STEP_COMPUTE, output);
    network_read(step, from);
    network_read(step, weight);
    network_read(step, bias);
    if (residual >= 0)
        network_read(step, residual);
    snprintf(step->text, sizeof self->text[0],
             "X0[1,%d,%d,%d]\nconst X1[%d,%d,3,3]\nconst X2[%d]\n"
             "P[n:1,c:%d,p:%d,q:%d] = select(1 <= p and p < %d and 1 <= q and q < %d, "
             "X0[n,c,p - 1,q - 1], 0)\n"
             "C[n:1,k:%d,y:%d,x:%d] = sum(c:%d,i:3,j:3) P[n,c,y + i,x + j]*X1[k,c,i,j]\n"
             "Y0[n:1,k:%d,y:%d,x:%d] = %s",
             c, h, w, channels, c, channels, c, h + 2, w + 2, h + 1, w + 1, channels, h, w, c,
             channels, h, w,
             residual >= 0 ? "max(C[n,k,y,x] + X2[k] + X3[n,k,y,x], 0)" : "C[n,k,y,x] + X2[k]");
    if (residual >= 0) {
        char whole[sizeof self->text[0]];

        snprintf(whole, sizeof whole, "X3[1,%d,%d,%d]\n%s", channels, h, w, step->text);
        memcpy(step->text, whole, sizeof whole);
    }
    return output;
}

static int add_element_wise(network_draw *self, int from, const char *value)
{
    const int64_t *in = extent_of(self, from);
    int output = network_value(self, 4, in);
    opevo_net_step *step = network_step(self, OPEVO_NET_STEP_COMPUTE, output);

    network_read(step, from);
    snprintf(step->text, sizeof self->text[0], "X0[1,%d,%d,%d]\nY0[n:1,c:%d,y:%d,x:%d] = %s",
             (int)in[1], (int)in[2], (int)in[3], (int)in[1], (int)in[2], (int)in[3], value);
    return output;
}

/* The mean of each channel, then a layer of `classes`. */
static int add_end(network_draw *self, int from, int classes)
{
    const int64_t *in = extent_of(self, from);
    const int64_t weights[] = {classes, in[1]}, out[] = {1, classes};
    int weight = network_constant(self, 2, weights, 1, &state);
    int output = network_value(self, 2, out);
    opevo_net_step *step = network_step(self, OPEVO_NET_STEP_COMPUTE, output);

    network_read(step, from);
    network_read(step, weight);
    snprintf(step->text, sizeof self->text[0],
             "X0[1,%d,%d,%d]\nconst X1[%d,%d]\nM[c:%d] = sum(y:%d,x:%d) X0[0,c,y,x]/%d\n"
             "Y0[n:1,k:%d] = sum(c:%d) M[c]*X1[k,c]",
             (int)in[1], (int)in[2], (int)in[3], classes, (int)in[1], (int)in[1], (int)in[2],
             (int)in[3], (int)(in[2] * in[3]), classes, (int)in[1]);
    return output;
}

/* Branches that are joined, a residual, and equal layers. */
static void draw_network(network_draw *self)
{
    int64_t size[] = {1, 1 + (int64_t)draw(&state, 4), 5 + (int64_t)draw(&state, 8),
                      5 + (int64_t)draw(&state, 8)};
    int channels = 8 * (1 + (int)draw(&state, 3)), from = 0, parts[2], value = 0;
    int64_t joined[] = {1, 2 * channels, size[2], size[3]};

    network_start(self);
    from = network_input(self, 4, size);
    from = add_element_wise(self, add_convolution(self, from, channels, -1), "max(X0[0,c,y,x], 0)");
    value = add_convolution(self, from, channels, -1);
    from = add_convolution(self, value, channels, from);
    from = add_element_wise(self, from, "X0[0,c,y,x]*2 + 1");
    for (int i = 0; i < 2; i++)
        parts[i] = add_convolution(self, from, channels, -1);
    value = network_view(self, network_join(self, parts, 2), 4, joined);
    network_output(self, add_end(self, value, 10));
    if (draw(&state, 2))
        network_output(self, value);
}

/* ---- Libraries ---- */

static const char folder[] = "network_library_test";

static void write_library(const opevo_inference *inference, unsigned threads)
{
    const opevo_network_library_options options = {.threads = threads,
                                                   .facts = {.vector_bits = 256},
                                                   .seed = 3,
                                                   .model = "a */ test\n",
                                                   .version = "0"};
    opevo_network_library *library = NULL;
    opevo_network_library_sizes sizes = {0};

    remove_tree(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    CHECK_OK(opevo_network_library_create(inference, &options, &library, &err));
    CHECK_OK(opevo_network_library_write(library, folder, &sizes, &err));
    for (int t = 0; t < opevo_network_library_tasks(library); t++)
        assert_null(opevo_network_library_task(library, t)->fallback);
    assert_true((double)sizes.arena_bytes <= 1.2 * (double)sizes.peak_bytes);
    opevo_network_library_destroy(library);
}

static void results_are_right(void **test)
{
    static const char *const make[] = {
        "make", "-s",    "-C",
        folder, "check", "CFLAGS=-O2 -march=native -fno-math-errno -Wall -Wextra -Werror",
        NULL};
    static network_draw network;
    const char *points = getenv("OPEVO_TEST_POINTS");

    (void)test;
    for (int i = 0; i < (points ? atoi(points) : 4); i++) {
        draw_network(&network);
        write_library(&network.super, i % 2 ? 2 : 1);
        if (!program_succeeds(make))
            fail_msg("The library of network %d is wrong; it is in %s.", i, folder);
        network_free(&network);
    }
    remove_tree(folder);
}

/* Weights of a model of which the file has none worth the name: uniform, of a variance that keeps the
 * scale of the elements. */
static void draw_weights(opevo_inference *inference)
{
    for (int i = 0; i < inference->values; i++) {
        opevo_net_tensor *value = &inference->value[i];
        opevo_array array = value->array;
        int64_t count = opevo_array_elements(&array);
        double scale = array.dims > 1 ? sqrt(3.0 * (double)array.extent[0] / (double)count) : 0.5;

        if (!array.data || array.type != OPEVO_NETWORK_FLOAT32)
            continue;
        CHECK_OK(opevo_array_allocate(&array, &err));
        for (int64_t k = 0; k < count; k++)
            ((float *)array.data)[k] =
                (float)(scale * ((double)draw(&state, 2001) / 1000 - 1) + (array.dims < 2));
        if (value->owned)
            opevo_array_free(&value->array);
        value->array = array;
        value->owned = true;
    }
}

/* Real networks, after all passes. */
static void light_models_are_right(void **test)
{
    static const char *const make[] = {"make", "-s", "-C", folder, "check", NULL};
    static const char *const models[] = {"squeezenet", "shufflenet"};

    (void)test;
    if (access(OPEVO_TEST_ONNX "/light", R_OK) != 0)
        CHECK_SKIP("no models in %s/light", OPEVO_TEST_ONNX);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        opevo_network *network = NULL;
        opevo_inference *inference = NULL;
        char path[1024];

        snprintf(path, sizeof path, "%s/light/light_%s.onnx", OPEVO_TEST_ONNX, models[i]);
        CHECK_OK(opevo_network_read(path, NULL, &network, &err));
        CHECK_OK(opevo_inference_create(network, &inference, &err));
        CHECK_OK(opevo_inference_pass(inference, 1, &err)); /* constants have values then */
        draw_weights(inference);
        CHECK_OK(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        write_library(inference, 2);
        if (!program_succeeds(make))
            fail_msg("The library of %s is wrong.", models[i]);
        opevo_inference_destroy(inference);
        opevo_network_destroy(network);
    }
    remove_tree(folder);
}

/* Without OpenMP it is compiled, too; other flags than -march=native give no warning either. */
static void it_stands_alone(void **test)
{
    static const char *const make[] = {
        "make",  "-s", "-C", folder, "OPENMP=", "CFLAGS=-O1 -std=c11 -Wall -Wextra -Werror",
        "check", NULL};
    static network_draw network;

    (void)test;
    draw_network(&network);
    write_library(&network.super, 2);
    assert_true(program_succeeds(make));
    network_free(&network);
    remove_tree(folder);
}

/* A spoilt weight is found by the program. */
static void a_fault_is_found(void **test)
{
    static const char *const make[] = {"make", "-s", "-C", folder, NULL};
    static const char *const check[] = {"network_library_test/net", "--data", folder, NULL};
    static network_draw network;
    FILE *file = NULL;
    float wrong[64] = {0};

    (void)test;
    draw_network(&network);
    write_library(&network.super, 1);
    file = fopen("network_library_test/weights.bin", "r+b");
    assert_non_null(file);
    for (int i = 0; i < 64; i++)
        wrong[i] = 5;
    assert_int_equal(fwrite(wrong, sizeof wrong, 1, file), 1);
    fclose(file);
    assert_true(program_succeeds(make));
    assert_false(program_succeeds(check));
    network_free(&network);
    remove_tree(folder);
}

static const char two_nets[] =
    "#include \"net.h\"\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "enum { NETS = 3, RUNS = 20 };\n"
    "static float *first, *input;\n"
    "static void *run(void *threads)\n{\n"
    "    net *self = net_create(*(int *)threads);\n"
    "    size_t bytes = net_outputs[0].elements * sizeof(float);\n"
    "    float *output[NET_OUTPUTS];\n"
    "    const float *const inputs[] = {input};\n"
    "    int wrong = !self;\n"
    "    for (int i = 0; i < NET_OUTPUTS; i++)\n"
    "        output[i] = malloc(net_outputs[i].elements * sizeof(float));\n"
    "    for (int r = 0; r < RUNS && self; r++) {\n"
    "        memset(output[0], 0xff, bytes);\n"
    "        net_run(self, inputs, output);\n"
    "        if (first)\n            wrong |= memcmp(first, output[0], bytes) != 0;\n"
    "    }\n"
    "    if (!first) {\n        first = malloc(bytes);\n        memcpy(first, output[0], bytes);\n"
    "    }\n"
    "    net_destroy(self);\n"
    "    for (int i = 0; i < NET_OUTPUTS; i++)\n        free(output[i]);\n"
    "    return wrong ? threads : NULL;\n}\n"
    "int main(void)\n{\n"
    "    pthread_t thread[NETS];\n    int threads[NETS] = {1, 2, 1}, wrong = 0;\n"
    "    input = malloc(net_inputs[0].elements * sizeof *input);\n"
    "    for (size_t i = 0; i < net_inputs[0].elements; i++)\n"
    "        input[i] = (float)(i % 17) / 17 - 0.4f;\n"
    "    wrong = run(&threads[0]) != NULL;\n"
    "    for (int i = 0; i < NETS; i++)\n"
    "        pthread_create(&thread[i], NULL, run, &threads[i]);\n"
    "    for (int i = 0; i < NETS; i++) {\n        void *result = NULL;\n"
    "        pthread_join(thread[i], &result);\n        wrong |= result != NULL;\n    }\n"
    "    free(first);\n    free(input);\n    return wrong;\n}\n";

/* Several nets at the same time, on one thread and on two. */
static void nets_run_at_once(void **test)
{
    static const char *const make[] = {"make", "-s", "-C", folder, NULL};
    static const char *const build[] = {"cc",
                                        "-Wall",
                                        "-Wextra",
                                        "-Werror",
                                        "-fopenmp",
                                        "-o",
                                        "network_library_test/two",
                                        "network_library_test/two.c",
                                        "network_library_test/libnet.a",
                                        "-lm",
                                        "-lpthread",
                                        NULL};
    static const char *const two[] = {"network_library_test/two", NULL};
    static network_draw network;
    FILE *file = NULL;

    (void)test;
    draw_network(&network);
    write_library(&network.super, 2);
    file = fopen("network_library_test/two.c", "w");
    assert_non_null(file);
    assert_true(fputs(two_nets, file) >= 0 && fclose(file) == 0);
    assert_true(program_succeeds(make));
    assert_true(program_succeeds(build));
    assert_true(program_succeeds(two));
    network_free(&network);
    remove_tree(folder);
}

static void what_has_no_code_is_refused(void **test)
{
    const opevo_network_library_options options = {.threads = 1, .model = "m", .version = "0"};
    static network_draw network;
    opevo_network_library *library = NULL;
    int64_t size[] = {1, 4, 4, 4};
    int value = 0;

    (void)test;
    network_start(&network);
    value = add_element_wise(&network, network_input(&network, 4, size), "max(X0[0,c,y,x], 0)");
    network_output(&network, value);
    network.step[0].kind = OPEVO_NET_STEP_NODE;
    CHECK_FAILS(OPEVO_INVALID, "step 'v1' (v1): ",
                opevo_network_library_create(&network.super, &options, &library, &err));
    network.super.steps = 0;
    CHECK_FAILS(OPEVO_INVALID, "computes nothing",
                opevo_network_library_create(&network.super, &options, &library, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_models_are_right), cmocka_unit_test(results_are_right),
        cmocka_unit_test(it_stands_alone),        cmocka_unit_test(a_fault_is_found),
        cmocka_unit_test(nets_run_at_once),       cmocka_unit_test(what_has_no_code_is_refused),
    };
    char place[] = "/tmp/opevo_library_XXXXXX";
    int failed = 0;

    if (!mkdtemp(place) || chdir(place) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (!failed)
        remove_tree(place);
    return failed;
}
