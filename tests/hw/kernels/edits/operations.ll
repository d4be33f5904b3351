; ModuleID = 'operations.cl'
source_filename = "operations.cl"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.anon = type { [3 x i8], float, [2 x double] }
%struct.box = type { i32, i8, float, i64 }

@table = dso_local local_unnamed_addr addrspace(4) constant [8 x i32] [i32 3, i32 -1, i32 4, i32 1, i32 -5, i32 9, i32 2, i32 6], align 4
@rows = dso_local local_unnamed_addr addrspace(4) constant [2 x %struct.anon] [%struct.anon { [3 x i8] c"ab\00", float 2.500000e-01, [2 x double] [double 1.500000e+00, double -2.000000e+00] }, %struct.anon { [3 x i8] c"cd\00", float -3.000000e+00, [2 x double] [double 1.000000e-03, double 7.000000e+00] }], align 8
@memory.part = internal unnamed_addr addrspace(3) global [64 x i32] undef, align 4
@memory.wide = internal unnamed_addr addrspace(3) global [64 x <4 x float>] undef, align 16
@__const.memory.pick = private unnamed_addr addrspace(4) constant [3 x i32] [i32 5, i32 7, i32 11], align 4
@atomics.least = internal addrspace(3) global i32 undef, align 4
@atomics.most = internal addrspace(3) global i32 undef, align 4

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local spir_kernel void @integers(ptr addrspace(1) nocapture noundef readonly align 4 %0, ptr addrspace(1) nocapture noundef writeonly align 8 %1, i32 noundef %2) local_unnamed_addr #0 !kernel_arg_addr_space !7 !kernel_arg_access_qual !8 !kernel_arg_type !9 !kernel_arg_base_type !9 !kernel_arg_type_qual !10 {
  %4 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %217

