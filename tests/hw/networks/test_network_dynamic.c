/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries of networks whose sizes are not known before a run: at every size they compute what the
 * model does that is read at that size, node by node, and write nothing else. */

#include "dynamic_models.h"
#include "library_place.h"

#include <opevo/network_dynamic.h>
#include <opevo/network_library.h>
#include <opevo/network_passes.h>

#include <math.h>
#include <sys/stat.h>

static const char folder[] = "network_dynamic_test";

/* ---- Models and what they give ---- */

typedef void (*make_model)(model *self);

static const char *write_model(make_model make)
{
    static model made;

    dynamic_state = 5;
    make(&made);
    return model_write(&made);
}

static opevo_status read_dynamic(const char *path, const char *text, const int64_t *tuned,
                                 opevo_network_dynamic **out)
{
    const opevo_network_given given = {.shape_count = 0};
    opevo_network_ranges ranges;
    opevo_status status = opevo_network_ranges_read(text, &ranges, &failure);

    return status != OPEVO_OK ? status
                              : opevo_network_dynamic_read(path, &given, &ranges, tuned,
                                                           OPEVO_NETWORK_ALL_PASSES, out, &failure);
}

/* What the model computes at sizes, from inputs that are appended to a file. */
static opevo_array run_at(const char *path, const opevo_network_ranges *ranges,
                          const int64_t *sizes, FILE *file)
{
    opevo_network_dimension dimensions[OPEVO_NETWORK_SIZES];
    opevo_network_given given = {.dimensions = dimensions,
                                 .dimension_count = (size_t)ranges->count};
    opevo_network *network = NULL;
    opevo_array inputs[2] = {{0}}, result = {0};

    for (int i = 0; i < ranges->count; i++)
        dimensions[i] = (opevo_network_dimension){ranges->range[i].name, sizes[i]};
    CHECK_OK(opevo_network_read(path, &given, &network, &err));
    for (int i = 0; i < opevo_network_input_count(network); i++) {
        const opevo_array *array =
            &opevo_network_value_at(network, opevo_network_input(network, i))->array;

        inputs[i] = make_array(array->dims, array->extent, &dynamic_state);
        fwrite(inputs[i].data, sizeof(float), (size_t)opevo_array_elements(&inputs[i]), file);
    }
    CHECK_OK(opevo_network_run(network, inputs, &result, 1, &err));
    for (int i = 0; i < 2; i++)
        opevo_array_free(&inputs[i]);
    opevo_network_destroy(network);
    return result;
}

/* ---- The library ---- */

