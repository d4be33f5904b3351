; ModuleID = 'jacobi.c'
source_filename = "jacobi.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@jacobi.value = internal unnamed_addr addrspace(3) global [128 x float] undef, align 4
@jacobi.change = internal unnamed_addr addrspace(3) global [128 x float] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @jacobi(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef writeonly %2, i32 noundef %3, i32 noundef %4, float noundef %5, float noundef %6) local_unnamed_addr #0 !dbg !7 {
  %8 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !10
  %9 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !11
  %10 = mul nsw i32 %9, %3, !dbg !12
  %11 = add nsw i32 %10, %8, !dbg !13
  %12 = zext nneg i32 %8 to i64, !dbg !14
  %13 = getelementptr inbounds [128 x float], ptr addrspace(3) @jacobi.value, i64 0, i64 %12, !dbg !14
  store float 0.000000e+00, ptr addrspace(3) %13, align 4, !dbg !15, !tbaa !16
  tail call void @llvm.nvvm.barrier0(), !dbg !20
  %14 = icmp sgt i32 %4, 0, !dbg !21
  br i1 %14, label %15, label %109, !dbg !22

15:                                               ; preds = %7
  %16 = icmp slt i32 %8, %3
  %17 = sext i32 %11 to i64
  %18 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %17
  %19 = add i32 %3, 1
  %20 = mul i32 %19, %8
  %21 = zext nneg i32 %20 to i64
  %22 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %21
  %23 = getelementptr inbounds [128 x float], ptr addrspace(3) @jacobi.change, i64 0, i64 %12
  %24 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %25 = icmp ult i32 %24, 2
  %26 = and i32 %3, 1
  %27 = icmp eq i32 %3, 1
  %28 = and i32 %3, -2
  %29 = icmp eq i32 %26, 0
  br label %30, !dbg !22

30:                                               ; preds = %15, %106
  %31 = phi i32 [ 0, %15 ], [ %107, %106 ]
  br i1 %16, label %32, label %82, !dbg !23

32:                                               ; preds = %30
  %33 = load float, ptr addrspace(1) %18, align 4, !dbg !24, !tbaa !16
  br i1 %27, label %34, label %54, !dbg !25

34:                                               ; preds = %54, %32
  %35 = phi float [ poison, %32 ], [ %78, %54 ]
  %36 = phi i32 [ 0, %32 ], [ %79, %54 ]
  %37 = phi float [ %33, %32 ], [ %78, %54 ]
  br i1 %29, label %49, label %38, !dbg !25

38:                                               ; preds = %34
  %39 = mul nsw i32 %36, %3, !dbg !26
  %40 = add nsw i32 %39, %8, !dbg !27
  %41 = sext i32 %40 to i64, !dbg !28
  %42 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %41, !dbg !28
  %43 = load float, ptr addrspace(1) %42, align 4, !dbg !28, !tbaa !16
  %44 = zext nneg i32 %36 to i64, !dbg !29
  %45 = getelementptr inbounds [128 x float], ptr addrspace(3) @jacobi.value, i64 0, i64 %44, !dbg !29
  %46 = load float, ptr addrspace(3) %45, align 4, !dbg !29, !tbaa !16
  %47 = fmul float %43, %46, !dbg !30
  %48 = fsub float %37, %47, !dbg !31
  br label %49, !dbg !32

49:                                               ; preds = %34, %38
  %50 = phi float [ %35, %34 ], [ %48, %38 ], !dbg !31
  %51 = load float, ptr addrspace(1) %22, align 4, !dbg !32, !tbaa !16
  %52 = fdiv float %5, %51, !dbg !33
  %53 = fmul float %50, %52, !dbg !34
  br label %82, !dbg !35