10:                                               ; preds = %3
  %11 = shl nsw i32 %8, 1
  %12 = or disjoint i32 %11, 1
  %13 = sext i32 %12 to i64
  %14 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %13
  %15 = load i32, ptr addrspace(1) %14, align 4, !tbaa !11
  %16 = sext i32 %15 to i64
  %17 = shl nsw i64 %16, 21
  %18 = sext i32 %11 to i64
  %19 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %18
  %20 = load i32, ptr addrspace(1) %19, align 4, !tbaa !11
  %21 = sext i32 %20 to i64
  %22 = mul i64 %21, -7046029254386353131
  %23 = zext i32 %20 to i64
  %24 = add i32 %20, %15
  %25 = sub i32 %20, %15
  %26 = xor i32 %24, %25
  %27 = zext i32 %26 to i64
  %28 = sext i32 %2 to i64
  %29 = sext i32 %8 to i64
  %30 = getelementptr inbounds i64, ptr addrspace(1) %1, i64 %29
  store i64 %27, ptr addrspace(1) %30, align 8, !tbaa !15
  %31 = mul i32 %20, %15
  %32 = zext i32 %31 to i64
  %33 = getelementptr i64, ptr addrspace(1) %1, i64 %28
  %34 = getelementptr i64, ptr addrspace(1) %33, i64 %29
  store i64 %32, ptr addrspace(1) %34, align 8, !tbaa !15
  %35 = or i32 %15, 1
  %36 = freeze i32 %20
  %37 = freeze i32 %35
  %38 = sdiv i32 %36, %37
  %39 = zext i32 %38 to i64
  %40 = shl nsw i64 %28, 4
  %41 = getelementptr i8, ptr addrspace(1) %1, i64 %40
  %42 = getelementptr i64, ptr addrspace(1) %41, i64 %29
  store i64 %39, ptr addrspace(1) %42, align 8, !tbaa !15
  %43 = mul i32 %38, %37
  %44 = sub i32 %36, %43
  %45 = zext i32 %44 to i64
  %46 = mul nsw i64 %28, 24
  %47 = getelementptr i8, ptr addrspace(1) %1, i64 %46
  %48 = getelementptr i64, ptr addrspace(1) %47, i64 %29
  store i64 %45, ptr addrspace(1) %48, align 8, !tbaa !15
  %49 = freeze i32 %20
  %50 = freeze i32 %35
  %51 = udiv i32 %49, %50
  %52 = zext i32 %51 to i64
  %53 = shl nsw i64 %28, 5
  %54 = getelementptr i8, ptr addrspace(1) %1, i64 %53
  %55 = getelementptr i64, ptr addrspace(1) %54, i64 %29
  store i64 %52, ptr addrspace(1) %55, align 8, !tbaa !15
  %56 = mul i32 %51, %50
  %57 = sub i32 %49, %56
  %58 = zext i32 %57 to i64
  %59 = mul nsw i64 %28, 40
  %60 = getelementptr i8, ptr addrspace(1) %1, i64 %59
  %61 = getelementptr i64, ptr addrspace(1) %60, i64 %29
  store i64 %58, ptr addrspace(1) %61, align 8, !tbaa !15
  %62 = and i32 %15, 31
  %63 = ashr i32 %20, %62
  %64 = zext i32 %63 to i64
  %65 = mul nsw i64 %28, 48
  %66 = getelementptr i8, ptr addrspace(1) %1, i64 %65
  %67 = getelementptr i64, ptr addrspace(1) %66, i64 %29
  store i64 %64, ptr addrspace(1) %67, align 8, !tbaa !15
  %68 = lshr i32 %20, %62
  %69 = zext i32 %68 to i64
  %70 = mul nsw i64 %28, 56
  %71 = getelementptr i8, ptr addrspace(1) %1, i64 %70
  %72 = getelementptr i64, ptr addrspace(1) %71, i64 %29
  store i64 %69, ptr addrspace(1) %72, align 8, !tbaa !15
  %73 = shl i32 %20, %62
  %74 = zext i32 %73 to i64
  %75 = shl nsw i64 %28, 6
  %76 = getelementptr i8, ptr addrspace(1) %1, i64 %75
  %77 = getelementptr i64, ptr addrspace(1) %76, i64 %29
  store i64 %74, ptr addrspace(1) %77, align 8, !tbaa !15
  %78 = and i32 %20, 255
  %79 = and i32 %15, 255
  %80 = and i32 %24, 255
  %81 = zext nneg i32 %80 to i64
  %82 = mul nsw i64 %28, 72
  %83 = getelementptr i8, ptr addrspace(1) %1, i64 %82
  %84 = getelementptr i64, ptr addrspace(1) %83, i64 %29
  store i64 %81, ptr addrspace(1) %84, align 8, !tbaa !15
  %85 = and i32 %31, 255
  %86 = zext nneg i32 %85 to i64
  %87 = mul nsw i64 %28, 80
  %88 = getelementptr i8, ptr addrspace(1) %1, i64 %87
  %89 = getelementptr i64, ptr addrspace(1) %88, i64 %29
  store i64 %86, ptr addrspace(1) %89, align 8, !tbaa !15
  %90 = and i32 %31, 65535
  %91 = zext nneg i32 %90 to i64
  %92 = mul nsw i64 %28, 88
  %93 = getelementptr i8, ptr addrspace(1) %1, i64 %92
  %94 = getelementptr i64, ptr addrspace(1) %93, i64 %29
  store i64 %91, ptr addrspace(1) %94, align 8, !tbaa !15
  %95 = shl i32 %20, 16
  %96 = ashr exact i32 %95, 16
  %97 = shl i32 %15, 16
  %98 = ashr exact i32 %97, 16
  %99 = or i32 %98, 1
  %100 = sdiv i32 %96, %99
  %101 = and i32 %100, 65535
  %102 = zext nneg i32 %101 to i64
  %103 = mul nsw i64 %28, 96
  %104 = getelementptr i8, ptr addrspace(1) %1, i64 %103
  %105 = getelementptr i64, ptr addrspace(1) %104, i64 %29
  store i64 %102, ptr addrspace(1) %105, align 8, !tbaa !15
  %106 = and i32 %15, 15
  %107 = ashr i32 %96, %106
  %108 = and i32 %107, 65535
  %109 = zext nneg i32 %108 to i64
  %110 = mul nsw i64 %28, 104
  %111 = getelementptr i8, ptr addrspace(1) %1, i64 %110
  %112 = getelementptr i64, ptr addrspace(1) %111, i64 %29
  store i64 %109, ptr addrspace(1) %112, align 8, !tbaa !15
  %113 = mul i64 %22, %17
  %114 = lshr i64 %22, 7
  %115 = add i64 %113, %114
  %116 = mul nsw i64 %28, 112
  %117 = getelementptr i8, ptr addrspace(1) %1, i64 %116
  %118 = getelementptr i64, ptr addrspace(1) %117, i64 %29
  store i64 %115, ptr addrspace(1) %118, align 8, !tbaa !15
  %119 = or disjoint i64 %17, 1
  %120 = freeze i64 %22
  %121 = freeze i64 %119
  %122 = sdiv i64 %120, %121
  %123 = mul nsw i64 %28, 120
  %124 = getelementptr i8, ptr addrspace(1) %1, i64 %123
  %125 = getelementptr i64, ptr addrspace(1) %124, i64 %29
  store i64 %122, ptr addrspace(1) %125, align 8, !tbaa !15
  %126 = mul i64 %122, %121
  %127 = sub i64 %120, %126
  %128 = shl nsw i64 %28, 7
  %129 = getelementptr i8, ptr addrspace(1) %1, i64 %128
  %130 = getelementptr i64, ptr addrspace(1) %129, i64 %29
  store i64 %127, ptr addrspace(1) %130, align 8, !tbaa !15
  %131 = and i32 %15, 63
  %132 = zext nneg i32 %131 to i64
  %133 = ashr i64 %22, %132
  %134 = mul nsw i64 %28, 136
  %135 = getelementptr i8, ptr addrspace(1) %1, i64 %134
  %136 = getelementptr i64, ptr addrspace(1) %135, i64 %29
  store i64 %133, ptr addrspace(1) %136, align 8, !tbaa !15
  %137 = shl i64 %23, 56
  %138 = ashr exact i64 %137, 56
  %139 = mul nsw i64 %28, 144
  %140 = getelementptr i8, ptr addrspace(1) %1, i64 %139
  %141 = getelementptr i64, ptr addrspace(1) %140, i64 %29
  store i64 %138, ptr addrspace(1) %141, align 8, !tbaa !15
  %142 = shl i64 %23, 48
  %143 = ashr exact i64 %142, 48
  %144 = mul nsw i64 %28, 152
  %145 = getelementptr i8, ptr addrspace(1) %1, i64 %144
  %146 = getelementptr i64, ptr addrspace(1) %145, i64 %29
  store i64 %143, ptr addrspace(1) %146, align 8, !tbaa !15
  %147 = mul nsw i64 %28, 160
  %148 = getelementptr i8, ptr addrspace(1) %1, i64 %147
  %149 = getelementptr i64, ptr addrspace(1) %148, i64 %29
  store i64 %21, ptr addrspace(1) %149, align 8, !tbaa !15
  %150 = tail call i32 @llvm.smax.i32(i32 %20, i32 %15)
  %151 = zext i32 %150 to i64
  %152 = mul nsw i64 %28, 168
  %153 = getelementptr i8, ptr addrspace(1) %1, i64 %152
  %154 = getelementptr i64, ptr addrspace(1) %153, i64 %29
  store i64 %151, ptr addrspace(1) %154, align 8, !tbaa !15
  %155 = tail call i32 @llvm.umin.i32(i32 %20, i32 %15)
  %156 = zext i32 %155 to i64
  %157 = mul nsw i64 %28, 176
  %158 = getelementptr i8, ptr addrspace(1) %1, i64 %157
  %159 = getelementptr i64, ptr addrspace(1) %158, i64 %29
  store i64 %156, ptr addrspace(1) %159, align 8, !tbaa !15
  %160 = or i32 %20, 256
  %161 = tail call range(i32 0, 9) i32 @llvm.cttz.i32(i32 %160, i1 true)
  %162 = zext nneg i32 %161 to i64
  %163 = mul nsw i64 %28, 184
  %164 = getelementptr i8, ptr addrspace(1) %1, i64 %163
  %165 = getelementptr i64, ptr addrspace(1) %164, i64 %29
  store i64 %162, ptr addrspace(1) %165, align 8, !tbaa !15
  %166 = or i32 %20, 1
  %167 = tail call range(i32 0, 32) i32 @llvm.ctlz.i32(i32 %166, i1 true)
  %168 = zext nneg i32 %167 to i64
  %169 = mul nsw i64 %28, 192
  %170 = getelementptr i8, ptr addrspace(1) %1, i64 %169
  %171 = getelementptr i64, ptr addrspace(1) %170, i64 %29
  store i64 %168, ptr addrspace(1) %171, align 8, !tbaa !15
  %172 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %20)
  %173 = zext nneg i32 %172 to i64
  %174 = mul nsw i64 %28, 200
  %175 = getelementptr i8, ptr addrspace(1) %1, i64 %174
  %176 = getelementptr i64, ptr addrspace(1) %175, i64 %29
  store i64 %173, ptr addrspace(1) %176, align 8, !tbaa !15
  %177 = tail call i32 @llvm.fshl.i32(i32 %20, i32 %20, i32 %15)
  %178 = zext i32 %177 to i64
  %179 = mul nsw i64 %28, 208
  %180 = getelementptr i8, ptr addrspace(1) %1, i64 %179
  %181 = getelementptr i64, ptr addrspace(1) %180, i64 %29
  store i64 %178, ptr addrspace(1) %181, align 8, !tbaa !15
  %182 = mul nsw i64 %28, 216
  %183 = getelementptr i8, ptr addrspace(1) %1, i64 %182
  %184 = getelementptr i64, ptr addrspace(1) %183, i64 %29
  store i64 %22, ptr addrspace(1) %184, align 8, !tbaa !15
  %185 = tail call i32 @llvm.fshr.i32(i32 %20, i32 %20, i32 %35)
  %186 = zext i32 %185 to i64
  %187 = mul nsw i64 %28, 224
  %188 = getelementptr i8, ptr addrspace(1) %1, i64 %187
  %189 = getelementptr i64, ptr addrspace(1) %188, i64 %29
  store i64 %186, ptr addrspace(1) %189, align 8, !tbaa !15
  %190 = tail call i32 @llvm.abs.i32(i32 %20, i1 true)
  %191 = zext nneg i32 %190 to i64
  %192 = mul nsw i64 %28, 232
  %193 = getelementptr i8, ptr addrspace(1) %1, i64 %192
  %194 = getelementptr i64, ptr addrspace(1) %193, i64 %29
  store i64 %191, ptr addrspace(1) %194, align 8, !tbaa !15
  %195 = icmp slt i32 %20, %15
  %196 = zext i1 %195 to i64
  %197 = icmp ult i32 %20, %15
  %198 = select i1 %197, i64 2, i64 0
  %199 = icmp eq i32 %20, %15
  %200 = select i1 %199, i64 4, i64 0
  %201 = or disjoint i64 %198, %200
  %202 = icmp sgt i64 %22, %17
  %203 = select i1 %202, i64 0, i64 8
  %204 = icmp ult i32 %78, %79
  %205 = select i1 %204, i64 0, i64 16
  %206 = or disjoint i64 %201, %196
  %207 = or disjoint i64 %206, %205
  %208 = or disjoint i64 %207, %203
  %209 = mul nsw i64 %28, 240
  %210 = getelementptr i8, ptr addrspace(1) %1, i64 %209
  %211 = getelementptr i64, ptr addrspace(1) %210, i64 %29
  store i64 %208, ptr addrspace(1) %211, align 8, !tbaa !15
  %212 = xor i1 %195, %197
  %213 = zext i1 %212 to i64
  %214 = mul nsw i64 %28, 248
  %215 = getelementptr i8, ptr addrspace(1) %1, i64 %214
  %216 = getelementptr i64, ptr addrspace(1) %215, i64 %29
  store i64 %213, ptr addrspace(1) %216, align 8, !tbaa !15
  br label %217

