; ModuleID = 'smo.c'
source_filename = "smo.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@smo_select.high = internal unnamed_addr addrspace(3) global [128 x float] undef, align 4
@smo_select.low = internal unnamed_addr addrspace(3) global [128 x float] undef, align 4
@smo_select.high_at = internal unnamed_addr addrspace(3) global [128 x i32] undef, align 4
@smo_select.low_at = internal unnamed_addr addrspace(3) global [128 x i32] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @smo_select(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef readonly %2, ptr addrspace(1) nocapture noundef %3, ptr addrspace(1) nocapture noundef writeonly %4, ptr addrspace(1) nocapture noundef writeonly %5, i32 noundef %6, i32 noundef %7, float noundef %8) local_unnamed_addr #0 !dbg !8 {
  %10 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !11
  %11 = icmp slt i32 %10, %6, !dbg !12
  %12 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br i1 %11, label %24, label %13, !dbg !13

13:                                               ; preds = %59, %9
  %14 = phi i32 [ 0, %9 ], [ %60, %59 ], !dbg !14
  %15 = phi i32 [ 0, %9 ], [ %49, %59 ], !dbg !14
  %16 = phi float [ 0x46293E5940000000, %9 ], [ %61, %59 ], !dbg !14
  %17 = phi float [ 0xC6293E5940000000, %9 ], [ %50, %59 ], !dbg !14
  %18 = zext nneg i32 %10 to i64, !dbg !15
  %19 = getelementptr inbounds [128 x float], ptr addrspace(3) @smo_select.high, i64 0, i64 %18, !dbg !15
  store float %17, ptr addrspace(3) %19, align 4, !dbg !16, !tbaa !17
  %20 = getelementptr inbounds [128 x i32], ptr addrspace(3) @smo_select.high_at, i64 0, i64 %18, !dbg !21
  store i32 %15, ptr addrspace(3) %20, align 4, !dbg !22, !tbaa !23
  %21 = getelementptr inbounds [128 x float], ptr addrspace(3) @smo_select.low, i64 0, i64 %18, !dbg !25
  store float %16, ptr addrspace(3) %21, align 4, !dbg !26, !tbaa !17
  %22 = getelementptr inbounds [128 x i32], ptr addrspace(3) @smo_select.low_at, i64 0, i64 %18, !dbg !27
  store i32 %14, ptr addrspace(3) %22, align 4, !dbg !28, !tbaa !23
  tail call void @llvm.nvvm.barrier0(), !dbg !29
  %23 = icmp ult i32 %12, 2, !dbg !30
  br i1 %23, label %64, label %66, !dbg !31

24:                                               ; preds = %9, %59
  %25 = phi float [ %50, %59 ], [ 0xC6293E5940000000, %9 ]
  %26 = phi float [ %61, %59 ], [ 0x46293E5940000000, %9 ]
  %27 = phi i32 [ %49, %59 ], [ 0, %9 ]
  %28 = phi i32 [ %60, %59 ], [ 0, %9 ]
  %29 = phi i32 [ %62, %59 ], [ %10, %9 ]
  %30 = zext nneg i32 %29 to i64, !dbg !32
  %31 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %30, !dbg !32
  %32 = load float, ptr addrspace(1) %31, align 4, !dbg !32, !tbaa !17
  %33 = fneg float %32, !dbg !33
  %34 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %30, !dbg !34
  %35 = load float, ptr addrspace(1) %34, align 4, !dbg !34, !tbaa !17
  %36 = fmul float %35, %33, !dbg !35
  %37 = getelementptr inbounds float, ptr addrspace(1) %3, i64 %30, !dbg !36
  %38 = load float, ptr addrspace(1) %37, align 4, !dbg !36, !tbaa !17
  %39 = fcmp ogt float %32, 0.000000e+00, !dbg !37
  %40 = fcmp ogt float %36, %25
  br i1 %39, label %41, label %44, !dbg !38

