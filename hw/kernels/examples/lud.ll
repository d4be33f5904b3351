; ModuleID = 'lud.c'
source_filename = "lud.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@lud_diagonal.tile = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@lud_perimeter.tile = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@lud_perimeter.in_row = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@lud_perimeter.in_column = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@lud_internal.in_row = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@lud_internal.in_column = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @lud_diagonal(ptr addrspace(1) nocapture noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 !dbg !9 {
  %4 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !12
  %5 = add i32 %4, %2
  %6 = zext nneg i32 %4 to i64
  br label %8, !dbg !13

7:                                                ; preds = %8
  tail call void @llvm.nvvm.barrier0(), !dbg !14
  br label %29, !dbg !15

8:                                                ; preds = %8, %3
  %9 = phi i32 [ 0, %3 ], [ %27, %8 ]
  %10 = add nsw i32 %9, %2, !dbg !16
  %11 = mul nsw i32 %10, %1, !dbg !17
  %12 = add i32 %5, %11, !dbg !18
  %13 = sext i32 %12 to i64, !dbg !19
  %14 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %13, !dbg !19
  %15 = load float, ptr addrspace(1) %14, align 4, !dbg !19, !tbaa !20
  %16 = zext nneg i32 %9 to i64, !dbg !24
  %17 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_diagonal.tile, i64 0, i64 %16, i64 %6, !dbg !24
  store float %15, ptr addrspace(3) %17, align 4, !dbg !25, !tbaa !20
  %18 = or disjoint i32 %9, 1, !dbg !26
  %19 = add nsw i32 %18, %2, !dbg !16
  %20 = mul nsw i32 %19, %1, !dbg !17
  %21 = add i32 %5, %20, !dbg !18
  %22 = sext i32 %21 to i64, !dbg !19
  %23 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %22, !dbg !19
  %24 = load float, ptr addrspace(1) %23, align 4, !dbg !19, !tbaa !20
  %25 = zext nneg i32 %18 to i64, !dbg !24
  %26 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_diagonal.tile, i64 0, i64 %25, i64 %6, !dbg !24
  store float %24, ptr addrspace(3) %26, align 4, !dbg !25, !tbaa !20
  %27 = add nuw nsw i32 %9, 2, !dbg !26
  %28 = icmp eq i32 %27, 16, !dbg !27
  br i1 %28, label %7, label %8, !dbg !13, !llvm.loop !28

29:                                               ; preds = %7, %55
  %30 = phi i32 [ 0, %7 ], [ %56, %55 ]
  %31 = icmp ugt i32 %4, %30, !dbg !31
  br i1 %31, label %32, label %39, !dbg !32

32:                                               ; preds = %29
  %33 = zext nneg i32 %30 to i64
  %34 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_diagonal.tile, i64 0, i64 %6, i64 %33
  %35 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_diagonal.tile, i64 0, i64 %33, i64 %33
  %36 = load float, ptr addrspace(3) %35, align 4, !dbg !33, !tbaa !20
  %37 = load float, ptr addrspace(3) %34, align 4, !dbg !34, !tbaa !20
  %38 = fdiv float %37, %36, !dbg !34
  store float %38, ptr addrspace(3) %34, align 4, !dbg !34, !tbaa !20
  br label %39, !dbg !35

39:                                               ; preds = %32, %29
  tail call void @llvm.nvvm.barrier0(), !dbg !36
  br i1 %31, label %40, label %55, !dbg !37

40:                                               ; preds = %39
  %41 = zext nneg i32 %30 to i64
  %42 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_diagonal.tile, i64 0, i64 %6, i64 %41
  br label %43, !dbg !38