217:                                              ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.cttz.i32(i32, i1 immarg) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctlz.i32(i32, i1 immarg) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fshl.i32(i32, i32, i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fshr.i32(i32, i32, i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.abs.i32(i32, i1 immarg) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local spir_kernel void @floats(ptr addrspace(1) nocapture noundef readonly align 4 %0, ptr addrspace(1) nocapture noundef writeonly align 4 %1, ptr addrspace(1) nocapture noundef writeonly align 8 %2, i32 noundef %3) local_unnamed_addr #0 !kernel_arg_addr_space !17 !kernel_arg_access_qual !18 !kernel_arg_type !19 !kernel_arg_base_type !19 !kernel_arg_type_qual !20 {
  %5 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul i32 %5, %6
  %8 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add i32 %7, %8
  %10 = icmp slt i32 %9, %3
  br i1 %10, label %11, label %139

11:                                               ; preds = %4
  %12 = shl nsw i32 %9, 1
  %13 = or disjoint i32 %12, 1
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %14
  %16 = load float, ptr addrspace(1) %15, align 4, !tbaa !21
  %17 = fpext float %16 to double
  %18 = sext i32 %12 to i64
  %19 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %18
  %20 = load float, ptr addrspace(1) %19, align 4, !tbaa !21
  %21 = fpext float %20 to double
  %22 = fadd float %16, %20
  %23 = sext i32 %3 to i64
  %24 = sext i32 %9 to i64
  %25 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %24
  store float %22, ptr addrspace(1) %25, align 4, !tbaa !21
  %26 = fsub float %20, %16
  %27 = getelementptr float, ptr addrspace(1) %1, i64 %23
  %28 = getelementptr float, ptr addrspace(1) %27, i64 %24
  store float %26, ptr addrspace(1) %28, align 4, !tbaa !21
  %29 = fmul float %16, %20
  %30 = shl nsw i64 %23, 3
  %31 = getelementptr i8, ptr addrspace(1) %1, i64 %30
  %32 = getelementptr float, ptr addrspace(1) %31, i64 %24
  store float %29, ptr addrspace(1) %32, align 4, !tbaa !21
  %33 = fcmp oeq float %16, 0.000000e+00
  %34 = select i1 %33, float 1.000000e+00, float %16
  %35 = fdiv float %20, %34, !fpmath !23
  %36 = mul nsw i64 %23, 12
  %37 = getelementptr i8, ptr addrspace(1) %1, i64 %36
  %38 = getelementptr float, ptr addrspace(1) %37, i64 %24
  store float %35, ptr addrspace(1) %38, align 4, !tbaa !21
  %39 = fneg float %20
  %40 = shl nsw i64 %23, 4
  %41 = getelementptr i8, ptr addrspace(1) %1, i64 %40
  %42 = getelementptr float, ptr addrspace(1) %41, i64 %24
  store float %39, ptr addrspace(1) %42, align 4, !tbaa !21
  %43 = tail call float @llvm.fma.f32(float %20, float %16, float 0x3FB99999A0000000)
  %44 = mul nsw i64 %23, 20
  %45 = getelementptr i8, ptr addrspace(1) %1, i64 %44
  %46 = getelementptr float, ptr addrspace(1) %45, i64 %24
  store float %43, ptr addrspace(1) %46, align 4, !tbaa !21
  %47 = tail call float @llvm.fabs.f32(float %20)
  %48 = tail call float @llvm.sqrt.f32(float %47), !fpmath !24
  %49 = mul nsw i64 %23, 24
  %50 = getelementptr i8, ptr addrspace(1) %1, i64 %49
  %51 = getelementptr float, ptr addrspace(1) %50, i64 %24
  store float %48, ptr addrspace(1) %51, align 4, !tbaa !21
  %52 = fmul float %20, 8.000000e+00
  %53 = tail call float @llvm.floor.f32(float %52)
  %54 = fmul float %16, 4.000000e+00
  %55 = tail call float @llvm.ceil.f32(float %54)
  %56 = fadd float %55, %53
  %57 = mul nsw i64 %23, 28
  %58 = getelementptr i8, ptr addrspace(1) %1, i64 %57
  %59 = getelementptr float, ptr addrspace(1) %58, i64 %24
  store float %56, ptr addrspace(1) %59, align 4, !tbaa !21
  %60 = tail call float @llvm.maxnum.f32(float %20, float %16)
  %61 = tail call float @llvm.minnum.f32(float %20, float 0x3FD3333340000000)
  %62 = fsub float %60, %61
  %63 = shl nsw i64 %23, 5
  %64 = getelementptr i8, ptr addrspace(1) %1, i64 %63
  %65 = getelementptr float, ptr addrspace(1) %64, i64 %24
  store float %62, ptr addrspace(1) %65, align 4, !tbaa !21
  %66 = fcmp olt float %20, %16
  %67 = zext i1 %66 to i32
  %68 = fcmp ole float %20, %16
  %69 = select i1 %68, i32 2, i32 0
  %70 = or disjoint i32 %69, %67
  %71 = fcmp ogt float %20, %16
  %72 = select i1 %71, i32 4, i32 0
  %73 = or disjoint i32 %70, %72
  %74 = fcmp ult float %20, %16
  %75 = select i1 %74, i32 0, i32 8
  %76 = or disjoint i32 %73, %75
  %77 = fcmp oeq float %20, %16
  %78 = select i1 %77, i32 16, i32 0
  %79 = or disjoint i32 %76, %78
  %80 = fcmp une float %20, %16
  %81 = select i1 %80, i32 32, i32 0
  %82 = or disjoint i32 %79, %81
  %83 = uitofp nneg i32 %82 to float
  %84 = mul nsw i64 %23, 36
  %85 = getelementptr i8, ptr addrspace(1) %1, i64 %84
  %86 = getelementptr float, ptr addrspace(1) %85, i64 %24
  store float %83, ptr addrspace(1) %86, align 4, !tbaa !21
  %87 = xor i1 %66, true
  %88 = zext i1 %87 to i32
  %89 = select i1 %74, i32 2, i32 0
  %90 = or disjoint i32 %89, %88
  %91 = fdiv float 0.000000e+00, %16, !fpmath !23
  %92 = fcmp olt float %20, %91
  %93 = or i1 %92, %71
  %94 = select i1 %93, i32 4, i32 0
  %95 = or disjoint i32 %90, %94
  %96 = uitofp nneg i32 %95 to float
  %97 = mul nsw i64 %23, 40
  %98 = getelementptr i8, ptr addrspace(1) %1, i64 %97
  %99 = getelementptr float, ptr addrspace(1) %98, i64 %24
  store float %96, ptr addrspace(1) %99, align 4, !tbaa !21
  %100 = fmul float %20, 1.000000e+03
  %101 = fptosi float %100 to i32
  %102 = fmul float %16, 7.700000e+01
  %103 = tail call float @llvm.fabs.f32(float %102)
  %104 = fptoui float %103 to i32
  %105 = add i32 %101, %104
  %106 = uitofp i32 %105 to float
  %107 = mul nsw i64 %23, 44
  %108 = getelementptr i8, ptr addrspace(1) %1, i64 %107
  %109 = getelementptr float, ptr addrspace(1) %108, i64 %24
  store float %106, ptr addrspace(1) %109, align 4, !tbaa !21
  %110 = fmul double %21, 1.000000e+12
  %111 = fptosi double %110 to i64
  %112 = sitofp i64 %111 to float
  %113 = fmul float %16, 1.000000e+02
  %114 = fptosi float %113 to i32
  %115 = uitofp i32 %114 to float
  %116 = fadd float %115, %112
  %117 = mul nsw i64 %23, 48
  %118 = getelementptr i8, ptr addrspace(1) %1, i64 %117
  %119 = getelementptr float, ptr addrspace(1) %118, i64 %24
  store float %116, ptr addrspace(1) %119, align 4, !tbaa !21
  %120 = bitcast float %20 to i32
  %121 = and i32 %120, -2139095041
  %122 = or disjoint i32 %121, 1056964608
  %123 = mul nsw i64 %23, 52
  %124 = getelementptr i8, ptr addrspace(1) %1, i64 %123
  %125 = getelementptr float, ptr addrspace(1) %124, i64 %24
  store i32 %122, ptr addrspace(1) %125, align 4, !tbaa !21
  %126 = fmul double %17, %21
  %127 = fadd double %126, 1.000000e-09
  %128 = fptrunc double %127 to float
  %129 = mul nsw i64 %23, 56
  %130 = getelementptr i8, ptr addrspace(1) %1, i64 %129
  %131 = getelementptr float, ptr addrspace(1) %130, i64 %24
  store float %128, ptr addrspace(1) %131, align 4, !tbaa !21
  %132 = fadd double %17, 3.000000e+00
  %133 = fdiv double %21, %132
  %134 = fmul float %16, 9.000000e+00
  %135 = fptosi float %134 to i32
  %136 = sitofp i32 %135 to double
  %137 = fsub double %133, %136
  %138 = getelementptr inbounds double, ptr addrspace(1) %2, i64 %24
  store double %137, ptr addrspace(1) %138, align 8, !tbaa !25
  br label %139

139:                                              ; preds = %4, %11
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.floor.f32(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.ceil.f32(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.minnum.f32(float, float) #2

; Function Attrs: convergent noinline norecurse nounwind
define dso_local spir_kernel void @memory(ptr addrspace(1) nocapture noundef readonly align 4 %0, ptr addrspace(1) nocapture noundef writeonly align 4 %1, ptr nocapture noundef readonly byval(%struct.box) align 8 %2, i32 noundef %3) local_unnamed_addr #3 !kernel_arg_addr_space !27 !kernel_arg_access_qual !18 !kernel_arg_type !28 !kernel_arg_base_type !29 !kernel_arg_type_qual !20 {
  %5 = alloca [6 x i32], align 4
  %6 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %7 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = mul i32 %6, %7
  %9 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = zext nneg i32 %9 to i64
  %11 = add i32 %8, %9
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %5) #5
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %12
  %14 = load i32, ptr addrspace(1) %13, align 4, !tbaa !11
  %15 = sitofp i32 %14 to float
  %16 = uitofp nneg i32 %9 to float
  %17 = ashr i32 %14, 3
  %18 = sitofp i32 %17 to float
  %19 = insertelement <4 x float> <float poison, float poison, float poison, float 1.000000e+00>, float %15, i64 0
  %20 = insertelement <4 x float> %19, float %16, i64 1
  %21 = insertelement <4 x float> %20, float %18, i64 2
  %22 = getelementptr inbounds i8, ptr %2, i64 8
  %23 = load float, ptr %22, align 8, !tbaa !30
  %24 = insertelement <4 x float> <float 5.000000e-01, float -1.000000e+00, float poison, float 2.500000e-01>, float %23, i64 2
  %25 = fadd <4 x float> %24, %21
  %26 = getelementptr inbounds [64 x i32], ptr addrspace(3) @memory.part, i64 0, i64 %10
  store i32 %14, ptr addrspace(3) %26, align 4, !tbaa !11
  %27 = getelementptr inbounds [64 x <4 x float>], ptr addrspace(3) @memory.wide, i64 0, i64 %10
  store <4 x float> %25, ptr addrspace(3) %27, align 16, !tbaa !32
  br label %29

28:                                               ; preds = %29
  tail call void @opevo_barrier_of_local() #6
  br label %118

29:                                               ; preds = %4, %29
  %30 = phi i32 [ 0, %4 ], [ %36, %29 ]
  %31 = mul nsw i32 %30, %14
  %32 = add nsw i32 %30, %14
  %33 = urem i32 %32, 6
  %34 = zext nneg i32 %33 to i64
  %35 = getelementptr inbounds [6 x i32], ptr %5, i64 0, i64 %34
  store i32 %31, ptr %35, align 4, !tbaa !11
  %36 = add nuw nsw i32 %30, 1
  %37 = icmp eq i32 %36, 6
  br i1 %37, label %28, label %29, !llvm.loop !33

38:                                               ; preds = %118
  %39 = sub nsw i32 63, %9
  %40 = sext i32 %39 to i64
  %41 = getelementptr inbounds [64 x <4 x float>], ptr addrspace(3) @memory.wide, i64 0, i64 %40
  %42 = load <4 x float>, ptr addrspace(3) %41, align 16
  %43 = shufflevector <4 x float> %42, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %44 = fmul <4 x float> %25, %43
  %45 = add nuw nsw i32 %9, 1
  %46 = and i32 %45, 63
  %47 = zext nneg i32 %46 to i64
  %48 = getelementptr inbounds [64 x <4 x float>], ptr addrspace(3) @memory.wide, i64 0, i64 %47
  %49 = load <4 x float>, ptr addrspace(3) %48, align 16, !tbaa !32
  %50 = fadd <4 x float> %49, %44
  %51 = sext i32 %3 to i64
  %52 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 %12
  store i32 %126, ptr addrspace(1) %52, align 4, !tbaa !11
  %53 = load i32, ptr addrspace(1) %13, align 4, !tbaa !11
  %54 = urem i32 %53, 6
  %55 = zext nneg i32 %54 to i64
  %56 = getelementptr inbounds [6 x i32], ptr %5, i64 0, i64 %55
  %57 = load i32, ptr %56, align 4, !tbaa !11
  %58 = getelementptr inbounds i8, ptr %5, i64 12
  %59 = load i32, ptr %58, align 4, !tbaa !11
  %60 = add nsw i32 %59, %57
  %61 = urem i32 %9, 3
  %62 = zext nneg i32 %61 to i64
  %63 = getelementptr inbounds [3 x i32], ptr addrspace(4) @__const.memory.pick, i64 0, i64 %62
  %64 = load i32, ptr addrspace(4) %63, align 4, !tbaa !11
  %65 = add nsw i32 %60, %64
  %66 = getelementptr i32, ptr addrspace(1) %1, i64 %51
  %67 = getelementptr i32, ptr addrspace(1) %66, i64 %12
  store i32 %65, ptr addrspace(1) %67, align 4, !tbaa !11
  %68 = load i32, ptr addrspace(1) %13, align 4, !tbaa !11
  %69 = and i32 %68, 7
  %70 = zext nneg i32 %69 to i64
  %71 = getelementptr inbounds [8 x i32], ptr addrspace(4) @table, i64 0, i64 %70
  %72 = load i32, ptr addrspace(4) %71, align 4, !tbaa !11
  %73 = and i32 %9, 1
  %74 = zext nneg i32 %73 to i64
  %75 = getelementptr inbounds [2 x %struct.anon], ptr addrspace(4) @rows, i64 0, i64 %74
  %76 = getelementptr inbounds [3 x i8], ptr addrspace(4) %75, i64 0, i64 %62
  %77 = load i8, ptr addrspace(4) %76, align 1, !tbaa !32
  %78 = sext i8 %77 to i32
  %79 = add nsw i32 %72, %78
  %80 = getelementptr inbounds i8, ptr addrspace(4) %75, i64 4
  %81 = load float, ptr addrspace(4) %80, align 4, !tbaa !35
  %82 = fmul float %81, 4.000000e+00
  %83 = fptosi float %82 to i32
  %84 = add nsw i32 %79, %83
  %85 = shl nsw i64 %51, 3
  %86 = getelementptr i8, ptr addrspace(1) %1, i64 %85
  %87 = getelementptr i32, ptr addrspace(1) %86, i64 %12
  store i32 %84, ptr addrspace(1) %87, align 4, !tbaa !11
  %88 = extractelement <4 x float> %50, i64 0
  %89 = extractelement <4 x float> %50, i64 1
  %90 = fmul float %89, 2.000000e+00
  %91 = fadd float %88, %90
  %92 = extractelement <4 x float> %50, i64 2
  %93 = fsub float %91, %92
  %94 = extractelement <4 x float> %50, i64 3
  %95 = fadd float %94, %93
  %96 = fptosi float %95 to i32
  %97 = mul nsw i64 %51, 12
  %98 = getelementptr i8, ptr addrspace(1) %1, i64 %97
  %99 = getelementptr i32, ptr addrspace(1) %98, i64 %12
  store i32 %96, ptr addrspace(1) %99, align 4, !tbaa !11
  %100 = load i32, ptr %2, align 8, !tbaa !37
  %101 = getelementptr inbounds i8, ptr %2, i64 4
  %102 = load i8, ptr %101, align 4, !tbaa !38
  %103 = zext i8 %102 to i32
  %104 = add nsw i32 %100, %103
  %105 = sitofp i32 %104 to float
  %106 = fmul float %23, 2.000000e+00
  %107 = fadd float %106, %105
  %108 = getelementptr inbounds i8, ptr %2, i64 16
  %109 = load i64, ptr %108, align 8, !tbaa !39
  %110 = sitofp i64 %109 to float
  %111 = fadd float %107, %110
  %112 = fptosi float %111 to i32
  %113 = shl nsw i64 %51, 4
  %114 = getelementptr i8, ptr addrspace(1) %1, i64 %113
  %115 = getelementptr i32, ptr addrspace(1) %114, i64 %12
  store i32 %112, ptr addrspace(1) %115, align 4, !tbaa !11
  %116 = load i32, ptr addrspace(1) %13, align 4, !tbaa !11
  %117 = urem i32 %116, 7
  switch i32 %117, label %133 [
    i32 0, label %129
    i32 3, label %129
    i32 1, label %134
    i32 5, label %131
  ]

118:                                              ; preds = %28, %118
  %119 = phi i32 [ 1, %28 ], [ %127, %118 ]
  %120 = phi i32 [ 0, %28 ], [ %126, %118 ]
  %121 = add nuw nsw i32 %119, %9
  %122 = and i32 %121, 63
  %123 = zext nneg i32 %122 to i64
  %124 = getelementptr inbounds [64 x i32], ptr addrspace(3) @memory.part, i64 0, i64 %123
  %125 = load i32, ptr addrspace(3) %124, align 4, !tbaa !11
  %126 = add nsw i32 %125, %120
  %127 = shl nuw nsw i32 %119, 1
  %128 = icmp ult i32 %119, 32
  br i1 %128, label %118, label %38, !llvm.loop !40

129:                                              ; preds = %38, %38
  %130 = add nuw nsw i32 %9, 10
  br label %134

131:                                              ; preds = %38
  %132 = mul nsw i32 %126, 3
  br label %134

133:                                              ; preds = %38
  br label %134

134:                                              ; preds = %38, %133, %131, %129
  %135 = phi i32 [ -1, %133 ], [ %132, %131 ], [ %130, %129 ], [ %103, %38 ]
  %136 = mul nsw i64 %51, 20
  %137 = getelementptr i8, ptr addrspace(1) %1, i64 %136
  %138 = getelementptr i32, ptr addrspace(1) %137, i64 %12
  store i32 %135, ptr addrspace(1) %138, align 4, !tbaa !11
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %5) #5
  ret void
}

; Function Attrs: convergent nounwind
declare dso_local void @opevo_barrier_of_local() local_unnamed_addr #4

; Function Attrs: convergent noinline norecurse nounwind
define dso_local spir_kernel void @atomics(ptr addrspace(1) nocapture noundef readonly align 4 %0, ptr addrspace(1) nocapture noundef align 4 %1, ptr addrspace(1) nocapture noundef align 4 %2) local_unnamed_addr #3 !kernel_arg_addr_space !41 !kernel_arg_access_qual !8 !kernel_arg_type !42 !kernel_arg_base_type !42 !kernel_arg_type_qual !10 {
  %4 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %9
  %11 = load i32, ptr addrspace(1) %10, align 4, !tbaa !11
  %12 = icmp eq i32 %7, 0
  br i1 %12, label %13, label %14

13:                                               ; preds = %3
  store i32 1073741824, ptr addrspace(3) @atomics.least, align 4, !tbaa !11
  store i32 0, ptr addrspace(3) @atomics.most, align 4, !tbaa !11
  br label %14

14:                                               ; preds = %13, %3
  tail call void @opevo_barrier_of_local() #6
  %15 = atomicrmw min ptr addrspace(3) @atomics.least, i32 %11 monotonic, align 4
  %16 = atomicrmw max ptr addrspace(3) @atomics.most, i32 %11 monotonic, align 4
  %17 = atomicrmw add ptr addrspace(1) %1, i32 %11 monotonic, align 4
  %18 = getelementptr inbounds i8, ptr addrspace(1) %1, i64 4
  %19 = atomicrmw xor ptr addrspace(1) %18, i32 %11 monotonic, align 4
  %20 = getelementptr inbounds i8, ptr addrspace(1) %1, i64 8
  %21 = atomicrmw or ptr addrspace(1) %20, i32 %11 monotonic, align 4
  %22 = getelementptr inbounds i8, ptr addrspace(1) %1, i64 12
  %23 = or i32 %11, 1879048192
  %24 = atomicrmw and ptr addrspace(1) %22, i32 %23 monotonic, align 4
  %25 = and i32 %11, 7
  %26 = uitofp nneg i32 %25 to float
  %27 = atomicrmw fadd ptr addrspace(1) %2, float %26 monotonic, align 4
  %28 = getelementptr inbounds i8, ptr addrspace(1) %1, i64 16
  %29 = cmpxchg ptr addrspace(1) %28, i32 0, i32 7 monotonic monotonic, align 4
  tail call void @opevo_barrier_of_local() #6
  br i1 %12, label %30, label %37

30:                                               ; preds = %14
  %31 = load i32, ptr addrspace(3) @atomics.most, align 4, !tbaa !11
  %32 = load i32, ptr addrspace(3) @atomics.least, align 4, !tbaa !11
  %33 = sub nsw i32 %31, %32
  %34 = add nuw i32 %4, 5
  %35 = zext i32 %34 to i64
  %36 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 %35
  store i32 %33, ptr addrspace(1) %36, align 4, !tbaa !11
  br label %37

37:                                               ; preds = %30, %14
  ret void
}

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" "uniform-work-group-size"="true" }
attributes #4 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #5 = { nounwind }
attributes #6 = { convergent nounwind }