41:                                               ; preds = %24
  %42 = fcmp olt float %38, %8, !dbg !39
  %43 = select i1 %42, i1 %40, i1 false, !dbg !40
  br i1 %43, label %47, label %48, !dbg !40

44:                                               ; preds = %24
  %45 = fcmp ogt float %38, 0.000000e+00, !dbg !41
  %46 = select i1 %45, i1 %40, i1 false, !dbg !38
  br i1 %46, label %47, label %48, !dbg !38

47:                                               ; preds = %41, %44
  br label %48, !dbg !42

48:                                               ; preds = %47, %44, %41
  %49 = phi i32 [ %29, %47 ], [ %27, %41 ], [ %27, %44 ], !dbg !14
  %50 = phi float [ %36, %47 ], [ %25, %41 ], [ %25, %44 ], !dbg !14
  %51 = fcmp olt float %36, %26
  br i1 %39, label %52, label %55, !dbg !43

52:                                               ; preds = %48
  %53 = fcmp ogt float %38, 0.000000e+00, !dbg !44
  %54 = select i1 %53, i1 %51, i1 false, !dbg !45
  br i1 %54, label %58, label %59, !dbg !45

55:                                               ; preds = %48
  %56 = fcmp olt float %38, %8, !dbg !46
  %57 = select i1 %56, i1 %51, i1 false, !dbg !43
  br i1 %57, label %58, label %59, !dbg !43

58:                                               ; preds = %52, %55
  br label %59, !dbg !47

59:                                               ; preds = %58, %55, %52
  %60 = phi i32 [ %29, %58 ], [ %28, %52 ], [ %28, %55 ], !dbg !14
  %61 = phi float [ %36, %58 ], [ %26, %52 ], [ %26, %55 ], !dbg !14
  %62 = add nuw nsw i32 %29, %12, !dbg !48
  %63 = icmp slt i32 %62, %6, !dbg !12
  br i1 %63, label %24, label %13, !dbg !13, !llvm.loop !49

64:                                               ; preds = %88, %13
  %65 = icmp eq i32 %10, 0, !dbg !52
  br i1 %65, label %90, label %190, !dbg !53

66:                                               ; preds = %13, %88
  %67 = phi i32 [ %68, %88 ], [ %12, %13 ]
  %68 = lshr i32 %67, 1, !dbg !54
  %69 = icmp ult i32 %10, %68, !dbg !55
  br i1 %69, label %70, label %88, !dbg !56

70:                                               ; preds = %66
  %71 = add nuw nsw i32 %68, %10, !dbg !57
  %72 = zext nneg i32 %71 to i64, !dbg !58
  %73 = getelementptr inbounds [128 x float], ptr addrspace(3) @smo_select.high, i64 0, i64 %72, !dbg !58
  %74 = load float, ptr addrspace(3) %73, align 4, !dbg !58, !tbaa !17
  %75 = load float, ptr addrspace(3) %19, align 4, !dbg !59, !tbaa !17
  %76 = fcmp ogt float %74, %75, !dbg !60
  br i1 %76, label %77, label %80, !dbg !58

77:                                               ; preds = %70
  %78 = getelementptr inbounds [128 x i32], ptr addrspace(3) @smo_select.high_at, i64 0, i64 %72
  store float %74, ptr addrspace(3) %19, align 4, !dbg !61, !tbaa !17
  %79 = load i32, ptr addrspace(3) %78, align 4, !dbg !62, !tbaa !23
  store i32 %79, ptr addrspace(3) %20, align 4, !dbg !63, !tbaa !23
  br label %80, !dbg !64

80:                                               ; preds = %77, %70
  %81 = getelementptr inbounds [128 x float], ptr addrspace(3) @smo_select.low, i64 0, i64 %72, !dbg !65
  %82 = load float, ptr addrspace(3) %81, align 4, !dbg !65, !tbaa !17
  %83 = load float, ptr addrspace(3) %21, align 4, !dbg !66, !tbaa !17
  %84 = fcmp olt float %82, %83, !dbg !67
  br i1 %84, label %85, label %88, !dbg !65

