/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators: names, forms, work, and the spaces of the paper's appendix B, whose sizes are compared
 * with products of binomial coefficients. */

#include "check.h"

#include <opevo/memory.h>
#include <opevo/operator.h>

/* Points and operations of each named operator. */
static const struct {
    const char *name;
    uint64_t points;
    double gflop;
} paper[] = {
    {"mm1", 4152720, 1.0737},
    {"mm2", 6606600, 4.2950},
    {"mm3", 5725720, 4.2950},
    {"bmm1", 10160640, 2.0133},
    {"bmm2", 10160640, 2.0133},
    {"bmm3", 11289600, 2.0133},
    {"c1", 1032192, 71.963},
    {"c2", 22579200, 229.32},
    /* TVM's own spaces of these have as many points (79,027,200; 90,316,800; ...; 844,800), with
     * three values of the unrolling and two of how, too. */
    {"resnet18-c1", 79027200, 0.23603},
    {"resnet18-c2", 90316800, 0.23121},
    {"resnet18-c3", 22579200, 0.025690},
    {"resnet18-c4", 32256000, 0.11561},
    {"resnet18-c5", 8064000, 0.012845},
    {"resnet18-c6", 36864000, 0.23121},
    {"resnet18-c7", 8110080, 0.11561},
    {"resnet18-c8", 2027520, 0.012845},
    {"resnet18-c9", 9123840, 0.23121},
    {"resnet18-c10", 760320, 0.11561},
    {"resnet18-c11", 190080, 0.012845},
    {"resnet18-c12", 844800, 0.23121},
};
enum { PAPER_COUNT = sizeof paper / sizeof *paper };

CHECK_TEST(test_names)
{
    assert_int_equal(opevo_operator_count(), PAPER_COUNT);
    for (size_t i = 0; i < PAPER_COUNT; i++) {
        const opevo_named_operator *named = opevo_operator_get(i);
        opevo_operator op;
        opevo_space *space = NULL;

        assert_string_equal(named->name, paper[i].name);
        CHECK_OK(opevo_operator_parse(paper[i].name, &op, &err));
        CHECK_CLOSE(opevo_operator_flop(&op) * 1e-9, paper[i].gflop, paper[i].gflop * 5e-5);
        CHECK_OK(opevo_operator_space(&op, &space, &err));
        assert_true(opevo_space_size(space) == paper[i].points);
        opevo_space_destroy(space);
    }
}

/* Ordered factorisations of 2^e * 3^f * 5^g into v parts: a binomial coefficient for each prime. */
static uint64_t factorisations(uint64_t e, uint64_t f, uint64_t g, uint64_t v)
{
    const uint64_t exponents[3] = {e, f, g};
    opevo_index product = 1;

    for (int i = 0; i < 3; i++) {
        opevo_index ways = 0;

        assert_true(opevo_index_binomial(exponents[i] + v - 1, v - 1, &ways));
        product *= ways;
    }
    return (uint64_t)product;
}

static void check_parameter(const opevo_space *space, size_t i, const char *name, const char *text,
                            uint64_t size)
{
    const opevo_parameter *parameter = opevo_space_parameter(space, i);

    assert_string_equal(opevo_parameter_name(parameter), name);
    assert_string_equal(opevo_parameter_text(parameter), text);
    assert_true(opevo_parameter_size(parameter) == size);
}

CHECK_TEST(test_matmul_space)
{
    opevo_operator op;
    opevo_space *space = NULL;

    CHECK_OK(opevo_operator_parse("bmm3", &op, &err));
    assert_false(op.transpose_x);
    assert_true(op.transpose_y);
    CHECK_OK(opevo_operator_space(&op, &space, &err));
    assert_int_equal(opevo_space_parameter_count(space), 4);
    check_parameter(space, 0, "B", "factor(960,2)", factorisations(6, 1, 1, 2));
    check_parameter(space, 1, "K", "factor(64,3)", factorisations(6, 0, 0, 3));
    check_parameter(space, 2, "X", "factor(128,4)", factorisations(7, 0, 0, 4));
    check_parameter(space, 3, "Y", "factor(128,4)", factorisations(7, 0, 0, 4));
    opevo_space_destroy(space);
}