54:                                               ; preds = %32, %54
  %55 = phi i32 [ %79, %54 ], [ 0, %32 ]
  %56 = phi float [ %78, %54 ], [ %33, %32 ]
  %57 = phi i32 [ %80, %54 ], [ 0, %32 ]
  %58 = mul nsw i32 %55, %3, !dbg !26
  %59 = add nsw i32 %58, %8, !dbg !27
  %60 = sext i32 %59 to i64, !dbg !28
  %61 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %60, !dbg !28
  %62 = load float, ptr addrspace(1) %61, align 4, !dbg !28, !tbaa !16
  %63 = zext nneg i32 %55 to i64, !dbg !29
  %64 = getelementptr inbounds [128 x float], ptr addrspace(3) @jacobi.value, i64 0, i64 %63, !dbg !29
  %65 = load float, ptr addrspace(3) %64, align 4, !dbg !29, !tbaa !16
  %66 = fmul float %62, %65, !dbg !30
  %67 = fsub float %56, %66, !dbg !31
  %68 = or disjoint i32 %55, 1, !dbg !36
  %69 = mul nsw i32 %68, %3, !dbg !26
  %70 = add nsw i32 %69, %8, !dbg !27
  %71 = sext i32 %70 to i64, !dbg !28
  %72 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %71, !dbg !28
  %73 = load float, ptr addrspace(1) %72, align 4, !dbg !28, !tbaa !16
  %74 = zext nneg i32 %68 to i64, !dbg !29
  %75 = getelementptr inbounds [128 x float], ptr addrspace(3) @jacobi.value, i64 0, i64 %74, !dbg !29
  %76 = load float, ptr addrspace(3) %75, align 4, !dbg !29, !tbaa !16
  %77 = fmul float %73, %76, !dbg !30
  %78 = fsub float %67, %77, !dbg !31
  %79 = add nuw nsw i32 %55, 2, !dbg !36
  %80 = add i32 %57, 2, !dbg !25
  %81 = icmp eq i32 %80, %28, !dbg !25
  br i1 %81, label %34, label %54, !dbg !25, !llvm.loop !37

82:                                               ; preds = %49, %30
  %83 = phi float [ %53, %49 ], [ 0.000000e+00, %30 ], !dbg !40
  %84 = fcmp olt float %83, 0.000000e+00, !dbg !41
  %85 = fneg float %83, !dbg !42
  %86 = select i1 %84, float %85, float %83, !dbg !42
  store float %86, ptr addrspace(3) %23, align 4, !dbg !43, !tbaa !16
  tail call void @llvm.nvvm.barrier0(), !dbg !44
  %87 = load float, ptr addrspace(3) %13, align 4, !dbg !45, !tbaa !16
  %88 = fadd float %83, %87, !dbg !45
  store float %88, ptr addrspace(3) %13, align 4, !dbg !45, !tbaa !16
  br i1 %25, label %89, label %92, !dbg !46

89:                                               ; preds = %104, %82
  %90 = load float, ptr addrspace(3) @jacobi.change, align 4, !dbg !47, !tbaa !16
  %91 = fcmp uge float %90, %6, !dbg !48
  br i1 %91, label %106, label %109, !dbg !47

92:                                               ; preds = %82, %104
  %93 = phi i32 [ %94, %104 ], [ %24, %82 ]
  %94 = lshr i32 %93, 1
  %95 = icmp ult i32 %8, %94, !dbg !49
  br i1 %95, label %96, label %104, !dbg !50

96:                                               ; preds = %92
  %97 = add nuw nsw i32 %94, %8, !dbg !51
  %98 = zext nneg i32 %97 to i64, !dbg !52
  %99 = getelementptr inbounds [128 x float], ptr addrspace(3) @jacobi.change, i64 0, i64 %98, !dbg !52
  %100 = load float, ptr addrspace(3) %99, align 4, !dbg !52, !tbaa !16
  %101 = load float, ptr addrspace(3) %23, align 4, !dbg !53, !tbaa !16
  %102 = fcmp ogt float %100, %101, !dbg !54
  br i1 %102, label %103, label %104, !dbg !55

103:                                              ; preds = %96
  store float %100, ptr addrspace(3) %23, align 4, !dbg !56, !tbaa !16
  br label %104, !dbg !57

104:                                              ; preds = %103, %96, %92
  tail call void @llvm.nvvm.barrier0(), !dbg !58
  %105 = icmp ult i32 %93, 4, !dbg !59
  br i1 %105, label %89, label %92, !dbg !46, !llvm.loop !60

106:                                              ; preds = %89
  tail call void @llvm.nvvm.barrier0(), !dbg !62
  %107 = add nuw nsw i32 %31, 1, !dbg !63
  %108 = icmp eq i32 %107, %4, !dbg !21
  br i1 %108, label %109, label %30, !dbg !22, !llvm.loop !64

109:                                              ; preds = %106, %89, %7
  %110 = icmp slt i32 %8, %3, !dbg !66
  br i1 %110, label %111, label %115, !dbg !67

111:                                              ; preds = %109
  %112 = sext i32 %11 to i64
  %113 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %112
  %114 = load float, ptr addrspace(3) %13, align 4, !dbg !68, !tbaa !16
  store float %114, ptr addrspace(1) %113, align 4, !dbg !69, !tbaa !16
  br label %115, !dbg !70