85:                                               ; preds = %80
  %86 = getelementptr inbounds [128 x i32], ptr addrspace(3) @smo_select.low_at, i64 0, i64 %72
  store float %82, ptr addrspace(3) %21, align 4, !dbg !68, !tbaa !17
  %87 = load i32, ptr addrspace(3) %86, align 4, !dbg !69, !tbaa !23
  store i32 %87, ptr addrspace(3) %22, align 4, !dbg !70, !tbaa !23
  br label %88, !dbg !71

88:                                               ; preds = %80, %85, %66
  tail call void @llvm.nvvm.barrier0(), !dbg !72
  %89 = icmp ult i32 %67, 4, !dbg !30
  br i1 %89, label %64, label %66, !dbg !31, !llvm.loop !73

90:                                               ; preds = %64
  %91 = load i32, ptr addrspace(3) @smo_select.high_at, align 4, !dbg !75, !tbaa !23
  %92 = load i32, ptr addrspace(3) @smo_select.low_at, align 4, !dbg !76, !tbaa !23
  %93 = icmp sgt i32 %7, 0, !dbg !77
  br i1 %93, label %94, label %117, !dbg !78

94:                                               ; preds = %90
  %95 = and i32 %7, 1, !dbg !78
  %96 = icmp eq i32 %7, 1, !dbg !78
  br i1 %96, label %99, label %97, !dbg !78

97:                                               ; preds = %94
  %98 = and i32 %7, 2147483646, !dbg !78
  br label %158, !dbg !78

99:                                               ; preds = %158, %94
  %100 = phi float [ poison, %94 ], [ %186, %158 ]
  %101 = phi i32 [ 0, %94 ], [ %187, %158 ]
  %102 = phi float [ 0.000000e+00, %94 ], [ %186, %158 ]
  %103 = icmp eq i32 %95, 0, !dbg !78
  br i1 %103, label %117, label %104, !dbg !78

104:                                              ; preds = %99
  %105 = mul nsw i32 %101, %6, !dbg !79
  %106 = add nsw i32 %105, %91, !dbg !80
  %107 = sext i32 %106 to i64, !dbg !81
  %108 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %107, !dbg !81
  %109 = load float, ptr addrspace(1) %108, align 4, !dbg !81, !tbaa !17
  %110 = add nsw i32 %105, %92, !dbg !82
  %111 = sext i32 %110 to i64, !dbg !83
  %112 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %111, !dbg !83
  %113 = load float, ptr addrspace(1) %112, align 4, !dbg !83, !tbaa !17
  %114 = fsub float %109, %113, !dbg !84
  %115 = fmul float %114, %114, !dbg !85
  %116 = fadd float %102, %115, !dbg !86
  br label %117, !dbg !87

