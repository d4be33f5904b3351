/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Models whose data are in files beside them: what is there is read, and nothing outside the folder
 * of the model is. */

#include "network_models.h"
#include "remove_tree.h"

#include <opevo/memory.h>

#include <fcntl.h>
#include <sys/stat.h>

static const float weights[6] = {1, -2, 3, .5F, 0, -7};
static const int64_t shape[2] = {3, 2};

static char folder[] = "external.XXXXXX";

/* ---- Files and models ---- */

static void write_file(const char *path, size_t offset, const void *data, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(file >= 0);
    assert_int_equal(pwrite(file, data, size, (off_t)offset), size);
    close(file);
}

/* models/ with weights at byte 8 of two files, and what a location may not name. */
static int make_folder(void **state)
{
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("models", 0700) | mkdir("models/sub", 0700), 0);
    write_file("outside.bin", 8, weights, sizeof weights);
    write_file("models/w.bin", 8, weights, sizeof weights);
    write_file("models/sub/w.bin", 8, weights, sizeof weights);
    write_file("models/whole.bin", 0, shape, sizeof shape);
    assert_int_equal(symlink("../outside.bin", "models/link.bin"), 0);
    assert_int_equal(symlink("w.bin", "models/inner.bin"), 0);
    assert_int_equal(symlink("..", "models/up"), 0);
    assert_int_equal(symlink("sub", "models/other"), 0);
    assert_int_equal(mkfifo("models/pipe", 0600), 0);
    return 0;
}

static int remove_folder(void **state)
{
    return chdir("..") || remove_tree(folder);
}

typedef struct entries {
    Onnx__StringPair pair[4], *pairs[4];
} entries;

/* Move the data of a tensor to a file; an entry whose text is NULL is left out. */
static void make_external(Onnx__Tensor *tensor, entries *self, const char *location,
                          const char *offset, const char *length)
{
    const char *const row[][2] = {
        {"checksum", "0"}, {"location", location}, {"offset", offset}, {"length", length}};

    tensor->external_data = self->pairs;
    tensor->has_data_location = 1;
    tensor->data_location = 1;
    tensor->n_float_data = tensor->n_int64_data = 0;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        size_t n = tensor->n_external_data;

        if (!row[i][1])
            continue;
        self->pair[n] = (Onnx__StringPair)ONNX__STRING_PAIR__INIT;
        self->pair[n].key = (char *)row[i][0];
        self->pair[n].value = (char *)row[i][1];
        self->pairs[n] = &self->pair[n];
        tensor->n_external_data++;
    }
}

/* y = x + w, where w[2, 3] is external. */
static void make_sum(model *made, entries *pairs, const char *location, const char *offset,
                     const char *length)
{
    uint64_t state = 1;

    model_start(made);
    add_input(made, "x", 2, (int64_t[]){2, 3});
    add_weights(made, "w", 2, (int64_t[]){2, 3}, 0, 0, &state);
    make_external(&made->weights[0], pairs, location, offset, length);
    add_node(made, "Add", "x w", "y");
    set_output(made, "y");
}

static void write_model(const model *made, const char *path)
{
    size_t size = 0;
    uint8_t *bytes = model_pack(made, &size);

    write_file(path, 0, bytes, size);
    free(bytes);
}

static void save(model *made, const char *path)
{
    write_model(made, path);
    model_finish(made);
}

/* ---- What is read ---- */

static void check_weights(const char *path)
{
    opevo_network *network = NULL;
    const opevo_network_value *value = NULL;

    CHECK_OK(opevo_network_read(path, NULL, &network, &err));
    value = opevo_network_value_at(network, 0);
    assert_string_equal(value->name, "w");
    assert_true(value->constant);
    assert_memory_equal(value->array.data, weights, sizeof weights);
    opevo_network_destroy(network);
}

CHECK_TEST(test_locations)
{
    static const char *const location[] = {"w.bin", "sub/w.bin", "./sub//w.bin"};

    for (size_t k = 0; k < sizeof location / sizeof *location; k++) {
        for (int length = 0; length < 2; length++) {
            entries pairs;
            model made;

            make_sum(&made, &pairs, location[k], "8", length ? "24" : NULL);
            save(&made, "models/model.onnx");
            check_weights("models/model.onnx");
        }
    }
    assert_int_equal(chdir("models"), 0);
    check_weights("model.onnx");
    assert_int_equal(chdir(".."), 0);
}

