; ModuleID = 'kmeans.c'
source_filename = "kmeans.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local void @kmeans_assign(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef writeonly %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 !dbg !8 {
  %7 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !11
  %8 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !12
  %9 = mul nuw nsw i32 %7, %8, !dbg !13
  %10 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !14
  %11 = add nuw nsw i32 %9, %10, !dbg !15
  %12 = icmp slt i32 %11, %3, !dbg !16
  br i1 %12, label %13, label %89, !dbg !17

13:                                               ; preds = %6
  %14 = icmp sgt i32 %4, 0, !dbg !18
  br i1 %14, label %15, label %27, !dbg !19

15:                                               ; preds = %13
  %16 = icmp sgt i32 %5, 0
  %17 = and i32 %5, 1
  %18 = icmp eq i32 %5, 1
  %19 = and i32 %5, 2147483646
  %20 = icmp eq i32 %17, 0
  br label %21, !dbg !19

21:                                               ; preds = %15, %48
  %22 = phi float [ 0.000000e+00, %15 ], [ %54, %48 ]
  %23 = phi i32 [ 0, %15 ], [ %55, %48 ]
  %24 = phi i32 [ 0, %15 ], [ %53, %48 ]
  br i1 %16, label %25, label %48, !dbg !20

25:                                               ; preds = %21
  %26 = mul nuw nsw i32 %23, %5
  br i1 %18, label %31, label %57, !dbg !20

27:                                               ; preds = %48, %13
  %28 = phi i32 [ 0, %13 ], [ %53, %48 ], !dbg !21
  %29 = zext nneg i32 %11 to i64, !dbg !22
  %30 = getelementptr inbounds i32, ptr addrspace(1) %2, i64 %29, !dbg !22
  store i32 %28, ptr addrspace(1) %30, align 4, !dbg !23, !tbaa !24
  br label %89, !dbg !28

31:                                               ; preds = %57, %25
  %32 = phi float [ poison, %25 ], [ %85, %57 ]
  %33 = phi i32 [ 0, %25 ], [ %86, %57 ]
  %34 = phi float [ 0.000000e+00, %25 ], [ %85, %57 ]
  br i1 %20, label %48, label %35, !dbg !20

35:                                               ; preds = %31
  %36 = mul nsw i32 %33, %3, !dbg !29
  %37 = add nsw i32 %36, %11, !dbg !30
  %38 = sext i32 %37 to i64, !dbg !31
  %39 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %38, !dbg !31
  %40 = load float, ptr addrspace(1) %39, align 4, !dbg !31, !tbaa !32
  %41 = add nuw nsw i32 %33, %26, !dbg !34
  %42 = zext nneg i32 %41 to i64, !dbg !35
  %43 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %42, !dbg !35
  %44 = load float, ptr addrspace(1) %43, align 4, !dbg !35, !tbaa !32
  %45 = fsub float %40, %44, !dbg !36
  %46 = fmul float %45, %45, !dbg !37
  %47 = fadd float %34, %46, !dbg !38
  br label %48, !dbg !39

48:                                               ; preds = %35, %31, %21
  %49 = phi float [ 0.000000e+00, %21 ], [ %32, %31 ], [ %47, %35 ], !dbg !21
  %50 = icmp eq i32 %23, 0, !dbg !39
  %51 = fcmp olt float %49, %22
  %52 = select i1 %50, i1 true, i1 %51, !dbg !40
  %53 = select i1 %52, i32 %23, i32 %24, !dbg !40
  %54 = select i1 %52, float %49, float %22, !dbg !40
  %55 = add nuw nsw i32 %23, 1, !dbg !41
  %56 = icmp eq i32 %55, %4, !dbg !18
  br i1 %56, label %27, label %21, !dbg !19, !llvm.loop !42