117:                                              ; preds = %104, %99, %90
  %118 = phi float [ 0.000000e+00, %90 ], [ %100, %99 ], [ %116, %104 ], !dbg !14
  %119 = sext i32 %91 to i64, !dbg !87
  %120 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %119, !dbg !87
  %121 = load float, ptr addrspace(1) %120, align 4, !dbg !87, !tbaa !17
  %122 = fcmp ogt float %121, 0.000000e+00, !dbg !88
  %123 = getelementptr inbounds float, ptr addrspace(1) %3, i64 %119, !dbg !89
  %124 = load float, ptr addrspace(1) %123, align 4, !dbg !89, !tbaa !17
  %125 = fsub float %8, %124, !dbg !87
  %126 = select i1 %122, float %125, float %124, !dbg !87
  %127 = sext i32 %92 to i64, !dbg !90
  %128 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %127, !dbg !90
  %129 = load float, ptr addrspace(1) %128, align 4, !dbg !90, !tbaa !17
  %130 = fcmp ogt float %129, 0.000000e+00, !dbg !91
  %131 = getelementptr inbounds float, ptr addrspace(1) %3, i64 %127, !dbg !92
  %132 = load float, ptr addrspace(1) %131, align 4, !dbg !92, !tbaa !17
  %133 = fsub float %8, %132, !dbg !90
  %134 = select i1 %130, float %132, float %133, !dbg !90
  %135 = load float, ptr addrspace(3) @smo_select.high, align 4, !dbg !93, !tbaa !17
  %136 = load float, ptr addrspace(3) @smo_select.low, align 4, !dbg !94, !tbaa !17
  %137 = fsub float %135, %136, !dbg !95
  %138 = fcmp ogt float %118, 0x3EB0C6F7A0000000, !dbg !96
  %139 = select i1 %138, float %118, float 0x3EB0C6F7A0000000, !dbg !97
  %140 = fdiv float %137, %139, !dbg !98
  %141 = fcmp ogt float %140, %126, !dbg !99
  %142 = select i1 %141, float %126, float %140, !dbg !100
  %143 = fcmp ogt float %142, %134, !dbg !101
  %144 = select i1 %143, float %134, float %142, !dbg !102
  %145 = fcmp olt float %144, 0.000000e+00, !dbg !103
  %146 = select i1 %145, float 0.000000e+00, float %144, !dbg !104
  %147 = fmul float %121, %146, !dbg !105
  %148 = getelementptr inbounds float, ptr addrspace(1) %3, i64 %119, !dbg !106
  %149 = fadd float %124, %147, !dbg !107
  store float %149, ptr addrspace(1) %148, align 4, !dbg !107, !tbaa !17
  %150 = load float, ptr addrspace(1) %128, align 4, !dbg !108, !tbaa !17
  %151 = fmul float %150, %146, !dbg !109
  %152 = getelementptr inbounds float, ptr addrspace(1) %3, i64 %127, !dbg !110
  %153 = load float, ptr addrspace(1) %152, align 4, !dbg !111, !tbaa !17
  %154 = fsub float %153, %151, !dbg !111
  store float %154, ptr addrspace(1) %152, align 4, !dbg !111, !tbaa !17
  store i32 %91, ptr addrspace(1) %4, align 4, !dbg !112, !tbaa !23
  %155 = getelementptr inbounds i8, ptr addrspace(1) %4, i64 4, !dbg !113
  store i32 %92, ptr addrspace(1) %155, align 4, !dbg !114, !tbaa !23
  store float %146, ptr addrspace(1) %5, align 4, !dbg !115, !tbaa !17
  %156 = fneg float %146, !dbg !116
  %157 = getelementptr inbounds i8, ptr addrspace(1) %5, i64 4, !dbg !117
  store float %156, ptr addrspace(1) %157, align 4, !dbg !118, !tbaa !17
  br label %190, !dbg !119