115:                                              ; preds = %111, %109
  ret void, !dbg !71
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier0() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

attributes #0 = { norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "jacobi.c", directory: ".")
!2 = !{ptr @jacobi, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = distinct !DISubprogram(name: "jacobi", scope: !1, file: !1, line: 12, type: !8, scopeLine: 14, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 17, column: 19, scope: !7)
!11 = !DILocation(line: 18, column: 20, scope: !7)
!12 = !DILocation(line: 18, column: 29, scope: !7)
!13 = !DILocation(line: 18, column: 33, scope: !7)
!14 = !DILocation(line: 20, column: 5, scope: !7)
!15 = !DILocation(line: 20, column: 14, scope: !7)
!16 = !{!17, !17, i64 0}
!17 = !{!"float", !18, i64 0}
!18 = !{!"omnipotent char", !19, i64 0}
!19 = !{!"Simple C/C++ TBAA"}
!20 = !DILocation(line: 21, column: 5, scope: !7)
!21 = !DILocation(line: 22, column: 31, scope: !7)
!22 = !DILocation(line: 22, column: 5, scope: !7)
!23 = !DILocation(line: 25, column: 13, scope: !7)
!24 = !DILocation(line: 26, column: 20, scope: !7)
!25 = !DILocation(line: 27, column: 13, scope: !7)
!26 = !DILocation(line: 28, column: 39, scope: !7)
!27 = !DILocation(line: 28, column: 43, scope: !7)
!28 = !DILocation(line: 28, column: 25, scope: !7)
!29 = !DILocation(line: 28, column: 50, scope: !7)
!30 = !DILocation(line: 28, column: 48, scope: !7)
!31 = !DILocation(line: 28, column: 22, scope: !7)
!32 = !DILocation(line: 29, column: 30, scope: !7)
!33 = !DILocation(line: 29, column: 28, scope: !7)
!34 = !DILocation(line: 29, column: 18, scope: !7)
!35 = !DILocation(line: 30, column: 9, scope: !7)
!36 = !DILocation(line: 27, column: 52, scope: !7)
!37 = distinct !{!37, !25, !38, !39}
!38 = !DILocation(line: 28, column: 62, scope: !7)
!39 = !{!"llvm.loop.mustprogress"}
!40 = !DILocation(line: 0, scope: !7)
!41 = !DILocation(line: 31, column: 26, scope: !7)
!42 = !DILocation(line: 31, column: 21, scope: !7)
!43 = !DILocation(line: 31, column: 19, scope: !7)
!44 = !DILocation(line: 32, column: 9, scope: !7)
!45 = !DILocation(line: 33, column: 18, scope: !7)
!46 = !DILocation(line: 34, column: 9, scope: !7)
!47 = !DILocation(line: 39, column: 13, scope: !7)
!48 = !DILocation(line: 39, column: 23, scope: !7)
!49 = !DILocation(line: 35, column: 19, scope: !7)
!50 = !DILocation(line: 35, column: 27, scope: !7)
!51 = !DILocation(line: 35, column: 39, scope: !7)
!52 = !DILocation(line: 35, column: 30, scope: !7)
!53 = !DILocation(line: 35, column: 50, scope: !7)
!54 = !DILocation(line: 35, column: 48, scope: !7)
!55 = !DILocation(line: 35, column: 17, scope: !7)
!56 = !DILocation(line: 36, column: 27, scope: !7)
!57 = !DILocation(line: 36, column: 17, scope: !7)
!58 = !DILocation(line: 37, column: 13, scope: !7)
!59 = !DILocation(line: 34, column: 51, scope: !7)
!60 = distinct !{!60, !46, !61, !39}
!61 = !DILocation(line: 38, column: 9, scope: !7)
!62 = !DILocation(line: 41, column: 9, scope: !7)
!63 = !DILocation(line: 22, column: 44, scope: !7)
!64 = distinct !{!64, !22, !65, !39}
!65 = !DILocation(line: 42, column: 5, scope: !7)
!66 = !DILocation(line: 43, column: 11, scope: !7)
!67 = !DILocation(line: 43, column: 9, scope: !7)
!68 = !DILocation(line: 44, column: 24, scope: !7)
!69 = !DILocation(line: 44, column: 22, scope: !7)
!70 = !DILocation(line: 44, column: 9, scope: !7)
!71 = !DILocation(line: 45, column: 1, scope: !7)