CHECK_TEST(test_conv2d_space)
{
    opevo_operator op;
    opevo_space *space = NULL;

    CHECK_OK(opevo_operator_parse("c2", &op, &err));
    assert_int_equal(opevo_operator_out_height(&op), 27);
    assert_int_equal(opevo_operator_out_width(&op), 27);
    CHECK_OK(opevo_operator_space(&op, &space, &err));
    assert_int_equal(opevo_space_parameter_count(space), 8);
    check_parameter(space, 0, "tile_f", "factor(192,4)", factorisations(6, 1, 0, 4));
    check_parameter(space, 1, "tile_y", "factor(27,4)", factorisations(0, 3, 0, 4));
    check_parameter(space, 2, "tile_x", "factor(27,4)", factorisations(0, 3, 0, 4));
    check_parameter(space, 3, "tile_rc", "factor(64,2)", factorisations(6, 0, 0, 2));
    check_parameter(space, 4, "tile_ry", "factor(5,2)", 2);
    check_parameter(space, 5, "tile_rx", "factor(5,2)", 2);
    check_parameter(space, 6, "auto_unroll_max_step", "discrete(0,125,256)", 3);
    check_parameter(space, 7, "unroll_explicit", "categorical(0,1)", 2);
    opevo_space_destroy(space);
    CHECK_OK(opevo_operator_parse("c1", &op, &err));
    assert_int_equal(opevo_operator_out_height(&op), 55);
}

/* A form reads back as what it printed, and shapes stand where the form says. */
CHECK_TEST(test_forms)
{
    static const char *const forms[] = {
        "matmul(512,1024,4096)",          "matmul(3,5,7,TT)",
        "batch_matmul(960,128,64,32)",    "batch_matmul(2,3,4,5,NT)",
        "conv2d(8,3,224,220,64,7,5,2,3)", "matmul(2147483647,1,1)"};
    opevo_operator op;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        opevo_text text = {0};

        CHECK_OK(opevo_operator_parse(forms[i], &op, &err));
        opevo_operator_print(&op, &text);
        assert_string_equal(opevo_text_string(&text), forms[i]);
        opevo_text_free(&text);
    }
    CHECK_OK(opevo_operator_parse("conv2d( 8, 3,224 ,220,64,7,5,2,3 )", &op, &err));
    assert_true(op.batch == 8 && op.in_channels == 3 && op.height == 224 && op.width == 220 &&
                op.out_channels == 64 && op.kernel_height == 7 && op.kernel_width == 5 &&
                op.stride == 2 && op.padding == 3);
    assert_int_equal(opevo_operator_out_height(&op), 112); /* (224 + 6 - 7) / 2 + 1 */
    assert_int_equal(opevo_operator_out_width(&op), 111);  /* (220 + 6 - 5) / 2 + 1, rounded down */
    CHECK_OK(opevo_operator_parse("matmul(2,3,5,TN)", &op, &err));
    assert_true(op.n == 2 && op.k == 3 && op.m == 5 && op.transpose_x && !op.transpose_y);
    CHECK_CLOSE(opevo_operator_flop(&op), 60.0, 0.0);
    CHECK_OK(opevo_operator_parse("resnet18-c12(16)", &op, &err));
    assert_true(op.batch == 16 && op.in_channels == 512 && op.height == 7 && op.padding == 1);
    CHECK_OK(opevo_operator_parse("matmul(2,3,5,NN)", &op, &err));
    assert_true(!op.transpose_x && !op.transpose_y);
}

CHECK_TEST(test_bad_forms)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"", "mm1, mm2"},
        {"mm4", "did you mean mm1?"},
        {"MM1", "did you mean mm1?"},
        {"conv3d(1)", "conv2d(B,Cin"},
        {"matmul", "matmul(N,K,M)"},
        {"matmul(", "matmul(N,K,M)"},
        {"matmul()", "matmul(N,K,M)"},
        {"matmul(1,2)", "matmul(N,K,M)"},
        {"matmul(1,2,3,4,5)", "matmul(N,K,M)"},
        {"matmul(1,2,3,XN)", "matmul(N,K,M)"},
        {"matmul(1,2,3,N)", "matmul(N,K,M)"},
        {"matmul(1,2,3)x", "matmul(N,K,M)"},
        {"matmul(1,,3)", "''"},
        {"matmul(0,2,3)", "'0' must be a whole number from 1"},
        {"matmul(-4,2,3)", "'-4'"},
        {"matmul(1.5,2,3)", "'1.5'"},
        {"matmul(2147483648,2,3)", "2147483647"},
        {"batch_matmul(1,2,3)", "batch_matmul(B,N,K,M)"},
        {"conv2d(1,1,4,4,1,3,3,1,0,NN)", "conv2d(B,Cin"},
        {"conv2d(1,1,4,4,1,3,3,1,0,1,1)", "conv2d(B,Cin"},
        {"conv2d(1,1,4,4,1,3,3,0,0)", "'0'"},
        {"conv2d(1,1,4,4,1,5,3,1,0)", "larger than the image"},
        {"conv2d(1,1,4,4,1,3,7,1,1)", "larger than the image"},
        {"c2()", "number of images"},
        {"c2(0)", "number of images"},
        {"c2(3", "number of images"},
        {"resnet18-c12(1.5)", "number of images"},
        {"mm1(3)", "number of images"},
        {"resnet18-c13", "did you mean resnet18-c1?"},
        {"softmax", "use one of mm1"},
    };
    opevo_operator op = {.n = 42};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(OPEVO_INVALID, bad[i].words, opevo_operator_parse(bad[i].text, &op, &err));
    assert_int_equal(op.n, 42); /* untouched */
}