158:                                              ; preds = %158, %97
  %159 = phi i32 [ 0, %97 ], [ %187, %158 ]
  %160 = phi float [ 0.000000e+00, %97 ], [ %186, %158 ]
  %161 = phi i32 [ 0, %97 ], [ %188, %158 ]
  %162 = mul nsw i32 %159, %6, !dbg !79
  %163 = add nsw i32 %162, %91, !dbg !80
  %164 = sext i32 %163 to i64, !dbg !81
  %165 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %164, !dbg !81
  %166 = load float, ptr addrspace(1) %165, align 4, !dbg !81, !tbaa !17
  %167 = add nsw i32 %162, %92, !dbg !82
  %168 = sext i32 %167 to i64, !dbg !83
  %169 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %168, !dbg !83
  %170 = load float, ptr addrspace(1) %169, align 4, !dbg !83, !tbaa !17
  %171 = fsub float %166, %170, !dbg !84
  %172 = fmul float %171, %171, !dbg !85
  %173 = fadd float %160, %172, !dbg !86
  %174 = or disjoint i32 %159, 1, !dbg !120
  %175 = mul nsw i32 %174, %6, !dbg !79
  %176 = add nsw i32 %175, %91, !dbg !80
  %177 = sext i32 %176 to i64, !dbg !81
  %178 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %177, !dbg !81
  %179 = load float, ptr addrspace(1) %178, align 4, !dbg !81, !tbaa !17
  %180 = add nsw i32 %175, %92, !dbg !82
  %181 = sext i32 %180 to i64, !dbg !83
  %182 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %181, !dbg !83
  %183 = load float, ptr addrspace(1) %182, align 4, !dbg !83, !tbaa !17
  %184 = fsub float %179, %183, !dbg !84
  %185 = fmul float %184, %184, !dbg !85
  %186 = fadd float %173, %185, !dbg !86
  %187 = add nuw nsw i32 %159, 2, !dbg !120
  %188 = add i32 %161, 2, !dbg !78
  %189 = icmp eq i32 %188, %98, !dbg !78
  br i1 %189, label %99, label %158, !dbg !78, !llvm.loop !121

190:                                              ; preds = %64, %117
  ret void, !dbg !119
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier0() #2

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local void @smo_update(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef %2, ptr addrspace(1) nocapture noundef readonly %3, ptr addrspace(1) nocapture noundef readonly %4, i32 noundef %5, i32 noundef %6) local_unnamed_addr #3 !dbg !123 {
  %8 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !124
  %9 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !125
  %10 = mul nuw nsw i32 %8, %9, !dbg !126
  %11 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !127
  %12 = add nuw nsw i32 %10, %11, !dbg !128
  %13 = icmp slt i32 %12, %5, !dbg !129
  br i1 %13, label %14, label %59, !dbg !130

14:                                               ; preds = %7
  %15 = icmp sgt i32 %6, 0, !dbg !131
  br i1 %15, label %16, label %20, !dbg !132

16:                                               ; preds = %14
  %17 = load i32, ptr addrspace(1) %3, align 4, !tbaa !23
  %18 = getelementptr inbounds i8, ptr addrspace(1) %3, i64 4
  %19 = load i32, ptr addrspace(1) %18, align 4, !tbaa !23
  br label %36, !dbg !132

20:                                               ; preds = %36, %14
  %21 = phi float [ 0.000000e+00, %14 ], [ %56, %36 ], !dbg !133
  %22 = phi float [ 0.000000e+00, %14 ], [ %50, %36 ], !dbg !133
  %23 = zext nneg i32 %12 to i64, !dbg !134
  %24 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %23, !dbg !134
  %25 = load float, ptr addrspace(1) %24, align 4, !dbg !134, !tbaa !17
  %26 = load float, ptr addrspace(1) %4, align 4, !dbg !135, !tbaa !17
  %27 = fmul float %22, %26, !dbg !136
  %28 = getelementptr inbounds i8, ptr addrspace(1) %4, i64 4, !dbg !137
  %29 = load float, ptr addrspace(1) %28, align 4, !dbg !137, !tbaa !17
  %30 = fmul float %21, %29, !dbg !138
  %31 = fadd float %27, %30, !dbg !139
  %32 = fmul float %25, %31, !dbg !140
  %33 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %23, !dbg !141
  %34 = load float, ptr addrspace(1) %33, align 4, !dbg !142, !tbaa !17
  %35 = fadd float %34, %32, !dbg !142
  store float %35, ptr addrspace(1) %33, align 4, !dbg !142, !tbaa !17
  br label %59, !dbg !143

