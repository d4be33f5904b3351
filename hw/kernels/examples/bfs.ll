; ModuleID = 'bfs.c'
source_filename = "bfs.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local void @bfs_expand(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef %2, ptr addrspace(1) nocapture noundef writeonly %3, ptr addrspace(1) nocapture noundef readonly %4, ptr addrspace(1) nocapture noundef %5, i32 noundef %6) local_unnamed_addr #0 !dbg !8 {
  %8 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !11
  %9 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !12
  %10 = mul nuw nsw i32 %8, %9, !dbg !13
  %11 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !14
  %12 = add nuw nsw i32 %10, %11, !dbg !15
  %13 = icmp slt i32 %12, %6, !dbg !16
  br i1 %13, label %14, label %47, !dbg !17

14:                                               ; preds = %7
  %15 = zext nneg i32 %12 to i64, !dbg !18
  %16 = getelementptr inbounds i32, ptr addrspace(1) %2, i64 %15, !dbg !18
  %17 = load i32, ptr addrspace(1) %16, align 4, !dbg !18, !tbaa !19
  %18 = icmp eq i32 %17, 0, !dbg !18
  br i1 %18, label %47, label %19, !dbg !23

19:                                               ; preds = %14
  store i32 0, ptr addrspace(1) %16, align 4, !dbg !24, !tbaa !19
  %20 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %15, !dbg !25
  %21 = load i32, ptr addrspace(1) %20, align 4, !dbg !25, !tbaa !19
  %22 = getelementptr inbounds i8, ptr addrspace(1) %20, i64 4
  %23 = load i32, ptr addrspace(1) %22, align 4, !dbg !26, !tbaa !19
  %24 = icmp slt i32 %21, %23, !dbg !27
  br i1 %24, label %25, label %47, !dbg !28

25:                                               ; preds = %19
  %26 = getelementptr inbounds i32, ptr addrspace(1) %5, i64 %15
  br label %27, !dbg !28

27:                                               ; preds = %25, %43
  %28 = phi i32 [ %23, %25 ], [ %44, %43 ]
  %29 = phi i32 [ %21, %25 ], [ %45, %43 ]
  %30 = sext i32 %29 to i64, !dbg !29
  %31 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 %30, !dbg !29
  %32 = load i32, ptr addrspace(1) %31, align 4, !dbg !29, !tbaa !19
  %33 = sext i32 %32 to i64, !dbg !30
  %34 = getelementptr inbounds i32, ptr addrspace(1) %4, i64 %33, !dbg !30
  %35 = load i32, ptr addrspace(1) %34, align 4, !dbg !30, !tbaa !19
  %36 = icmp eq i32 %35, 0, !dbg !30
  br i1 %36, label %37, label %43, !dbg !31

37:                                               ; preds = %27
  %38 = getelementptr inbounds i32, ptr addrspace(1) %3, i64 %33
  %39 = getelementptr inbounds i32, ptr addrspace(1) %5, i64 %33
  %40 = load i32, ptr addrspace(1) %26, align 4, !dbg !32, !tbaa !19
  %41 = add nsw i32 %40, 1, !dbg !33
  store i32 %41, ptr addrspace(1) %39, align 4, !dbg !34, !tbaa !19
  store i32 1, ptr addrspace(1) %38, align 4, !dbg !35, !tbaa !19
  %42 = load i32, ptr addrspace(1) %22, align 4, !dbg !26, !tbaa !19
  br label %43, !dbg !36

43:                                               ; preds = %37, %27
  %44 = phi i32 [ %42, %37 ], [ %28, %27 ], !dbg !26
  %45 = add nsw i32 %29, 1, !dbg !37
  %46 = icmp slt i32 %45, %44, !dbg !27
  br i1 %46, label %27, label %47, !dbg !28, !llvm.loop !38

47:                                               ; preds = %43, %19, %7, %14
  ret void, !dbg !41
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local void @bfs_advance(ptr addrspace(1) nocapture noundef writeonly %0, ptr addrspace(1) nocapture noundef %1, ptr addrspace(1) nocapture noundef writeonly %2, ptr addrspace(1) nocapture noundef writeonly %3, i32 noundef %4) local_unnamed_addr #2 !dbg !42 {
  %6 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !43
  %7 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !44
  %8 = mul nuw nsw i32 %6, %7, !dbg !45
  %9 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !46
  %10 = add nuw nsw i32 %8, %9, !dbg !47
  %11 = icmp slt i32 %10, %4, !dbg !48
  br i1 %11, label %12, label %20, !dbg !49

