; ModuleID = 'srad.c'
source_filename = "srad.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local void @srad_1(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef writeonly %1, ptr addrspace(1) nocapture noundef writeonly %2, ptr addrspace(1) nocapture noundef writeonly %3, ptr addrspace(1) nocapture noundef writeonly %4, ptr addrspace(1) nocapture noundef writeonly %5, i32 noundef %6, i32 noundef %7, float noundef %8) local_unnamed_addr #0 !dbg !8 {
  %10 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !11
  %11 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !12
  %12 = mul nuw nsw i32 %10, %11, !dbg !13
  %13 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !14
  %14 = add nuw nsw i32 %12, %13, !dbg !15
  %15 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !16
  %16 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y(), !dbg !17
  %17 = mul nuw nsw i32 %15, %16, !dbg !18
  %18 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !19
  %19 = add nuw nsw i32 %17, %18, !dbg !20
  %20 = icmp slt i32 %14, %6, !dbg !21
  %21 = icmp slt i32 %19, %7
  %22 = select i1 %20, i1 %21, i1 false, !dbg !22
  br i1 %22, label %23, label %97, !dbg !22

23:                                               ; preds = %9
  %24 = mul nsw i32 %19, %6, !dbg !23
  %25 = add nuw nsw i32 %24, %14, !dbg !24
  %26 = zext nneg i32 %25 to i64, !dbg !25
  %27 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %26, !dbg !25
  %28 = load float, ptr addrspace(1) %27, align 4, !dbg !25, !tbaa !26
  %29 = icmp eq i32 %19, 0, !dbg !30
  %30 = sub nsw i32 %25, %6, !dbg !31
  %31 = select i1 %29, i32 %14, i32 %30, !dbg !31
  %32 = sext i32 %31 to i64, !dbg !32
  %33 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %32, !dbg !32
  %34 = load float, ptr addrspace(1) %33, align 4, !dbg !32, !tbaa !26
  %35 = fsub float %34, %28, !dbg !33
  %36 = add nsw i32 %7, -1, !dbg !34
  %37 = icmp ult i32 %19, %36, !dbg !35
  %38 = select i1 %37, i32 %6, i32 0, !dbg !36
  %39 = add nuw nsw i32 %38, %25, !dbg !36
  %40 = zext nneg i32 %39 to i64, !dbg !37
  %41 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %40, !dbg !37
  %42 = load float, ptr addrspace(1) %41, align 4, !dbg !37, !tbaa !26
  %43 = fsub float %42, %28, !dbg !38
  %44 = icmp eq i32 %14, 0, !dbg !39
  %45 = add nsw i32 %25, -1, !dbg !40
  %46 = select i1 %44, i32 %24, i32 %45, !dbg !40
  %47 = sext i32 %46 to i64, !dbg !41
  %48 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %47, !dbg !41
  %49 = load float, ptr addrspace(1) %48, align 4, !dbg !41, !tbaa !26
  %50 = fsub float %49, %28, !dbg !42
  %51 = add nsw i32 %6, -1, !dbg !43
  %52 = icmp ult i32 %14, %51, !dbg !44
  %53 = zext i1 %52 to i32, !dbg !45
  %54 = add nuw nsw i32 %25, %53, !dbg !45
  %55 = zext nneg i32 %54 to i64, !dbg !46
  %56 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %55, !dbg !46
  %57 = load float, ptr addrspace(1) %56, align 4, !dbg !46, !tbaa !26
  %58 = fsub float %57, %28, !dbg !47
  %59 = fmul float %35, %35, !dbg !48
  %60 = fmul float %43, %43, !dbg !49
  %61 = fadd float %59, %60, !dbg !50
  %62 = fmul float %50, %50, !dbg !51
  %63 = fadd float %61, %62, !dbg !52
  %64 = fmul float %58, %58, !dbg !53
  %65 = fadd float %63, %64, !dbg !54
  %66 = fmul float %28, %28, !dbg !55
  %67 = fdiv float %65, %66, !dbg !56
  %68 = fadd float %35, %43, !dbg !57
  %69 = fadd float %68, %50, !dbg !58
  %70 = fadd float %69, %58, !dbg !59
  %71 = fdiv float %70, %28, !dbg !60
  %72 = fmul float %71, 2.500000e-01, !dbg !61
  %73 = fadd float %72, 1.000000e+00, !dbg !62
  %74 = fmul float %67, 5.000000e-01, !dbg !63
  %75 = fmul float %71, 6.250000e-02, !dbg !64
  %76 = fmul float %71, %75, !dbg !65
  %77 = fsub float %74, %76, !dbg !66
  %78 = fmul float %73, %73, !dbg !67
  %79 = fdiv float %77, %78, !dbg !68
  %80 = fsub float %79, %8, !dbg !69
  %81 = fadd float %8, 1.000000e+00, !dbg !70
  %82 = fmul float %81, %8, !dbg !71
  %83 = fdiv float %80, %82, !dbg !72
  %84 = fadd float %83, 1.000000e+00, !dbg !73
  %85 = fdiv float 1.000000e+00, %84, !dbg !74
  %86 = fcmp olt float %85, 0.000000e+00, !dbg !75
  br i1 %86, label %90, label %87, !dbg !76

