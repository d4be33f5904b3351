; ModuleID = 'stencil.c'
source_filename = "stencil.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local void @stencil(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef writeonly %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #0 !dbg !7 {
  %5 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !10
  %6 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !11
  %7 = mul nuw nsw i32 %5, %6, !dbg !12
  %8 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !13
  %9 = add nuw nsw i32 %7, %8, !dbg !14
  %10 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !15
  %11 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y(), !dbg !16
  %12 = mul nuw nsw i32 %10, %11, !dbg !17
  %13 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !18
  %14 = add nuw nsw i32 %12, %13, !dbg !19
  %15 = mul nsw i32 %14, %2, !dbg !20
  %16 = add nsw i32 %15, %9, !dbg !21
  %17 = icmp slt i32 %9, %2, !dbg !22
  %18 = icmp slt i32 %14, %3
  %19 = select i1 %17, i1 %18, i1 false, !dbg !23
  br i1 %19, label %20, label %55, !dbg !23

20:                                               ; preds = %4
  %21 = icmp ne i32 %9, 0, !dbg !24
  %22 = icmp ne i32 %14, 0
  %23 = select i1 %21, i1 %22, i1 false, !dbg !25
  %24 = add nsw i32 %2, -1
  %25 = icmp ult i32 %9, %24
  %26 = select i1 %23, i1 %25, i1 false, !dbg !25
  %27 = add nsw i32 %3, -1
  %28 = icmp ult i32 %14, %27
  %29 = select i1 %26, i1 %28, i1 false, !dbg !25
  %30 = sext i32 %16 to i64, !dbg !26
  %31 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %30, !dbg !26
  %32 = load float, ptr addrspace(1) %31, align 4, !dbg !26, !tbaa !27
  br i1 %29, label %33, label %52, !dbg !25

33:                                               ; preds = %20
  %34 = fmul float %32, 5.000000e-01, !dbg !31
  %35 = getelementptr i8, ptr addrspace(1) %31, i64 -4, !dbg !32
  %36 = load float, ptr addrspace(1) %35, align 4, !dbg !32, !tbaa !27
  %37 = getelementptr i8, ptr addrspace(1) %31, i64 4, !dbg !33
  %38 = load float, ptr addrspace(1) %37, align 4, !dbg !33, !tbaa !27
  %39 = fadd float %36, %38, !dbg !34
  %40 = sub nsw i32 %16, %2, !dbg !35
  %41 = sext i32 %40 to i64, !dbg !36
  %42 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %41, !dbg !36
  %43 = load float, ptr addrspace(1) %42, align 4, !dbg !36, !tbaa !27
  %44 = fadd float %39, %43, !dbg !37
  %45 = add nsw i32 %16, %2, !dbg !38
  %46 = sext i32 %45 to i64, !dbg !39
  %47 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %46, !dbg !39
  %48 = load float, ptr addrspace(1) %47, align 4, !dbg !39, !tbaa !27
  %49 = fadd float %44, %48, !dbg !40
  %50 = fmul float %49, 1.250000e-01, !dbg !41
  %51 = fadd float %34, %50, !dbg !42
  br label %52, !dbg !43

52:                                               ; preds = %20, %33
  %53 = phi float [ %51, %33 ], [ %32, %20 ]
  %54 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %30, !dbg !26
  store float %53, ptr addrspace(1) %54, align 4, !dbg !26, !tbaa !27
  br label %55, !dbg !44

55:                                               ; preds = %52, %4
  ret void, !dbg !44
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

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "stencil.c", directory: ".")
!2 = !{ptr @stencil, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = distinct !DISubprogram(name: "stencil", scope: !1, file: !1, line: 8, type: !8, scopeLine: 9, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 10, column: 19, scope: !7)
!11 = !DILocation(line: 10, column: 30, scope: !7)
!12 = !DILocation(line: 10, column: 28, scope: !7)
!13 = !DILocation(line: 10, column: 46, scope: !7)
!14 = !DILocation(line: 10, column: 44, scope: !7)
!15 = !DILocation(line: 11, column: 19, scope: !7)
!16 = !DILocation(line: 11, column: 30, scope: !7)
!17 = !DILocation(line: 11, column: 28, scope: !7)
!18 = !DILocation(line: 11, column: 46, scope: !7)
!19 = !DILocation(line: 11, column: 44, scope: !7)
!20 = !DILocation(line: 12, column: 22, scope: !7)
!21 = !DILocation(line: 12, column: 30, scope: !7)
!22 = !DILocation(line: 14, column: 11, scope: !7)
!23 = !DILocation(line: 14, column: 20, scope: !7)
!24 = !DILocation(line: 16, column: 11, scope: !7)
!25 = !DILocation(line: 16, column: 15, scope: !7)
!26 = !DILocation(line: 0, scope: !7)
!27 = !{!28, !28, i64 0}
!28 = !{!"float", !29, i64 0}
!29 = !{!"omnipotent char", !30, i64 0}
!30 = !{!"Simple C/C++ TBAA"}
!31 = !DILocation(line: 18, column: 18, scope: !7)
!32 = !DILocation(line: 18, column: 39, scope: !7)
!33 = !DILocation(line: 18, column: 52, scope: !7)
!34 = !DILocation(line: 18, column: 50, scope: !7)
!35 = !DILocation(line: 18, column: 71, scope: !7)
!36 = !DILocation(line: 18, column: 65, scope: !7)
!37 = !DILocation(line: 18, column: 63, scope: !7)
!38 = !DILocation(line: 18, column: 88, scope: !7)
!39 = !DILocation(line: 18, column: 82, scope: !7)
!40 = !DILocation(line: 18, column: 80, scope: !7)
!41 = !DILocation(line: 18, column: 36, scope: !7)
!42 = !DILocation(line: 18, column: 27, scope: !7)
!43 = !DILocation(line: 17, column: 9, scope: !7)
!44 = !DILocation(line: 21, column: 1, scope: !7)
