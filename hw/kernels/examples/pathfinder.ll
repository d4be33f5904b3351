; ModuleID = 'pathfinder.c'
source_filename = "pathfinder.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@pathfinder.last = internal unnamed_addr addrspace(3) global [64 x i32] undef, align 4
@pathfinder.next = internal unnamed_addr addrspace(3) global [64 x i32] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @pathfinder(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef writeonly %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 !dbg !7 {
  %7 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !10
  %8 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !11
  %9 = shl nsw i32 %5, 1, !dbg !12
  %10 = sub nsw i32 64, %9, !dbg !13
  %11 = mul nsw i32 %10, %8, !dbg !14
  %12 = sub nsw i32 %11, %5, !dbg !15
  %13 = add nsw i32 %12, %7, !dbg !16
  %14 = icmp slt i32 %13, 0, !dbg !17
  %15 = icmp sge i32 %13, %3, !dbg !18
  %16 = or i1 %14, %15, !dbg !19
  br i1 %16, label %23, label %17, !dbg !19

17:                                               ; preds = %6
  %18 = zext nneg i32 %7 to i64
  %19 = getelementptr inbounds [64 x i32], ptr addrspace(3) @pathfinder.last, i64 0, i64 %18
  %20 = zext nneg i32 %13 to i64
  %21 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 %20
  %22 = load i32, ptr addrspace(1) %21, align 4, !dbg !20, !tbaa !21
  store i32 %22, ptr addrspace(3) %19, align 4, !dbg !25, !tbaa !21
  br label %23, !dbg !26

23:                                               ; preds = %17, %6
  tail call void @llvm.nvvm.barrier0(), !dbg !27
  %24 = sub nsw i32 64, %7, !dbg !28
  %25 = icmp slt i32 %5, 1, !dbg !29
  br i1 %25, label %40, label %26, !dbg !30

26:                                               ; preds = %23
  %27 = zext nneg i32 %7 to i64
  %28 = getelementptr inbounds [64 x i32], ptr addrspace(3) @pathfinder.last, i64 0, i64 %27
  %29 = icmp sgt i32 %13, 0
  %30 = add nsw i32 %7, -1
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds [64 x i32], ptr addrspace(3) @pathfinder.last, i64 0, i64 %31
  %33 = add nsw i32 %3, -1
  %34 = icmp slt i32 %13, %33
  %35 = add nuw nsw i32 %7, 1
  %36 = zext nneg i32 %35 to i64
  %37 = getelementptr inbounds [64 x i32], ptr addrspace(3) @pathfinder.last, i64 0, i64 %36
  %38 = add i32 %4, -1
  %39 = getelementptr inbounds [64 x i32], ptr addrspace(3) @pathfinder.next, i64 0, i64 %27
  br label %46, !dbg !30

40:                                               ; preds = %74, %23
  %41 = icmp slt i32 %7, %5
  %42 = or i1 %41, %16, !dbg !31
  %43 = sub nsw i32 64, %5
  %44 = icmp sge i32 %7, %43
  %45 = select i1 %42, i1 true, i1 %44
  br i1 %45, label %83, label %77, !dbg !31

46:                                               ; preds = %26, %74
  %47 = phi i32 [ 1, %26 ], [ %75, %74 ]
  %48 = icmp ult i32 %7, %47
  %49 = or i1 %16, %48, !dbg !32
  %50 = icmp sge i32 %47, %24
  %51 = select i1 %49, i1 true, i1 %50, !dbg !33
  br i1 %51, label %71, label %52, !dbg !33

52:                                               ; preds = %46
  %53 = load i32, ptr addrspace(3) %28, align 4, !dbg !34, !tbaa !21
  br i1 %29, label %54, label %57, !dbg !35

54:                                               ; preds = %52
  %55 = load i32, ptr addrspace(3) %32, align 4, !dbg !36, !tbaa !21
  %56 = tail call i32 @llvm.smin.i32(i32 %55, i32 %53), !dbg !37
  br label %57, !dbg !37

57:                                               ; preds = %54, %52
  %58 = phi i32 [ %53, %52 ], [ %56, %54 ], !dbg !38
  br i1 %34, label %59, label %62, !dbg !39

59:                                               ; preds = %57
  %60 = load i32, ptr addrspace(3) %37, align 4, !dbg !40, !tbaa !21
  %61 = tail call i32 @llvm.smin.i32(i32 %60, i32 %58), !dbg !41
  br label %62, !dbg !41

62:                                               ; preds = %59, %57
  %63 = phi i32 [ %58, %57 ], [ %61, %59 ], !dbg !38
  %64 = add i32 %38, %47, !dbg !42
  %65 = mul nsw i32 %64, %3, !dbg !43
  %66 = add nsw i32 %65, %13, !dbg !44
  %67 = sext i32 %66 to i64, !dbg !45
  %68 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %67, !dbg !45
  %69 = load i32, ptr addrspace(1) %68, align 4, !dbg !45, !tbaa !21
  %70 = add nsw i32 %69, %63, !dbg !46
  store i32 %70, ptr addrspace(3) %39, align 4, !dbg !47, !tbaa !21
  br label %71, !dbg !48

71:                                               ; preds = %62, %46
  tail call void @llvm.nvvm.barrier0(), !dbg !49
  br i1 %51, label %74, label %72, !dbg !50

72:                                               ; preds = %71
  %73 = load i32, ptr addrspace(3) %39, align 4, !dbg !51, !tbaa !21
  store i32 %73, ptr addrspace(3) %28, align 4, !dbg !52, !tbaa !21
  br label %74, !dbg !53

74:                                               ; preds = %72, %71
  tail call void @llvm.nvvm.barrier0(), !dbg !54
  %75 = add nuw i32 %47, 1, !dbg !55
  %76 = icmp eq i32 %47, %5, !dbg !29
  br i1 %76, label %40, label %46, !dbg !30, !llvm.loop !56

77:                                               ; preds = %40
  %78 = zext nneg i32 %13 to i64
  %79 = getelementptr inbounds i32, ptr addrspace(1) %2, i64 %78
  %80 = zext nneg i32 %7 to i64
  %81 = getelementptr inbounds [64 x i32], ptr addrspace(3) @pathfinder.last, i64 0, i64 %80
  %82 = load i32, ptr addrspace(3) %81, align 4, !dbg !59, !tbaa !21
  store i32 %82, ptr addrspace(1) %79, align 4, !dbg !60, !tbaa !21
  br label %83, !dbg !61

83:                                               ; preds = %77, %40
  ret void, !dbg !62
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier0() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #3

attributes #0 = { norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "pathfinder.c", directory: ".")
!2 = !{ptr @pathfinder, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = distinct !DISubprogram(name: "pathfinder", scope: !1, file: !1, line: 11, type: !8, scopeLine: 13, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 16, column: 19, scope: !7)
!11 = !DILocation(line: 17, column: 24, scope: !7)
!12 = !DILocation(line: 17, column: 45, scope: !7)
!13 = !DILocation(line: 17, column: 41, scope: !7)
!14 = !DILocation(line: 17, column: 33, scope: !7)
!15 = !DILocation(line: 17, column: 54, scope: !7)
!16 = !DILocation(line: 17, column: 62, scope: !7)
!17 = !DILocation(line: 18, column: 31, scope: !7)
!18 = !DILocation(line: 18, column: 36, scope: !7)
!19 = !DILocation(line: 20, column: 9, scope: !7)
!20 = !DILocation(line: 21, column: 19, scope: !7)
!21 = !{!22, !22, i64 0}
!22 = !{!"int", !23, i64 0}
!23 = !{!"omnipotent char", !24, i64 0}
!24 = !{!"Simple C/C++ TBAA"}
!25 = !DILocation(line: 21, column: 17, scope: !7)
!26 = !DILocation(line: 21, column: 9, scope: !7)
!27 = !DILocation(line: 22, column: 5, scope: !7)
!28 = !DILocation(line: 23, column: 10, scope: !7)
!29 = !DILocation(line: 23, column: 29, scope: !7)
!30 = !DILocation(line: 23, column: 5, scope: !7)
!31 = !DILocation(line: 40, column: 16, scope: !7)
!32 = !DILocation(line: 24, column: 34, scope: !7)
!33 = !DILocation(line: 26, column: 13, scope: !7)
!34 = !DILocation(line: 27, column: 25, scope: !7)
!35 = !DILocation(line: 29, column: 28, scope: !7)
!36 = !DILocation(line: 29, column: 31, scope: !7)
!37 = !DILocation(line: 29, column: 17, scope: !7)
!38 = !DILocation(line: 0, scope: !7)
!39 = !DILocation(line: 31, column: 36, scope: !7)
!40 = !DILocation(line: 31, column: 39, scope: !7)
!41 = !DILocation(line: 31, column: 17, scope: !7)
!42 = !DILocation(line: 33, column: 54, scope: !7)
!43 = !DILocation(line: 33, column: 59, scope: !7)
!44 = !DILocation(line: 33, column: 67, scope: !7)
!45 = !DILocation(line: 33, column: 31, scope: !7)
!46 = !DILocation(line: 33, column: 29, scope: !7)
!47 = !DILocation(line: 33, column: 21, scope: !7)
!48 = !DILocation(line: 34, column: 9, scope: !7)
!49 = !DILocation(line: 35, column: 9, scope: !7)
!50 = !DILocation(line: 36, column: 13, scope: !7)
!51 = !DILocation(line: 37, column: 23, scope: !7)
!52 = !DILocation(line: 37, column: 21, scope: !7)
!53 = !DILocation(line: 37, column: 13, scope: !7)
!54 = !DILocation(line: 38, column: 9, scope: !7)
!55 = !DILocation(line: 23, column: 43, scope: !7)
!56 = distinct !{!56, !30, !57, !58}
!57 = !DILocation(line: 39, column: 5, scope: !7)
!58 = !{!"llvm.loop.mustprogress"}
!59 = !DILocation(line: 41, column: 25, scope: !7)
!60 = !DILocation(line: 41, column: 23, scope: !7)
!61 = !DILocation(line: 41, column: 9, scope: !7)
!62 = !DILocation(line: 42, column: 1, scope: !7)
