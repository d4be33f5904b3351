; ModuleID = 'matmul.c'
source_filename = "matmul.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@matmul.tile_a = internal unnamed_addr addrspace(3) global [8 x [8 x float]] undef, align 4
@matmul.tile_b = internal unnamed_addr addrspace(3) global [8 x [8 x float]] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @matmul(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef writeonly %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 !dbg !7 {
  %7 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !10
  %8 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !11
  %9 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !12
  %10 = shl nsw i32 %9, 3, !dbg !13
  %11 = add nuw nsw i32 %10, %7, !dbg !14
  %12 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !15
  %13 = shl nuw nsw i32 %12, 3, !dbg !16
  %14 = add nuw nsw i32 %13, %8, !dbg !17
  %15 = icmp sgt i32 %5, 0, !dbg !18
  br i1 %15, label %16, label %41, !dbg !19

16:                                               ; preds = %6
  %17 = icmp slt i32 %14, %3
  %18 = mul nuw nsw i32 %14, %5
  %19 = add nuw i32 %18, %7
  %20 = zext nneg i32 %8 to i64
  %21 = zext nneg i32 %7 to i64
  %22 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_a, i64 0, i64 %20, i64 %21
  %23 = icmp slt i32 %11, %4
  %24 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_b, i64 0, i64 %20, i64 %21
  %25 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_a, i64 0, i64 %20, i64 0, !dbg !20
  %26 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_b, i64 0, i64 0, i64 %21
  %27 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_a, i64 0, i64 %20, i64 1
  %28 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_b, i64 0, i64 1, i64 %21
  %29 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_a, i64 0, i64 %20, i64 2
  %30 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_b, i64 0, i64 2, i64 %21
  %31 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_a, i64 0, i64 %20, i64 3
  %32 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_b, i64 0, i64 3, i64 %21
  %33 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_a, i64 0, i64 %20, i64 4
  %34 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_b, i64 0, i64 4, i64 %21
  %35 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_a, i64 0, i64 %20, i64 5
  %36 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_b, i64 0, i64 5, i64 %21
  %37 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_a, i64 0, i64 %20, i64 6
  %38 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_b, i64 0, i64 6, i64 %21
  %39 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_a, i64 0, i64 %20, i64 7
  %40 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @matmul.tile_b, i64 0, i64 7, i64 %21
  br label %46, !dbg !19

41:                                               ; preds = %68, %6
  %42 = phi float [ 0.000000e+00, %6 ], [ %101, %68 ], !dbg !21
  %43 = icmp slt i32 %14, %3, !dbg !22
  %44 = icmp slt i32 %11, %4
  %45 = select i1 %43, i1 %44, i1 false, !dbg !23
  br i1 %45, label %104, label %109, !dbg !23

46:                                               ; preds = %16, %68
  %47 = phi i32 [ 0, %16 ], [ %102, %68 ]
  %48 = phi float [ 0.000000e+00, %16 ], [ %101, %68 ]
  %49 = add nuw nsw i32 %47, %7
  %50 = icmp slt i32 %49, %5
  %51 = select i1 %17, i1 %50, i1 false, !dbg !24
  br i1 %51, label %52, label %57, !dbg !24

52:                                               ; preds = %46
  %53 = add i32 %19, %47
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %54
  %56 = load float, ptr addrspace(1) %55, align 4, !dbg !25, !tbaa !26
  br label %57, !dbg !30

57:                                               ; preds = %46, %52
  %58 = phi float [ %56, %52 ], [ 0.000000e+00, %46 ], !dbg !30
  store float %58, ptr addrspace(3) %22, align 4, !dbg !31, !tbaa !26
  %59 = add nuw nsw i32 %47, %8, !dbg !32
  %60 = icmp slt i32 %59, %5, !dbg !33
  %61 = select i1 %60, i1 %23, i1 false, !dbg !34
  br i1 %61, label %62, label %68, !dbg !34

62:                                               ; preds = %57
  %63 = mul nsw i32 %59, %4
  %64 = add nsw i32 %63, %11
  %65 = sext i32 %64 to i64
  %66 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %65
  %67 = load float, ptr addrspace(1) %66, align 4, !dbg !35, !tbaa !26
  br label %68, !dbg !36

68:                                               ; preds = %57, %62
  %69 = phi float [ %67, %62 ], [ 0.000000e+00, %57 ], !dbg !36
  store float %69, ptr addrspace(3) %24, align 4, !dbg !37, !tbaa !26
  tail call void @llvm.nvvm.barrier0(), !dbg !38
  %70 = load float, ptr addrspace(3) %25, align 4, !dbg !20, !tbaa !26
  %71 = load float, ptr addrspace(3) %26, align 4, !dbg !39, !tbaa !26
  %72 = fmul float %70, %71, !dbg !40
  %73 = fadd float %48, %72, !dbg !41
  %74 = load float, ptr addrspace(3) %27, align 4, !dbg !20, !tbaa !26
  %75 = load float, ptr addrspace(3) %28, align 4, !dbg !39, !tbaa !26
  %76 = fmul float %74, %75, !dbg !40
  %77 = fadd float %73, %76, !dbg !41
  %78 = load float, ptr addrspace(3) %29, align 4, !dbg !20, !tbaa !26
  %79 = load float, ptr addrspace(3) %30, align 4, !dbg !39, !tbaa !26
  %80 = fmul float %78, %79, !dbg !40
  %81 = fadd float %77, %80, !dbg !41
  %82 = load float, ptr addrspace(3) %31, align 4, !dbg !20, !tbaa !26
  %83 = load float, ptr addrspace(3) %32, align 4, !dbg !39, !tbaa !26
  %84 = fmul float %82, %83, !dbg !40
  %85 = fadd float %81, %84, !dbg !41
  %86 = load float, ptr addrspace(3) %33, align 4, !dbg !20, !tbaa !26
  %87 = load float, ptr addrspace(3) %34, align 4, !dbg !39, !tbaa !26
  %88 = fmul float %86, %87, !dbg !40
  %89 = fadd float %85, %88, !dbg !41
  %90 = load float, ptr addrspace(3) %35, align 4, !dbg !20, !tbaa !26
  %91 = load float, ptr addrspace(3) %36, align 4, !dbg !39, !tbaa !26
  %92 = fmul float %90, %91, !dbg !40
  %93 = fadd float %89, %92, !dbg !41
  %94 = load float, ptr addrspace(3) %37, align 4, !dbg !20, !tbaa !26
  %95 = load float, ptr addrspace(3) %38, align 4, !dbg !39, !tbaa !26
  %96 = fmul float %94, %95, !dbg !40
  %97 = fadd float %93, %96, !dbg !41
  %98 = load float, ptr addrspace(3) %39, align 4, !dbg !20, !tbaa !26
  %99 = load float, ptr addrspace(3) %40, align 4, !dbg !39, !tbaa !26
  %100 = fmul float %98, %99, !dbg !40
  %101 = fadd float %97, %100, !dbg !41
  tail call void @llvm.nvvm.barrier0(), !dbg !42
  %102 = add nuw nsw i32 %47, 8, !dbg !43
  %103 = icmp slt i32 %102, %5, !dbg !18
  br i1 %103, label %46, label %41, !dbg !19, !llvm.loop !44

104:                                              ; preds = %41
  %105 = mul nsw i32 %14, %4
  %106 = add nuw nsw i32 %105, %11
  %107 = zext nneg i32 %106 to i64
  %108 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %107
  store float %42, ptr addrspace(1) %108, align 4, !dbg !47, !tbaa !26
  br label %109, !dbg !48

109:                                              ; preds = %104, %41
  ret void, !dbg !49
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier0() #2

attributes #0 = { norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "matmul.c", directory: ".")
!2 = !{ptr @matmul, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = distinct !DISubprogram(name: "matmul", scope: !1, file: !1, line: 9, type: !8, scopeLine: 10, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 13, column: 19, scope: !7)
!11 = !DILocation(line: 13, column: 34, scope: !7)
!12 = !DILocation(line: 14, column: 24, scope: !7)
!13 = !DILocation(line: 14, column: 33, scope: !7)
!14 = !DILocation(line: 14, column: 40, scope: !7)
!15 = !DILocation(line: 14, column: 51, scope: !7)
!16 = !DILocation(line: 14, column: 60, scope: !7)
!17 = !DILocation(line: 14, column: 67, scope: !7)
!18 = !DILocation(line: 17, column: 31, scope: !7)
!19 = !DILocation(line: 17, column: 5, scope: !7)
!20 = !DILocation(line: 22, column: 20, scope: !7)
!21 = !DILocation(line: 15, column: 11, scope: !7)
!22 = !DILocation(line: 25, column: 13, scope: !7)
!23 = !DILocation(line: 25, column: 17, scope: !7)
!24 = !DILocation(line: 18, column: 32, scope: !7)
!25 = !DILocation(line: 18, column: 51, scope: !7)
!26 = !{!27, !27, i64 0}
!27 = !{!"float", !28, i64 0}
!28 = !{!"omnipotent char", !29, i64 0}
!29 = !{!"Simple C/C++ TBAA"}
!30 = !DILocation(line: 18, column: 24, scope: !7)
!31 = !DILocation(line: 18, column: 22, scope: !7)
!32 = !DILocation(line: 19, column: 30, scope: !7)
!33 = !DILocation(line: 19, column: 34, scope: !7)
!34 = !DILocation(line: 19, column: 38, scope: !7)
!35 = !DILocation(line: 19, column: 54, scope: !7)
!36 = !DILocation(line: 19, column: 24, scope: !7)
!37 = !DILocation(line: 19, column: 22, scope: !7)
!38 = !DILocation(line: 20, column: 9, scope: !7)
!39 = !DILocation(line: 22, column: 35, scope: !7)
!40 = !DILocation(line: 22, column: 33, scope: !7)
!41 = !DILocation(line: 22, column: 17, scope: !7)
!42 = !DILocation(line: 23, column: 9, scope: !7)
!43 = !DILocation(line: 17, column: 42, scope: !7)
!44 = distinct !{!44, !19, !45, !46}
!45 = !DILocation(line: 24, column: 5, scope: !7)
!46 = !{!"llvm.loop.mustprogress"}
!47 = !DILocation(line: 26, column: 29, scope: !7)
!48 = !DILocation(line: 26, column: 9, scope: !7)
!49 = !DILocation(line: 27, column: 1, scope: !7)
