/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edge lists, Pajek and GraphML files, whole and spoilt. */

#include "topology_checks.h"

#include <opevo/hash.h>

#include <stdlib.h>
#include <unistd.h>

#include "draw.h"

static char folder[] = "/tmp/opevo-graph-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
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

static void test_edge_lists(void **state)
{
    (void)state;
    check_graph("a.txt", "0 1\n1 2\n", "0: 1; 1: 0 2; 2: 1");
    check_graph("a.edges", "0 1\n1 0\n1 2\n0 1", "0: 1; 1: 0 2; 2: 1");
    check_graph("a.el", "# a comment 7 7\n\n 2\t0 \r\n#\n0 4\n", "0: 2 4; 1:; 2: 0; 3:; 4: 0");
    check_graph("a,b (c).EL", "0 1\n", "0: 1; 1: 0");
}

#define GRAPHML(inside)                                                                            \
    "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n" inside  \
    "</graphml>\n"
#define NAME_KEY "<key id=\"k\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"

static void test_graphml(void **state)
{
    (void)state;
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
    /* A numeric attribute called name is not a text. */
    check_graph("a.xml",
                GRAPHML("<key id=\"k\" for=\"node\" attr.name=\"name\" attr.type=\"int\"/>"
                        "<graph edgedefault=\"undirected\">"
                        "<node id=\"n0\"><data key=\"k\">4</data></node></graph>"),
                "n0:");
}

static void test_pajek(void **state)
{
    (void)state;
    check_graph("a.net", "*Vertices 3\n1 \"a\"\n2 \"b b\"\n3 \"c\"\n*Edges\n1 2\n2 3 0.5\n",
                "a: b b; b b: a c; c: b b");
    check_graph("a.net", "*Vertices 3\n*Arcs\n1 2\n3 2\n", "0: 1; 1: 0 2; 2: 1");
    check_graph("a.net", "*Vertices 3\n*Matrix\n0 1 0\n1 0 1\n0 1 0\n", "0: 1; 1: 0 2; 2: 1");
    check_graph("a.net", "*vertices 3\n*arcslist\n1 2 3\n*EDGESLIST\n3 2 1",
                "0: 1 2; 1: 0 2; 2: 0 1");
    check_graph("a.net",
                "% of two\r\n*Vertices 2\r\n\r\n 2 y 0.1 0.2\r\n1 \"x\" ic Red\r\n*Edges\r\n"
                " 2 1 -0.5\r\n",
                "x: y; y: x");
    check_graph("a.net", "*Vertices 2\r1 \"x\"\r2 y\r*Edges\r1 2\r", "x: y; y: x");
    /* Blank lines and comments may stand anywhere. */
    check_graph("a.net",
                "*Network g\n\n*Vertices 3\n\n1 a\n \n2 \"b\"\n% c\n3 c\n\t\n*Arcs\n\n1 2\n\n"
                "  % d\n*Edges\n\n2 3\n\n\n",
                "a: b; b: a c; c: b");
    check_graph("a.net", "*Vertices 2\r\n\r\n*Matrix\r\n\r\n0 1\r\n\r\n1 0", "0: 1; 1: 0");
    /* Of two modes: one vertex, then two that it is joined with. */
    check_graph("a.net", "*Vertices 3 1\n*Matrix\n1 1\n", "0: 1 2; 1: 0; 2: 0");
}

