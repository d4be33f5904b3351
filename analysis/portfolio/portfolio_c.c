/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A portfolio as C: tables of what was chosen, and the tree as nested conditions. */

#include <opevo/portfolio.h>

#include <math.h>

bool opevo_portfolio_are_whole(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] != floor(numbers[i]) || fabs(numbers[i]) > 1e9)
            return false;
    }
    return true;
}

static void indent(size_t depth, opevo_text *out)
{
    for (size_t i = 0; i <= depth; i++)
        opevo_text_add(out, "    ");
}

/* A whole number is at most the threshold if it is at most its floor. */
static void print_node(const opevo_portfolio_tree *tree, size_t number, bool whole, size_t depth,
                       opevo_text *out)
{
    const opevo_portfolio_node *node = &tree->nodes[number];

    indent(depth, out);
    if (!node->low) {
        opevo_text_printf(out, "return %zu;\n", node->place);
        return;
    }
    opevo_text_printf(out, "if (numbers[%zu] <= ", node->feature);
    opevo_text_add_double(out, whole ? floor(node->threshold) : node->threshold);
    opevo_text_add(out, ") {\n");
    print_node(tree, node->low, whole, depth + 1, out);
    indent(depth, out);
    opevo_text_add(out, "}\n");
    print_node(tree, node->high, whole, depth, out);
}

/* A text as a comment cannot end it. */
static void print_comment(const char *text, opevo_text *out)
{
    opevo_text_add(out, "/* ");
    for (; *text; text++) {
        char one[2] = {*text == '*' || *text == '\\' || *text == '\n' ? ' ' : *text, '\0'};

        opevo_text_add(out, one);
    }
    opevo_text_add(out, " */");
}

static void print_configurations(const opevo_portfolio *portfolio,
                                 const opevo_portfolio_names *names, opevo_text *out)
{
    opevo_text_add(out, "#ifndef __OPENCL_VERSION__ /* which has no tables of pointers */\n"
                        "static const char *const portfolio_configuration[] = {\n");
    for (size_t i = 0; i < portfolio->count; i++) {
        opevo_text_add(out, "    ");
        opevo_text_add_json(out, names->configurations[portfolio->chosen[i]]);
        opevo_text_add(out, ",\n");
    }
    opevo_text_add(out, "};\n#endif\n\n");
}

static void print_workloads(const opevo_portfolio_matrix *matrix, const opevo_portfolio *portfolio,
                            const opevo_portfolio_names *names, opevo_text *out)
{
    opevo_text_add(out, "/* The configuration of a workload; -1: none was measured for it. */\n"
                        "PORTFOLIO_FUNCTION int portfolio_of_workload(int workload)\n{\n"
                        "    switch (workload) {\n");
    for (size_t w = 0; w < matrix->workloads; w++) {
        size_t which = 0;

        opevo_portfolio_best(matrix, w, portfolio->chosen, portfolio->count, &which);
        if (isnan(matrix->regret[w * matrix->configurations + portfolio->chosen[which]]))
            opevo_text_printf(out, "    case %zu: return -1; ", w);
        else
            opevo_text_printf(out, "    case %zu: return %zu; ", w, which);
        print_comment(names->workloads[w], out);
        opevo_text_add(out, "\n");
    }
    opevo_text_add(out, "    default: return -1;\n    }\n}\n\n");
}

void opevo_portfolio_print_c(const opevo_portfolio_matrix *matrix, const opevo_portfolio *portfolio,
                             const opevo_portfolio_tree *tree, const double *numbers,
                             size_t features, const opevo_portfolio_names *names, opevo_text *out)
{
    bool whole = tree && opevo_portfolio_are_whole(numbers, matrix->workloads * features);

    opevo_text_add(
        out, "/* A portfolio of configurations, by opevo portfolio. For C, C++, CUDA, HIP and "
             "OpenCL C. */\n\n#ifndef OPEVO_PORTFOLIO_TABLE_H\n#define "
             "OPEVO_PORTFOLIO_TABLE_H\n\n"
             "#if defined(__CUDACC__) || defined(__HIPCC__)\n"
             "#define PORTFOLIO_FUNCTION static __host__ __device__ inline\n#else\n"
             "#define PORTFOLIO_FUNCTION static inline\n#endif\n\n");
    opevo_text_printf(out,
                      "#define PORTFOLIO_CONFIGURATIONS %zu\n#define PORTFOLIO_WORKLOADS %zu\n",
                      portfolio->count, matrix->workloads);
    if (tree)
        opevo_text_printf(out, "#define PORTFOLIO_NUMBERS %zu\n", features);
    opevo_text_add(out, "\n");
    print_configurations(portfolio, names, out);
    print_workloads(matrix, portfolio, names, out);
    if (tree) {
        opevo_text_printf(out,
                          "/* The configuration for the numbers of any workload. */\n"
                          "PORTFOLIO_FUNCTION int portfolio_choose(const %s *numbers)\n{\n",
                          whole ? "long" : "double");
        if (!tree->nodes[0].low)
            opevo_text_add(out, "    (void)numbers;\n");
        print_node(tree, 0, whole, 0, out);
        opevo_text_add(out, "}\n\n");
    }
    opevo_text_add(out, "#endif\n");
}