43:                                               ; preds = %40, %43
  %44 = phi i32 [ %30, %40 ], [ %45, %43 ]
  %45 = add nuw nsw i32 %44, 1, !dbg !39
  %46 = load float, ptr addrspace(3) %42, align 4, !dbg !40, !tbaa !20
  %47 = zext nneg i32 %45 to i64, !dbg !41
  %48 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_diagonal.tile, i64 0, i64 %41, i64 %47, !dbg !41
  %49 = load float, ptr addrspace(3) %48, align 4, !dbg !41, !tbaa !20
  %50 = fmul float %46, %49, !dbg !42
  %51 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_diagonal.tile, i64 0, i64 %6, i64 %47, !dbg !43
  %52 = load float, ptr addrspace(3) %51, align 4, !dbg !44, !tbaa !20
  %53 = fsub float %52, %50, !dbg !44
  store float %53, ptr addrspace(3) %51, align 4, !dbg !44, !tbaa !20
  %54 = icmp eq i32 %45, 15, !dbg !45
  br i1 %54, label %55, label %43, !dbg !38, !llvm.loop !46

55:                                               ; preds = %43, %39
  tail call void @llvm.nvvm.barrier0(), !dbg !49
  %56 = add nuw nsw i32 %30, 1, !dbg !50
  %57 = icmp eq i32 %56, 15, !dbg !51
  br i1 %57, label %59, label %29, !dbg !15, !llvm.loop !52

58:                                               ; preds = %59
  ret void, !dbg !54

59:                                               ; preds = %55, %59
  %60 = phi i32 [ %78, %59 ], [ 0, %55 ]
  %61 = zext nneg i32 %60 to i64, !dbg !55
  %62 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_diagonal.tile, i64 0, i64 %61, i64 %6, !dbg !55
  %63 = load float, ptr addrspace(3) %62, align 4, !dbg !55, !tbaa !20
  %64 = add nsw i32 %60, %2, !dbg !56
  %65 = mul nsw i32 %64, %1, !dbg !57
  %66 = add i32 %5, %65, !dbg !58
  %67 = sext i32 %66 to i64, !dbg !59
  %68 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %67, !dbg !59
  store float %63, ptr addrspace(1) %68, align 4, !dbg !60, !tbaa !20
  %69 = or disjoint i32 %60, 1, !dbg !61
  %70 = zext nneg i32 %69 to i64, !dbg !55
  %71 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_diagonal.tile, i64 0, i64 %70, i64 %6, !dbg !55
  %72 = load float, ptr addrspace(3) %71, align 4, !dbg !55, !tbaa !20
  %73 = add nsw i32 %69, %2, !dbg !56
  %74 = mul nsw i32 %73, %1, !dbg !57
  %75 = add i32 %5, %74, !dbg !58
  %76 = sext i32 %75 to i64, !dbg !59
  %77 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %76, !dbg !59
  store float %72, ptr addrspace(1) %77, align 4, !dbg !60, !tbaa !20
  %78 = add nuw nsw i32 %60, 2, !dbg !61
  %79 = icmp eq i32 %78, 16, !dbg !62
  br i1 %79, label %58, label %59, !dbg !63, !llvm.loop !64
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier0() #2

