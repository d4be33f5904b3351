/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Values of the module as registers, and constants as their bits. */

#include "simt_decode_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* ---- Types ---- */

static uint8_t integer_size(unsigned bits)
{
    switch (bits) {
    case 1:
        return 0;
    case 8:
    case 16:
    case 32:
    case 64:
        return (uint8_t)(bits / 8);
    default:
        return OPEVO_I_SIMT_NO_SIZE;
    }
}

uint8_t opevo_i_simt_float_size(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
        return 2;
    case LLVMFloatTypeKind:
        return 4;
    case LLVMDoubleTypeKind:
        return 8;
    default:
        return 0;
    }
}

LLVMTypeRef opevo_i_simt_part_type(LLVMTypeRef type, uint32_t part)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        return LLVMGetElementType(type);
    case LLVMStructTypeKind:
        return LLVMStructGetTypeAtIndex(type, part);
    default:
        return type;
    }
}

/* Bytes of a scalar type, 0 for i1, OPEVO_I_SIMT_NO_SIZE if it is not supported. */
static uint8_t type_size(const opevo_i_simt_decoder *self, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return integer_size(LLVMGetIntTypeWidth(type));
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return self->simt->options.arithmetic ? OPEVO_I_SIMT_VALUE_SIZE
                                              : opevo_i_simt_float_size(type);
    case LLVMPointerTypeKind:
        return LLVMPointerSizeForAS(self->layout, LLVMGetPointerAddressSpace(type)) == 8
                   ? 8
                   : OPEVO_I_SIMT_NO_SIZE;
    default:
        return OPEVO_I_SIMT_NO_SIZE;
    }
}

uint32_t opevo_i_simt_type_parts(const opevo_i_simt_decoder *self, LLVMTypeRef type,
                                 uint8_t sizes[OPEVO_I_SIMT_PARTS])
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned count = kind == LLVMVectorTypeKind   ? LLVMGetVectorSize(type)
                     : kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                                  : 1;

    if (count > OPEVO_I_SIMT_PARTS)
        return 0;
    if (kind == LLVMDoubleTypeKind && self->pairs) {
        sizes[0] = sizes[1] = type_size(self, LLVMFloatTypeInContext(LLVMGetTypeContext(type)));
        return 2;
    }
    for (unsigned i = 0; i < count; i++) {
        sizes[i] = type_size(self, opevo_i_simt_part_type(type, i));
        if (sizes[i] == OPEVO_I_SIMT_NO_SIZE)
            return 0;
    }
    return count;
}

/* ---- Registers ---- */

uint32_t opevo_i_simt_register(opevo_i_simt_decoder *self, uint8_t size)
{
    uint32_t at = self->kernel->file_bytes + (uint32_t)sizeof(opevo_i_simt_header);

    self->kernel->file_bytes += opevo_i_simt_stride(size);
    return at;
}

static bool bits_known(const opevo_i_simt_constant *constant, const opevo_i_simt_constant *wanted)
{
    return constant->size == wanted->size && constant->width == wanted->width &&
           constant->undefined == wanted->undefined && constant->bits == wanted->bits;
}

/* Kernels have few constants: a search through them is short. */
static uint32_t constant_register(opevo_i_simt_decoder *self, opevo_i_simt_constant wanted)
{
    opevo_i_simt_kernel *kernel = self->kernel;

    for (size_t i = 0; i < kernel->constant_count; i++)
        if (bits_known(&kernel->constants[i], &wanted))
            return kernel->constants[i].at;
    if (!opevo_reserve((void **)&kernel->constants, &kernel->constant_capacity,
                       kernel->constant_count + 1, sizeof *kernel->constants)) {
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory to decode a kernel.");
        return OPEVO_I_SIMT_NO_REGISTER;
    }
    wanted.at = opevo_i_simt_register(self, wanted.size);
    kernel->constants[kernel->constant_count++] = wanted;
    return wanted.at;
}

