; ModuleID = 'nw.c'
source_filename = "nw.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@nw.tile = internal unnamed_addr addrspace(3) global [17 x [17 x i32]] undef, align 4
@nw.gain = internal unnamed_addr addrspace(3) global [16 x [16 x i32]] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @nw(ptr addrspace(1) nocapture noundef %0, ptr addrspace(1) nocapture noundef readonly %1, i32 noundef %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #0 !dbg !7 {
  %6 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !10
  %7 = sdiv i32 %2, 16, !dbg !11
  %8 = icmp sgt i32 %7, %3, !dbg !12
  %9 = sub i32 %3, %7, !dbg !13
  %10 = add i32 %9, 1, !dbg !13
  %11 = select i1 %8, i32 0, i32 %10, !dbg !13
  %12 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !14
  %13 = add i32 %11, %12, !dbg !15
  %14 = shl nsw i32 %13, 4, !dbg !16
  %15 = sub i32 %3, %13, !dbg !17
  %16 = shl nsw i32 %15, 4, !dbg !18
  %17 = add i32 %14, %6
  %18 = zext nneg i32 %6 to i64
  br label %23, !dbg !19

19:                                               ; preds = %23
  %20 = add nsw i32 %2, 1, !dbg !20
  %21 = icmp eq i32 %6, 0, !dbg !21
  %22 = mul nsw i32 %16, %20
  br i1 %21, label %44, label %49, !dbg !22

23:                                               ; preds = %23, %5
  %24 = phi i32 [ 0, %5 ], [ %42, %23 ]
  %25 = add nuw nsw i32 %24, %16, !dbg !23
  %26 = mul nsw i32 %25, %2, !dbg !24
  %27 = add i32 %17, %26, !dbg !25
  %28 = sext i32 %27 to i64, !dbg !26
  %29 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 %28, !dbg !26
  %30 = load i32, ptr addrspace(1) %29, align 4, !dbg !26, !tbaa !27
  %31 = zext nneg i32 %24 to i64, !dbg !31
  %32 = getelementptr inbounds [16 x [16 x i32]], ptr addrspace(3) @nw.gain, i64 0, i64 %31, i64 %18, !dbg !31
  store i32 %30, ptr addrspace(3) %32, align 4, !dbg !32, !tbaa !27
  %33 = or disjoint i32 %24, 1, !dbg !33
  %34 = add nuw nsw i32 %33, %16, !dbg !23
  %35 = mul nsw i32 %34, %2, !dbg !24
  %36 = add i32 %17, %35, !dbg !25
  %37 = sext i32 %36 to i64, !dbg !26
  %38 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 %37, !dbg !26
  %39 = load i32, ptr addrspace(1) %38, align 4, !dbg !26, !tbaa !27
  %40 = zext nneg i32 %33 to i64, !dbg !31
  %41 = getelementptr inbounds [16 x [16 x i32]], ptr addrspace(3) @nw.gain, i64 0, i64 %40, i64 %18, !dbg !31
  store i32 %39, ptr addrspace(3) %41, align 4, !dbg !32, !tbaa !27
  %42 = add nuw nsw i32 %24, 2, !dbg !33
  %43 = icmp eq i32 %42, 16, !dbg !34
  br i1 %43, label %19, label %23, !dbg !19, !llvm.loop !35

44:                                               ; preds = %19
  %45 = add nsw i32 %22, %14
  %46 = sext i32 %45 to i64
  %47 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %46
  %48 = load i32, ptr addrspace(1) %47, align 4, !dbg !38, !tbaa !27
  store i32 %48, ptr addrspace(3) @nw.tile, align 4, !dbg !39, !tbaa !27
  br label %49, !dbg !40

49:                                               ; preds = %19, %44
  %50 = add i32 %17, %22, !dbg !41
  %51 = sext i32 %50 to i64, !dbg !42
  %52 = getelementptr i32, ptr addrspace(1) %0, i64 %51, !dbg !42
  %53 = getelementptr i8, ptr addrspace(1) %52, i64 4, !dbg !42
  %54 = load i32, ptr addrspace(1) %53, align 4, !dbg !42, !tbaa !27
  %55 = add nuw nsw i32 %6, 1, !dbg !43
  %56 = zext nneg i32 %55 to i64, !dbg !44
  %57 = getelementptr inbounds [17 x i32], ptr addrspace(3) @nw.tile, i64 0, i64 %56, !dbg !44
  store i32 %54, ptr addrspace(3) %57, align 4, !dbg !45, !tbaa !27
  %58 = add i32 %55, %16, !dbg !46
  %59 = mul nsw i32 %58, %20, !dbg !47
  %60 = add nsw i32 %59, %14, !dbg !48
  %61 = sext i32 %60 to i64, !dbg !49
  %62 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %61, !dbg !49
  %63 = load i32, ptr addrspace(1) %62, align 4, !dbg !49, !tbaa !27
  %64 = getelementptr inbounds [17 x [17 x i32]], ptr addrspace(3) @nw.tile, i64 0, i64 %56, !dbg !50
  store i32 %63, ptr addrspace(3) %64, align 4, !dbg !51, !tbaa !27
  tail call void @llvm.nvvm.barrier0(), !dbg !52
  br label %68, !dbg !53

65:                                               ; preds = %90
  %66 = or disjoint i32 %16, 1
  %67 = getelementptr i8, ptr addrspace(1) %0, i64 4, !dbg !54
  br label %94, !dbg !54

68:                                               ; preds = %49, %90
  %69 = phi i32 [ 0, %49 ], [ %91, %90 ]
  %70 = sub nsw i32 %69, %6, !dbg !55
  %71 = icmp ult i32 %70, 16, !dbg !56
  br i1 %71, label %72, label %90, !dbg !56

72:                                               ; preds = %68
  %73 = zext nneg i32 %70 to i64, !dbg !57
  %74 = getelementptr inbounds [17 x [17 x i32]], ptr addrspace(3) @nw.tile, i64 0, i64 %73, i64 %18, !dbg !57
  %75 = load i32, ptr addrspace(3) %74, align 4, !dbg !57, !tbaa !27
  %76 = getelementptr inbounds [16 x [16 x i32]], ptr addrspace(3) @nw.gain, i64 0, i64 %73, i64 %18, !dbg !58
  %77 = load i32, ptr addrspace(3) %76, align 4, !dbg !58, !tbaa !27
  %78 = add nsw i32 %77, %75, !dbg !59
  %79 = getelementptr inbounds [17 x [17 x i32]], ptr addrspace(3) @nw.tile, i64 0, i64 %73, i64 %56, !dbg !60
  %80 = load i32, ptr addrspace(3) %79, align 4, !dbg !60, !tbaa !27
  %81 = sub nsw i32 %80, %4, !dbg !61
  %82 = add nuw nsw i32 %70, 1, !dbg !62
  %83 = zext nneg i32 %82 to i64, !dbg !63
  %84 = getelementptr inbounds [17 x [17 x i32]], ptr addrspace(3) @nw.tile, i64 0, i64 %83, i64 %18, !dbg !63
  %85 = load i32, ptr addrspace(3) %84, align 4, !dbg !63, !tbaa !27
  %86 = sub nsw i32 %85, %4, !dbg !64
  %87 = tail call i32 @llvm.smax.i32(i32 %81, i32 %86), !dbg !65
  %88 = tail call i32 @llvm.smax.i32(i32 %78, i32 %87), !dbg !66
  %89 = getelementptr inbounds [17 x [17 x i32]], ptr addrspace(3) @nw.tile, i64 0, i64 %83, i64 %56, !dbg !67
  store i32 %88, ptr addrspace(3) %89, align 4, !dbg !68, !tbaa !27
  br label %90, !dbg !69

90:                                               ; preds = %72, %68
  tail call void @llvm.nvvm.barrier0(), !dbg !70
  %91 = add nuw nsw i32 %69, 1, !dbg !71
  %92 = icmp eq i32 %91, 31, !dbg !72
  br i1 %92, label %65, label %68, !dbg !53, !llvm.loop !73

93:                                               ; preds = %94
  ret void, !dbg !76

94:                                               ; preds = %94, %65
  %95 = phi i32 [ 0, %65 ], [ %105, %94 ]
  %96 = or disjoint i32 %95, 1, !dbg !77
  %97 = zext nneg i32 %96 to i64, !dbg !78
  %98 = getelementptr inbounds [17 x [17 x i32]], ptr addrspace(3) @nw.tile, i64 0, i64 %97, i64 %56, !dbg !78
  %99 = load i32, ptr addrspace(3) %98, align 4, !dbg !78, !tbaa !27
  %100 = add nuw nsw i32 %66, %95, !dbg !79
  %101 = mul nsw i32 %100, %20, !dbg !80
  %102 = add i32 %17, %101, !dbg !81
  %103 = sext i32 %102 to i64, !dbg !82
  %104 = getelementptr i32, ptr addrspace(1) %67, i64 %103, !dbg !82
  store i32 %99, ptr addrspace(1) %104, align 4, !dbg !83, !tbaa !27
  %105 = add nuw nsw i32 %95, 2, !dbg !77
  %106 = zext nneg i32 %105 to i64, !dbg !78
  %107 = getelementptr inbounds [17 x [17 x i32]], ptr addrspace(3) @nw.tile, i64 0, i64 %106, i64 %56, !dbg !78
  %108 = load i32, ptr addrspace(3) %107, align 4, !dbg !78, !tbaa !27
  %109 = add i32 %66, %96, !dbg !79
  %110 = mul nsw i32 %109, %20, !dbg !80
  %111 = add i32 %17, %110, !dbg !81
  %112 = sext i32 %111 to i64, !dbg !82
  %113 = getelementptr i32, ptr addrspace(1) %67, i64 %112, !dbg !82
  store i32 %108, ptr addrspace(1) %113, align 4, !dbg !83, !tbaa !27
  %114 = icmp eq i32 %105, 16, !dbg !84
  br i1 %114, label %93, label %94, !dbg !54, !llvm.loop !85
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier0() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #3

attributes #0 = { norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "nw.c", directory: ".")
!2 = !{ptr @nw, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = distinct !DISubprogram(name: "nw", scope: !1, file: !1, line: 11, type: !8, scopeLine: 12, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 15, column: 19, scope: !7)
!11 = !DILocation(line: 16, column: 25, scope: !7)
!12 = !DILocation(line: 17, column: 32, scope: !7)
!13 = !DILocation(line: 17, column: 23, scope: !7)
!14 = !DILocation(line: 18, column: 31, scope: !7)
!15 = !DILocation(line: 18, column: 29, scope: !7)
!16 = !DILocation(line: 18, column: 41, scope: !7)
!17 = !DILocation(line: 18, column: 73, scope: !7)
!18 = !DILocation(line: 18, column: 85, scope: !7)
!19 = !DILocation(line: 21, column: 5, scope: !7)
!20 = !DILocation(line: 19, column: 25, scope: !7)
!21 = !DILocation(line: 23, column: 11, scope: !7)
!22 = !DILocation(line: 23, column: 9, scope: !7)
!23 = !DILocation(line: 22, column: 38, scope: !7)
!24 = !DILocation(line: 22, column: 43, scope: !7)
!25 = !DILocation(line: 22, column: 54, scope: !7)
!26 = !DILocation(line: 22, column: 22, scope: !7)
!27 = !{!28, !28, i64 0}
!28 = !{!"int", !29, i64 0}
!29 = !{!"omnipotent char", !30, i64 0}
!30 = !{!"Simple C/C++ TBAA"}
!31 = !DILocation(line: 22, column: 9, scope: !7)
!32 = !DILocation(line: 22, column: 20, scope: !7)
!33 = !DILocation(line: 21, column: 32, scope: !7)
!34 = !DILocation(line: 21, column: 23, scope: !7)
!35 = distinct !{!35, !19, !36, !37}
!36 = !DILocation(line: 22, column: 57, scope: !7)
!37 = !{!"llvm.loop.mustprogress"}
!38 = !DILocation(line: 24, column: 22, scope: !7)
!39 = !DILocation(line: 24, column: 20, scope: !7)
!40 = !DILocation(line: 24, column: 9, scope: !7)
!41 = !DILocation(line: 25, column: 47, scope: !7)
!42 = !DILocation(line: 25, column: 22, scope: !7)
!43 = !DILocation(line: 25, column: 15, scope: !7)
!44 = !DILocation(line: 25, column: 5, scope: !7)
!45 = !DILocation(line: 25, column: 20, scope: !7)
!46 = !DILocation(line: 26, column: 37, scope: !7)
!47 = !DILocation(line: 26, column: 42, scope: !7)
!48 = !DILocation(line: 26, column: 50, scope: !7)
!49 = !DILocation(line: 26, column: 22, scope: !7)
!50 = !DILocation(line: 26, column: 5, scope: !7)
!51 = !DILocation(line: 26, column: 20, scope: !7)
!52 = !DILocation(line: 27, column: 5, scope: !7)
!53 = !DILocation(line: 29, column: 5, scope: !7)
!54 = !DILocation(line: 41, column: 5, scope: !7)
!55 = !DILocation(line: 30, column: 28, scope: !7)
!56 = !DILocation(line: 32, column: 20, scope: !7)
!57 = !DILocation(line: 33, column: 30, scope: !7)
!58 = !DILocation(line: 33, column: 43, scope: !7)
!59 = !DILocation(line: 33, column: 41, scope: !7)
!60 = !DILocation(line: 34, column: 28, scope: !7)
!61 = !DILocation(line: 34, column: 43, scope: !7)
!62 = !DILocation(line: 34, column: 68, scope: !7)
!63 = !DILocation(line: 34, column: 61, scope: !7)
!64 = !DILocation(line: 34, column: 76, scope: !7)
!65 = !DILocation(line: 35, column: 29, scope: !7)
!66 = !DILocation(line: 37, column: 34, scope: !7)
!67 = !DILocation(line: 37, column: 13, scope: !7)
!68 = !DILocation(line: 37, column: 32, scope: !7)
!69 = !DILocation(line: 38, column: 9, scope: !7)
!70 = !DILocation(line: 39, column: 9, scope: !7)
!71 = !DILocation(line: 29, column: 49, scope: !7)
!72 = !DILocation(line: 29, column: 29, scope: !7)
!73 = distinct !{!73, !53, !74, !37, !75}
!74 = !DILocation(line: 40, column: 5, scope: !7)
!75 = !{!"llvm.loop.unroll.disable"}
!76 = !DILocation(line: 43, column: 1, scope: !7)
!77 = !DILocation(line: 42, column: 62, scope: !7)
!78 = !DILocation(line: 42, column: 55, scope: !7)
!79 = !DILocation(line: 42, column: 24, scope: !7)
!80 = !DILocation(line: 42, column: 29, scope: !7)
!81 = !DILocation(line: 42, column: 44, scope: !7)
!82 = !DILocation(line: 42, column: 9, scope: !7)
!83 = !DILocation(line: 42, column: 53, scope: !7)
!84 = !DILocation(line: 41, column: 23, scope: !7)
!85 = distinct !{!85, !54, !86, !37}
!86 = !DILocation(line: 42, column: 72, scope: !7)