CHECK_TEST(test_allocations)
{
    int64_t before = opevo_memory_live();
    bool failed = true;

    for (int64_t n = 1; failed; n++) {
        opevo_operator op;
        opevo_space *space = NULL;
        opevo_status status = OPEVO_OK;

        opevo_memory_fail_at(n);
        status = opevo_operator_parse("conv2d(2,3,9,9,4,3,3,1,1)", &op, NULL);
        if (status == OPEVO_OK)
            status = opevo_operator_space(&op, &space, NULL);
        opevo_memory_fail_at(0);
        failed = status != OPEVO_OK;
        if (failed) {
            assert_int_equal(status, OPEVO_NOMEM);
            assert_null(space);
        }
        opevo_space_destroy(space);
        assert_int_equal(opevo_memory_live(), before);
    }
}

/* What is read prints as it was, with its operands, terms and operations. */
CHECK_TEST(test_contractions)
{
    static const char *const forms[] = {
        "contraction(i=2,j=3,k=4;A[ik],B[kj];C[ij]=A*B)",
        "contraction(i=2,j=3,k=4;A[ik],const B[kj],S[j];D[ij]=A*B*S)",
        "contraction(i=2,k=4;A[ik];R[i]=A,T[]=A)",
    };
    static const double flop[] = {2 * 24, 3 * 24, 8 + 8};
    static const struct {
        int count, inputs;
        int64_t terms;
    } wanted[] = {{3, 2, 4}, {4, 3, 4}, {3, 1, 4}};
    static const char *const bad[] = {
        "contraction()",
        "contraction(i=0;A[i];B[i]=A)",
        "contraction(i=3000000000;A[i];B[i]=A)",
        "contraction(i=2,i=3;A[i];B[i]=A)",
        "contraction(i=2;A[j];B[i]=A)",
        "contraction(i=2,j=2;A[i];B[i]=A)",
        "contraction(i=2;A[i],A[i];B[i]=A)",
        "contraction(i=2;A[i];B[i]=C)",
        "contraction(i=2;A[i];B[i]=B)",
        "contraction(i=2;A[i];B[i]=A*A)",
        "contraction(i=2;A[i];B[ii]=A)",
        "contraction(i=2;A[i];B[i]=)",
        "contraction(i=2;A[i];B[i])",
        "contraction(i=2;A[i])",
        "contraction(i=2;A[i];B[i]=A",
        "contraction(i=2;A[i];B[i]=A) ",
        "contraction(i=2;A[iiiii];B[i]=A)",
        "contraction(i=2;Abcdefgh[i];B[i]=Abcdefgh)",
        "contraction(i=2;A[i],B[i],C[i],D[i],E[i],F[i],G[i],H[i];O[i]=A)",
        "contraction(a=2,b=2,c=2,d=2,e=2,f=2,g=2,h=2,i=2;A[abcd],B[efgh],C[i];O[]=A*B*C)",
        "contraction(i=2147483647,j=2147483647;A[ij];B[i]=A)",
        "contraction(i=2147483647;A[iii];B[i]=A)",
    };
    opevo_operator op;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        opevo_operand_list list;
        opevo_text text = {0};

        CHECK_OK(opevo_operator_parse(forms[i], &op, &err));
        opevo_operator_print(&op, &text);
        assert_string_equal(opevo_text_string(&text), forms[i]);
        opevo_operator_operands(&op, &list);
        assert_int_equal(list.count, wanted[i].count);
        assert_int_equal(list.inputs, wanted[i].inputs);
        assert_int_equal(opevo_operator_terms(&op, 0), wanted[i].terms);
        CHECK_CLOSE(opevo_operator_flop(&op), flop[i], 0);
        assert_true((list.item[1].role == OPEVO_ROLE_CONSTANT) == (i == 1));
        opevo_text_free(&text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(OPEVO_INVALID, "is not a contraction", opevo_operator_parse(bad[i], &op, &err));
}