uint32_t opevo_i_simt_constant_register(opevo_i_simt_decoder *self, uint8_t size, uint64_t bits,
                                        bool undefined)
{
    return constant_register(self, (opevo_i_simt_constant){.size = size,
                                                           .bits = undefined ? 0 : bits,
                                                           .undefined = undefined});
}

static const opevo_i_simt_value *no_memory(opevo_i_simt_decoder *self)
{
    self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory to decode a kernel.");
    return NULL;
}

/* A value of `count` slots, to be filled in. */
static opevo_i_simt_value *new_value(opevo_i_simt_decoder *self, opevo_i_simt_map *map,
                                     LLVMValueRef key, uint32_t count)
{
    if (!opevo_reserve((void **)&self->values, &self->value_capacity, self->value_count + 1,
                       sizeof *self->values) ||
        !opevo_reserve((void **)&self->slots, &self->slot_capacity, self->slot_count + count,
                       sizeof *self->slots) ||
        !opevo_i_simt_map_put(map, key, (uint32_t)self->value_count)) {
        (void)no_memory(self);
        return NULL;
    }
    self->values[self->value_count] =
        (opevo_i_simt_value){.first = (uint32_t)self->slot_count, .count = count};
    self->slot_count += count;
    return &self->values[self->value_count++];
}

opevo_i_simt_slot opevo_i_simt_part(const opevo_i_simt_decoder *self,
                                    const opevo_i_simt_value *value, uint32_t part)
{
    return self->slots[value->first + part];
}

bool opevo_i_simt_alias(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame, LLVMValueRef value,
                        const opevo_i_simt_slot *slots, uint32_t count)
{
    opevo_i_simt_slot copy[OPEVO_I_SIMT_PARTS];
    opevo_i_simt_value *made;
    uint32_t known;

    if (opevo_i_simt_map_get(&frame->values, value, &known))
        return false;
    memcpy(copy, slots, count * sizeof *slots); /* they may be in the array that grows */
    made = new_value(self, &frame->values, value, count);
    if (made)
        memcpy(self->slots + made->first, copy, count * sizeof *slots);
    return true;
}

/* ---- Constants ---- */

static bool constant_bits(const opevo_i_simt_decoder *self, LLVMValueRef constant, uint64_t *bits,
                          bool *undefined);

/* Of a getelementptr all of whose indices are constant: bytes to add. */
static bool constant_offset(const opevo_i_simt_decoder *self, LLVMValueRef gep, uint64_t *bytes)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    int count = LLVMGetNumOperands(gep);

    *bytes = 0;
    for (int i = 1; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        bool is_struct = i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind;

        if (!LLVMIsAConstantInt(index) || LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 64)
            return false;
        if (is_struct) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);

            *bytes += LLVMOffsetOfElement(self->layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        *bytes += (uint64_t)LLVMConstIntGetSExtValue(index) * LLVMABISizeOfType(self->layout, type);
    }
    return true;
}

static bool expression_bits(const opevo_i_simt_decoder *self, LLVMValueRef constant, uint64_t *bits,
                            bool *undefined)
{
    uint64_t offset, other;

    switch (LLVMGetConstOpcode(constant)) {
    case LLVMGetElementPtr:
        if (!constant_offset(self, constant, &offset) ||
            !constant_bits(self, LLVMGetOperand(constant, 0), bits, undefined))
            return false;
        *bits += offset;
        return true;
    case LLVMPtrToInt:
        /* What holds of all memory does not depend on where variables are. */
        if (self->simt->options.arithmetic)
            return false;
        /* fall through */
    case LLVMAddrSpaceCast:
    case LLVMBitCast:
    case LLVMIntToPtr:
        return type_size(self, LLVMTypeOf(constant)) == 8 &&
               type_size(self, LLVMTypeOf(LLVMGetOperand(constant, 0))) == 8 &&
               constant_bits(self, LLVMGetOperand(constant, 0), bits, undefined);
    case LLVMAdd:
    case LLVMSub:
        if (type_size(self, LLVMTypeOf(constant)) != 8 ||
            !constant_bits(self, LLVMGetOperand(constant, 0), bits, undefined) ||
            !constant_bits(self, LLVMGetOperand(constant, 1), &other, undefined))
            return false;
        *bits += LLVMGetConstOpcode(constant) == LLVMAdd ? other : 0 - other;
        return true;
    default:
        return false;
    }
}