87:                                               ; preds = %23
  %88 = fcmp ogt float %85, 1.000000e+00, !dbg !77
  br i1 %88, label %89, label %90, !dbg !78

89:                                               ; preds = %87
  br label %90, !dbg !79

90:                                               ; preds = %23, %87, %89
  %91 = phi float [ 1.000000e+00, %89 ], [ %85, %87 ], [ 0.000000e+00, %23 ], !dbg !80
  %92 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %26, !dbg !81
  store float %35, ptr addrspace(1) %92, align 4, !dbg !82, !tbaa !26
  %93 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %26, !dbg !83
  store float %43, ptr addrspace(1) %93, align 4, !dbg !84, !tbaa !26
  %94 = getelementptr inbounds float, ptr addrspace(1) %3, i64 %26, !dbg !85
  store float %50, ptr addrspace(1) %94, align 4, !dbg !86, !tbaa !26
  %95 = getelementptr inbounds float, ptr addrspace(1) %4, i64 %26, !dbg !87
  store float %58, ptr addrspace(1) %95, align 4, !dbg !88, !tbaa !26
  %96 = getelementptr inbounds float, ptr addrspace(1) %5, i64 %26, !dbg !89
  store float %91, ptr addrspace(1) %96, align 4, !dbg !90, !tbaa !26
  br label %97, !dbg !91

97:                                               ; preds = %9, %90
  ret void, !dbg !91
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local void @srad_2(ptr addrspace(1) nocapture noundef %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef readonly %2, ptr addrspace(1) nocapture noundef readonly %3, ptr addrspace(1) nocapture noundef readonly %4, ptr addrspace(1) nocapture noundef readonly %5, i32 noundef %6, i32 noundef %7, float noundef %8) local_unnamed_addr #0 !dbg !92 {
  %10 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !93
  %11 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !94
  %12 = mul nuw nsw i32 %10, %11, !dbg !95
  %13 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !96
  %14 = add nuw nsw i32 %12, %13, !dbg !97
  %15 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !98
  %16 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y(), !dbg !99
  %17 = mul nuw nsw i32 %15, %16, !dbg !100
  %18 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !101
  %19 = add nuw nsw i32 %17, %18, !dbg !102
  %20 = icmp slt i32 %14, %6, !dbg !103
  %21 = icmp slt i32 %19, %7
  %22 = select i1 %20, i1 %21, i1 false, !dbg !104
  br i1 %22, label %23, label %63, !dbg !104