/* A shape is a constant wherever it is; data start at byte 0 without an offset. */
CHECK_TEST(test_whole_numbers)
{
    opevo_network *network = NULL;
    const opevo_network_value *value = NULL;
    entries pairs;
    model made;

    model_start(&made);
    add_input(&made, "x", 2, (int64_t[]){2, 3});
    add_whole(&made, "shape", 2, (int64_t[]){0, 0});
    make_external(&made.weights[0], &pairs, "whole.bin", NULL, "16");
    add_node(&made, "Reshape", "x shape", "y");
    set_output(&made, "y");
    save(&made, "models/model.onnx");
    CHECK_OK(opevo_network_read("models/model.onnx", NULL, &network, &err));
    value = opevo_network_value_at(network, opevo_network_output(network, 0));
    assert_int_equal(value->array.extent[0], shape[0]);
    assert_int_equal(value->array.extent[1], shape[1]);
    opevo_network_destroy(network);
}

/* ---- What is refused ---- */

/* Each message names the tensor and the location, and nothing is kept. */
static void check_refused(const char *path, const char *location, opevo_status status,
                          const char *words)
{
    int64_t live = opevo_memory_live();
    opevo_network *network = NULL;

    assert_int_equal(opevo_network_read(path, NULL, &network, &failure), status);
    if (!strstr(failure.message, words) || !strstr(failure.message, "tensor 'w'") ||
        !strstr(failure.message, location))
        fail_msg("\"%s\" does not say \"%s\" of '%s'.", failure.message, words, location);
    assert_int_equal(opevo_memory_live(), live);
}

CHECK_TEST(test_places)
{
    static const struct {
        const char *location;
        opevo_status status;
        const char *words;
    } row[] = {{"../outside.bin", OPEVO_INVALID, "outside the folder"},
               {"..", OPEVO_INVALID, "outside the folder"},
               {"sub/../w.bin", OPEVO_INVALID, "outside the folder"},
               {"sub/../../outside.bin", OPEVO_INVALID, "outside the folder"},
               {"sub/..", OPEVO_INVALID, "outside the folder"},
               {"link.bin", OPEVO_INVALID, "symbolic link"},
               {"inner.bin", OPEVO_INVALID, "symbolic link"},
               {"up/outside.bin", OPEVO_INVALID, "'up' is a symbolic link"},
               {"other/w.bin", OPEVO_INVALID, "'other' is a symbolic link"},
               {"sub", OPEVO_INVALID, "not a regular file"},
               {".", OPEVO_INVALID, "not a regular file"},
               {"sub//", OPEVO_INVALID, "not a regular file"},
               {"pipe", OPEVO_INVALID, "not a regular file"},
               {"w.bin/w.bin", OPEVO_IO, "Not a directory"},
               {"absent.bin", OPEVO_IO, "No such file"},
               {"...", OPEVO_IO, "No such file"},
               {"absent/w.bin", OPEVO_IO, "No such file"}};

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        entries pairs;
        model made;

        make_sum(&made, &pairs, row[k].location, "8", "24");
        save(&made, "models/model.onnx");
        check_refused("models/model.onnx", row[k].location, row[k].status, row[k].words);
    }
}

CHECK_TEST(test_absolute_path)
{
    char *path = realpath("models/w.bin", NULL);
    entries pairs;
    model made;

    assert_non_null(path);
    make_sum(&made, &pairs, path, "8", "24");
    save(&made, "models/model.onnx");
    check_refused("models/model.onnx", "/", OPEVO_INVALID, "outside the folder");
    free(path);
}

