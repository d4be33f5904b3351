/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A module as OpenCL C 1.2, which every driver compiles: not all take SPIR-V, and binaries are
 * those of one driver. First calls of NVIDIA's functions are lowered as for a CPU, and vectors are
 * divided into their elements; then variables, functions and kernels are printed. */

#include "variant_opencl_internal.h"

#include <opevo/memory.h>

#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VARIABLE_BYTES_MOST = 1 << 20 };

/* Types for accesses, in which compilers expect no order of types, as edits know none, and of less
 * than the natural alignment. */
static const char head[] =
    "/* Written by opevo from LLVM IR. */\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#ifdef __has_attribute\n#if __has_attribute(may_alias)\n"
    "#define ANY __attribute__((may_alias))\n#endif\n#endif\n"
    "#ifndef ANY\n#define ANY\n#endif\n"
    "#define TYPES(T) \\\n"
    "  typedef T T##_m ANY; typedef T T##_m1 ANY __attribute__((aligned(1))); \\\n"
    "  typedef T T##_m2 ANY __attribute__((aligned(2))); \\\n"
    "  typedef T T##_m4 ANY __attribute__((aligned(4)));\n"
    "TYPES(uchar) TYPES(ushort) TYPES(uint) TYPES(ulong) TYPES(float)\n";
static const char doubles[] = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nTYPES(double)\n";
static const char wide_atomics[] =
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";
/* OpenCL C 1.2 adds whole numbers only. */
static const char float_atomics[] =
    "#define ADD_FLOAT(NAME, SPACE) \\\n"
    "  float NAME(SPACE uchar *p, float value) { \\\n"
    "    volatile SPACE uint *at = (volatile SPACE uint *)p; uint old = *at, seen = 0; \\\n"
    "    while ((seen = atomic_cmpxchg(at, old, as_uint(as_float(old) + value))) != old) \\\n"
    "      old = seen; \\\n"
    "    return as_float(old); }\n"
    "ADD_FLOAT(add_float_global, __global) ADD_FLOAT(add_float_local, __local)\n";

/* ---- Variables ---- */

/* The bytes of a constant, at `to`. */
static void fill(opevo_i_edit_cl *self, LLVMValueRef value, uint8_t *to)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t count = 0, bits = 0;

    if (LLVMIsNull(value) || LLVMIsUndef(value))
        return;
    if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind || kind == LLVMStructTypeKind) {
        LLVMTypeRef element = kind == LLVMStructTypeKind ? NULL : LLVMGetElementType(type);

        count = kind == LLVMStructTypeKind  ? LLVMCountStructElementTypes(type)
                : kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type)
                                            : LLVMGetVectorSize(type);
        for (unsigned i = 0; i < count; i++)
            fill(self, LLVMGetAggregateElement(value, i),
                 to + (element ? i * LLVMABISizeOfType(self->layout, element)
                               : LLVMOffsetOfElement(self->layout, type, i)));
    } else if (LLVMIsAConstantInt(value)) {
        bits = LLVMConstIntGetZExtValue(value);
        memcpy(to, &bits, LLVMABISizeOfType(self->layout, type));
    } else if (LLVMIsAConstantFP(value) &&
               (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind)) {
        LLVMBool loses = false;
        double number = LLVMConstRealGetDouble(value, &loses);
        float narrow = (float)number;

        memcpy(to, kind == LLVMFloatTypeKind ? (void *)&narrow : (void *)&number,
               LLVMABISizeOfType(self->layout, type));
    } else {
        opevo_i_edit_cl_fail(self, "A constant table has elements that OpenCL C has not.");
    }
}

