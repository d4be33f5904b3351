/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Denormals: which operations flush them is what LLVM's NVPTX back end writes for the same
 * function; what that gives is computed by definition, and by the processor in its own mode that
 * flushes. */

#include "simt_fixture.h"

#include <opevo/text.h>

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

/* ---- Operations ---- */

typedef struct operation {
    const char *text;    /* of %r, from %a, %b and %c */
    const char *declare; /* that it needs */
    float (*value)(float a, float b, float c);
    bool flushes; /* in a function that does */
    bool always;
    bool native; /* a C compiler has one instruction for it */
} operation;

#define VALUE(name, expression)                                                                    \
    static float name(float a, float b, float c)                                                   \
    {                                                                                              \
        volatile float x = a, y = b, z = c, r;                                                     \
                                                                                                   \
        (void)x, (void)y, (void)z;                                                                 \
        r = (expression);                                                                          \
        return r;                                                                                  \
    }
VALUE(add, x + y)
VALUE(subtract, x - y)
VALUE(multiply, x *y)
VALUE(divide, x / y)
VALUE(remainder_of, fmodf(x, y))
VALUE(negate, -x)
VALUE(absolute, fabsf(x))
VALUE(floor_of, floorf(x))
VALUE(root, sqrtf(x))
VALUE(fused, fmaf(x, y, z))
VALUE(least, isnan(y) || x < y ? x : y)
VALUE(signed_as, copysignf(x, y))
VALUE(smaller, x < y ? 1.0F : 2.0F)
VALUE(chosen, !signbit(z) && z != 0 ? x : y)
VALUE(tripled, (float)((double)x * 3))
VALUE(same, x)

#define F1(name) "declare float @llvm." name "(float)\n"
#define F2(name) "declare float @llvm." name "(float, float)\n"
#define F3(name) "declare float @llvm." name "(float, float, float)\n"
#define CALL_1(name) "%r = call float @llvm." name "(float %a)", F1(name)
#define CALL_2(name) "%r = call float @llvm." name "(float %a, float %b)", F2(name)
#define CALL_3(name) "%r = call float @llvm." name "(float %a, float %b, float %c)", F3(name)