57:                                               ; preds = %25, %57
  %58 = phi i32 [ %86, %57 ], [ 0, %25 ]
  %59 = phi float [ %85, %57 ], [ 0.000000e+00, %25 ]
  %60 = phi i32 [ %87, %57 ], [ 0, %25 ]
  %61 = mul nsw i32 %58, %3, !dbg !29
  %62 = add nsw i32 %61, %11, !dbg !30
  %63 = sext i32 %62 to i64, !dbg !31
  %64 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %63, !dbg !31
  %65 = load float, ptr addrspace(1) %64, align 4, !dbg !31, !tbaa !32
  %66 = add nuw nsw i32 %58, %26, !dbg !34
  %67 = zext nneg i32 %66 to i64, !dbg !35
  %68 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %67, !dbg !35
  %69 = load float, ptr addrspace(1) %68, align 4, !dbg !35, !tbaa !32
  %70 = fsub float %65, %69, !dbg !36
  %71 = fmul float %70, %70, !dbg !37
  %72 = fadd float %59, %71, !dbg !38
  %73 = or disjoint i32 %58, 1, !dbg !45
  %74 = mul nsw i32 %73, %3, !dbg !29
  %75 = add nsw i32 %74, %11, !dbg !30
  %76 = sext i32 %75 to i64, !dbg !31
  %77 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %76, !dbg !31
  %78 = load float, ptr addrspace(1) %77, align 4, !dbg !31, !tbaa !32
  %79 = add nuw nsw i32 %73, %26, !dbg !34
  %80 = zext nneg i32 %79 to i64, !dbg !35
  %81 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %80, !dbg !35
  %82 = load float, ptr addrspace(1) %81, align 4, !dbg !35, !tbaa !32
  %83 = fsub float %78, %82, !dbg !36
  %84 = fmul float %83, %83, !dbg !37
  %85 = fadd float %72, %84, !dbg !38
  %86 = add nuw nsw i32 %58, 2, !dbg !45
  %87 = add i32 %60, 2, !dbg !20
  %88 = icmp eq i32 %87, %19, !dbg !20
  br i1 %88, label %31, label %57, !dbg !20, !llvm.loop !46