static bool constant_bits(const opevo_i_simt_decoder *self, LLVMValueRef constant, uint64_t *bits,
                          bool *undefined)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    uint8_t size = type_size(self, type);
    uint32_t region;

    *bits = 0;
    if (size == OPEVO_I_SIMT_NO_SIZE)
        return false;
    if (LLVMIsUndef(constant) || LLVMIsPoison(constant)) {
        *undefined = true;
        return true;
    }
    if (LLVMIsNull(constant))
        return true;
    if (LLVMIsAConstantFP(constant))
        constant =
            LLVMConstBitCast(constant, LLVMIntTypeInContext(LLVMGetTypeContext(type),
                                                            8u * opevo_i_simt_float_size(type)));
    if (LLVMIsAConstantInt(constant)) {
        *bits = LLVMConstIntGetZExtValue(constant);
        return true;
    }
    if (LLVMIsAGlobalVariable(constant)) {
        *bits = opevo_i_simt_map_get(&self->regions, constant, &region)
                    ? (uint64_t)region << OPEVO_I_SIMT_HANDLE_SHIFT
                    : 0;
        return *bits != 0;
    }
    return LLVMIsAConstantExpr(constant) && expression_bits(self, constant, bits, undefined);
}

/* One of the two floats that a double is: LLVM itself does not cut it, as it would have to know the
 * order of bytes. */
static LLVMValueRef constant_half(LLVMValueRef constant, uint32_t part)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(constant));
    LLVMTypeRef single = LLVMFloatTypeInContext(context);
    LLVMValueRef whole;

    if (LLVMIsUndef(constant)) /* or poison */
        return LLVMGetUndef(single);
    whole = LLVMConstBitCast(constant, LLVMInt64TypeInContext(context));
    if (!LLVMIsAConstantInt(whole))
        return NULL;
    return LLVMConstBitCast(LLVMConstInt(LLVMInt32TypeInContext(context),
                                         LLVMConstIntGetZExtValue(whole) >> 32 * part & UINT32_MAX,
                                         false),
                            single);
}

static LLVMValueRef constant_part(const opevo_i_simt_decoder *self, LLVMValueRef constant,
                                  uint32_t part)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(constant));

    if (kind == LLVMDoubleTypeKind && self->pairs)
        return constant_half(constant, part);
    return kind == LLVMVectorTypeKind || kind == LLVMStructTypeKind
               ? LLVMGetAggregateElement(constant, part)
               : constant;
}

/* Of a float that is a value: its bytes in memory. */
static uint8_t width_of(const opevo_i_simt_decoder *self, LLVMValueRef constant)
{
    return self->simt->options.arithmetic ? opevo_i_simt_float_size(LLVMTypeOf(constant)) : 0;
}

static const opevo_i_simt_value *constant_value(opevo_i_simt_decoder *self, LLVMValueRef constant)
{
    uint8_t sizes[OPEVO_I_SIMT_PARTS];
    uint32_t count = opevo_i_simt_type_parts(self, LLVMTypeOf(constant), sizes), known;
    opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];
    opevo_i_simt_value *made;

    if (opevo_i_simt_map_get(&self->constants, constant, &known))
        return &self->values[known];
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef part = constant_part(self, constant, i);
        uint64_t bits;
        bool undefined = false;

        if (!part || !constant_bits(self, part, &bits, &undefined))
            return NULL;
        slots[i] = (opevo_i_simt_slot){
            constant_register(self, (opevo_i_simt_constant){.size = sizes[i],
                                                            .width = width_of(self, part),
                                                            .bits = undefined ? 0 : bits,
                                                            .undefined = undefined}),
            sizes[i]};
    }
    if (count == 0)
        return NULL;
    made = new_value(self, &self->constants, constant, count);
    if (made)
        memcpy(self->slots + made->first, slots, count * sizeof *slots);
    return made;
}