static const operation operations[] = {
    {"%r = fadd float %a, %b", "", add, true, false, true},
    {"%r = fsub float %a, %b", "", subtract, true, false, true},
    {"%r = fmul float %a, %b", "", multiply, true, false, true},
    {"%r = fdiv float %a, %b", "", divide, true, false, true},
    {"%r = fneg float %a", "", negate, true, false, false},
    {"%r = frem float %a, %b", "", remainder_of, true, false, false},
    {CALL_1("fabs.f32"), absolute, true, false, false},
    {CALL_1("floor.f32"), floor_of, true, false, false},
    {CALL_1("sqrt.f32"), root, true, false, true},
    {CALL_3("fma.f32"), fused, true, false, false},
    {CALL_3("fmuladd.f32"), fused, true, false, false},
    {CALL_2("minnum.f32"), least, true, false, false},
    {CALL_2("copysign.f32"), signed_as, true, false, false},
    {"%o = fcmp olt float %a, %b\n %r = select i1 %o, float 1.0, float 2.0", "", smaller, true,
     false, false},
    {"%i = bitcast float %c to i32\n %o = icmp sgt i32 %i, 0\n"
     " %r = select i1 %o, float %a, float %b",
     "", chosen, false, false, false},
    {"%d = fpext float %a to double\n %e = fmul double %d, 3.0\n %r = fptrunc double %e to float",
     "", tripled, true, false, false},
    {"%i = bitcast float %a to i32\n %r = bitcast i32 %i to float", "", same, false, false, false},
    {CALL_1("nvvm.sqrt.f"), root, true, false, false},
    {CALL_3("nvvm.fma.rn.f"), fused, false, false, false},
    {CALL_3("nvvm.fma.rn.ftz.f"), fused, true, true, false},
    {CALL_2("nvvm.div.rn.f"), divide, false, false, false},
    {CALL_2("nvvm.div.rn.ftz.f"), divide, true, true, false},
    {CALL_2("nvvm.add.rn.f"), add, false, false, false},
    {CALL_2("nvvm.mul.rn.ftz.f"), multiply, true, true, false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* A kernel on arrays of a, b and c. */
static void add_module(const operation *what, const char *attributes, opevo_text *out)
{
    opevo_text_printf(out,
                      SIMT_HEAD "%sdefine ptx_kernel void @f(ptr %%in, ptr %%out) #0 {\n"
                                " %%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                " %%n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
                                " %%pa = getelementptr float, ptr %%in, i32 %%t\n"
                                " %%pb = getelementptr float, ptr %%pa, i32 %%n\n"
                                " %%pc = getelementptr float, ptr %%pb, i32 %%n\n"
                                " %%a = load float, ptr %%pa\n %%b = load float, ptr %%pb\n"
                                " %%c = load float, ptr %%pc\n %s\n"
                                " %%po = getelementptr float, ptr %%out, i32 %%t\n"
                                " store float %%r, ptr %%po\n ret void\n}\n"
                                "attributes #0 = { %s \"target-cpu\"=\"sm_70\" }\n",
                      what->declare, what->text, attributes);
}

#define FLUSHES "\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\""

/* ---- Values ---- */

static const float values[] = {0.0F,       -0.0F,     0x1p-149F,  -0x1p-149F,  0x1.fffffcp-127F,
                               -0x1p-130F, 0x1p-126F, -0x1p-126F, 0x1.8p-126F, 0x1p-125F,
                               1.0F,       -1.5F,     0x1p-100F,  0x1p100F,    -INFINITY,
                               NAN};
enum { VALUES = sizeof values / sizeof *values, THREADS = VALUES * VALUES };

static float flush(float x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

static bool equal(float a, float b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static _Alignas(16) float in[3][THREADS], out[THREADS];

static void run(const char *text)
{
    simt_setting machine = simt_open(text, NULL);
    simt_call call = {.kernel = "f",
                      .grid = 1,
                      .block = THREADS,
                      .buffers = {{.data = in, .size_bytes = sizeof in, .initialised = true},
                                  {.data = out, .size_bytes = sizeof out}},
                      .buffer_count = 2};
    opevo_simt_result result;

    for (int t = 0; t < THREADS; t++) {
        in[0][t] = values[t % VALUES];
        in[1][t] = values[t / VALUES];
        in[2][t] = values[(t + t / VALUES) % VALUES];
    }
    result = simt_launch(&machine, &call);
    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("%s", result.message);
    simt_close(&machine);
}

static void check_values(const operation *what, bool flushes)
{
    for (int t = 0; t < THREADS; t++) {
        float a = in[0][t], b = in[1][t], c = in[2][t];
        float expected =
            flushes ? flush(what->value(flush(a), flush(b), flush(c))) : what->value(a, b, c);

        if (!equal(out[t], expected))
            fail_msg("%s of %a, %a, %a is %a, not %a", what->text, (double)a, (double)b, (double)c,
                     (double)out[t], (double)expected);
    }
}

/* By the processor, where it flushes what it reads and what it gives. */
static void check_processor(const operation *what)
{
#ifdef __SSE__
    for (int t = 0; t < THREADS; t++) {
        unsigned mode = _mm_getcsr();
        float expected;

        _mm_setcsr(mode | 0x8040); /* flush to zero, denormals are zeros */
        expected = what->value(in[0][t], in[1][t], in[2][t]);
        _mm_setcsr(mode);
        if (!equal(out[t], expected))
            fail_msg("%s of %a, %a: %a, not %a", what->text, (double)in[0][t], (double)in[1][t],
                     (double)out[t], (double)expected);
    }
#else
#endif
}

CHECK_TEST(test_values)
{
    for (size_t i = 0; i < OPERATIONS; i++) {
        opevo_text text = {0};

        add_module(&operations[i], "", &text);
        run(opevo_text_string(&text));
        check_values(&operations[i], operations[i].always);
        opevo_text_clear(&text);
        add_module(&operations[i], FLUSHES, &text);
        run(opevo_text_string(&text));
        check_values(&operations[i], operations[i].flushes);
        if (operations[i].native)
            check_processor(&operations[i]);
        opevo_text_free(&text);
    }
}

/* ---- What LLVM writes ---- */

static bool has_ftz(const char *text)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    LLVMTargetRef target = NULL;
    LLVMTargetMachineRef machine = NULL;
    LLVMMemoryBufferRef code = NULL;
    char *message = NULL;
    bool found;

    if (LLVMParseIRInContext(context,
                             LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "f.ll"),
                             &module, &message) ||
        LLVMGetTargetFromTriple("nvptx64-nvidia-cuda", &target, &message))
        fail_msg("%s", message);
    machine =
        LLVMCreateTargetMachine(target, "nvptx64-nvidia-cuda", "sm_70", "", LLVMCodeGenLevelDefault,
                                LLVMRelocDefault, LLVMCodeModelDefault);
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &message, &code))
        fail_msg("%s", message);
    found = strstr(LLVMGetBufferStart(code), ".ftz") != NULL;
    LLVMDisposeMemoryBuffer(code);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return found;
}

CHECK_TEST(test_instructions)
{
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    for (size_t i = 0; i < OPERATIONS; i++)
        for (int flushes = 0; flushes < 2; flushes++) {
            opevo_text text = {0};

            add_module(&operations[i], flushes ? FLUSHES : "", &text);
            if (has_ftz(opevo_text_string(&text)) !=
                (flushes ? operations[i].flushes : operations[i].always))
                fail_msg("%s, %d", operations[i].text, flushes);
            opevo_text_free(&text);
        }
}

/* ---- What attributes say ---- */

