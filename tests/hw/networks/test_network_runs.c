/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Graphs that run several times: over the tensors of sequences, and what they hold in memory. */

#include "network_bodies.h"

static uint64_t state = 11;

/* The parts of x, each scaled by a number of its own and moved by y, which is the same for all. */
CHECK_TEST(test_map)
{
    enum { PARTS = 3, SIZE = 4 };
    opevo_array in[] = {make_array(1, (int64_t[]){PARTS * SIZE}, &state),
                        make_array(1, (int64_t[]){PARTS}, &state),
                        make_array(1, (int64_t[]){SIZE}, &state)},
                y = {0};
    opevo_network *network = NULL;
    model made;
    body map;

    body_start(&map);
    body_input(&map, "part");
    body_input(&map, "factor");
    body_input(&map, "all");
    add_node(&map.super, "Mul", "part factor", "scaled");
    add_node(&map.super, "Sub", "scaled all", "moved");
    body_outputs(&map, 1, (const char *const[]){"moved"});
    start(&made, 18);
    add_input(&made, "x", 1, in[0].extent);
    add_input(&made, "f", 1, in[1].extent);
    add_input(&made, "m", 1, in[2].extent);
    add_whole(&made, "size", 1, (int64_t[]){SIZE});
    made.weights[0].n_dims = 0;
    add_node(&made, "SplitToSequence", "x size", "parts");
    add_node(&made, "SplitToSequence", "f", "factors");
    add_node(&made, "SequenceMap", "parts factors m", "sequence");
    add_attribute(&made, 2, "body")->g = &map.super.graph;
    add_node(&made, "ConcatFromSequence", "sequence", "y");
    add_int(&made, 3, "axis", 0);
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_run(network, in, &y, 1, &err));
    assert_int_equal(y.extent[0], PARTS * SIZE);
    for (int i = 0; i < PARTS * SIZE; i++)
        check_near((double)element(&y, i),
                   (double)element(&in[0], i) * (double)element(&in[1], i / SIZE) -
                       (double)element(&in[2], i % SIZE),
                   "SequenceMap");
    opevo_network_destroy(network);
    opevo_array_free(&y);
    for (int i = 0; i < 3; i++)
        opevo_array_free(&in[i]);
    model_finish(&made);
    model_finish(&map.super);
}

/* Bytes of all tensors that a network holds. */
static size_t held_bytes(const opevo_network *network)
{
    size_t bytes = 0;

    for (int i = 0; i < opevo_network_value_count(network); i++) {
        const opevo_array *array = &opevo_network_value_at(network, i)->array;

        bytes += array->data ? opevo_i_net_bytes(array) : 0;
    }
    return bytes;
}

/* A model that runs while it is read holds its output and few tensors beside, however many nodes
 * and runs it has; what lies in a sequence stays for all that read it. */
CHECK_TEST(test_held_tensors)
{
    enum { SIZE = 1000, RUNS = 50, NODES = 12 };
    opevo_array x = make_array(1, (int64_t[]){SIZE}, &state), y = {0};
    opevo_network_given given = {.values = &x, .value_count = 1, .eager = true};
    opevo_network *network = NULL;
    char from[16] = "last", to[32];
    model made;
    body loop;

    body_start_loop(&loop);
    add_node(&loop.super, "Tanh", "acc", "t");
    add_node(&loop.super, "Add", "t x", "sum");
    body_outputs(&loop, 2, (const char *const[]){"goes", "sum"});
    start(&made, 18);
    add_input(&made, "x", 1, x.extent);
    add_whole(&made, "runs", 1, (int64_t[]){RUNS});
    add_whole(&made, "place", 1, (int64_t[]){0});
    add_node(&made, "Loop", "runs _ x", "last");
    add_attribute(&made, 0, "body")->g = &loop.super.graph;
    for (int i = 0; i < NODES; i++) {
        snprintf(to, sizeof to, "n%d", i);
        add_node(&made, "Neg", from, to);
        strcpy(from, to);
    }
    snprintf(to, sizeof to, "n%d last", NODES - 1);
    add_node(&made, "SequenceConstruct", to, "pair");
    add_node(&made, "SequenceAt", "pair place", "first");
    add_node(&made, "SequenceAt", "pair place", "second");
    add_node(&made, "Sub", "first second", "none");
    add_node(&made, "Add", "none last", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, &given, &network));
    CHECK_OK(opevo_network_run(network, &x, &y, 1, &err));
    for (int i = 0; i < SIZE; i++) {
        double acc = (double)element(&x, i);

        for (int run = 0; run < RUNS; run++)
            acc = tanh(acc) + (double)element(&x, i);
        check_near((double)element(&y, i), acc, "Loop");
    }
    assert_true(held_bytes(network) < 5 * SIZE * sizeof(float));
    opevo_network_destroy(network);
    opevo_array_free(&x);
    opevo_array_free(&y);
    model_finish(&made);
    model_finish(&loop.super);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