!nvvm.annotations = !{!0, !1, !2, !3}
!llvm.module.flags = !{!4, !5}
!opencl.ocl.version = !{!6}

!0 = !{ptr @integers, !"kernel", i32 1}
!1 = !{ptr @floats, !"kernel", i32 1}
!2 = !{ptr @memory, !"kernel", i32 1}
!3 = !{ptr @atomics, !"kernel", i32 1}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 7, !"frame-pointer", i32 2}
!6 = !{i32 1, i32 2}
!7 = !{i32 1, i32 1, i32 0}
!8 = !{!"none", !"none", !"none"}
!9 = !{!"int*", !"ulong*", !"int"}
!10 = !{!"const", !"", !""}
!11 = !{!12, !12, i64 0}
!12 = !{!"int", !13, i64 0}
!13 = !{!"omnipotent char", !14, i64 0}
!14 = !{!"Simple C/C++ TBAA"}
!15 = !{!16, !16, i64 0}
!16 = !{!"long", !13, i64 0}
!17 = !{i32 1, i32 1, i32 1, i32 0}
!18 = !{!"none", !"none", !"none", !"none"}
!19 = !{!"float*", !"float*", !"double*", !"int"}
!20 = !{!"const", !"", !"", !""}
!21 = !{!22, !22, i64 0}
!22 = !{!"float", !13, i64 0}
!23 = !{float 2.500000e+00}
!24 = !{float 3.000000e+00}
!25 = !{!26, !26, i64 0}
!26 = !{!"double", !13, i64 0}
!27 = !{i32 1, i32 1, i32 0, i32 0}
!28 = !{!"int*", !"int*", !"box", !"int"}
!29 = !{!"int*", !"int*", !"struct box", !"int"}
!30 = !{!31, !22, i64 8}
!31 = !{!"box", !12, i64 0, !13, i64 4, !22, i64 8, !16, i64 16}
!32 = !{!13, !13, i64 0}
!33 = distinct !{!33, !34}
!34 = !{!"llvm.loop.unroll.disable"}
!35 = !{!36, !22, i64 4}
!36 = !{!"", !13, i64 0, !22, i64 4, !13, i64 8}
!37 = !{!31, !12, i64 0}
!38 = !{!31, !13, i64 4}
!39 = !{!31, !16, i64 16}
!40 = distinct !{!40, !34}
!41 = !{i32 1, i32 1, i32 1}
!42 = !{!"int*", !"int*", !"float*"}
