; ModuleID = 'hotspot.c'
source_filename = "hotspot.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@hotspot.cell = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@hotspot.source = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @hotspot(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef writeonly %2, i32 noundef %3, i32 noundef %4, float noundef %5, float noundef %6, float noundef %7) local_unnamed_addr #0 !dbg !7 {
  %9 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !10
  %10 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !11
  %11 = shl nsw i32 %4, 1, !dbg !12
  %12 = sub nsw i32 16, %11, !dbg !13
  %13 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !14
  %14 = mul nsw i32 %12, %13, !dbg !15
  %15 = sub nsw i32 %14, %4, !dbg !16
  %16 = add nsw i32 %15, %9, !dbg !17
  %17 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !18
  %18 = mul nsw i32 %12, %17, !dbg !19
  %19 = sub nsw i32 %18, %4, !dbg !20
  %20 = add nsw i32 %19, %10, !dbg !21
  %21 = icmp slt i32 %20, 0, !dbg !22
  %22 = icmp sge i32 %20, %3
  %23 = icmp slt i32 %16, 0
  %24 = icmp sge i32 %16, %3
  %25 = or i1 %23, %24, !dbg !23
  %26 = or i1 %21, %22, !dbg !23
  %27 = select i1 %26, i1 true, i1 %25, !dbg !24
  br i1 %27, label %34, label %28, !dbg !24

28:                                               ; preds = %8
  %29 = mul nsw i32 %20, %3
  %30 = add nsw i32 %29, %16
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %31
  %33 = load float, ptr addrspace(1) %32, align 4, !dbg !25, !tbaa !26
  br label %34, !dbg !24

34:                                               ; preds = %8, %28
  %35 = phi float [ %33, %28 ], [ 0.000000e+00, %8 ], !dbg !24
  %36 = zext nneg i32 %10 to i64, !dbg !30
  %37 = zext nneg i32 %9 to i64, !dbg !30
  %38 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @hotspot.cell, i64 0, i64 %36, i64 %37, !dbg !30
  store float %35, ptr addrspace(3) %38, align 4, !dbg !31, !tbaa !26
  br i1 %27, label %45, label %39, !dbg !32

39:                                               ; preds = %34
  %40 = mul nsw i32 %20, %3
  %41 = add nsw i32 %40, %16
  %42 = sext i32 %41 to i64
  %43 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %42
  %44 = load float, ptr addrspace(1) %43, align 4, !dbg !33, !tbaa !26
  br label %45, !dbg !32

45:                                               ; preds = %34, %39
  %46 = phi float [ %44, %39 ], [ 0.000000e+00, %34 ], !dbg !32
  %47 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @hotspot.source, i64 0, i64 %36, i64 %37, !dbg !34
  store float %46, ptr addrspace(3) %47, align 4, !dbg !35, !tbaa !26
  tail call void @llvm.nvvm.barrier0(), !dbg !36
  %48 = icmp slt i32 %4, 1, !dbg !37
  br i1 %48, label %67, label %49, !dbg !38

49:                                               ; preds = %45
  %50 = icmp sgt i32 %20, 0
  %51 = add nsw i32 %10, -1
  %52 = sext i32 %51 to i64
  %53 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @hotspot.cell, i64 0, i64 %52, i64 %37
  %54 = add nsw i32 %3, -1
  %55 = icmp slt i32 %20, %54
  %56 = add nuw nsw i32 %10, 1
  %57 = zext nneg i32 %56 to i64
  %58 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @hotspot.cell, i64 0, i64 %57, i64 %37
  %59 = icmp sgt i32 %16, 0
  %60 = add nsw i32 %9, -1
  %61 = sext i32 %60 to i64
  %62 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @hotspot.cell, i64 0, i64 %36, i64 %61
  %63 = icmp slt i32 %16, %54
  %64 = add nuw nsw i32 %9, 1
  %65 = zext nneg i32 %64 to i64
  %66 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @hotspot.cell, i64 0, i64 %36, i64 %65
  br label %70, !dbg !38

67:                                               ; preds = %114, %45
  %68 = icmp slt i32 %9, %4
  %69 = or i1 %68, %27, !dbg !39
  br i1 %69, label %130, label %117, !dbg !39

70:                                               ; preds = %49, %114
  %71 = phi i32 [ 1, %49 ], [ %115, %114 ]
  %72 = icmp ult i32 %9, %71
  %73 = or i1 %27, %72, !dbg !40
  %74 = sub nsw i32 16, %71
  %75 = icmp sge i32 %9, %74
  %76 = icmp ult i32 %10, %71
  %77 = or i1 %76, %75
  %78 = icmp sge i32 %10, %74
  %79 = or i1 %78, %77, !dbg !40
  %80 = select i1 %73, i1 true, i1 %79, !dbg !41
  br i1 %80, label %111, label %81, !dbg !41