static void add_constant(opevo_i_edit_cl *self, LLVMValueRef variable)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(variable);
    uint64_t size = LLVMABISizeOfType(self->layout, type);
    uint8_t *bytes = size <= VARIABLE_BYTES_MOST ? opevo_calloc(size + 1, 1) : NULL;

    if (!bytes) {
        opevo_i_edit_cl_no_memory(self);
        return;
    }
    fill(self, LLVMGetInitializer(variable), bytes);
    opevo_text_printf(self->out,
                      "__constant uchar g%u[%" PRIu64 "] __attribute__((aligned(%u))) = {",
                      opevo_i_edit_cl_number(self, variable), size,
                      LLVMPreferredAlignmentOfGlobal(self->layout, variable));
    for (uint64_t i = 0; i < size; i++)
        opevo_text_printf(self->out, "%s%u", i ? "," : "", bytes[i]);
    opevo_text_add(self->out, "};\n");
    opevo_free(bytes);
}

static bool is_shared(LLVMValueRef variable)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == OPEVO_I_CL_LOCAL;
}

static void add_constants(opevo_i_edit_cl *self)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(self->llvm); g; g = LLVMGetNextGlobal(g)) {
        const char *name = LLVMGetValueName2(g, &(size_t){0});

        if (is_shared(g) || !LLVMGetFirstUse(g) || strncmp(name, "llvm.", 5) == 0)
            continue;
        if (LLVMIsGlobalConstant(g) && !LLVMIsDeclaration(g) && !LLVMIsExternallyInitialized(g))
            add_constant(self, g);
        else
            opevo_i_edit_cl_fail(self,
                                 "%.100s is a variable of the module, which OpenCL C 1.2 lacks; "
                                 "pass a buffer.",
                                 name);
    }
}

/* Whether a function uses a variable, also within constants. */
static bool uses(LLVMValueRef function, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAInstruction(user)
                ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function
                : uses(function, user))
            return true;
    }
    return false;
}

/* Local memory is declared in kernels only. */
static void add_shared(opevo_i_edit_cl *self, LLVMValueRef function)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(self->llvm); g; g = LLVMGetNextGlobal(g)) {
        if (!is_shared(g) || !uses(function, g))
            continue;
        if (!opevo_i_edit_cl_is_kernel(self, function))
            opevo_i_edit_cl_fail(self,
                                 "A function that is not inlined uses the shared memory %.100s, "
                                 "which OpenCL C allows in kernels only.",
                                 LLVMGetValueName2(g, &(size_t){0}));
        else if (!LLVMIsDeclaration(g))
            opevo_text_printf(self->out,
                              "  __local uchar g%u[%" PRIu64 "] __attribute__((aligned(%u)));\n",
                              opevo_i_edit_cl_number(self, g),
                              (uint64_t)LLVMABISizeOfType(self->layout, LLVMGlobalGetValueType(g)),
                              LLVMPreferredAlignmentOfGlobal(self->layout, g));
    }
}

static bool takes_dynamic(const opevo_i_edit_cl *self, LLVMValueRef function)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(self->llvm); g; g = LLVMGetNextGlobal(g)) {
        if (is_shared(g) && LLVMIsDeclaration(g) && uses(function, g))
            return true;
    }
    return false;
}

/* ---- Functions ---- */

/* The functions of OpenCL C 1.2 whose names a kernel may well have. */
static const char taken[] =
    " abs all any barrier bitselect ceil clamp clz cos cross degrees distance dot erf exp fabs "
    "floor fma fmax fmin fmod fract hypot ilogb isnan ldexp length log mad mad24 max min mix modf "
    "mul24 nan normalize popcount pow prefetch radians remainder rint rotate round rsqrt select "
    "shuffle shuffle2 sign sin sincos smoothstep sqrt step tan tanh trunc upsample ";

static void add_kernel_name(opevo_i_edit_cl *self, const char *name)
{
    size_t length = strlen(name);
    bool is_taken = false;

    for (const char *at = strstr(taken, name); at && !is_taken; at = strstr(at + 1, name))
        is_taken = at[-1] == ' ' && at[length] == ' ';
    opevo_text_printf(self->out, "__kernel void %s%s(", name, is_taken ? "_" : "");
}

static bool is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