23:                                               ; preds = %9
  %24 = mul nsw i32 %19, %6, !dbg !105
  %25 = add nuw nsw i32 %24, %14, !dbg !106
  %26 = zext nneg i32 %25 to i64, !dbg !107
  %27 = getelementptr inbounds float, ptr addrspace(1) %5, i64 %26, !dbg !107
  %28 = load float, ptr addrspace(1) %27, align 4, !dbg !107, !tbaa !26
  %29 = add nsw i32 %7, -1, !dbg !108
  %30 = icmp ult i32 %19, %29, !dbg !109
  %31 = select i1 %30, i32 %6, i32 0, !dbg !110
  %32 = add nuw nsw i32 %31, %25, !dbg !110
  %33 = zext nneg i32 %32 to i64, !dbg !111
  %34 = getelementptr inbounds float, ptr addrspace(1) %5, i64 %33, !dbg !111
  %35 = load float, ptr addrspace(1) %34, align 4, !dbg !111, !tbaa !26
  %36 = add nsw i32 %6, -1, !dbg !112
  %37 = icmp ult i32 %14, %36, !dbg !113
  %38 = zext i1 %37 to i32, !dbg !114
  %39 = add nuw nsw i32 %25, %38, !dbg !114
  %40 = zext nneg i32 %39 to i64, !dbg !115
  %41 = getelementptr inbounds float, ptr addrspace(1) %5, i64 %40, !dbg !115
  %42 = load float, ptr addrspace(1) %41, align 4, !dbg !115, !tbaa !26
  %43 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %26, !dbg !116
  %44 = load float, ptr addrspace(1) %43, align 4, !dbg !116, !tbaa !26
  %45 = fmul float %28, %44, !dbg !117
  %46 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %26, !dbg !118
  %47 = load float, ptr addrspace(1) %46, align 4, !dbg !118, !tbaa !26
  %48 = fmul float %35, %47, !dbg !119
  %49 = fadd float %45, %48, !dbg !120
  %50 = getelementptr inbounds float, ptr addrspace(1) %3, i64 %26, !dbg !121
  %51 = load float, ptr addrspace(1) %50, align 4, !dbg !121, !tbaa !26
  %52 = fmul float %28, %51, !dbg !122
  %53 = fadd float %49, %52, !dbg !123
  %54 = getelementptr inbounds float, ptr addrspace(1) %4, i64 %26, !dbg !124
  %55 = load float, ptr addrspace(1) %54, align 4, !dbg !124, !tbaa !26
  %56 = fmul float %42, %55, !dbg !125
  %57 = fadd float %53, %56, !dbg !126
  %58 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %26, !dbg !127
  %59 = load float, ptr addrspace(1) %58, align 4, !dbg !127, !tbaa !26
  %60 = fmul float %8, 2.500000e-01, !dbg !128
  %61 = fmul float %60, %57, !dbg !129
  %62 = fadd float %59, %61, !dbg !130
  store float %62, ptr addrspace(1) %58, align 4, !dbg !131, !tbaa !26
  br label %63, !dbg !132