36:                                               ; preds = %16, %36
  %37 = phi float [ 0.000000e+00, %16 ], [ %50, %36 ]
  %38 = phi i32 [ 0, %16 ], [ %57, %36 ]
  %39 = phi float [ 0.000000e+00, %16 ], [ %56, %36 ]
  %40 = mul nsw i32 %38, %5, !dbg !144
  %41 = add nsw i32 %40, %12, !dbg !145
  %42 = sext i32 %41 to i64, !dbg !146
  %43 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %42, !dbg !146
  %44 = load float, ptr addrspace(1) %43, align 4, !dbg !146, !tbaa !17
  %45 = add nsw i32 %17, %40, !dbg !147
  %46 = sext i32 %45 to i64, !dbg !148
  %47 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %46, !dbg !148
  %48 = load float, ptr addrspace(1) %47, align 4, !dbg !148, !tbaa !17
  %49 = fmul float %44, %48, !dbg !149
  %50 = fadd float %37, %49, !dbg !150
  %51 = add nsw i32 %19, %40, !dbg !151
  %52 = sext i32 %51 to i64, !dbg !152
  %53 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %52, !dbg !152
  %54 = load float, ptr addrspace(1) %53, align 4, !dbg !152, !tbaa !17
  %55 = fmul float %44, %54, !dbg !153
  %56 = fadd float %39, %55, !dbg !154
  %57 = add nuw nsw i32 %38, 1, !dbg !155
  %58 = icmp eq i32 %57, %6, !dbg !131
  br i1 %58, label %20, label %36, !dbg !132, !llvm.loop !156

59:                                               ; preds = %7, %20
  ret void, !dbg !143
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