/* A struct by value is a struct of as many bytes, of which the kernel uses its own copy. */
static void add_parameter(opevo_i_edit_cl *self, LLVMValueRef function, unsigned i)
{
    LLVMValueRef parameter = LLVMGetParam(function, i);
    LLVMTypeRef type = LLVMTypeOf(parameter);
    unsigned number = opevo_i_edit_cl_number(self, parameter);

    if (opevo_i_edit_cl_struct(function, i))
        opevo_text_printf(self->out, "bytes_%u a%u", number, number);
    else if (opevo_i_edit_cl_is_bit(type) && opevo_i_edit_cl_is_kernel(self, function))
        opevo_text_printf(self->out, "uchar a%u", number);
    else
        opevo_i_edit_cl_declare(self, parameter), opevo_text_printf(self->out, "v%u", number);
}

static void add_structs(opevo_i_edit_cl *self, LLVMValueRef function)
{
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        LLVMTypeRef type = opevo_i_edit_cl_struct(function, i);

        if (type)
            opevo_text_printf(self->out,
                              "typedef struct __attribute__((aligned(%u))) { uchar data[%" PRIu64
                              "]; } bytes_%u;\n",
                              LLVMABIAlignmentOfType(self->layout, type),
                              (uint64_t)LLVMABISizeOfType(self->layout, type),
                              opevo_i_edit_cl_number(self, LLVMGetParam(function, i)));
    }
}

static void add_head(opevo_i_edit_cl *self, LLVMValueRef function)
{
    unsigned count = LLVMCountParams(function);
    bool is_kernel = opevo_i_edit_cl_is_kernel(self, function);
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(function));

    if (is_kernel)
        add_kernel_name(self, LLVMGetValueName2(function, &(size_t){0}));
    else if (opevo_i_edit_cl_is_pointer(result))
        opevo_i_edit_cl_fail(self, "A function that is not inlined returns a pointer, which cannot "
                                   "be written in OpenCL C.");
    else
        opevo_text_printf(self->out, "%s f%u(", opevo_i_edit_cl_type(self, result),
                          opevo_i_edit_cl_number(self, function));
    for (unsigned i = 0; i < count; i++) {
        opevo_text_add(self->out, i ? ", " : "");
        add_parameter(self, function, i);
    }
    if (is_kernel && takes_dynamic(self, function))
        opevo_text_printf(self->out, "%s__local uchar *dynamic", count ? ", " : "");
    opevo_text_add(self->out, ")");
}

static void add_function(opevo_i_edit_cl *self, LLVMValueRef function)
{
    add_head(self, function);
    opevo_text_add(self->out, "\n{\n");
    add_shared(self, function);
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        LLVMValueRef parameter = LLVMGetParam(function, i);
        unsigned number = opevo_i_edit_cl_number(self, parameter);

        if (opevo_i_edit_cl_struct(function, i))
            opevo_text_printf(self->out, "  __private uchar *v%u = a%u.data;\n", number, number);
        else if (opevo_i_edit_cl_is_bit(LLVMTypeOf(parameter)) &&
                 opevo_i_edit_cl_is_kernel(self, function))
            opevo_text_printf(self->out, "  bool v%u = a%u & 1;\n", number, number);
    }
    opevo_i_edit_cl_body(self, function);
    opevo_text_add(self->out, "}\n");
}

static void add_module(opevo_i_edit_cl *self)
{
    opevo_text *whole = self->out;
    opevo_text functions = {0};

    opevo_i_edit_cl_find_spaces(self);
    /* cppcheck-suppress autoVariables ; it is put back below */
    self->out = &functions;
    add_constants(self);
    for (LLVMValueRef f = LLVMGetFirstFunction(self->llvm); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        add_structs(self, f);
        add_head(self, f);
        opevo_text_add(self->out, ";\n");
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(self->llvm); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f))
            add_function(self, f);
    }
    self->out = whole;
    opevo_text_add(whole, head);
    opevo_text_add(whole, strstr(opevo_text_string(&functions), "double") ? doubles : "");
    opevo_text_add(whole, strstr(opevo_text_string(&functions), "atom_") ? wide_atomics : "");
    opevo_text_add(whole, strstr(opevo_text_string(&functions), "add_float_") ? float_atomics : "");
    opevo_text_add_bytes(whole, opevo_text_string(&functions), functions.length);
    opevo_text_free(&functions);
}