63:                                               ; preds = %9, %23
  ret void, !dbg !132
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2, !3}
!llvm.module.flags = !{!4, !5, !6, !7}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "srad.c", directory: ".")
!2 = !{ptr @srad_1, !"kernel", i32 1}
!3 = !{ptr @srad_2, !"kernel", i32 1}
!4 = !{i32 7, !"Dwarf Version", i32 2}
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = !{i32 1, !"wchar_size", i32 4}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = distinct !DISubprogram(name: "srad_1", scope: !1, file: !1, line: 10, type: !9, scopeLine: 13, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!9 = !DISubroutineType(types: !10)
!10 = !{}
!11 = !DILocation(line: 14, column: 19, scope: !8)
!12 = !DILocation(line: 14, column: 30, scope: !8)
!13 = !DILocation(line: 14, column: 28, scope: !8)
!14 = !DILocation(line: 14, column: 46, scope: !8)
!15 = !DILocation(line: 14, column: 44, scope: !8)
!16 = !DILocation(line: 15, column: 19, scope: !8)
!17 = !DILocation(line: 15, column: 30, scope: !8)
!18 = !DILocation(line: 15, column: 28, scope: !8)
!19 = !DILocation(line: 15, column: 46, scope: !8)
!20 = !DILocation(line: 15, column: 44, scope: !8)
!21 = !DILocation(line: 18, column: 11, scope: !8)
!22 = !DILocation(line: 18, column: 20, scope: !8)
!23 = !DILocation(line: 16, column: 22, scope: !8)
!24 = !DILocation(line: 16, column: 30, scope: !8)
!25 = !DILocation(line: 21, column: 24, scope: !8)
!26 = !{!27, !27, i64 0}
!27 = !{!"float", !28, i64 0}
!28 = !{!"omnipotent char", !29, i64 0}
!29 = !{!"Simple C/C++ TBAA"}
!30 = !DILocation(line: 22, column: 29, scope: !8)
!31 = !DILocation(line: 22, column: 27, scope: !8)
!32 = !DILocation(line: 22, column: 21, scope: !8)
!33 = !DILocation(line: 22, column: 52, scope: !8)
!34 = !DILocation(line: 23, column: 38, scope: !8)
!35 = !DILocation(line: 23, column: 29, scope: !8)
!36 = !DILocation(line: 23, column: 27, scope: !8)
!37 = !DILocation(line: 23, column: 21, scope: !8)
!38 = !DILocation(line: 23, column: 61, scope: !8)
!39 = !DILocation(line: 24, column: 29, scope: !8)
!40 = !DILocation(line: 24, column: 27, scope: !8)
!41 = !DILocation(line: 24, column: 21, scope: !8)
!42 = !DILocation(line: 24, column: 48, scope: !8)
!43 = !DILocation(line: 25, column: 37, scope: !8)
!44 = !DILocation(line: 25, column: 29, scope: !8)
!45 = !DILocation(line: 25, column: 27, scope: !8)
!46 = !DILocation(line: 25, column: 21, scope: !8)
!47 = !DILocation(line: 25, column: 56, scope: !8)
!48 = !DILocation(line: 26, column: 31, scope: !8)
!49 = !DILocation(line: 26, column: 39, scope: !8)
!50 = !DILocation(line: 26, column: 35, scope: !8)
!51 = !DILocation(line: 26, column: 47, scope: !8)
!52 = !DILocation(line: 26, column: 43, scope: !8)
!53 = !DILocation(line: 26, column: 55, scope: !8)
!54 = !DILocation(line: 26, column: 51, scope: !8)
!55 = !DILocation(line: 26, column: 68, scope: !8)
!56 = !DILocation(line: 26, column: 60, scope: !8)
!57 = !DILocation(line: 27, column: 32, scope: !8)
!58 = !DILocation(line: 27, column: 36, scope: !8)
!59 = !DILocation(line: 27, column: 40, scope: !8)
!60 = !DILocation(line: 27, column: 45, scope: !8)
!61 = !DILocation(line: 28, column: 35, scope: !8)
!62 = !DILocation(line: 28, column: 27, scope: !8)
!63 = !DILocation(line: 29, column: 35, scope: !8)
!64 = !DILocation(line: 29, column: 56, scope: !8)
!65 = !DILocation(line: 29, column: 68, scope: !8)
!66 = !DILocation(line: 29, column: 46, scope: !8)
!67 = !DILocation(line: 29, column: 90, scope: !8)
!68 = !DILocation(line: 29, column: 81, scope: !8)
!69 = !DILocation(line: 30, column: 35, scope: !8)
!70 = !DILocation(line: 30, column: 62, scope: !8)
!71 = !DILocation(line: 30, column: 57, scope: !8)
!72 = !DILocation(line: 30, column: 46, scope: !8)
!73 = !DILocation(line: 30, column: 22, scope: !8)
!74 = !DILocation(line: 30, column: 17, scope: !8)
!75 = !DILocation(line: 32, column: 11, scope: !8)
!76 = !DILocation(line: 32, column: 9, scope: !8)
!77 = !DILocation(line: 34, column: 16, scope: !8)
!78 = !DILocation(line: 34, column: 14, scope: !8)
!79 = !DILocation(line: 35, column: 9, scope: !8)
!80 = !DILocation(line: 0, scope: !8)
!81 = !DILocation(line: 36, column: 5, scope: !8)
!82 = !DILocation(line: 36, column: 15, scope: !8)
!83 = !DILocation(line: 37, column: 5, scope: !8)
!84 = !DILocation(line: 37, column: 15, scope: !8)
!85 = !DILocation(line: 38, column: 5, scope: !8)
!86 = !DILocation(line: 38, column: 14, scope: !8)
!87 = !DILocation(line: 39, column: 5, scope: !8)
!88 = !DILocation(line: 39, column: 14, scope: !8)
!89 = !DILocation(line: 40, column: 5, scope: !8)
!90 = !DILocation(line: 40, column: 21, scope: !8)
!91 = !DILocation(line: 41, column: 1, scope: !8)
!92 = distinct !DISubprogram(name: "srad_2", scope: !1, file: !1, line: 43, type: !9, scopeLine: 46, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!93 = !DILocation(line: 47, column: 19, scope: !92)
!94 = !DILocation(line: 47, column: 30, scope: !92)
!95 = !DILocation(line: 47, column: 28, scope: !92)
!96 = !DILocation(line: 47, column: 46, scope: !92)
!97 = !DILocation(line: 47, column: 44, scope: !92)
!98 = !DILocation(line: 48, column: 19, scope: !92)
!99 = !DILocation(line: 48, column: 30, scope: !92)
!100 = !DILocation(line: 48, column: 28, scope: !92)
!101 = !DILocation(line: 48, column: 46, scope: !92)
!102 = !DILocation(line: 48, column: 44, scope: !92)
!103 = !DILocation(line: 51, column: 11, scope: !92)
!104 = !DILocation(line: 51, column: 20, scope: !92)
!105 = !DILocation(line: 49, column: 22, scope: !92)
!106 = !DILocation(line: 49, column: 30, scope: !92)
!107 = !DILocation(line: 54, column: 24, scope: !92)
!108 = !DILocation(line: 55, column: 48, scope: !92)
!109 = !DILocation(line: 55, column: 39, scope: !92)
!110 = !DILocation(line: 55, column: 37, scope: !92)
!111 = !DILocation(line: 55, column: 25, scope: !92)
!112 = !DILocation(line: 56, column: 47, scope: !92)
!113 = !DILocation(line: 56, column: 39, scope: !92)
!114 = !DILocation(line: 56, column: 37, scope: !92)
!115 = !DILocation(line: 56, column: 25, scope: !92)
!116 = !DILocation(line: 58, column: 16, scope: !92)
!117 = !DILocation(line: 58, column: 14, scope: !92)
!118 = !DILocation(line: 58, column: 36, scope: !92)
!119 = !DILocation(line: 58, column: 34, scope: !92)
!120 = !DILocation(line: 58, column: 26, scope: !92)
!121 = !DILocation(line: 58, column: 55, scope: !92)
!122 = !DILocation(line: 58, column: 53, scope: !92)
!123 = !DILocation(line: 58, column: 46, scope: !92)
!124 = !DILocation(line: 58, column: 74, scope: !92)
!125 = !DILocation(line: 58, column: 72, scope: !92)
!126 = !DILocation(line: 58, column: 64, scope: !92)
!127 = !DILocation(line: 60, column: 17, scope: !92)
!128 = !DILocation(line: 60, column: 35, scope: !92)
!129 = !DILocation(line: 60, column: 42, scope: !92)
!130 = !DILocation(line: 60, column: 27, scope: !92)
!131 = !DILocation(line: 60, column: 15, scope: !92)
!132 = !DILocation(line: 61, column: 1, scope: !92)