CHECK_TEST(test_attributes)
{
    static const struct {
        const char *attributes;
        bool flushes;
    } known[] = {
        {"", false},
        {FLUSHES, true},
        {"\"denormal-fp-math-f32\"=\"preserve-sign\"", true},
        {"\"denormal-fp-math\"=\"preserve-sign,preserve-sign\"", true},
        {"\"denormal-fp-math\"=\"ieee\" \"denormal-fp-math-f32\"=\"preserve-sign\"", true},
        {"\"denormal-fp-math\"=\"preserve-sign\" \"denormal-fp-math-f32\"=\"ieee,ieee\"", false},
    };
    static const char *const open[] = {"\"denormal-fp-math\"=\"positive-zero\"",
                                       "\"denormal-fp-math-f32\"=\"dynamic,dynamic\"",
                                       "\"denormal-fp-math-f32\"=\"preserve-sign,ieee\"",
                                       "\"denormal-fp-math-f32\"=\"ieee,preserve-sign\""};
    opevo_text text = {0};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        opevo_text_clear(&text);
        add_module(&operations[0], known[i].attributes, &text);
        run(opevo_text_string(&text));
        check_values(&operations[0], known[i].flushes);
        assert_int_equal(has_ftz(opevo_text_string(&text)), known[i].flushes);
    }
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        simt_setting machine;
        simt_call call = {.kernel = "f",
                          .grid = 1,
                          .block = 1,
                          .buffers = {{.data = in, .size_bytes = sizeof in, .initialised = true},
                                      {.data = out, .size_bytes = sizeof out}},
                          .buffer_count = 2};
        opevo_simt_result result;

        opevo_text_clear(&text);
        add_module(&operations[0], open[i], &text);
        machine = simt_open(opevo_text_string(&text), NULL);
        result = simt_launch(&machine, &call);
        assert_int_equal(result.outcome, OPEVO_SIMT_UNSUPPORTED);
        assert_non_null(strstr(result.message, "denormal-fp-math"));
        simt_close(&machine);
    }
    opevo_text_free(&text);
}

/* ---- Other widths, calls, atomics ---- */

typedef struct small_case {
    const char *text; /* of a kernel f(ptr) that works on its buffer */
    uint64_t before, after;
} small_case;

#define KERNEL(body) "define void @f(ptr %p) #0 {\n" body " ret void\n}\n"
#define ATTRIBUTES "attributes #0 = { " FLUSHES " }\n"
#define CALLEE(attributes)                                                                         \
    "define internal float @g(float %x) " attributes "{\n %r = fadd float %x, %x\n"                \
    " ret float %r\n}\n"
#define CALLS "%x = load float, ptr %p\n %r = call float @g(float %x)\n store float %r, ptr %p\n"

CHECK_TEST(test_small_cases)
{
    static const small_case cases[] = {
        /* Doubles are never flushed; half additions are, quotients of halves are not. */
        {KERNEL(" %x = load double, ptr %p\n %r = fadd double %x, %x\n store double %r, ptr %p\n"),
         3, 6},
        {KERNEL(" %x = load half, ptr %p\n %r = fadd half %x, %x\n store half %r, ptr %p\n"), 3, 0},
        {KERNEL(" %x = load half, ptr %p\n %r = fdiv half %x, 1.0\n store half %r, ptr %p\n"), 3,
         3},
        /* Each function has its own mode. */
        {CALLEE("") KERNEL(CALLS), 3, 6},
        {CALLEE("#0 ") "define void @f(ptr %p) {\n" CALLS " ret void\n}\n", 3, 0},
        /* Additions by atomics: in global memory, not in shared memory. */
        {KERNEL(" %r = atomicrmw fadd ptr %p, float 0x36A0000000000000 monotonic\n"), 3, 0},
        {"@s = internal addrspace(3) global float undef\n" KERNEL(
             " %x = load float, ptr %p\n store float %x, ptr addrspace(3) @s\n"
             " %o = atomicrmw fadd ptr addrspace(3) @s, float 0x36A0000000000000 monotonic\n"
             " %r = load float, ptr addrspace(3) @s\n store float %r, ptr %p\n"),
         3, 4},
    };
    static _Alignas(16) uint64_t memory;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        simt_call call = {
            .kernel = "f",
            .grid = 1,
            .block = 1,
            .buffers = {{.data = &memory, .size_bytes = sizeof memory, .initialised = true}},
            .buffer_count = 1};
        opevo_simt_result result;
        simt_setting machine;
        opevo_text text = {0};

        opevo_text_printf(&text, SIMT_HEAD "%s" ATTRIBUTES, cases[i].text);
        machine = simt_open(opevo_text_string(&text), NULL);
        memory = cases[i].before;
        result = simt_launch(&machine, &call);
        if (result.outcome != OPEVO_SIMT_OK)
            fail_msg("%s", result.message);
        if (memory != cases[i].after)
            fail_msg("%s: %llu, not %llu", cases[i].text, (unsigned long long)memory,
                     (unsigned long long)cases[i].after);
        simt_close(&machine);
        opevo_text_free(&text);
    }
}