89:                                               ; preds = %6, %27
  ret void, !dbg !28
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local void @kmeans_move(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef writeonly %1, ptr addrspace(1) nocapture noundef readonly %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 !dbg !48 {
  %7 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !49
  %8 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !50
  %9 = mul nuw nsw i32 %7, %8, !dbg !51
  %10 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !52
  %11 = add nuw nsw i32 %9, %10, !dbg !53
  %12 = mul nsw i32 %5, %4, !dbg !54
  %13 = icmp slt i32 %11, %12, !dbg !55
  br i1 %13, label %14, label %50, !dbg !56

14:                                               ; preds = %6
  %15 = icmp sgt i32 %3, 0, !dbg !57
  br i1 %15, label %16, label %18, !dbg !58

16:                                               ; preds = %14
  %17 = sdiv i32 %11, %5
  br label %22, !dbg !58

18:                                               ; preds = %40, %14
  %19 = phi float [ 0.000000e+00, %14 ], [ %41, %40 ], !dbg !59
  %20 = phi i32 [ 0, %14 ], [ %42, %40 ], !dbg !59
  %21 = icmp sgt i32 %20, 0, !dbg !60
  br i1 %21, label %45, label %50, !dbg !61

22:                                               ; preds = %16, %40
  %23 = phi i32 [ 0, %16 ], [ %43, %40 ]
  %24 = phi i32 [ 0, %16 ], [ %42, %40 ]
  %25 = phi float [ 0.000000e+00, %16 ], [ %41, %40 ]
  %26 = zext nneg i32 %23 to i64, !dbg !62
  %27 = getelementptr inbounds i32, ptr addrspace(1) %2, i64 %26, !dbg !62
  %28 = load i32, ptr addrspace(1) %27, align 4, !dbg !62, !tbaa !24
  %29 = icmp eq i32 %28, %17, !dbg !63
  br i1 %29, label %30, label %40, !dbg !62

30:                                               ; preds = %22
  %31 = mul i32 %17, %5, !dbg !64
  %32 = sub i32 %11, %31, !dbg !64
  %33 = mul nuw nsw i32 %32, %3, !dbg !65
  %34 = add nuw nsw i32 %33, %23, !dbg !66
  %35 = zext nneg i32 %34 to i64, !dbg !67
  %36 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %35, !dbg !67
  %37 = load float, ptr addrspace(1) %36, align 4, !dbg !67, !tbaa !32
  %38 = fadd float %25, %37, !dbg !68
  %39 = add nsw i32 %24, 1, !dbg !69
  br label %40, !dbg !70

40:                                               ; preds = %22, %30
  %41 = phi float [ %38, %30 ], [ %25, %22 ], !dbg !59
  %42 = phi i32 [ %39, %30 ], [ %24, %22 ], !dbg !59
  %43 = add nuw nsw i32 %23, 1, !dbg !71
  %44 = icmp eq i32 %43, %3, !dbg !57
  br i1 %44, label %18, label %22, !dbg !58, !llvm.loop !72

45:                                               ; preds = %18
  %46 = zext nneg i32 %11 to i64
  %47 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %46
  %48 = uitofp nneg i32 %20 to float
  %49 = fdiv float %19, %48
  store float %49, ptr addrspace(1) %47, align 4, !dbg !74, !tbaa !32
  br label %50, !dbg !75

50:                                               ; preds = %18, %45, %6
  ret void, !dbg !76
}

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2, !3}
!llvm.module.flags = !{!4, !5, !6, !7}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "kmeans.c", directory: ".")
!2 = !{ptr @kmeans_assign, !"kernel", i32 1}
!3 = !{ptr @kmeans_move, !"kernel", i32 1}
!4 = !{i32 7, !"Dwarf Version", i32 2}
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = !{i32 1, !"wchar_size", i32 4}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = distinct !DISubprogram(name: "kmeans_assign", scope: !1, file: !1, line: 9, type: !9, scopeLine: 11, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!9 = !DISubroutineType(types: !10)
!10 = !{}
!11 = !DILocation(line: 12, column: 23, scope: !8)
!12 = !DILocation(line: 12, column: 34, scope: !8)
!13 = !DILocation(line: 12, column: 32, scope: !8)
!14 = !DILocation(line: 12, column: 50, scope: !8)
!15 = !DILocation(line: 12, column: 48, scope: !8)
!16 = !DILocation(line: 16, column: 15, scope: !8)
!17 = !DILocation(line: 16, column: 9, scope: !8)
!18 = !DILocation(line: 18, column: 35, scope: !8)
!19 = !DILocation(line: 18, column: 5, scope: !8)
!20 = !DILocation(line: 21, column: 9, scope: !8)
!21 = !DILocation(line: 0, scope: !8)
!22 = !DILocation(line: 32, column: 5, scope: !8)
!23 = !DILocation(line: 32, column: 20, scope: !8)
!24 = !{!25, !25, i64 0}
!25 = !{!"int", !26, i64 0}
!26 = !{!"omnipotent char", !27, i64 0}
!27 = !{!"Simple C/C++ TBAA"}
!28 = !DILocation(line: 33, column: 1, scope: !8)
!29 = !DILocation(line: 23, column: 32, scope: !8)
!30 = !DILocation(line: 23, column: 40, scope: !8)
!31 = !DILocation(line: 23, column: 17, scope: !8)
!32 = !{!33, !33, i64 0}
!33 = !{!"float", !26, i64 0}
!34 = !DILocation(line: 23, column: 78, scope: !8)
!35 = !DILocation(line: 23, column: 51, scope: !8)
!36 = !DILocation(line: 23, column: 49, scope: !8)
!37 = !DILocation(line: 25, column: 36, scope: !8)
!38 = !DILocation(line: 25, column: 22, scope: !8)
!39 = !DILocation(line: 27, column: 21, scope: !8)
!40 = !DILocation(line: 27, column: 26, scope: !8)
!41 = !DILocation(line: 18, column: 54, scope: !8)
!42 = distinct !{!42, !19, !43, !44}
!43 = !DILocation(line: 31, column: 5, scope: !8)
!44 = !{!"llvm.loop.mustprogress"}
!45 = !DILocation(line: 21, column: 58, scope: !8)
!46 = distinct !{!46, !20, !47, !44}
!47 = !DILocation(line: 26, column: 9, scope: !8)
!48 = distinct !DISubprogram(name: "kmeans_move", scope: !1, file: !1, line: 36, type: !9, scopeLine: 38, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!49 = !DILocation(line: 39, column: 20, scope: !48)
!50 = !DILocation(line: 39, column: 31, scope: !48)
!51 = !DILocation(line: 39, column: 29, scope: !48)
!52 = !DILocation(line: 39, column: 47, scope: !48)
!53 = !DILocation(line: 39, column: 45, scope: !48)
!54 = !DILocation(line: 43, column: 24, scope: !48)
!55 = !DILocation(line: 43, column: 12, scope: !48)
!56 = !DILocation(line: 43, column: 9, scope: !48)
!57 = !DILocation(line: 45, column: 31, scope: !48)
!58 = !DILocation(line: 45, column: 5, scope: !48)
!59 = !DILocation(line: 0, scope: !48)
!60 = !DILocation(line: 51, column: 17, scope: !48)
!61 = !DILocation(line: 51, column: 9, scope: !48)
!62 = !DILocation(line: 46, column: 13, scope: !48)
!63 = !DILocation(line: 46, column: 28, scope: !48)
!64 = !DILocation(line: 47, column: 30, scope: !48)
!65 = !DILocation(line: 47, column: 41, scope: !48)
!66 = !DILocation(line: 47, column: 49, scope: !48)
!67 = !DILocation(line: 47, column: 20, scope: !48)
!68 = !DILocation(line: 47, column: 17, scope: !48)
!69 = !DILocation(line: 48, column: 20, scope: !48)
!70 = !DILocation(line: 49, column: 9, scope: !48)
!71 = !DILocation(line: 45, column: 45, scope: !48)
!72 = distinct !{!72, !58, !73, !44}
!73 = !DILocation(line: 50, column: 5, scope: !48)
!74 = !DILocation(line: 52, column: 21, scope: !48)
!75 = !DILocation(line: 52, column: 9, scope: !48)
!76 = !DILocation(line: 53, column: 1, scope: !48)