12:                                               ; preds = %5
  %13 = zext nneg i32 %10 to i64, !dbg !50
  %14 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 %13, !dbg !50
  %15 = load i32, ptr addrspace(1) %14, align 4, !dbg !50, !tbaa !19
  %16 = icmp eq i32 %15, 0, !dbg !50
  br i1 %16, label %20, label %17, !dbg !51

17:                                               ; preds = %12
  %18 = getelementptr inbounds i32, ptr addrspace(1) %2, i64 %13
  %19 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %13
  store i32 0, ptr addrspace(1) %14, align 4, !dbg !52, !tbaa !19
  store i32 1, ptr addrspace(1) %19, align 4, !dbg !53, !tbaa !19
  store i32 1, ptr addrspace(1) %18, align 4, !dbg !54, !tbaa !19
  store i32 1, ptr addrspace(1) %3, align 4, !dbg !55, !tbaa !19
  br label %20, !dbg !56

20:                                               ; preds = %5, %12, %17
  ret void, !dbg !56
}

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2, !3}
!llvm.module.flags = !{!4, !5, !6, !7}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "bfs.c", directory: ".")
!2 = !{ptr @bfs_expand, !"kernel", i32 1}
!3 = !{ptr @bfs_advance, !"kernel", i32 1}
!4 = !{i32 7, !"Dwarf Version", i32 2}
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = !{i32 1, !"wchar_size", i32 4}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = distinct !DISubprogram(name: "bfs_expand", scope: !1, file: !1, line: 9, type: !9, scopeLine: 11, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!9 = !DISubroutineType(types: !10)
!10 = !{}
!11 = !DILocation(line: 12, column: 22, scope: !8)
!12 = !DILocation(line: 12, column: 33, scope: !8)
!13 = !DILocation(line: 12, column: 31, scope: !8)
!14 = !DILocation(line: 12, column: 49, scope: !8)
!15 = !DILocation(line: 12, column: 47, scope: !8)
!16 = !DILocation(line: 14, column: 14, scope: !8)
!17 = !DILocation(line: 14, column: 23, scope: !8)
!18 = !DILocation(line: 14, column: 27, scope: !8)
!19 = !{!20, !20, i64 0}
!20 = !{!"int", !21, i64 0}
!21 = !{!"omnipotent char", !22, i64 0}
!22 = !{!"Simple C/C++ TBAA"}
!23 = !DILocation(line: 14, column: 9, scope: !8)
!24 = !DILocation(line: 16, column: 17, scope: !8)
!25 = !DILocation(line: 17, column: 21, scope: !8)
!26 = !DILocation(line: 17, column: 43, scope: !8)
!27 = !DILocation(line: 17, column: 41, scope: !8)
!28 = !DILocation(line: 17, column: 5, scope: !8)
!29 = !DILocation(line: 18, column: 26, scope: !8)
!30 = !DILocation(line: 20, column: 14, scope: !8)
!31 = !DILocation(line: 20, column: 13, scope: !8)
!32 = !DILocation(line: 21, column: 27, scope: !8)
!33 = !DILocation(line: 21, column: 39, scope: !8)
!34 = !DILocation(line: 21, column: 25, scope: !8)
!35 = !DILocation(line: 22, column: 27, scope: !8)
!36 = !DILocation(line: 23, column: 9, scope: !8)
!37 = !DILocation(line: 17, column: 66, scope: !8)
!38 = distinct !{!38, !28, !39, !40}
!39 = !DILocation(line: 24, column: 5, scope: !8)
!40 = !{!"llvm.loop.mustprogress"}
!41 = !DILocation(line: 25, column: 1, scope: !8)
!42 = distinct !DISubprogram(name: "bfs_advance", scope: !1, file: !1, line: 27, type: !9, scopeLine: 29, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!43 = !DILocation(line: 30, column: 22, scope: !42)
!44 = !DILocation(line: 30, column: 33, scope: !42)
!45 = !DILocation(line: 30, column: 31, scope: !42)
!46 = !DILocation(line: 30, column: 49, scope: !42)
!47 = !DILocation(line: 30, column: 47, scope: !42)
!48 = !DILocation(line: 32, column: 14, scope: !42)
!49 = !DILocation(line: 32, column: 23, scope: !42)
!50 = !DILocation(line: 32, column: 27, scope: !42)
!51 = !DILocation(line: 32, column: 9, scope: !42)
!52 = !DILocation(line: 34, column: 19, scope: !42)
!53 = !DILocation(line: 35, column: 17, scope: !42)
!54 = !DILocation(line: 36, column: 19, scope: !42)
!55 = !DILocation(line: 37, column: 11, scope: !42)
!56 = !DILocation(line: 38, column: 1, scope: !42)