enum { CARRIERS = 16 };

/* Whether an integer is loaded, and stored again, perhaps by way of phis, and nothing else, as
 * compilers copy floats. A phi on the way there already holds if the others do. */
static bool is_carried(LLVMValueRef value, LLVMValueRef *way, unsigned length)
{
    if ((!LLVMIsALoadInst(value) && !LLVMIsAPHINode(value)) || length == CARRIERS)
        return false;
    for (unsigned i = 0; i < length; i++)
        if (way[i] == value)
            return true;
    way[length] = value;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAStoreInst(user) ? LLVMGetOperand(user, 0) != value
                                   : !LLVMIsAPHINode(user) || !is_carried(user, way, length + 1))
            return false;
    }
    return true;
}

/* Such integers have registers for whatever memory holds, where floats are values. */
static void widen_carried(const opevo_i_simt_decoder *self, LLVMValueRef value, uint32_t count,
                          uint8_t sizes[])
{
    LLVMTypeRef type = opevo_i_simt_part_type(LLVMTypeOf(value), 0);
    LLVMValueRef way[CARRIERS];

    if (!self->simt->options.arithmetic || LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
        sizes[0] == 0 || !is_carried(value, way, 0))
        return;
    memset(sizes, OPEVO_I_SIMT_RAW_SIZE, count);
}

const opevo_i_simt_value *opevo_i_simt_value_of(opevo_i_simt_decoder *self,
                                                opevo_i_simt_frame *frame, LLVMValueRef value)
{
    uint8_t sizes[OPEVO_I_SIMT_PARTS];
    opevo_i_simt_value *made;
    uint32_t known, count;

    if (opevo_i_simt_map_get(&frame->values, value, &known))
        return &self->values[known];
    if (LLVMIsConstant(value))
        return constant_value(self, value);
    if (!LLVMIsAInstruction(value) && !LLVMIsAArgument(value))
        return NULL; /* assembly, metadata */
    count = opevo_i_simt_type_parts(self, LLVMTypeOf(value), sizes);
    if (count == 0)
        return NULL;
    widen_carried(self, value, count, sizes);
    made = new_value(self, &frame->values, value, count);
    for (uint32_t i = 0; made && i < count; i++)
        self->slots[made->first + i] =
            (opevo_i_simt_slot){opevo_i_simt_register(self, sizes[i]), sizes[i]};
    return made;
}

/* ---- Global variables ---- */

/* Write an initial value; false if it is not supported. */
static bool initialise(const opevo_i_simt_decoder *self, LLVMValueRef value, uint8_t *data,
                       uint8_t *valid)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t bits, size = LLVMABISizeOfType(self->layout, type);
    bool undefined = false;
    unsigned count = kind == LLVMArrayTypeKind    ? (unsigned)LLVMGetArrayLength2(type)
                     : kind == LLVMVectorTypeKind ? LLVMGetVectorSize(type)
                     : kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                                  : 0;

    if (LLVMIsUndef(value) || LLVMIsNull(value)) {
        memset(valid, LLVMIsNull(value), size);
        return true;
    }
    if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind || kind == LLVMStructTypeKind) {
        for (unsigned i = 0; i < count; i++) {
            LLVMValueRef part = LLVMGetAggregateElement(value, i);
            uint64_t at = kind == LLVMStructTypeKind
                              ? LLVMOffsetOfElement(self->layout, type, i)
                              : i * LLVMABISizeOfType(self->layout, LLVMGetElementType(type));

            if (!part || !initialise(self, part, data + at, valid + at))
                return false;
        }
        return true;
    }
    if (!constant_bits(self, value, &bits, &undefined))
        return false;
    memcpy(data, &bits, size);
    memset(valid, !undefined, size);
    return true;
}