/* ---- Vectors ---- */

static unsigned element_alignment(LLVMValueRef access, uint64_t bytes, uint64_t offset)
{
    unsigned alignment = LLVMGetAlignment(access);

    while (offset % alignment || alignment > bytes)
        alignment /= 2;
    return alignment;
}

/* Reads or writes of single elements in the place of one of a vector. */
static void divide_access(const opevo_i_edit_cl *self, LLVMBuilderRef builder, LLVMValueRef access)
{
    bool loads = LLVMGetInstructionOpcode(access) == LLVMLoad;
    LLVMValueRef pointer = LLVMGetOperand(access, loads ? 0 : 1);
    LLVMTypeRef type = LLVMTypeOf(loads ? access : LLVMGetOperand(access, 0));
    LLVMTypeRef element = LLVMGetElementType(type),
                i32 = LLVMInt32TypeInContext(self->base->context);
    uint64_t bytes = LLVMABISizeOfType(self->layout, element);
    LLVMValueRef whole = LLVMGetPoison(type);

    LLVMPositionBuilderBefore(builder, access);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        LLVMValueRef index = LLVMConstInt(i32, i, false), one = NULL;
        LLVMValueRef at = LLVMBuildGEP2(builder, element, pointer, &index, 1, "");

        if (loads) {
            one = LLVMBuildLoad2(builder, element, at, "");
            whole = LLVMBuildInsertElement(builder, whole, one, index, "");
        } else {
            one = LLVMBuildExtractElement(builder, LLVMGetOperand(access, 0), index, "");
            one = LLVMBuildStore(builder, one, at);
        }
        LLVMSetAlignment(one, element_alignment(access, bytes, i * bytes));
    }
    if (loads)
        LLVMReplaceAllUsesWith(access, whole);
    LLVMInstructionEraseFromParent(access);
}

static bool is_vector_access(LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);

    return opcode == LLVMLoad
               ? is_vector(LLVMTypeOf(instruction))
               : opcode == LLVMStore && is_vector(LLVMTypeOf(LLVMGetOperand(instruction, 0)));
}

/* Accesses to memory first, as LLVM's pass leaves them whole. */
static void divide_vectors(opevo_i_edit_cl *self)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(self->base->context);
    LLVMErrorRef failed = NULL;

    for (LLVMValueRef f = LLVMGetFirstFunction(self->llvm); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (is_vector_access(i))
                    divide_access(self, builder, i);
            }
    failed = LLVMRunPasses(self->llvm, "function(scalarizer)", NULL, options);
    if (failed) {
        char *message = LLVMGetErrorMessage(failed);

        opevo_i_edit_cl_fail(self, "LLVM does not divide vectors: %.200s.", message);
        LLVMDisposeErrorMessage(message);
    }
    LLVMDisposeBuilder(builder);
    LLVMDisposePassBuilderOptions(options);
}

opevo_status opevo_i_edit_print_opencl(const opevo_module *base, LLVMModuleRef llvm,
                                       opevo_text *out, opevo_error *err)
{
    opevo_i_edit_cl self = {.base = base,
                            .llvm = llvm,
                            .layout = LLVMGetModuleDataLayout(llvm),
                            .out = out,
                            .numbers = opevo_index_map_create(),
                            .spaces = opevo_index_map_create(),
                            .err = err};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(self.numbers && self.spaces, "writing a module");
    OPEVO_TRY(opevo_i_edit_lower_names(llvm, err));
    divide_vectors(&self);
    if (self.status == OPEVO_OK)
        add_module(&self);
    status = self.status == OPEVO_OK ? opevo_text_check(out, err) : self.status;
cleanup:
    opevo_index_map_destroy(self.numbers);
    opevo_index_map_destroy(self.spaces);
    return status;
}