; Function Attrs: norecurse nounwind
define dso_local void @lud_perimeter(ptr addrspace(1) nocapture noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 !dbg !66 {
  %4 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !67
  %5 = icmp ult i32 %4, 16, !dbg !68
  %6 = add nsw i32 %4, -16, !dbg !69
  %7 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !70
  %8 = shl i32 %7, 4, !dbg !71
  %9 = add i32 %8, 16, !dbg !71
  %10 = add nsw i32 %9, %2, !dbg !72
  %11 = add i32 %6, %2
  %12 = sext i32 %6 to i64
  %13 = add i32 %4, %2
  %14 = zext nneg i32 %4 to i64
  %15 = add i32 %10, %4
  br label %21, !dbg !73

16:                                               ; preds = %45
  tail call void @llvm.nvvm.barrier0(), !dbg !74
  br i1 %5, label %19, label %17, !dbg !75

17:                                               ; preds = %16
  %18 = sext i32 %6 to i64
  br label %68, !dbg !76

19:                                               ; preds = %16
  %20 = zext nneg i32 %4 to i64
  br label %48, !dbg !77

21:                                               ; preds = %3, %45
  %22 = phi i32 [ 0, %3 ], [ %46, %45 ]
  %23 = zext nneg i32 %22 to i64, !dbg !78
  br i1 %5, label %24, label %37, !dbg !79

24:                                               ; preds = %21
  %25 = add nsw i32 %22, %2, !dbg !80
  %26 = mul nsw i32 %25, %1, !dbg !81
  %27 = add i32 %13, %26, !dbg !82
  %28 = sext i32 %27 to i64, !dbg !83
  %29 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %28, !dbg !83
  %30 = load float, ptr addrspace(1) %29, align 4, !dbg !83, !tbaa !20
  %31 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.tile, i64 0, i64 %23, i64 %14, !dbg !84
  store float %30, ptr addrspace(3) %31, align 4, !dbg !85, !tbaa !20
  %32 = add i32 %15, %26, !dbg !86
  %33 = sext i32 %32 to i64, !dbg !87
  %34 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %33, !dbg !87
  %35 = load float, ptr addrspace(1) %34, align 4, !dbg !87, !tbaa !20
  %36 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.in_row, i64 0, i64 %23, i64 %14, !dbg !88
  store float %35, ptr addrspace(3) %36, align 4, !dbg !89, !tbaa !20
  br label %45, !dbg !90

37:                                               ; preds = %21
  %38 = add nsw i32 %22, %10, !dbg !91
  %39 = mul nsw i32 %38, %1, !dbg !92
  %40 = add i32 %11, %39, !dbg !93
  %41 = sext i32 %40 to i64, !dbg !94
  %42 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %41, !dbg !94
  %43 = load float, ptr addrspace(1) %42, align 4, !dbg !94, !tbaa !20
  %44 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.in_column, i64 0, i64 %23, i64 %12, !dbg !95
  store float %43, ptr addrspace(3) %44, align 4, !dbg !96, !tbaa !20
  br label %45

45:                                               ; preds = %24, %37
  %46 = add nuw nsw i32 %22, 1, !dbg !97
  %47 = icmp eq i32 %46, 16, !dbg !98
  br i1 %47, label %16, label %21, !dbg !73, !llvm.loop !99

48:                                               ; preds = %19, %53
  %49 = phi i32 [ 1, %19 ], [ %54, %53 ]
  %50 = zext nneg i32 %49 to i64, !dbg !101
  %51 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.in_row, i64 0, i64 %50, i64 %20, !dbg !101
  %52 = load float, ptr addrspace(3) %51, align 4, !dbg !101, !tbaa !20
  br label %56, !dbg !102

53:                                               ; preds = %56
  store float %65, ptr addrspace(3) %51, align 4, !dbg !103, !tbaa !20
  %54 = add nuw nsw i32 %49, 1, !dbg !104
  %55 = icmp eq i32 %54, 16, !dbg !105
  br i1 %55, label %93, label %48, !dbg !77, !llvm.loop !106

56:                                               ; preds = %48, %56
  %57 = phi i32 [ 0, %48 ], [ %66, %56 ]
  %58 = phi float [ %52, %48 ], [ %65, %56 ]
  %59 = zext nneg i32 %57 to i64, !dbg !108
  %60 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.tile, i64 0, i64 %50, i64 %59, !dbg !108
  %61 = load float, ptr addrspace(3) %60, align 4, !dbg !108, !tbaa !20
  %62 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.in_row, i64 0, i64 %59, i64 %20, !dbg !109
  %63 = load float, ptr addrspace(3) %62, align 4, !dbg !109, !tbaa !20
  %64 = fmul float %61, %63, !dbg !110
  %65 = fsub float %58, %64, !dbg !111
  %66 = add nuw nsw i32 %57, 1, !dbg !112
  %67 = icmp eq i32 %66, %49, !dbg !113
  br i1 %67, label %53, label %56, !dbg !102, !llvm.loop !114

68:                                               ; preds = %17, %74
  %69 = phi i32 [ 0, %17 ], [ %79, %74 ]
  %70 = zext nneg i32 %69 to i64, !dbg !116
  %71 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.in_column, i64 0, i64 %18, i64 %70, !dbg !116
  %72 = load float, ptr addrspace(3) %71, align 4, !dbg !116, !tbaa !20
  %73 = icmp eq i32 %69, 0, !dbg !117
  br i1 %73, label %74, label %81, !dbg !118

74:                                               ; preds = %81, %68
  %75 = phi float [ %72, %68 ], [ %90, %81 ], !dbg !78
  %76 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.tile, i64 0, i64 %70, i64 %70, !dbg !119
  %77 = load float, ptr addrspace(3) %76, align 4, !dbg !119, !tbaa !20
  %78 = fdiv float %75, %77, !dbg !120
  store float %78, ptr addrspace(3) %71, align 4, !dbg !121, !tbaa !20
  %79 = add nuw nsw i32 %69, 1, !dbg !122
  %80 = icmp eq i32 %79, 16, !dbg !123
  br i1 %80, label %93, label %68, !dbg !76, !llvm.loop !124

81:                                               ; preds = %68, %81
  %82 = phi i32 [ %91, %81 ], [ 0, %68 ]
  %83 = phi float [ %90, %81 ], [ %72, %68 ]
  %84 = zext nneg i32 %82 to i64, !dbg !126
  %85 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.in_column, i64 0, i64 %18, i64 %84, !dbg !126
  %86 = load float, ptr addrspace(3) %85, align 4, !dbg !126, !tbaa !20
  %87 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.tile, i64 0, i64 %84, i64 %70, !dbg !127
  %88 = load float, ptr addrspace(3) %87, align 4, !dbg !127, !tbaa !20
  %89 = fmul float %86, %88, !dbg !128
  %90 = fsub float %83, %89, !dbg !129
  %91 = add nuw nsw i32 %82, 1, !dbg !130
  %92 = icmp eq i32 %91, %69, !dbg !117
  br i1 %92, label %74, label %81, !dbg !118, !llvm.loop !131

93:                                               ; preds = %74, %53
  tail call void @llvm.nvvm.barrier0(), !dbg !133
  %94 = select i1 %5, i32 %2, i32 %10
  %95 = select i1 %5, i32 %15, i32 %11
  %96 = select i1 %5, i32 %2, i32 %10
  %97 = select i1 %5, i32 %15, i32 %11
  br label %99, !dbg !134

98:                                               ; preds = %99
  ret void, !dbg !135

99:                                               ; preds = %99, %93
  %100 = phi i32 [ 0, %93 ], [ %122, %99 ]
  %101 = zext nneg i32 %100 to i64, !dbg !78
  %102 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.in_row, i64 0, i64 %101, i64 %14, !dbg !136
  %103 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.in_column, i64 0, i64 %101, i64 %12, !dbg !136
  %104 = select i1 %5, ptr addrspace(3) %102, ptr addrspace(3) %103, !dbg !136
  %105 = load float, ptr addrspace(3) %104, align 4, !dbg !78, !tbaa !20
  %106 = add nsw i32 %100, %94, !dbg !78
  %107 = mul nsw i32 %106, %1, !dbg !78
  %108 = add i32 %95, %107, !dbg !78
  %109 = sext i32 %108 to i64, !dbg !78
  %110 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %109, !dbg !78
  store float %105, ptr addrspace(1) %110, align 4, !dbg !78, !tbaa !20
  %111 = or disjoint i32 %100, 1, !dbg !137
  %112 = zext nneg i32 %111 to i64, !dbg !78
  %113 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.in_row, i64 0, i64 %112, i64 %14, !dbg !136
  %114 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_perimeter.in_column, i64 0, i64 %112, i64 %12, !dbg !136
  %115 = select i1 %5, ptr addrspace(3) %113, ptr addrspace(3) %114, !dbg !136
  %116 = load float, ptr addrspace(3) %115, align 4, !dbg !78, !tbaa !20
  %117 = add nsw i32 %111, %96, !dbg !78
  %118 = mul nsw i32 %117, %1, !dbg !78
  %119 = add i32 %97, %118, !dbg !78
  %120 = sext i32 %119 to i64, !dbg !78
  %121 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %120, !dbg !78
  store float %116, ptr addrspace(1) %121, align 4, !dbg !78, !tbaa !20
  %122 = add nuw nsw i32 %100, 2, !dbg !137
  %123 = icmp eq i32 %122, 16, !dbg !138
  br i1 %123, label %98, label %99, !dbg !134, !llvm.loop !139
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: norecurse nounwind
define dso_local void @lud_internal(ptr addrspace(1) nocapture noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 !dbg !141 {
  %4 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !142
  %5 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !143
  %6 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !144
  %7 = shl nuw nsw i32 %6, 4, !dbg !145
  %8 = add i32 %2, 16, !dbg !145
  %9 = add i32 %8, %5, !dbg !146
  %10 = add i32 %9, %7, !dbg !147
  %11 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !148
  %12 = shl i32 %11, 4, !dbg !149
  %13 = add i32 %8, %4, !dbg !150
  %14 = add i32 %13, %12, !dbg !151
  %15 = add nsw i32 %5, %2, !dbg !152
  %16 = mul nsw i32 %15, %1, !dbg !153
  %17 = add nsw i32 %16, %14, !dbg !154
  %18 = sext i32 %17 to i64, !dbg !155
  %19 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %18, !dbg !155
  %20 = load float, ptr addrspace(1) %19, align 4, !dbg !155, !tbaa !20
  %21 = zext nneg i32 %5 to i64, !dbg !156
  %22 = zext nneg i32 %4 to i64, !dbg !156
  %23 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_internal.in_row, i64 0, i64 %21, i64 %22, !dbg !156
  store float %20, ptr addrspace(3) %23, align 4, !dbg !157, !tbaa !20
  %24 = mul nsw i32 %10, %1, !dbg !158
  %25 = add i32 %4, %2, !dbg !159
  %26 = add i32 %25, %24, !dbg !160
  %27 = sext i32 %26 to i64, !dbg !161
  %28 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %27, !dbg !161
  %29 = load float, ptr addrspace(1) %28, align 4, !dbg !161, !tbaa !20
  %30 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_internal.in_column, i64 0, i64 %21, i64 %22, !dbg !162
  store float %29, ptr addrspace(3) %30, align 4, !dbg !163, !tbaa !20
  tail call void @llvm.nvvm.barrier0(), !dbg !164
  br label %37, !dbg !165

31:                                               ; preds = %37
  %32 = add nsw i32 %24, %14, !dbg !166
  %33 = sext i32 %32 to i64, !dbg !167
  %34 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %33, !dbg !167
  %35 = load float, ptr addrspace(1) %34, align 4, !dbg !168, !tbaa !20
  %36 = fsub float %35, %46, !dbg !168
  store float %36, ptr addrspace(1) %34, align 4, !dbg !168, !tbaa !20
  ret void, !dbg !169

37:                                               ; preds = %3, %37
  %38 = phi i32 [ 0, %3 ], [ %47, %37 ]
  %39 = phi float [ 0.000000e+00, %3 ], [ %46, %37 ]
  %40 = zext nneg i32 %38 to i64, !dbg !170
  %41 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_internal.in_column, i64 0, i64 %21, i64 %40, !dbg !170
  %42 = load float, ptr addrspace(3) %41, align 4, !dbg !170, !tbaa !20
  %43 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @lud_internal.in_row, i64 0, i64 %40, i64 %22, !dbg !171
  %44 = load float, ptr addrspace(3) %43, align 4, !dbg !171, !tbaa !20
  %45 = fmul float %42, %44, !dbg !172
  %46 = fadd float %39, %45, !dbg !173
  %47 = add nuw nsw i32 %38, 1, !dbg !174
  %48 = icmp eq i32 %47, 16, !dbg !175
  br i1 %48, label %31, label %37, !dbg !165, !llvm.loop !176
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

attributes #0 = { norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2, !3, !4}
!llvm.module.flags = !{!5, !6, !7, !8}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "lud.c", directory: ".")
!2 = !{ptr @lud_diagonal, !"kernel", i32 1}
!3 = !{ptr @lud_perimeter, !"kernel", i32 1}
!4 = !{ptr @lud_internal, !"kernel", i32 1}
!5 = !{i32 7, !"Dwarf Version", i32 2}
!6 = !{i32 2, !"Debug Info Version", i32 3}
!7 = !{i32 1, !"wchar_size", i32 4}
!8 = !{i32 7, !"frame-pointer", i32 2}
!9 = distinct !DISubprogram(name: "lud_diagonal", scope: !1, file: !1, line: 12, type: !10, scopeLine: 13, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!10 = !DISubroutineType(types: !11)
!11 = !{}
!12 = !DILocation(line: 15, column: 19, scope: !9)
!13 = !DILocation(line: 17, column: 5, scope: !9)
!14 = !DILocation(line: 19, column: 5, scope: !9)
!15 = !DILocation(line: 21, column: 5, scope: !9)
!16 = !DILocation(line: 18, column: 36, scope: !9)
!17 = !DILocation(line: 18, column: 41, scope: !9)
!18 = !DILocation(line: 18, column: 53, scope: !9)
!19 = !DILocation(line: 18, column: 22, scope: !9)
!20 = !{!21, !21, i64 0}
!21 = !{!"float", !22, i64 0}
!22 = !{!"omnipotent char", !23, i64 0}
!23 = !{!"Simple C/C++ TBAA"}
!24 = !DILocation(line: 18, column: 9, scope: !9)
!25 = !DILocation(line: 18, column: 20, scope: !9)
!26 = !DILocation(line: 17, column: 32, scope: !9)
!27 = !DILocation(line: 17, column: 23, scope: !9)
!28 = distinct !{!28, !13, !29, !30}
!29 = !DILocation(line: 18, column: 56, scope: !9)
!30 = !{!"llvm.loop.mustprogress"}
!31 = !DILocation(line: 22, column: 15, scope: !9)
!32 = !DILocation(line: 22, column: 13, scope: !9)
!33 = !DILocation(line: 23, column: 27, scope: !9)
!34 = !DILocation(line: 23, column: 24, scope: !9)
!35 = !DILocation(line: 23, column: 13, scope: !9)
!36 = !DILocation(line: 24, column: 9, scope: !9)
!37 = !DILocation(line: 25, column: 13, scope: !9)
!38 = !DILocation(line: 27, column: 13, scope: !9)
!39 = !DILocation(line: 27, scope: !9)
!40 = !DILocation(line: 28, column: 31, scope: !9)
!41 = !DILocation(line: 28, column: 44, scope: !9)
!42 = !DILocation(line: 28, column: 42, scope: !9)
!43 = !DILocation(line: 28, column: 17, scope: !9)
!44 = !DILocation(line: 28, column: 28, scope: !9)
!45 = !DILocation(line: 27, column: 35, scope: !9)
!46 = distinct !{!46, !38, !47, !30, !48}
!47 = !DILocation(line: 28, column: 53, scope: !9)
!48 = !{!"llvm.loop.unroll.disable"}
!49 = !DILocation(line: 30, column: 9, scope: !9)
!50 = !DILocation(line: 21, column: 36, scope: !9)
!51 = !DILocation(line: 21, column: 23, scope: !9)
!52 = distinct !{!52, !15, !53, !30, !48}
!53 = !DILocation(line: 31, column: 5, scope: !9)
!54 = !DILocation(line: 34, column: 1, scope: !9)
!55 = !DILocation(line: 33, column: 47, scope: !9)
!56 = !DILocation(line: 33, column: 23, scope: !9)
!57 = !DILocation(line: 33, column: 28, scope: !9)
!58 = !DILocation(line: 33, column: 40, scope: !9)
!59 = !DILocation(line: 33, column: 9, scope: !9)
!60 = !DILocation(line: 33, column: 45, scope: !9)
!61 = !DILocation(line: 32, column: 32, scope: !9)
!62 = !DILocation(line: 32, column: 23, scope: !9)
!63 = !DILocation(line: 32, column: 5, scope: !9)
!64 = distinct !{!64, !63, !65, !30}
!65 = !DILocation(line: 33, column: 56, scope: !9)
!66 = distinct !DISubprogram(name: "lud_perimeter", scope: !1, file: !1, line: 38, type: !10, scopeLine: 39, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!67 = !DILocation(line: 43, column: 23, scope: !66)
!68 = !DILocation(line: 43, column: 33, scope: !66)
!69 = !DILocation(line: 43, column: 45, scope: !66)
!70 = !DILocation(line: 44, column: 32, scope: !66)
!71 = !DILocation(line: 44, column: 46, scope: !66)
!72 = !DILocation(line: 44, column: 29, scope: !66)
!73 = !DILocation(line: 46, column: 5, scope: !66)
!74 = !DILocation(line: 54, column: 5, scope: !66)
!75 = !DILocation(line: 55, column: 9, scope: !66)
!76 = !DILocation(line: 67, column: 9, scope: !66)
!77 = !DILocation(line: 57, column: 9, scope: !66)
!78 = !DILocation(line: 0, scope: !66)
!79 = !DILocation(line: 47, column: 13, scope: !66)
!80 = !DILocation(line: 48, column: 40, scope: !66)
!81 = !DILocation(line: 48, column: 45, scope: !66)
!82 = !DILocation(line: 48, column: 57, scope: !66)
!83 = !DILocation(line: 48, column: 26, scope: !66)
!84 = !DILocation(line: 48, column: 13, scope: !66)
!85 = !DILocation(line: 48, column: 24, scope: !66)
!86 = !DILocation(line: 49, column: 59, scope: !66)
!87 = !DILocation(line: 49, column: 28, scope: !66)
!88 = !DILocation(line: 49, column: 13, scope: !66)
!89 = !DILocation(line: 49, column: 26, scope: !66)
!90 = !DILocation(line: 50, column: 9, scope: !66)
!91 = !DILocation(line: 51, column: 45, scope: !66)
!92 = !DILocation(line: 51, column: 50, scope: !66)
!93 = !DILocation(line: 51, column: 62, scope: !66)
!94 = !DILocation(line: 51, column: 31, scope: !66)
!95 = !DILocation(line: 51, column: 13, scope: !66)
!96 = !DILocation(line: 51, column: 29, scope: !66)
!97 = !DILocation(line: 46, column: 32, scope: !66)
!98 = !DILocation(line: 46, column: 23, scope: !66)
!99 = distinct !{!99, !73, !100, !30}
!100 = !DILocation(line: 53, column: 5, scope: !66)
!101 = !DILocation(line: 58, column: 27, scope: !66)
!102 = !DILocation(line: 61, column: 13, scope: !66)
!103 = !DILocation(line: 63, column: 26, scope: !66)
!104 = !DILocation(line: 57, column: 36, scope: !66)
!105 = !DILocation(line: 57, column: 27, scope: !66)
!106 = distinct !{!106, !77, !107, !30, !48}
!107 = !DILocation(line: 64, column: 9, scope: !66)
!108 = !DILocation(line: 62, column: 26, scope: !66)
!109 = !DILocation(line: 62, column: 39, scope: !66)
!110 = !DILocation(line: 62, column: 37, scope: !66)
!111 = !DILocation(line: 62, column: 23, scope: !66)
!112 = !DILocation(line: 61, column: 37, scope: !66)
!113 = !DILocation(line: 61, column: 31, scope: !66)
!114 = distinct !{!114, !102, !115, !30, !48}
!115 = !DILocation(line: 62, column: 50, scope: !66)
!116 = !DILocation(line: 68, column: 27, scope: !66)
!117 = !DILocation(line: 71, column: 31, scope: !66)
!118 = !DILocation(line: 71, column: 13, scope: !66)
!119 = !DILocation(line: 73, column: 39, scope: !66)
!120 = !DILocation(line: 73, column: 37, scope: !66)
!121 = !DILocation(line: 73, column: 29, scope: !66)
!122 = !DILocation(line: 67, column: 36, scope: !66)
!123 = !DILocation(line: 67, column: 27, scope: !66)
!124 = distinct !{!124, !76, !125, !30, !48}
!125 = !DILocation(line: 74, column: 9, scope: !66)
!126 = !DILocation(line: 72, column: 26, scope: !66)
!127 = !DILocation(line: 72, column: 44, scope: !66)
!128 = !DILocation(line: 72, column: 42, scope: !66)
!129 = !DILocation(line: 72, column: 23, scope: !66)
!130 = !DILocation(line: 71, column: 37, scope: !66)
!131 = distinct !{!131, !118, !132, !30, !48}
!132 = !DILocation(line: 72, column: 53, scope: !66)
!133 = !DILocation(line: 76, column: 5, scope: !66)
!134 = !DILocation(line: 77, column: 5, scope: !66)
!135 = !DILocation(line: 83, column: 1, scope: !66)
!136 = !DILocation(line: 78, column: 13, scope: !66)
!137 = !DILocation(line: 77, column: 32, scope: !66)
!138 = !DILocation(line: 77, column: 23, scope: !66)
!139 = distinct !{!139, !134, !140, !30}
!140 = !DILocation(line: 82, column: 5, scope: !66)
!141 = distinct !DISubprogram(name: "lud_internal", scope: !1, file: !1, line: 86, type: !10, scopeLine: 87, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!142 = !DILocation(line: 90, column: 19, scope: !141)
!143 = !DILocation(line: 90, column: 34, scope: !141)
!144 = !DILocation(line: 91, column: 30, scope: !141)
!145 = !DILocation(line: 91, column: 44, scope: !141)
!146 = !DILocation(line: 91, column: 27, scope: !141)
!147 = !DILocation(line: 91, column: 51, scope: !141)
!148 = !DILocation(line: 91, column: 74, scope: !141)
!149 = !DILocation(line: 91, column: 88, scope: !141)
!150 = !DILocation(line: 91, column: 71, scope: !141)
!151 = !DILocation(line: 91, column: 95, scope: !141)
!152 = !DILocation(line: 94, column: 34, scope: !141)
!153 = !DILocation(line: 94, column: 39, scope: !141)
!154 = !DILocation(line: 94, column: 43, scope: !141)
!155 = !DILocation(line: 94, column: 20, scope: !141)
!156 = !DILocation(line: 94, column: 5, scope: !141)
!157 = !DILocation(line: 94, column: 18, scope: !141)
!158 = !DILocation(line: 95, column: 34, scope: !141)
!159 = !DILocation(line: 95, column: 38, scope: !141)
!160 = !DILocation(line: 95, column: 46, scope: !141)
!161 = !DILocation(line: 95, column: 23, scope: !141)
!162 = !DILocation(line: 95, column: 5, scope: !141)
!163 = !DILocation(line: 95, column: 21, scope: !141)
!164 = !DILocation(line: 96, column: 5, scope: !141)
!165 = !DILocation(line: 98, column: 5, scope: !141)
!166 = !DILocation(line: 100, column: 20, scope: !141)
!167 = !DILocation(line: 100, column: 5, scope: !141)
!168 = !DILocation(line: 100, column: 30, scope: !141)
!169 = !DILocation(line: 101, column: 1, scope: !141)
!170 = !DILocation(line: 99, column: 16, scope: !141)
!171 = !DILocation(line: 99, column: 34, scope: !141)
!172 = !DILocation(line: 99, column: 32, scope: !141)
!173 = !DILocation(line: 99, column: 13, scope: !141)
!174 = !DILocation(line: 98, column: 32, scope: !141)
!175 = !DILocation(line: 98, column: 23, scope: !141)
!176 = distinct !{!176, !165, !177, !30, !48}
!177 = !DILocation(line: 99, column: 45, scope: !141)