/* Whether the module does more with a variable than read it. */
static bool is_changed(LLVMValueRef address)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool derived = LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user) ||
                       LLVMIsAConstantExpr(user);

        if (derived ? is_changed(user) : !LLVMIsALoadInst(user))
            return true;
    }
    return false;
}

/* Whether kernels begin with another value than that in the source: one that the host sets, or that
 * an earlier launch left, of which a proof knows nothing. */
static bool is_unknown(LLVMValueRef global, LLVMValueRef value)
{
    return (LLVMIsExternallyInitialized(global) && LLVMIsNull(value)) ||
           (!LLVMIsGlobalConstant(global) && is_changed(global));
}

static bool copy_initial(const opevo_i_simt_decoder *self, LLVMValueRef global,
                         opevo_i_simt_region *region)
{
    LLVMValueRef value = LLVMGetInitializer(global);

    region->initial = opevo_calloc(region->size + 1, 1);
    region->initial_valid = opevo_calloc(region->size + 1, 1);
    if (!region->initial || !region->initial_valid)
        return false;
    /* What is not supported counts as not initialised; in a proof what is not known, as bits that
     * depend on data. */
    if (!value || !initialise(self, value, region->initial, region->initial_valid) ||
        (self->simt->options.arithmetic && is_unknown(global, value)))
        memset(region->initial_valid, self->simt->options.arithmetic ? OPEVO_I_SIMT_UNKNOWN : 0,
               region->size);
    return true;
}

/* The region in dynamic shared memory, all of whose variables begin at its first byte. */
static opevo_i_simt_region *dynamic_region(const opevo_simt *simt)
{
    size_t i = 1;

    while (!simt->regions[i].dynamic)
        i++;
    return &simt->regions[i];
}

static bool add_global(opevo_i_simt_decoder *self, LLVMValueRef global)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(global));
    size_t length;
    opevo_i_simt_region *region = opevo_i_simt_region_add(self->simt), *place = region;

    if (!region)
        return false;
    region->dynamic = space == 3 && LLVMIsDeclaration(global);
    if (region->dynamic)
        place = dynamic_region(self->simt);
    if (!opevo_i_simt_map_put(&self->regions, global, (uint32_t)(place - self->simt->regions)))
        return false;
    region->kind = place != region                              ? OPEVO_I_SIMT_NONE
                   : space == 3                                 ? OPEVO_I_SIMT_SHARED
                   : space == 4 || LLVMIsGlobalConstant(global) ? OPEVO_I_SIMT_CONSTANT
                                                                : OPEVO_I_SIMT_GLOBAL;
    region->read_only = region->kind == OPEVO_I_SIMT_CONSTANT;
    region->size = LLVMABISizeOfType(self->layout, LLVMGlobalGetValueType(global));
    region->name = opevo_strdup(LLVMGetValueName2(global, &length));
    if (!region->name)
        return false;
    return space == 3 || copy_initial(self, global, region);
}

void opevo_i_simt_globals(opevo_i_simt_decoder *self)
{
    /* An initial value with the address of a later variable is not supported. */
    for (LLVMValueRef global = LLVMGetFirstGlobal(self->module); global;
         global = LLVMGetNextGlobal(global)) {
        LLVMTypeRef type = LLVMGlobalGetValueType(global);

        if (!LLVMTypeIsSized(type) || LLVMABISizeOfType(self->layout, type) >> 32)
            continue; /* its uses are not supported */
        if (!add_global(self, global)) {
            (void)no_memory(self);
            return;
        }
    }
}