static void write_library(const opevo_network_dynamic *dynamic)
{
    const opevo_network_library_options options = {.threads = 2,
                                                   .facts = {.vector_bits = 256},
                                                   .seed = 3,
                                                   .model = "dynamic.onnx",
                                                   .version = "0"};
    opevo_network_library *library = NULL;
    opevo_network_library_sizes sizes = {0};

    remove_tree(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    CHECK_OK(opevo_network_library_create(dynamic->at[0], &options, &library, &err));
    CHECK_OK(opevo_network_library_write(library, folder, &sizes, &err));
    for (int t = 0; t < opevo_network_library_tasks(library); t++) {
        if (opevo_network_library_task(library, t)->fallback)
            fail_msg("%s is plain loops", opevo_network_library_task(library, t)->operation);
    }
    CHECK_OK(opevo_network_library_check_memory(library, &err));
    opevo_network_library_destroy(library);
}

/* Build it, with its own check, and run it at the sizes. */
static void run_library(int count, char words[][16])
{
    static const char *const make[] = {
        "make", "-s", "-C", folder, "check", "CFLAGS=-O1 -march=native -Wall -Wextra -Werror",
        NULL};
    static const char *const build[] = {
        "cc",  "-O1",      "-I", folder,      "run_sized.c", "network_dynamic_test/libnet.a",
        "-lm", "-fopenmp", "-o", "run_sized", NULL};
    const char *run[64] = {"./run_sized"};
    FILE *file = fopen("run_sized.c", "w");

    fputs(run_sized, file);
    fclose(file);
    for (int i = 0; i < count; i++)
        run[i + 1] = words[i];
    CHECK_PROGRAM(make);
    CHECK_PROGRAM(build);
    CHECK_PROGRAM(run);
}

static void compare(FILE *file, const opevo_array *expected, int run)
{
    size_t elements = (size_t)opevo_array_elements(expected);
    float *found = calloc(elements + 1, sizeof *found);
    double most = 0;

    assert_int_equal(fread(found, sizeof *found, elements, file), elements);
    for (size_t i = 0; i < elements; i++)
        most = fmax(most, fabs((double)element(expected, (int64_t)i)));
    for (size_t i = 0; i < elements; i++) {
        double e = (double)element(expected, (int64_t)i);

        if (!(fabs((double)found[i] - e) <= 1e-4 * fabs(e) + 1e-5 * most))
            fail_msg("Run %d: element %zu is %g in place of %g.", run, i, (double)found[i], e);
    }
    free(found);
}

/* At `runs` sizes, one after another in a row of numbers. */
static void check_model(make_model make, const char *text, const int64_t *tuned, int runs,
                        const int64_t *sizes)
{
    const char *path = write_model(make);
    opevo_network_dynamic *dynamic = NULL;
    opevo_array expected[16] = {{0}};
    char words[60][16];
    int count = 0;
    FILE *file = NULL;

    if (read_dynamic(path, text, tuned, &dynamic) != OPEVO_OK)
        fail_msg("%s", failure.message);
    count = dynamic->ranges.count;
    file = fopen("given.bin", "wb");
    for (int r = 0; r < runs; r++) {
        expected[r] = run_at(path, &dynamic->ranges, &sizes[r * count], file);
        for (int i = 0; i < count; i++)
            snprintf(words[r * count + i], sizeof words[0], "%lld",
                     (long long)sizes[r * count + i]);
    }
    fclose(file);
    write_library(dynamic);
    run_library(runs * count, words);
    file = fopen("made.bin", "rb");
    for (int r = 0; r < runs; r++) {
        compare(file, &expected[r], r);
        opevo_array_free(&expected[r]);
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    opevo_network_dynamic_destroy(dynamic);
}

CHECK_TEST(layers_are_right)
{
    check_model(make_mlp, "batch=1..33", NULL, 6, (int64_t[]){1, 2, 7, 33, 16, 31});
}

CHECK_TEST(images_are_right)
{
    check_model(make_cnn, "batch=1..9", (int64_t[]){1}, 5, (int64_t[]){1, 3, 9, 8, 2});
}

CHECK_TEST(attention_is_right)
{
    check_model(make_attention, "length=1..19,batch=1..4", (int64_t[]){8, 2}, 7,
                (int64_t[]){1, 1, 19, 4, 7, 3, 1, 4, 19, 1, 2, 2, 13, 2});
}

/* ---- What is refused ---- */

static void start_rows(model *self)
{
    model_start(self);
    add_named_input(self, "x", 2, (int64_t[]){0, 6}, (const char *[]){"batch"});
}

/* The product of a matrix with itself: both axes are of one dimension. */
static void make_gram(model *self)
{
    start_rows(self);
    add_ints(self, add_node(self, "Transpose", "x", "t"), "perm", 2, (int64_t[]){1, 0});
    add_node(self, "MatMul", "x t", "y");
    set_output(self, "y");
}

/* The mean over rows divides by their number. */
static void make_mean(model *self)
{
    start_rows(self);
    add_ints(self, add_node(self, "ReduceMean", "x", "y"), "axes", 1, (int64_t[]){0});
    set_output(self, "y");
}

/* Convolutions along a size read beside the place. */
static void make_filter(model *self)
{
    model_start(self);
    add_named_input(self, "x", 3, (int64_t[]){2, 3, 0}, (const char *[]){"batch"});
    add_random(self, "w", 3, (int64_t[]){4, 3, 3});
    add_node(self, "Conv", "x w", "y");
    set_output(self, "y");
}

static void make_strided(model *self)
{
    model_start(self);
    add_named_input(self, "x", 3, (int64_t[]){2, 3, 0}, (const char *[]){"batch"});
    add_random(self, "w", 3, (int64_t[]){4, 3, 3});
    add_ints(self, add_node(self, "Conv", "x w", "y"), "strides", 1, (int64_t[]){2});
    set_output(self, "y");
}

static void make_fixed(model *self)
{
    start_rows(self);
    add_whole(self, "s", 2, (int64_t[]){8, -1});
    add_node(self, "Reshape", "x s", "y");
    set_output(self, "y");
}

/* "n", the size of x[batch, 6] in a tensor of one element. */
static void add_size(model *self)
{
    add_whole(self, "zero", 1, (int64_t[]){0});
    add_whole(self, "one", 1, (int64_t[]){1});
    add_node(self, "Shape", "x", "shape");
    add_node(self, "Slice", "shape zero one", "n");
}

/* Rows n to 8 of c[8, 6], which are more where x has fewer; nothing is fused with the node. */
static void make_rest(model *self)
{
    start_rows(self);
    add_input(self, "c", 2, (int64_t[]){8, 6});
    add_size(self);
    add_whole(self, "all", 1, (int64_t[]){8});
    add_node(self, "Slice", "c n all zero", "r");
    add_node(self, "CumSum", "r one", "s");
    add_int(self, add_node(self, "Concat", "x s", "y"), "axis", 0);
    set_output(self, "y");
}

/* Every second of n columns: as many as n - 1 at 2 and 3, but not at 1. */
static void make_second(model *self)
{
    model_start(self);
    add_named_input(self, "x", 2, (int64_t[]){4, 0}, (const char *[]){"batch"});
    add_whole(self, "zero", 1, (int64_t[]){0});
    add_whole(self, "one", 1, (int64_t[]){1});
    add_whole(self, "two", 1, (int64_t[]){2});
    add_whole(self, "all", 1, (int64_t[]){100});
    add_node(self, "Slice", "x zero all one two", "h");
    add_node(self, "CumSum", "h zero", "s");
    add_int(self, add_node(self, "ReduceSum", "s one", "y"), "keepdims", 0);
    set_output(self, "y");
}

/* A factor of 1, and of 0 for one row. */
static void make_several(model *self)
{
    start_rows(self);
    add_size(self);
    add_node(self, "Greater", "n one", "g");
    add_int(self, add_node(self, "Cast", "g", "f"), "to", OPEVO_NETWORK_FLOAT32);
    add_node(self, "Mul", "x f", "y");
    set_output(self, "y");
}

typedef struct refusal {
    make_model make;
    const char *ranges, *message;
} refusal;

static const refusal refusals[] = {
    {make_gram, "batch=2..9",
     "step 'node 0+node 1' (Transpose+MatMul) cannot serve all sizes: "
     "two axes of Y0 read the same dimension"},
    {make_mean, "batch=2..9",
     "step 'node 0' (ReduceMean) cannot serve all sizes: at other "
     "sizes its definitions differ in more than extents"},
    {make_filter, "batch=3..30", "is not read by one axis from end to end"},
    {make_strided, "batch=3..30", "linear in each size"},
    {make_fixed, "batch=4..32", "with batch="},
    {make_rest, "batch=1..6", "an extent of 'r' is larger at smaller sizes"},
    {make_second, "batch=1..3", "at the least sizes 'h' has another shape, or is another constant"},
    {make_several, "batch=1..9",
     "at the least sizes 'f' has another shape, or is another constant"},
    {make_mlp, "lot=1..4",
     "--dynamic names 'lot', which is not a dimension of an input; "
     "dimensions are 'batch'"},
    {make_mlp, "batch=1..4,batch=1..8", "batch is given twice"},
    {make_mlp, "batch=0..4", "batch=0..4: give a range"},
    {make_mlp, "batch=4..4", "batch=4..4: give a range"},
    {make_mlp, "batch=9..4", "batch=9..4: give a range"},
    {make_mlp, "batch=1..4x", "batch=1..4x: give a range"},
    {make_mlp, "batch", "batch is not of the form NAME=N..N"},
    {make_mlp, "batch=7", "batch=7 is not of the form NAME=N..N"},
    {make_mlp, "a=1..2,b=1..2,c=1..2,d=1..2", "d=1..2 is one too many; give at most 3"},
};

CHECK_TEST(refusals_name_the_step)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        opevo_network_dynamic *dynamic = NULL;

        failure = (opevo_error){OPEVO_OK, ""};
        assert_int_equal(
            read_dynamic(write_model(refusals[i].make), refusals[i].ranges, NULL, &dynamic),
            OPEVO_INVALID);
        if (!strstr(failure.message, refusals[i].message))
            fail_msg("%zu: \"%s\" in place of \"%s\"", i, failure.message, refusals[i].message);
    }
}