81:                                               ; preds = %70
  %82 = load float, ptr addrspace(3) %38, align 4, !dbg !42, !tbaa !26
  br i1 %50, label %83, label %85, !dbg !43

83:                                               ; preds = %81
  %84 = load float, ptr addrspace(3) %53, align 4, !dbg !44, !tbaa !26
  br label %85, !dbg !43

85:                                               ; preds = %81, %83
  %86 = phi float [ %84, %83 ], [ %82, %81 ], !dbg !43
  br i1 %55, label %87, label %89, !dbg !45

87:                                               ; preds = %85
  %88 = load float, ptr addrspace(3) %58, align 4, !dbg !46, !tbaa !26
  br label %89, !dbg !45

89:                                               ; preds = %85, %87
  %90 = phi float [ %88, %87 ], [ %82, %85 ], !dbg !45
  br i1 %59, label %91, label %93, !dbg !47

91:                                               ; preds = %89
  %92 = load float, ptr addrspace(3) %62, align 4, !dbg !48, !tbaa !26
  br label %93, !dbg !47

93:                                               ; preds = %89, %91
  %94 = phi float [ %92, %91 ], [ %82, %89 ], !dbg !47
  br i1 %63, label %95, label %97, !dbg !49

95:                                               ; preds = %93
  %96 = load float, ptr addrspace(3) %66, align 4, !dbg !50, !tbaa !26
  br label %97, !dbg !49

97:                                               ; preds = %93, %95
  %98 = phi float [ %96, %95 ], [ %82, %93 ], !dbg !49
  %99 = fadd float %86, %90, !dbg !51
  %100 = fadd float %99, %94, !dbg !52
  %101 = fadd float %100, %98, !dbg !53
  %102 = fmul float %82, 4.000000e+00, !dbg !54
  %103 = fsub float %101, %102, !dbg !55
  %104 = fmul float %103, %5, !dbg !56
  %105 = fadd float %82, %104, !dbg !57
  %106 = load float, ptr addrspace(3) %47, align 4, !dbg !58, !tbaa !26
  %107 = fadd float %106, %105, !dbg !59
  %108 = fsub float %7, %82, !dbg !60
  %109 = fmul float %108, %6, !dbg !61
  %110 = fadd float %109, %107, !dbg !62
  br label %111, !dbg !63

111:                                              ; preds = %97, %70
  %112 = phi float [ %110, %97 ], [ 0.000000e+00, %70 ], !dbg !64
  tail call void @llvm.nvvm.barrier0(), !dbg !65
  br i1 %80, label %114, label %113, !dbg !66

113:                                              ; preds = %111
  store float %112, ptr addrspace(3) %38, align 4, !dbg !67, !tbaa !26
  br label %114, !dbg !68

114:                                              ; preds = %113, %111
  tail call void @llvm.nvvm.barrier0(), !dbg !69
  %115 = add nuw i32 %71, 1, !dbg !70
  %116 = icmp eq i32 %71, %4, !dbg !37
  br i1 %116, label %67, label %70, !dbg !38, !llvm.loop !71

117:                                              ; preds = %67
  %118 = sub nsw i32 16, %4, !dbg !74
  %119 = icmp slt i32 %9, %118, !dbg !75
  %120 = icmp sge i32 %10, %4
  %121 = and i1 %120, %119, !dbg !76
  %122 = icmp slt i32 %10, %118
  %123 = and i1 %122, %121, !dbg !76
  br i1 %123, label %124, label %130, !dbg !76

124:                                              ; preds = %117
  %125 = mul nsw i32 %20, %3
  %126 = add nsw i32 %125, %16
  %127 = sext i32 %126 to i64
  %128 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %127
  %129 = load float, ptr addrspace(3) %38, align 4, !dbg !77, !tbaa !26
  store float %129, ptr addrspace(1) %128, align 4, !dbg !78, !tbaa !26
  br label %130, !dbg !79