attributes #0 = { norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2, !3}
!llvm.module.flags = !{!4, !5, !6, !7}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "smo.c", directory: ".")
!2 = !{ptr @smo_select, !"kernel", i32 1}
!3 = !{ptr @smo_update, !"kernel", i32 1}
!4 = !{i32 7, !"Dwarf Version", i32 2}
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = !{i32 1, !"wchar_size", i32 4}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = distinct !DISubprogram(name: "smo_select", scope: !1, file: !1, line: 14, type: !9, scopeLine: 17, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!9 = !DISubroutineType(types: !10)
!10 = !{}
!11 = !DILocation(line: 22, column: 19, scope: !8)
!12 = !DILocation(line: 26, column: 23, scope: !8)
!13 = !DILocation(line: 26, column: 5, scope: !8)
!14 = !DILocation(line: 0, scope: !8)
!15 = !DILocation(line: 39, column: 5, scope: !8)
!16 = !DILocation(line: 39, column: 13, scope: !8)
!17 = !{!18, !18, i64 0}
!18 = !{!"float", !19, i64 0}
!19 = !{!"omnipotent char", !20, i64 0}
!20 = !{!"Simple C/C++ TBAA"}
!21 = !DILocation(line: 40, column: 5, scope: !8)
!22 = !DILocation(line: 40, column: 16, scope: !8)
!23 = !{!24, !24, i64 0}
!24 = !{!"int", !19, i64 0}
!25 = !DILocation(line: 41, column: 5, scope: !8)
!26 = !DILocation(line: 41, column: 12, scope: !8)
!27 = !DILocation(line: 42, column: 5, scope: !8)
!28 = !DILocation(line: 42, column: 15, scope: !8)
!29 = !DILocation(line: 43, column: 5, scope: !8)
!30 = !DILocation(line: 44, column: 47, scope: !8)
!31 = !DILocation(line: 44, column: 5, scope: !8)
!32 = !DILocation(line: 27, column: 30, scope: !8)
!33 = !DILocation(line: 27, column: 29, scope: !8)
!34 = !DILocation(line: 27, column: 41, scope: !8)
!35 = !DILocation(line: 27, column: 39, scope: !8)
!36 = !DILocation(line: 28, column: 25, scope: !8)
!37 = !DILocation(line: 30, column: 23, scope: !8)
!38 = !DILocation(line: 30, column: 48, scope: !8)
!39 = !DILocation(line: 30, column: 31, scope: !8)
!40 = !DILocation(line: 30, column: 14, scope: !8)
!41 = !DILocation(line: 30, column: 43, scope: !8)
!42 = !DILocation(line: 33, column: 9, scope: !8)
!43 = !DILocation(line: 34, column: 48, scope: !8)
!44 = !DILocation(line: 34, column: 31, scope: !8)
!45 = !DILocation(line: 34, column: 14, scope: !8)
!46 = !DILocation(line: 34, column: 39, scope: !8)
!47 = !DILocation(line: 37, column: 9, scope: !8)
!48 = !DILocation(line: 26, column: 34, scope: !8)
!49 = distinct !{!49, !13, !50, !51}
!50 = !DILocation(line: 38, column: 5, scope: !8)
!51 = !{!"llvm.loop.mustprogress"}
!52 = !DILocation(line: 57, column: 11, scope: !8)
!53 = !DILocation(line: 57, column: 9, scope: !8)
!54 = !DILocation(line: 44, scope: !8)
!55 = !DILocation(line: 45, column: 15, scope: !8)
!56 = !DILocation(line: 45, column: 13, scope: !8)
!57 = !DILocation(line: 46, column: 24, scope: !8)
!58 = !DILocation(line: 46, column: 17, scope: !8)
!59 = !DILocation(line: 46, column: 35, scope: !8)
!60 = !DILocation(line: 46, column: 33, scope: !8)
!61 = !DILocation(line: 47, column: 25, scope: !8)
!62 = !DILocation(line: 48, column: 30, scope: !8)
!63 = !DILocation(line: 48, column: 28, scope: !8)
!64 = !DILocation(line: 49, column: 13, scope: !8)
!65 = !DILocation(line: 50, column: 17, scope: !8)
!66 = !DILocation(line: 50, column: 34, scope: !8)
!67 = !DILocation(line: 50, column: 32, scope: !8)
!68 = !DILocation(line: 51, column: 24, scope: !8)
!69 = !DILocation(line: 52, column: 29, scope: !8)
!70 = !DILocation(line: 52, column: 27, scope: !8)
!71 = !DILocation(line: 53, column: 13, scope: !8)
!72 = !DILocation(line: 55, column: 9, scope: !8)
!73 = distinct !{!73, !31, !74, !51}
!74 = !DILocation(line: 56, column: 5, scope: !8)
!75 = !DILocation(line: 60, column: 19, scope: !8)
!76 = !DILocation(line: 60, column: 35, scope: !8)
!77 = !DILocation(line: 63, column: 35, scope: !8)
!78 = !DILocation(line: 63, column: 5, scope: !8)
!79 = !DILocation(line: 64, column: 49, scope: !8)
!80 = !DILocation(line: 64, column: 57, scope: !8)
!81 = !DILocation(line: 64, column: 34, scope: !8)
!82 = !DILocation(line: 64, column: 87, scope: !8)
!83 = !DILocation(line: 64, column: 64, scope: !8)
!84 = !DILocation(line: 64, column: 62, scope: !8)
!85 = !DILocation(line: 66, column: 33, scope: !8)
!86 = !DILocation(line: 66, column: 19, scope: !8)
!87 = !DILocation(line: 69, column: 26, scope: !8)
!88 = !DILocation(line: 69, column: 35, scope: !8)
!89 = !DILocation(line: 69, scope: !8)
!90 = !DILocation(line: 70, column: 26, scope: !8)
!91 = !DILocation(line: 70, column: 35, scope: !8)
!92 = !DILocation(line: 70, scope: !8)
!93 = !DILocation(line: 71, column: 21, scope: !8)
!94 = !DILocation(line: 71, column: 31, scope: !8)
!95 = !DILocation(line: 71, column: 29, scope: !8)
!96 = !DILocation(line: 71, column: 52, scope: !8)
!97 = !DILocation(line: 71, column: 42, scope: !8)
!98 = !DILocation(line: 71, column: 39, scope: !8)
!99 = !DILocation(line: 73, column: 16, scope: !8)
!100 = !DILocation(line: 73, column: 9, scope: !8)
!101 = !DILocation(line: 75, column: 16, scope: !8)
!102 = !DILocation(line: 75, column: 9, scope: !8)
!103 = !DILocation(line: 77, column: 16, scope: !8)
!104 = !DILocation(line: 77, column: 9, scope: !8)
!105 = !DILocation(line: 79, column: 31, scope: !8)
!106 = !DILocation(line: 79, column: 5, scope: !8)
!107 = !DILocation(line: 79, column: 19, scope: !8)
!108 = !DILocation(line: 80, column: 22, scope: !8)
!109 = !DILocation(line: 80, column: 31, scope: !8)
!110 = !DILocation(line: 80, column: 5, scope: !8)
!111 = !DILocation(line: 80, column: 19, scope: !8)
!112 = !DILocation(line: 81, column: 13, scope: !8)
!113 = !DILocation(line: 82, column: 5, scope: !8)
!114 = !DILocation(line: 82, column: 13, scope: !8)
!115 = !DILocation(line: 83, column: 13, scope: !8)
!116 = !DILocation(line: 84, column: 15, scope: !8)
!117 = !DILocation(line: 84, column: 5, scope: !8)
!118 = !DILocation(line: 84, column: 13, scope: !8)
!119 = !DILocation(line: 85, column: 1, scope: !8)
!120 = !DILocation(line: 63, column: 54, scope: !8)
!121 = distinct !{!121, !78, !122, !51}
!122 = !DILocation(line: 67, column: 5, scope: !8)
!123 = distinct !DISubprogram(name: "smo_update", scope: !1, file: !1, line: 87, type: !9, scopeLine: 89, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!124 = !DILocation(line: 90, column: 23, scope: !123)
!125 = !DILocation(line: 90, column: 34, scope: !123)
!126 = !DILocation(line: 90, column: 32, scope: !123)
!127 = !DILocation(line: 90, column: 50, scope: !123)
!128 = !DILocation(line: 90, column: 48, scope: !123)
!129 = !DILocation(line: 93, column: 15, scope: !123)
!130 = !DILocation(line: 93, column: 9, scope: !123)
!131 = !DILocation(line: 95, column: 35, scope: !123)
!132 = !DILocation(line: 95, column: 5, scope: !123)
!133 = !DILocation(line: 0, scope: !123)
!134 = !DILocation(line: 101, column: 24, scope: !123)
!135 = !DILocation(line: 101, column: 40, scope: !123)
!136 = !DILocation(line: 101, column: 48, scope: !123)
!137 = !DILocation(line: 101, column: 58, scope: !123)
!138 = !DILocation(line: 101, column: 66, scope: !123)
!139 = !DILocation(line: 101, column: 56, scope: !123)
!140 = !DILocation(line: 101, column: 37, scope: !123)
!141 = !DILocation(line: 101, column: 5, scope: !123)
!142 = !DILocation(line: 101, column: 21, scope: !123)
!143 = !DILocation(line: 102, column: 1, scope: !123)
!144 = !DILocation(line: 96, column: 44, scope: !123)
!145 = !DILocation(line: 96, column: 52, scope: !123)
!146 = !DILocation(line: 96, column: 29, scope: !123)
!147 = !DILocation(line: 98, column: 41, scope: !123)
!148 = !DILocation(line: 98, column: 18, scope: !123)
!149 = !DILocation(line: 98, column: 52, scope: !123)
!150 = !DILocation(line: 98, column: 15, scope: !123)
!151 = !DILocation(line: 99, column: 42, scope: !123)
!152 = !DILocation(line: 99, column: 19, scope: !123)
!153 = !DILocation(line: 99, column: 53, scope: !123)
!154 = !DILocation(line: 99, column: 16, scope: !123)
!155 = !DILocation(line: 95, column: 54, scope: !123)
!156 = distinct !{!156, !132, !157, !51}
!157 = !DILocation(line: 100, column: 5, scope: !123)