CHECK_TEST(sizes_for_kernels_are_in_their_ranges)
{
    static const char *const bad[][2] = {{"8", "8: give a whole number for each of the 2 sizes"},
                                         {"8,9,1", "8,9,1: give a whole number for each"},
                                         {"8,x", "8,x: give a whole number for each"},
                                         {"8,4", "b is 4; give a size from 5 to 9"},
                                         {"9,5", "a is 9; give a size from 1 to 8"}};
    opevo_network_ranges ranges;
    int64_t sizes[OPEVO_NETWORK_SIZES];

    CHECK_OK(opevo_network_ranges_read("a=1..8,b=5..9", &ranges, &err));
    CHECK_OK(opevo_network_ranges_sizes(&ranges, "8,5", sizes, &err));
    assert_true(sizes[0] == 8 && sizes[1] == 5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(opevo_network_ranges_sizes(&ranges, bad[i][0], sizes, &failure),
                         OPEVO_INVALID);
        assert_non_null(strstr(failure.message, bad[i][1]));
    }
}

/* ---- Forms ---- */

CHECK_TEST(forms_go_through_all_readings)
{
    opevo_network_dynamic dynamic = {.ranges = {.count = 2}, .points = 5};
    static const int64_t size[5][2] = {{8, 30}, {2, 30}, {8, 4}, {2, 4}, {5, 11}};
    int64_t values[OPEVO_NETWORK_READINGS];
    opevo_network_form form;

    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 2; i++)
            dynamic.size[k][i] = size[k][i];
        values[k] = 7 + 3 * size[k][0] - size[k][1] + 2 * size[k][0] * size[k][1];
    }
    assert_true(opevo_network_dynamic_fit(&dynamic, values, &form));
    assert_int_equal(form.factor[0], 7);
    assert_int_equal(form.factor[1], 3);
    assert_int_equal(form.factor[2], -1);
    assert_int_equal(form.factor[3], 2);
    assert_false(opevo_network_form_is_constant(&form));
    values[4]++;
    assert_false(opevo_network_dynamic_fit(&dynamic, values, &form));
    values[4]--;
    values[1]++; /* a slope of no whole number */
    assert_false(opevo_network_dynamic_fit(&dynamic, values, &form));
}

int main(void)
{
    return enter_folder() ? leave_folder(check_tests(NULL, NULL)) : 1;
}
