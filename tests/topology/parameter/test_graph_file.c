/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edge lists and GraphML files, whole and spoilt; GraphML also against igraph's reader. */

#include "topology_checks.h"

#include <opevo/hash.h>

#include <stdlib.h>
#include <unistd.h>

#include "draw.h"

static char folder[] = "/tmp/opevo-graph-XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

static opevo_status read_sized(const char *file, const char *content, size_t size,
                               opevo_parameter **out, opevo_error *err)
{
    opevo_value value = {.kind = OPEVO_VALUE_TEXT, .as = {.text = file}};
    opevo_parameter_spec spec = {
        .name = "g", .type = "graph", .values = &value, .value_count = 1, .directory = folder};
    char path[256];
    FILE *stream = NULL;
    opevo_status status = OPEVO_OK;

    snprintf(path, sizeof path, "%s/%s", folder, file);
    stream = fopen(path, "w");
    assert_non_null(stream);
    assert_int_equal(fwrite(content, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
    status = opevo_parameter_create(&spec, out, err);
    assert_int_equal(remove(path), 0);
    return status;
}

/* Write the file, read it as a parameter, and remove it again. */
static opevo_status read_as(const char *file, const char *content, opevo_parameter **out,
                            opevo_error *err)
{
    return read_sized(file, content, strlen(content), out, err);
}

/* "value: neighbours" of each vertex, as one line. */
static void check_graph(const char *file, const char *content, const char *expected)
{
    opevo_parameter *parameter = NULL;
    opevo_text text = {0};

    CHECK_OK(read_as(file, content, &parameter, &err));
    for (opevo_index v = 0; v < opevo_parameter_size(parameter); v++) {
        opevo_text_add(&text, v ? "; " : "");
        opevo_parameter_print(parameter, v, &text);
        opevo_text_add(&text, ":");
        for (opevo_index k = 0; k < opevo_parameter_degree(parameter, v); k++) {
            opevo_text_add(&text, " ");
            opevo_parameter_print(parameter, opevo_parameter_neighbour(parameter, v, k), &text);
        }
        check_round_trip(parameter, v);
        check_neighbours_of(parameter, v);
    }
    assert_string_equal(opevo_text_string(&text), expected);
    check_metrics(parameter, CHECK_ALL_METRICS);
    assert_string_equal(opevo_parameter_topology(parameter), "file");
    assert_int_equal(opevo_parameter_arity(parameter), 1);
    opevo_text_free(&text);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_edge_lists)
{
    check_graph("a.txt", "0 1\n1 2\n", "0: 1; 1: 0 2; 2: 1");
    check_graph("a.edges", "0 1\n1 0\n1 2\n0 1", "0: 1; 1: 0 2; 2: 1");
    check_graph("a.el", "# a comment 7 7\n\n 2\t0 \r\n#\n0 4\n", "0: 2 4; 1:; 2: 0; 3:; 4: 0");
    check_graph("a,b (c).EL", "0 1\n", "0: 1; 1: 0");
}

#define GRAPHML(inside)                                                                            \
    "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n" inside  \
    "</graphml>\n"
#define NAME_KEY "<key id=\"k\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"

CHECK_TEST(test_graphml)
{
    check_graph("a.graphml",
                GRAPHML("<graph edgedefault=\"undirected\"><node id=\"n0\"/><node id=\"n1\"/>"
                        "<node id='n2'/><edge source=\"n0\" target=\"n2\"/></graph>"),
                "n0: n2; n1:; n2: n0");
    check_graph("a.xml",
                GRAPHML(NAME_KEY "<graph edgedefault=\"directed\">"
                                 "<node id=\"n0\"><data key=\"k\">fast</data></node>"
                                 "<node id=\"n1\"><data key=\"k\">slow, 1</data></node>"
                                 "<edge source=\"n0\" target=\"n1\"/>"
                                 "<edge source=\"n1\" target=\"n0\"/></graph>"),
                "fast: \"slow, 1\"; \"slow, 1\": fast");
    /* A name that stands twice names nobody, so the identifiers serve. */
    check_graph("a.xml",
                GRAPHML(NAME_KEY "<graph edgedefault=\"undirected\">"
                                 "<node id=\"n0\"><data key=\"k\">x</data></node>"
                                 "<node id=\"n1\"><data key=\"k\">x</data></node></graph>"),
                "n0:; n1:");
    /* What is nested is not looked at, nor a second graph; nodes may follow their edges. */
    check_graph("a.xml",
                GRAPHML("<!-- <node id=\"c\"> --><graph edgedefault=\"undirected\">"
                        "<node id=\"a\"><graph id=\"g\"><node id=\"a\"/><node id=\"d\"/>"
                        "<edge source=\"d\" target=\"d\"/></graph></node>"
                        "<edge source=\"a\" target=\"&#98;\"/>\n<node\n id = 'b' ></node ></graph>"
                        "<graph><node id=\"a\"/><node id=\"a\"/></graph>"),
                "a: b; b: a");
    check_graph("a.xml",
                "<!DOCTYPE graphml [<!-- ] --><!ENTITY e \"a\">]>\n<g:graphml "
                "xmlns:g=\"http://graphml.graphdrawing.org/xmlns\"><g:graph>"
                "<![CDATA[<node id=\"a\"/>]]><g:node id=\"a\"/><g:node id=\"b\"/>"
                "<g:edge source=\"a\" target=\"b\"/></g:graph></g:graphml>",
                "a: b; b: a");
    check_graph("a.xml",
                "<!DOCTYPE graphml [<!ENTITY e \"a\">]>\n<graphml><graph><node id=\"&e;\"/>"
                "<node id=\"b\"/><edge source=\"a\" target=\"b\"/></graph></graphml>",
                "a: b; b: a");
    /* A default names the nodes without a name. */
    check_graph(
        "a.xml",
        GRAPHML("<key id='k' for='node' attr.name='name'><default>usual</default></key>"
                "<graph><node id=\"n0\"><data key=\"k\">fast</data></node>"
                "<node id=\"n1\"><data key=\"j\">no</data></node>"
                "<edge source=\"n0\" target=\"n1\"><data key=\"k\">no</data></edge></graph>"),
        "fast: usual; usual: fast");
    /* A numeric attribute called name is not a text. */
    check_graph("a.xml",
                GRAPHML("<key id=\"k\" for=\"node\" attr.name=\"name\" attr.type=\"int\"/>"
                        "<graph edgedefault=\"undirected\">"
                        "<node id=\"n0\"><data key=\"k\">4</data></node></graph>"),
                "n0:");
}

static const struct {
    const char *file, *content, *words;
    opevo_status status;
} refused_cases[] = {
    {"b.el", "0 1\n1 x\n", "b.el:2: an edge is two vertex numbers", OPEVO_INVALID},
    {"b.el", "0 1\n1\n2 3\n", "b.el:2: an edge", OPEVO_INVALID},
    {"b.el", "0 1\n1 2 3\n", "b.el:2: an edge", OPEVO_INVALID},
    {"b.el", "0 -1\n", "b.el:1: an edge", OPEVO_INVALID},
    {"b.el", "0 1\n\n0 1.5\n", "b.el:3: an edge", OPEVO_INVALID},
    {"b.el", "# nothing\n0 1\n3 3\n", "b.el:3: an edge joins vertex 3 to itself", OPEVO_INVALID},
    {"b.el", "0 99999999999999999999\n", "b.el:1: an edge", OPEVO_INVALID},
    {"b.el", "0 99999999999\n", "b.el:1: vertex numbers must be below", OPEVO_LIMIT},
    {"b.el", "", "b.el: the file is empty", OPEVO_INVALID},
    {"b.el", "# only\n", "b.el: the graph has no vertices", OPEVO_INVALID},
    {"b.graphml", "", "b.graphml: the file is empty", OPEVO_INVALID},
    {"b.graphml", "junk", "b.graphml:1: the file is not well-formed XML", OPEVO_INVALID},
    {"b.graphml", "<graphml>\n<graph>\n<node id=\"a\"/>\n", "the file is not well-formed XML",
     OPEVO_INVALID},
    {"b.xml",
     GRAPHML("<graph edgedefault=\"undirected\">\n<node id=\"a\"/>\n"
             "<edge source=\"a\"/></graph>"),
     "b.xml:5: an edge has no target", OPEVO_INVALID},
    {"b.xml",
     GRAPHML("<graph edgedefault=\"undirected\">\n<node id=\"a\"/>\n"
             "<edge\ntarget=\"a\"/></graph>"),
     "b.xml:6: an edge has no source", OPEVO_INVALID},
    {"b.xml",
     GRAPHML("<graph edgedefault=\"undirected\">\n<node id=\"a\"/>\n"
             "<node name=\"a\"></node></graph>"),
     "b.xml:5: a node has no id", OPEVO_INVALID},
    /* As many nodes as edges name, but one twice and another not at all. */
    {"b.xml",
     GRAPHML("<graph edgedefault=\"undirected\">\n<node id=\"a\"/>\n<node id=\"a\"/>\n"
             "<node id=\"c\"/><edge source=\"a\" target=\"b\"/>\n"
             "<edge source=\"b\" target=\"c\"/></graph>"),
     "b.xml:5: the node \"a\" is already declared in line 4", OPEVO_INVALID},
    {"b.xml",
     GRAPHML("<graph edgedefault=\"undirected\">\n<!-- <node id=\"b\"/> --><node id=\"a\"/>\n"
             "<edge source=\"a\" target=\"b\"/><node id=\"c\"><graph><node id=\"b\"/></graph>"
             "</node></graph>\n<graph><node id=\"b\"/></graph>"),
     "b.xml:5: an edge names the node \"b\"", OPEVO_INVALID},
    {"b.xml", GRAPHML("<graph edgedefault=\"undirected\">\n<edge source='a' target='b'/></graph>"),
     "b.xml:4: an edge names the node \"a\"", OPEVO_INVALID},
    {"b.xml",
     "<g:graphml xmlns:g=\"http://graphml.graphdrawing.org/xmlns\">\n<g:graph "
     "edgedefault=\"undirected\">\n<g:node id=\"a\"/>\n<g:edge source=\"a\" target=\"b\"/>"
     "</g:graph></g:graphml>",
     "b.xml:4: an edge names the node \"b\"", OPEVO_INVALID},
    {"b.xml",
     GRAPHML("<graph edgedefault=\"undirected\">\n<node id=\"a\"/>\n"
             "<edge source=\"a\" target=\"q\"/></graph>"),
     "b.xml:5: an edge names the node \"q\"", OPEVO_INVALID},
    {"b.xml",
     GRAPHML("<graph edgedefault=\"undirected\"><node id=\"a\"/>"
             "<edge source=\"a\" target=\"a\"/></graph>"),
     "b.xml:3: an edge joins vertex a to itself", OPEVO_INVALID},
    {"b.xml",
     GRAPHML("<graph edgedefault=\"undirected\">\n<node id=\"&lt;&#65;\"/>\n"
             "<edge source=\"&#x3c;A\" target=\"&lt;&#x41;\"/></graph>"),
     "b.xml:5: an edge joins vertex <A to itself", OPEVO_INVALID},
    {"b.xml", "<graphml>\n<graph><node id=\"a\"/><edge source=\"a\" target=\"b\"/>\n",
     "the file is not well-formed XML: its end is missing", OPEVO_INVALID},
    {"b.xml", "<graphml><graph><node id=\"&e;\"/></graph></graphml>",
     "b.xml:1: the file is not well-formed XML: Entity 'e' not defined", OPEVO_INVALID},
    {"b.xml", GRAPHML(""), "b.xml: the graph has no vertices", OPEVO_INVALID},
    {"b.csv", "0 1\n", "b.csv: the ending is not that of a graph format", OPEVO_INVALID},
    {"b", "0 1\n", "b: the ending is not that of a graph format", OPEVO_INVALID},
};

CHECK_TEST(test_refused)
{
    for (size_t i = 0; i < sizeof refused_cases / sizeof refused_cases[0]; i++) {
        opevo_parameter *parameter = NULL;

        CHECK_FAILS(refused_cases[i].status, refused_cases[i].words,
                    read_as(refused_cases[i].file, refused_cases[i].content, &parameter, &err));
        assert_null(parameter);
    }
}

CHECK_TEST(test_zero_bytes)
{
    static const char *const files[] = {"z.el", "z.xml"};
    opevo_parameter *parameter = NULL;

    for (size_t i = 0; i < 2; i++)
        CHECK_FAILS(OPEVO_INVALID, files[i],
                    read_sized(files[i], "0 1\n\0 2", 7, &parameter, &err));
    assert_null(parameter);
}

CHECK_TEST(test_missing)
{
    opevo_parameter *parameter = NULL;
    opevo_value number = opevo_value_of_integer(3);
    opevo_parameter_spec spec = {.name = "g", .type = "graph", .values = &number, .value_count = 1};

    CHECK_FAILS(OPEVO_IO, "absent.el",
                opevo_parameter_parse("g", "graph(/nowhere/absent.el)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "takes the path of a graph file",
                opevo_parameter_parse("g", "graph()", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "takes the path of a graph file",
                opevo_parameter_create(&spec, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "it has: file",
                opevo_parameter_parse("g", "graph(a.el)", "complete", &parameter, &err));
    assert_null(parameter);
}

/* The graph counts, not the path or the order of its edges. */
CHECK_TEST(test_hash)
{
    static const char *const contents[] = {"0 1\n1 2\n", "2 1\n1 0\n0 1\n", "0 1\n0 2\n",
                                           "0 1\n1 2\n3 2\n"};
    static const char *const files[] = {"a.el", "b.txt", "a.el", "a.el"};
    uint64_t hashes[4];

    for (size_t i = 0; i < 4; i++) {
        opevo_parameter *parameter = NULL;

        CHECK_OK(read_as(files[i], contents[i], &parameter, &err));
        hashes[i] = opevo_parameter_hash(parameter, OPEVO_HASH_START);
        opevo_parameter_destroy(parameter);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_true(hashes[0] != hashes[2] && hashes[0] != hashes[3] && hashes[2] != hashes[3]);
}

/* Several components, isolated vertices, and diameters that need more than one search: random
 * forests and sparse graphs against igraph. */
CHECK_TEST(test_metrics_of_random_graphs)
{
    uint64_t stream = 11;

    for (size_t n = 2; n < 60; n++) {
        opevo_parameter *parameter = NULL;
        opevo_text text = {0};

        for (size_t e = 0; e < n * (n % 4) / 2 + 1; e++) {
            opevo_index a = next_vertex(&stream, n);
            opevo_index b = (a + 1 + next_vertex(&stream, n - 1)) % n;

            opevo_text_printf(&text, "%d %d\n", (int)a, (int)b);
        }
        CHECK_OK(read_as("r.el", opevo_text_string(&text), &parameter, &err));
        check_metrics(parameter, CHECK_ALL_METRICS);
        opevo_parameter_destroy(parameter);
        opevo_text_free(&text);
    }
}

/* 100,000 vertices in 70,000 components; a search whose cost grew with their square would time out.
 */
CHECK_TEST(test_metrics_of_a_forest)
{
    opevo_parameter *parameter = NULL;
    opevo_parameter_metrics metrics = {0};
    opevo_text text = {0};

    for (int i = 0; i < 30000; i++)
        opevo_text_printf(&text, "%d %d\n", 3 * i, 3 * i + 1);
    opevo_text_add(&text, "99998 99999\n99997 99998\n");
    CHECK_OK(read_as("forest.el", opevo_text_string(&text), &parameter, &err));
    CHECK_OK(opevo_parameter_measure(parameter, &metrics, &err));
    assert_int_equal(metrics.known, CHECK_ALL_METRICS);
    assert_int_equal(metrics.edges, 30002);
    assert_int_equal(metrics.components, 100000 - 30002);
    assert_int_equal(metrics.diameter, 2);
    assert_int_equal(metrics.degree_min, 0);
    assert_int_equal(metrics.degree_max, 2);
    opevo_parameter_destroy(parameter);
    opevo_text_free(&text);
}

/* Bytes left out, doubled or replaced, and files that are cut: none may crash or leak, and a
 * refusal names the file. */
CHECK_TEST(test_spoilt_files)
{
    static const struct {
        const char *file, *content;
    } seeds[] = {
        {"s.el", "# c\n0 1\n1 2\n\n2 3\n"},
        {"s.xml",
         GRAPHML(NAME_KEY "<graph><node id=\"a\"><data key=\"k\">x</data></node><node id='b'>"
                          "<data key='k'>y</data></node><edge source='b' target='a'/></graph>")},
        {"s.xml", GRAPHML("<!-- c --><graph edgedefault=\"undirected\"><node id='&amp;a'/>"
                          "<node id=\"b&#65;\"><data key=\"k\"/></node><edge source=\"&amp;a\" "
                          "target=\"bA\"/></graph>")},
    };
    static const char marks[] = "\"'<>/&;*\n\r %=#01";
    int64_t live = opevo_memory_live();
    uint64_t random = 5;

    for (size_t i = 0; i < 6000; i++) {
        char content[512] = "";
        size_t length = strlen(seeds[i % 3].content), at = (size_t)draw(&random, length), size = 0;
        opevo_parameter *parameter = NULL;
        opevo_error err = {OPEVO_OK, ""};

        memcpy(content, seeds[i % 3].content, length);
        size = 1 + (size_t)draw(&random, length - at < 9 ? length - at : 9);
        if (draw(&random, 4) == 0)
            content[at] = '\0';
        else if (draw(&random, 2) == 0)
            content[at] = marks[draw(&random, sizeof marks - 1)];
        else
            memmove(content + at, content + at + size, length + 1 - at - size);
        if (read_as(seeds[i % 3].file, content, &parameter, &err) != OPEVO_OK)
            assert_non_null(strstr(err.message, seeds[i % 3].file));
        opevo_parameter_destroy(parameter);
        assert_int_equal(opevo_memory_live(), live);
    }
}

/* A short file may not ask for much memory; one that names what it has may be large. */
CHECK_TEST(test_size_follows_from_the_file)
{
    opevo_parameter *parameter = NULL;
    opevo_text text = {0};

    CHECK_FAILS(OPEVO_LIMIT, "b.el:1: vertex numbers must be below 65536 in a file of 11 bytes",
                read_as("b.el", "0 67108863\n", &parameter, &err));
    CHECK_OK(read_as("b.el", "0 65535\n", &parameter, &err));
    opevo_parameter_destroy(parameter);
    for (int i = 1; i < 80000; i++)
        opevo_text_printf(&text, "%d %d\n", i - 1, i);
    CHECK_OK(read_as("b.el", text.data, &parameter, &err));
    assert_true(opevo_parameter_size(parameter) == 80000);
    opevo_parameter_destroy(parameter);
    opevo_text_free(&text);
}

/* Random trees with names for some nodes, and other attributes. */
CHECK_TEST(test_graphml_is_what_igraph_reads)
{
    uint64_t stream = 3;

    for (size_t n = 1; n < 40; n++) {
        opevo_parameter *parameter = NULL;
        opevo_text text = {0};
        igraph_t graph;
        FILE *file = NULL;

        opevo_text_add(&text, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">"
                              "<key id=\"w\" for=\"edge\" attr.name=\"w\" attr.type=\"double\"/>"
                              "<graph edgedefault=\"undirected\">");
        for (size_t i = 0; i < n; i++)
            opevo_text_printf(&text, "<node id=\"n%zu\"/>\n", i);
        for (size_t i = 1; i < n; i++)
            opevo_text_printf(&text,
                              "<edge source=\"n%zu\" target=\"n%zu\"><data key=\"w\">.5</data>"
                              "</edge>",
                              i, (size_t)next_vertex(&stream, i));
        opevo_text_add(&text, "</graph></graphml>");
        CHECK_OK(read_as("i.xml", opevo_text_string(&text), &parameter, &err));
        file = fmemopen(text.data, text.length, "r");
        assert_non_null(file);
        assert_int_equal(igraph_read_graph_graphml(&graph, file, 0), IGRAPH_SUCCESS);
        fclose(file);
        assert_int_equal(igraph_vcount(&graph), (int64_t)opevo_parameter_size(parameter));
        for (opevo_index v = 0; v < n; v++) {
            igraph_integer_t degree = 0;

            igraph_degree_1(&graph, &degree, (igraph_integer_t)v, IGRAPH_ALL, true);
            assert_int_equal(degree, (int64_t)opevo_parameter_degree(parameter, v));
            for (opevo_index k = 0; k < opevo_parameter_degree(parameter, v); k++) {
                igraph_integer_t edge = -1;

                igraph_get_eid(&graph, &edge, (igraph_integer_t)v,
                               (igraph_integer_t)opevo_parameter_neighbour(parameter, v, k), false,
                               false);
                assert_true(edge >= 0);
            }
        }
        igraph_destroy(&graph);
        opevo_parameter_destroy(parameter);
        opevo_text_free(&text);
    }
}

/* An element with a million others in it, entities that would unfold to gigabytes, and a file
 * named in an entity: libxml2's limits hold, and nothing is fetched. */
CHECK_TEST(test_hostile_xml)
{
    opevo_parameter *parameter = NULL;
    opevo_text text = {0};

    for (int i = 0; i < 1000000; i++)
        opevo_text_add(&text, "<a>");
    CHECK_FAILS(OPEVO_INVALID, "h.xml:1: the file is not well-formed XML",
                read_as("h.xml", text.data, &parameter, &err));
    opevo_text_clear(&text);
    opevo_text_add(&text, "<!DOCTYPE g [<!ENTITY a \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\">");
    for (char c = 'b'; c < 'k'; c++)
        opevo_text_printf(&text, "<!ENTITY %c \"&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;\">", c,
                          c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
    opevo_text_add(&text, "]><graphml><graph><node id=\"&j;\"/></graph></graphml>");
    CHECK_FAILS(OPEVO_INVALID, "h.xml:1: the file is not well-formed XML",
                read_as("h.xml", text.data, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "h.xml:",
                read_as("h.xml",
                        "<!DOCTYPE g [<!ENTITY f SYSTEM \"/etc/passwd\">]>\n<graphml><graph>"
                        "<node id=\"&f;\"/></graph></graphml>",
                        &parameter, &err));
    assert_null(parameter);
    opevo_text_free(&text);
}

CHECK_TEST(test_allocations)
{
    int64_t live = opevo_memory_live();
    opevo_status status = OPEVO_NOMEM;

    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        opevo_parameter *parameter = NULL;

        opevo_memory_fail_at(n);
        status = read_as("m.el", "0 1\n1 2\n", &parameter, NULL);
        opevo_memory_fail_at(0);
        opevo_parameter_destroy(parameter);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(status, OPEVO_OK);
    status = OPEVO_NOMEM;
    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        opevo_parameter *parameter = NULL;

        opevo_memory_fail_at(n);
        status =
            read_as("m.xml",
                    GRAPHML(NAME_KEY "<graph><node id=\"a\"><data key=\"k\">x</data></node>"
                                     "<node id=\"b\"/><edge source=\"a\" target=\"b\"/></graph>"),
                    &parameter, NULL);
        opevo_memory_fail_at(0);
        opevo_parameter_destroy(parameter);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(status, OPEVO_OK);
}

int main(void)
{
    return check_tests(make_folder, remove_folder);
}