CHECK_TEST(test_sizes)
{
    static const struct {
        const char *offset, *length, *words;
    } row[] = {{"8", "23", "23 bytes in 'w.bin'; its shape and type have 24."},
               {"8", "25", "25 bytes in 'w.bin'; its shape and type have 24."},
               {"8", "0", "0 bytes in 'w.bin'; its shape and type have 24."},
               {"9", "24", "24 bytes from byte 9 on; the file has 32 bytes."},
               {"9", NULL, "24 bytes from byte 9 on; the file has 32 bytes."},
               {"33", "24", "24 bytes from byte 33 on"},
               {"18446744073709551615", "24", "the file has 32 bytes."},
               {"9223372036854775807", "24", "the file has 32 bytes."},
               {"18446744073709551616", "24", "not a whole number"},
               {"-8", "24", "offset '-8', which is not a whole number"},
               {"8", "24 ", "length '24 ', which is not a whole number"},
               {"", "24", "offset '', which is not a whole number"}};

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        entries pairs;
        model made;

        make_sum(&made, &pairs, "w.bin", row[k].offset, row[k].length);
        save(&made, "models/model.onnx");
        check_refused("models/model.onnx", "w.bin", OPEVO_INVALID, row[k].words);
    }
}

/* Of a shape that no memory holds, the file is found to be too short first. */
CHECK_TEST(test_large_claims)
{
    entries pairs;
    model made;

    make_sum(&made, &pairs, "w.bin", "8", "4398046511104");
    made.weights[0].dims[0] = made.weights[0].dims[1] = 1 << 20;
    save(&made, "models/model.onnx");
    check_refused("models/model.onnx", "w.bin", OPEVO_INVALID, "4398046511104 bytes from byte 8");
}

CHECK_TEST(test_entries)
{
    static const char *const words[] = {"without its name", "without its name",
                                        "both in the model"};

    for (int k = 0; k < 3; k++) {
        entries pairs;
        model made;

        make_sum(&made, &pairs, k == 0 ? NULL : k == 1 ? "" : "w.bin", "8", "24");
        made.weights[0].n_float_data = k == 2 ? 6 : 0;
        save(&made, "models/model.onnx");
        check_refused("models/model.onnx", k == 2 ? "w.bin" : "", OPEVO_INVALID, words[k]);
    }
}

/* A model on standard input, the tensors of --run and attributes have no folder. */
CHECK_TEST(test_no_folder)
{
    static const char *const paths[] = {"/dev/stdin", "/proc/self/fd/0"};
    opevo_network *network = NULL;
    opevo_array array = {0};
    uint8_t bytes[200];
    entries pairs;
    model made;

    make_sum(&made, &pairs, "w.bin", "8", "24");
    write_file("models/w.pb", 0, bytes, onnx__tensor__pack(&made.weights[0], bytes));
    save(&made, "models/model.onnx");
    for (int k = 0; k < 2; k++) {
        int file = open("models/model.onnx", O_RDONLY), kept = dup(0);

        assert_int_equal(dup2(file, 0), 0);
        check_refused(paths[k], "w.bin", OPEVO_INVALID, "no folder");
        assert_int_equal(dup2(kept, 0), 0);
        close(file);
        close(kept);
    }
    CHECK_FAILS(OPEVO_INVALID, "no folder", opevo_array_read("models/w.pb", &array, &err));

    make_sum(&made, &pairs, "w.bin", "8", "24");
    add_node(&made, "Constant", "", "w");
    add_attribute(&made, 1, "value")->t = &made.weights[0];
    made.graph.n_initializer = 0;
    write_model(&made, "models/model.onnx");
    made.graph.n_initializer = 1;
    model_finish(&made);
    CHECK_FAILS(OPEVO_INVALID, "no folder",
                opevo_network_read("models/model.onnx", NULL, &network, &err));
}

CHECK_TEST(test_without_memory)
{
    opevo_status status = OPEVO_NOMEM;
    entries pairs;
    model made;

    make_sum(&made, &pairs, "sub/w.bin", "8", "24");
    save(&made, "models/model.onnx");
    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        int64_t live = opevo_memory_live();
        opevo_network *network = NULL;

        opevo_memory_fail_at(n);
        status = opevo_network_read("models/model.onnx", NULL, &network, &failure);
        opevo_memory_fail_at(0);
        opevo_network_destroy(network);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(status, OPEVO_OK);
}

int main(void)
{
    return check_tests(make_folder, remove_folder);
}
