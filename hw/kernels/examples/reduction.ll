; ModuleID = 'reduction.c'
source_filename = "reduction.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@reduction.sum = internal unnamed_addr addrspace(3) global [256 x float] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @reduction(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef writeonly %1, i32 noundef %2) local_unnamed_addr #0 !dbg !7 {
  %4 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !10
  %5 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !11
  %6 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !12
  %7 = mul nuw nsw i32 %5, %6, !dbg !13
  %8 = add nuw nsw i32 %7, %4, !dbg !14
  %9 = icmp slt i32 %8, %2, !dbg !15
  br i1 %9, label %10, label %13, !dbg !16

10:                                               ; preds = %3
  %11 = tail call range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %12 = mul nuw nsw i32 %11, %6
  br label %18, !dbg !16

13:                                               ; preds = %18, %3
  %14 = phi float [ 0.000000e+00, %3 ], [ %24, %18 ], !dbg !17
  %15 = zext nneg i32 %4 to i64, !dbg !18
  %16 = getelementptr inbounds [256 x float], ptr addrspace(3) @reduction.sum, i64 0, i64 %15, !dbg !18
  store float %14, ptr addrspace(3) %16, align 4, !dbg !19, !tbaa !20
  tail call void @llvm.nvvm.barrier0(), !dbg !24
  %17 = icmp ult i32 %6, 2, !dbg !25
  br i1 %17, label %27, label %29, !dbg !26

18:                                               ; preds = %10, %18
  %19 = phi i32 [ %8, %10 ], [ %25, %18 ]
  %20 = phi float [ 0.000000e+00, %10 ], [ %24, %18 ]
  %21 = zext nneg i32 %19 to i64, !dbg !27
  %22 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %21, !dbg !27
  %23 = load float, ptr addrspace(1) %22, align 4, !dbg !27, !tbaa !20
  %24 = fadd float %20, %23, !dbg !28
  %25 = add nuw nsw i32 %19, %12, !dbg !29
  %26 = icmp slt i32 %25, %2, !dbg !15
  br i1 %26, label %18, label %13, !dbg !16, !llvm.loop !30

27:                                               ; preds = %40, %13
  %28 = icmp eq i32 %4, 0, !dbg !33
  br i1 %28, label %42, label %46, !dbg !34

29:                                               ; preds = %13, %40
  %30 = phi i32 [ %31, %40 ], [ %6, %13 ]
  %31 = lshr i32 %30, 1, !dbg !35
  %32 = icmp ult i32 %4, %31, !dbg !36
  br i1 %32, label %33, label %40, !dbg !37

33:                                               ; preds = %29
  %34 = add nuw nsw i32 %31, %4
  %35 = zext nneg i32 %34 to i64
  %36 = getelementptr inbounds [256 x float], ptr addrspace(3) @reduction.sum, i64 0, i64 %35
  %37 = load float, ptr addrspace(3) %36, align 4, !dbg !38, !tbaa !20
  %38 = load float, ptr addrspace(3) %16, align 4, !dbg !39, !tbaa !20
  %39 = fadd float %37, %38, !dbg !39
  store float %39, ptr addrspace(3) %16, align 4, !dbg !39, !tbaa !20
  br label %40, !dbg !40

40:                                               ; preds = %33, %29
  tail call void @llvm.nvvm.barrier0(), !dbg !41
  %41 = icmp ult i32 %30, 4, !dbg !25
  br i1 %41, label %27, label %29, !dbg !26, !llvm.loop !42

42:                                               ; preds = %27
  %43 = zext nneg i32 %5 to i64
  %44 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %43
  %45 = load float, ptr addrspace(3) @reduction.sum, align 4, !dbg !44, !tbaa !20
  store float %45, ptr addrspace(1) %44, align 4, !dbg !45, !tbaa !20
  br label %46, !dbg !46

46:                                               ; preds = %42, %27
  ret void, !dbg !47
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier0() #2

attributes #0 = { norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "reduction.c", directory: ".")
!2 = !{ptr @reduction, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = distinct !DISubprogram(name: "reduction", scope: !1, file: !1, line: 10, type: !8, scopeLine: 11, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 13, column: 19, scope: !7)
!11 = !DILocation(line: 16, column: 18, scope: !7)
!12 = !DILocation(line: 16, column: 29, scope: !7)
!13 = !DILocation(line: 16, column: 27, scope: !7)
!14 = !DILocation(line: 16, column: 43, scope: !7)
!15 = !DILocation(line: 16, column: 50, scope: !7)
!16 = !DILocation(line: 16, column: 5, scope: !7)
!17 = !DILocation(line: 0, scope: !7)
!18 = !DILocation(line: 18, column: 5, scope: !7)
!19 = !DILocation(line: 18, column: 12, scope: !7)
!20 = !{!21, !21, i64 0}
!21 = !{!"float", !22, i64 0}
!22 = !{!"omnipotent char", !23, i64 0}
!23 = !{!"Simple C/C++ TBAA"}
!24 = !DILocation(line: 19, column: 5, scope: !7)
!25 = !DILocation(line: 20, column: 47, scope: !7)
!26 = !DILocation(line: 20, column: 5, scope: !7)
!27 = !DILocation(line: 17, column: 16, scope: !7)
!28 = !DILocation(line: 17, column: 13, scope: !7)
!29 = !DILocation(line: 16, column: 61, scope: !7)
!30 = distinct !{!30, !16, !31, !32}
!31 = !DILocation(line: 17, column: 20, scope: !7)
!32 = !{!"llvm.loop.mustprogress"}
!33 = !DILocation(line: 25, column: 11, scope: !7)
!34 = !DILocation(line: 25, column: 9, scope: !7)
!35 = !DILocation(line: 20, scope: !7)
!36 = !DILocation(line: 21, column: 15, scope: !7)
!37 = !DILocation(line: 21, column: 13, scope: !7)
!38 = !DILocation(line: 22, column: 23, scope: !7)
!39 = !DILocation(line: 22, column: 20, scope: !7)
!40 = !DILocation(line: 22, column: 13, scope: !7)
!41 = !DILocation(line: 23, column: 9, scope: !7)
!42 = distinct !{!42, !26, !43, !32}
!43 = !DILocation(line: 24, column: 5, scope: !7)
!44 = !DILocation(line: 26, column: 26, scope: !7)
!45 = !DILocation(line: 26, column: 24, scope: !7)
!46 = !DILocation(line: 26, column: 9, scope: !7)
!47 = !DILocation(line: 27, column: 1, scope: !7)