static void test_refused(void **state)
{
    static const struct {
        const char *file, *content, *words;
        opevo_status status;
    } cases[] = {
        {"b.el", "0 1\n1 x\n", "b.el:2: an edge is two vertex numbers", OPEVO_INVALID},
        {"b.el", "0 1\n1\n2 3\n", "b.el:2: an edge", OPEVO_INVALID},
        {"b.el", "0 1\n1 2 3\n", "b.el:2: an edge", OPEVO_INVALID},
        {"b.el", "0 -1\n", "b.el:1: an edge", OPEVO_INVALID},
        {"b.el", "0 1\n\n0 1.5\n", "b.el:3: an edge", OPEVO_INVALID},
        {"b.el", "# nothing\n0 1\n3 3\n", "b.el:3: an edge joins vertex 3 to itself",
         OPEVO_INVALID},
        {"b.el", "0 99999999999999999999\n", "b.el:1: an edge", OPEVO_INVALID},
        {"b.el", "0 99999999999\n", "b.el:1: vertex numbers must be below", OPEVO_LIMIT},
        {"b.el", "", "b.el: the file is empty", OPEVO_INVALID},
        {"b.el", "# only\n", "b.el: the graph has no vertices", OPEVO_INVALID},
        {"b.net", "", "b.net: the file is empty", OPEVO_INVALID},
        {"b.net", "hello\n", "b.net:1: igraph cannot read the graph", OPEVO_INVALID},
        {"b.net", "*Vertices 0\n", "the graph has no vertices", OPEVO_INVALID},
        {"b.net", "*Vertices 3\n*Edges\n1 x\n",
         "b.net:3: an edge is two vertex numbers from 1 to 3", OPEVO_INVALID},
        {"b.net", "*Vertices 3\n*Edges\n1 9\n",
         "b.net:3: an edge is two vertex numbers from 1 to 3", OPEVO_INVALID},
        {"b.net", "*Vertices 3\n*Arcs\n1 2\n\n0 1\n", "b.net:5: an edge is", OPEVO_INVALID},
        {"b.net", "*Vertices 3\n*Edges\n1 2\n2", "b.net:4: an edge is", OPEVO_INVALID},
        {"b.net", "*Vertices 3\r*Edges\r1 2\r-1 2\r", "b.net:4: an edge is", OPEVO_INVALID},
        {"b.net", "*Vertices 3\n*Edges\n2 2\n", "b.net:3: an edge joins vertex 2 to itself",
         OPEVO_INVALID},
        {"b.net", "*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n2 2\n",
         "b.net:5: an edge joins vertex 2 to itself", OPEVO_INVALID},
        {"b.net", "*Vertices 3\n*Arcslist\n1 2 3\n2 1 2\n",
         "b.net:4: an edge joins vertex 2 to itself", OPEVO_INVALID},
        {"b.net", "*Vertices 3\n*Edgeslist\n1 2 4\n", "b.net:3: a list of edges", OPEVO_INVALID},
        {"b.net", "*Vertices 3\n1 \"x\"\n2 \"y", "b.net:3: the quotes of \"y are not closed",
         OPEVO_INVALID},
        {"b.net", "*Vertices 2\n1 \"x\n2\"\n2 \"y\"\n", "b.net:2: the quotes of \"x are not",
         OPEVO_INVALID},
        {"b.net", "*Vertices 3\n1 \"x\"\n2 \"y\"", "b.net:1: *Vertices says 3, but 2 are listed",
         OPEVO_INVALID},
        {"b.net", "\n*vertices 3\n1 \"a\"\n*Edges\n1 2\n",
         "b.net:2: *Vertices says 3, but 1 are listed", OPEVO_INVALID},
        {"b.net", "*Vertices 2\n2 \"x\"\n2 \"y\"\n", "b.net:3: vertex 2 is listed twice",
         OPEVO_INVALID},
        {"b.net", "*Vertices 2\n0 \"x\"\n", "b.net:2: a vertex is", OPEVO_INVALID},
        {"b.net", "*Vertices 2\n1 \"x\"\n3 \"y\"\n", "b.net:3: a vertex is", OPEVO_INVALID},
        {"b.net", "*Vertices 3\n*Matrix\n0 1 0\n1 0", "b.net:4: *Matrix needs 3 rows of 3 numbers",
         OPEVO_INVALID},
        {"b.net", "*Vertices 3\n*Matrix\n0 1 0\n1 0 0\n", "b.net:2: *Matrix needs 3 rows",
         OPEVO_INVALID},
        {"b.net", "*Vertices 2\n*Matrix\n0 1\n1 0\n0 1\n", "b.net:5: *Matrix needs 2 rows",
         OPEVO_INVALID},
        {"b.net", "*Vertices 2\n*Matrix\n0 1\n1 2\n", "b.net:4: an edge joins vertex 2 to itself",
         OPEVO_INVALID},
        {"b.net", "\n*Vertices 99999999999\n", "b.net:2: *Vertices must", OPEVO_LIMIT},
        {"b.net", "\nhello\n", "b.net:2: igraph cannot read the graph", OPEVO_INVALID},
        {"b.net", "% c\n*Edges\n1 2\n*Vertices 2\n", "b.net:2: igraph cannot read the graph",
         OPEVO_INVALID},
        {"b.net", "*Vertices 2\n*Edges\n1 2 x\n1 2\n", "b.net:3: igraph cannot read the graph",
         OPEVO_INVALID},
        {"b.net", "*Vertices 2\n*Edges\n1 2 0.5 8", "b.net:3: igraph cannot read the graph",
         OPEVO_INVALID},
        {"b.net", "*Vertices 2\n\n*Vertices 2\n", "b.net:3: the section *Vertices is not one of",
         OPEVO_INVALID},
        {"b.net", "*Vertices 2\n*Edges\n1 2\n*Partition p\n1\n2\n",
         "b.net:4: the section *Partition is not one of", OPEVO_INVALID},
        {"b.net", "*Vertices 2\n*Edgesx\n1 2\n", "b.net:2: the section *Edgesx is not",
         OPEVO_INVALID},
        {"b.graphml", "", "b.graphml: the file is empty", OPEVO_INVALID},
        {"b.graphml", "junk", "b.graphml:1: igraph cannot read the graph", OPEVO_INVALID},
        {"b.graphml", "<graphml>\n<graph>\n<node id=\"a\"/>\n", "igraph cannot read the graph",
         OPEVO_INVALID},
        {"b.xml",
         GRAPHML("<graph edgedefault=\"undirected\">\n<node id=\"a\"/>\n"
                 "<edge source=\"a\"/></graph>"),
         "b.xml:5: an edge has no target", OPEVO_INVALID},
        {"b.xml",
         GRAPHML("<graph edgedefault=\"undirected\">\n<node id=\"a\"/>\n"
                 "<edge\ntarget=\"a\"/></graph>"),
         "b.xml:5: an edge has no source", OPEVO_INVALID},
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
        {"b.xml",
         GRAPHML("<graph edgedefault=\"undirected\">\n<edge source='a' target='b'/></graph>"),
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
        /* What the file ends before, or an entity that igraph does not know,
         * is igraph's to tell. */
        {"b.xml", "<graphml>\n<graph><node id=\"a\"/><edge source=\"a\" target=\"b\"/>\n",
         "igraph cannot read the graph", OPEVO_INVALID},
        {"b.xml",
         "<!DOCTYPE graphml [<!ENTITY e \"a\">]>\n<graphml><graph><node id=\"&e;\"/>"
         "<node id=\"b\"/><edge source=\"a\" target=\"b\"/></graph></graphml>",
         "igraph cannot read the graph", OPEVO_INVALID},
        {"b.csv", "0 1\n", "b.csv: the ending is not that of a graph format", OPEVO_INVALID},
        {"b", "0 1\n", "b: the ending is not that of a graph format", OPEVO_INVALID},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_parameter *parameter = NULL;

        CHECK_FAILS(cases[i].status, cases[i].words,
                    read_as(cases[i].file, cases[i].content, &parameter, &err));
        assert_null(parameter);
    }
}

static void test_zero_bytes(void **state)
{
    static const char *const files[] = {"z.el", "z.net", "z.xml"};
    opevo_parameter *parameter = NULL;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        CHECK_FAILS(OPEVO_INVALID, files[i],
                    read_sized(files[i], "0 1\n\0 2", 7, &parameter, &err));
    assert_null(parameter);
}

static void test_missing(void **state)
{
    opevo_parameter *parameter = NULL;
    opevo_value number = opevo_value_of_integer(3);
    opevo_parameter_spec spec = {.name = "g", .type = "graph", .values = &number, .value_count = 1};

    (void)state;
    CHECK_FAILS(OPEVO_IO, "absent.net",
                opevo_parameter_parse("g", "graph(/nowhere/absent.net)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "takes the path of a graph file",
                opevo_parameter_parse("g", "graph()", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "takes the path of a graph file",
                opevo_parameter_create(&spec, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "it has: file",
                opevo_parameter_parse("g", "graph(a.net)", "complete", &parameter, &err));
    assert_null(parameter);
}

/* The graph counts, not the path or the order of its edges. */
static void test_hash(void **state)
{
    static const char *const contents[] = {"0 1\n1 2\n", "2 1\n1 0\n0 1\n", "0 1\n0 2\n",
                                           "0 1\n1 2\n3 2\n"};
    static const char *const files[] = {"a.el", "b.txt", "a.el", "a.el"};
    uint64_t hashes[4];

    (void)state;
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
static void test_metrics_of_random_graphs(void **state)
{
    uint64_t stream = 11;

    (void)state;
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
static void test_metrics_of_a_forest(void **state)
{
    opevo_parameter *parameter = NULL;
    opevo_parameter_metrics metrics = {0};
    opevo_text text = {0};

    (void)state;
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
static void test_spoilt_files(void **state)
{
    static const struct {
        const char *file, *content;
    } seeds[] = {
        {"s.net", "*Vertices 3\n1 \"a\"\n2 \"b b\"\n3 c\n*Edges\n1 2\n2 3 0.5\n*Arcslist\n1 3 2\n"},
        {"s.net", "*Vertices 2\n*Matrix\n0 1\n1 0\n"},
        {"s.xml", GRAPHML("<!-- c --><graph edgedefault=\"undirected\"><node id='&amp;a'/>"
                          "<node id=\"b&#65;\"><data key=\"k\"/></node><edge source=\"&amp;a\" "
                          "target=\"bA\"/></graph>")},
    };
    static const char marks[] = "\"'<>/&;*\n\r %=#01";
    int64_t live = opevo_memory_live();
    uint64_t random = 5;

    (void)state;
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
static void test_size_follows_from_the_file(void **state)
{
    opevo_parameter *parameter = NULL;
    opevo_text text = {0};

    (void)state;
    CHECK_FAILS(OPEVO_LIMIT, "b.el:1: vertex numbers must be below 65536 in a file of 11 bytes",
                read_as("b.el", "0 67108863\n", &parameter, &err));
    CHECK_FAILS(OPEVO_LIMIT, "b.net:1: *Vertices must",
                read_as("b.net", "*Vertices 60000000\n*Edges\n1 2\n", &parameter, &err));
    CHECK_OK(read_as("b.el", "0 65535\n", &parameter, &err));
    opevo_parameter_destroy(parameter);
    for (int i = 1; i < 80000; i++)
        opevo_text_printf(&text, "%d %d\n", i - 1, i);
    CHECK_OK(read_as("b.el", text.data, &parameter, &err));
    assert_true(opevo_parameter_size(parameter) == 80000);
    opevo_parameter_destroy(parameter);
    opevo_text_clear(&text);
    opevo_text_add(&text, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">");
    for (int i = 0; i < 3000; i++)
        opevo_text_printf(&text,
                          "<key id=\"k%d\" for=\"node\" attr.name=\"a%d\" "
                          "attr.type=\"double\"/>",
                          i, i);
    opevo_text_add(&text, "<graph edgedefault=\"undirected\">");
    for (int i = 0; i < 3000; i++)
        opevo_text_printf(&text, "<node id=\"n%d\"/>", i);
    opevo_text_add(&text, "</graph></graphml>");
    CHECK_FAILS(OPEVO_LIMIT, "3000 attributes of 3000 nodes",
                read_as("b.xml", text.data, &parameter, &err));
    opevo_text_free(&text);
}

static void test_allocations(void **state)
{
    int64_t live = opevo_memory_live();
    opevo_status status = OPEVO_NOMEM;

    (void)state;
    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        opevo_parameter *parameter = NULL;

        opevo_memory_fail_at(n);
        status = read_as("m.net", "*Vertices 2\n1 \"b\"\n2 \"a\"\n*Edges\n1 2\n", &parameter, NULL);
        opevo_memory_fail_at(0);
        opevo_parameter_destroy(parameter);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(status, OPEVO_OK);
    status = OPEVO_NOMEM;
    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        opevo_parameter *parameter = NULL;

        opevo_memory_fail_at(n);
        status = read_as("m.xml",
                         GRAPHML("<graph><node id=\"a\"/><node id=\"b\"/><edge source=\"a\" "
                                 "target=\"b\"/></graph>"),
                         &parameter, NULL);
        opevo_memory_fail_at(0);
        opevo_parameter_destroy(parameter);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(status, OPEVO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_lists),
        cmocka_unit_test(test_graphml),
        cmocka_unit_test(test_pajek),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_zero_bytes),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_metrics_of_random_graphs),
        cmocka_unit_test(test_metrics_of_a_forest),
        cmocka_unit_test(test_spoilt_files),
        cmocka_unit_test(test_size_follows_from_the_file),
        cmocka_unit_test(test_allocations),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