130:                                              ; preds = %124, %117, %67
  ret void, !dbg !80
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
!1 = !DIFile(filename: "hotspot.c", directory: ".")
!2 = !{ptr @hotspot, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = distinct !DISubprogram(name: "hotspot", scope: !1, file: !1, line: 11, type: !8, scopeLine: 13, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 16, column: 19, scope: !7)
!11 = !DILocation(line: 16, column: 34, scope: !7)
!12 = !DILocation(line: 17, column: 32, scope: !7)
!13 = !DILocation(line: 17, column: 28, scope: !7)
!14 = !DILocation(line: 18, column: 24, scope: !7)
!15 = !DILocation(line: 18, column: 33, scope: !7)
!16 = !DILocation(line: 18, column: 41, scope: !7)
!17 = !DILocation(line: 18, column: 49, scope: !7)
!18 = !DILocation(line: 18, column: 60, scope: !7)
!19 = !DILocation(line: 18, column: 69, scope: !7)
!20 = !DILocation(line: 18, column: 77, scope: !7)
!21 = !DILocation(line: 18, column: 85, scope: !7)
!22 = !DILocation(line: 19, column: 28, scope: !7)
!23 = !DILocation(line: 19, column: 33, scope: !7)
!24 = !DILocation(line: 21, column: 18, scope: !7)
!25 = !DILocation(line: 21, column: 27, scope: !7)
!26 = !{!27, !27, i64 0}
!27 = !{!"float", !28, i64 0}
!28 = !{!"omnipotent char", !29, i64 0}
!29 = !{!"Simple C/C++ TBAA"}
!30 = !DILocation(line: 21, column: 5, scope: !7)
!31 = !DILocation(line: 21, column: 16, scope: !7)
!32 = !DILocation(line: 22, column: 20, scope: !7)
!33 = !DILocation(line: 22, column: 29, scope: !7)
!34 = !DILocation(line: 22, column: 5, scope: !7)
!35 = !DILocation(line: 22, column: 18, scope: !7)
!36 = !DILocation(line: 23, column: 5, scope: !7)
!37 = !DILocation(line: 24, column: 29, scope: !7)
!38 = !DILocation(line: 24, column: 5, scope: !7)
!39 = !DILocation(line: 43, column: 16, scope: !7)
!40 = !DILocation(line: 25, column: 34, scope: !7)
!41 = !DILocation(line: 28, column: 13, scope: !7)
!42 = !DILocation(line: 29, column: 32, scope: !7)
!43 = !DILocation(line: 30, column: 33, scope: !7)
!44 = !DILocation(line: 30, column: 43, scope: !7)
!45 = !DILocation(line: 31, column: 33, scope: !7)
!46 = !DILocation(line: 31, column: 47, scope: !7)
!47 = !DILocation(line: 32, column: 32, scope: !7)
!48 = !DILocation(line: 32, column: 45, scope: !7)
!49 = !DILocation(line: 33, column: 32, scope: !7)
!50 = !DILocation(line: 33, column: 49, scope: !7)
!51 = !DILocation(line: 35, column: 48, scope: !7)
!52 = !DILocation(line: 35, column: 56, scope: !7)
!53 = !DILocation(line: 35, column: 63, scope: !7)
!54 = !DILocation(line: 35, column: 74, scope: !7)
!55 = !DILocation(line: 35, column: 70, scope: !7)
!56 = !DILocation(line: 35, column: 39, scope: !7)
!57 = !DILocation(line: 35, column: 25, scope: !7)
!58 = !DILocation(line: 35, column: 84, scope: !7)
!59 = !DILocation(line: 35, column: 82, scope: !7)
!60 = !DILocation(line: 36, column: 36, scope: !7)
!61 = !DILocation(line: 36, column: 25, scope: !7)
!62 = !DILocation(line: 35, column: 97, scope: !7)
!63 = !DILocation(line: 37, column: 9, scope: !7)
!64 = !DILocation(line: 0, scope: !7)
!65 = !DILocation(line: 38, column: 9, scope: !7)
!66 = !DILocation(line: 39, column: 13, scope: !7)
!67 = !DILocation(line: 40, column: 24, scope: !7)
!68 = !DILocation(line: 40, column: 13, scope: !7)
!69 = !DILocation(line: 41, column: 9, scope: !7)
!70 = !DILocation(line: 24, column: 43, scope: !7)
!71 = distinct !{!71, !38, !72, !73}
!72 = !DILocation(line: 42, column: 5, scope: !7)
!73 = !{!"llvm.loop.mustprogress"}
!74 = !DILocation(line: 43, column: 42, scope: !7)
!75 = !DILocation(line: 43, column: 35, scope: !7)
!76 = !DILocation(line: 43, column: 50, scope: !7)
!77 = !DILocation(line: 44, column: 35, scope: !7)
!78 = !DILocation(line: 44, column: 33, scope: !7)
!79 = !DILocation(line: 44, column: 9, scope: !7)
!80 = !DILocation(line: 45, column: 1, scope: !7)
