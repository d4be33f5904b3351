; ModuleID = 'planted.c'
source_filename = "planted.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@planted.tile_a = internal unnamed_addr addrspace(3) global [8 x [8 x float]] undef, align 4
@planted.tile_b = internal unnamed_addr addrspace(3) global [8 x [8 x float]] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @planted(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef writeonly %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #0 !dbg !7 {
  %6 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !10
  %7 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !11
  %8 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !12
  %9 = shl nsw i32 %8, 3, !dbg !13
  %10 = add nuw nsw i32 %9, %6, !dbg !14
  %11 = icmp sgt i32 %4, 0, !dbg !15
  br i1 %11, label %12, label %28, !dbg !16

12:                                               ; preds = %5
  %13 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !17
  %14 = shl nuw nsw i32 %13, 3, !dbg !18
  %15 = add nuw nsw i32 %14, %7, !dbg !19
  %16 = icmp sgt i32 %3, 0
  %17 = mul nsw i32 %15, %3
  %18 = add i32 %17, %6
  %19 = zext nneg i32 %7 to i64
  %20 = zext nneg i32 %6 to i64
  %21 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @planted.tile_a, i64 0, i64 %19, i64 %20
  %22 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @planted.tile_b, i64 0, i64 %19, i64 %20
  %23 = add nsw i32 %17, %10
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %24
  br label %26, !dbg !16

26:                                               ; preds = %12, %29
  %27 = phi i32 [ 0, %12 ], [ %31, %29 ]
  br i1 %16, label %33, label %29, !dbg !20

28:                                               ; preds = %29, %5
  ret void, !dbg !21

29:                                               ; preds = %46, %26
  %30 = phi float [ 0.000000e+00, %26 ], [ %58, %46 ], !dbg !22
  store float %30, ptr addrspace(1) %25, align 4, !dbg !23, !tbaa !24
  %31 = add nuw nsw i32 %27, 1, !dbg !28
  %32 = icmp eq i32 %31, %4, !dbg !15
  br i1 %32, label %28, label %26, !dbg !16, !llvm.loop !29

33:                                               ; preds = %26, %46
  %34 = phi i32 [ %47, %46 ], [ 0, %26 ]
  %35 = phi float [ %58, %46 ], [ 0.000000e+00, %26 ]
  %36 = add i32 %18, %34, !dbg !32
  %37 = sext i32 %36 to i64, !dbg !33
  %38 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %37, !dbg !33
  %39 = load float, ptr addrspace(1) %38, align 4, !dbg !33, !tbaa !24
  store float %39, ptr addrspace(3) %21, align 4, !dbg !34, !tbaa !24
  %40 = add nuw nsw i32 %34, %7, !dbg !35
  %41 = mul nuw nsw i32 %40, %3, !dbg !36
  %42 = add nuw nsw i32 %41, %10, !dbg !37
  %43 = zext nneg i32 %42 to i64, !dbg !38
  %44 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %43, !dbg !38
  %45 = load float, ptr addrspace(1) %44, align 4, !dbg !38, !tbaa !24
  store float %45, ptr addrspace(3) %22, align 4, !dbg !39, !tbaa !24
  tail call void @llvm.nvvm.barrier0(), !dbg !40
  br label %49, !dbg !41

46:                                               ; preds = %49
  tail call void @llvm.nvvm.barrier0(), !dbg !42
  %47 = add nuw nsw i32 %34, 8, !dbg !43
  %48 = icmp slt i32 %47, %3, !dbg !44
  br i1 %48, label %33, label %29, !dbg !20, !llvm.loop !45

49:                                               ; preds = %33, %49
  %50 = phi i32 [ 0, %33 ], [ %59, %49 ]
  %51 = phi float [ %35, %33 ], [ %58, %49 ]
  %52 = zext nneg i32 %50 to i64, !dbg !47
  %53 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @planted.tile_a, i64 0, i64 %19, i64 %52, !dbg !47
  %54 = load float, ptr addrspace(3) %53, align 4, !dbg !47, !tbaa !24
  %55 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @planted.tile_b, i64 0, i64 %52, i64 %20, !dbg !48
  %56 = load float, ptr addrspace(3) %55, align 4, !dbg !48, !tbaa !24
  %57 = fmul float %54, %56, !dbg !49
  %58 = fadd float %51, %57, !dbg !50
  %59 = add nuw nsw i32 %50, 1, !dbg !51
  %60 = icmp eq i32 %59, 8, !dbg !52
  br i1 %60, label %46, label %49, !dbg !41, !llvm.loop !53
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
!1 = !DIFile(filename: "planted.c", directory: ".")
!2 = !{ptr @planted, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = distinct !DISubprogram(name: "planted", scope: !1, file: !1, line: 24, type: !8, scopeLine: 25, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 28, column: 19, scope: !7)
!11 = !DILocation(line: 28, column: 34, scope: !7)
!12 = !DILocation(line: 29, column: 24, scope: !7)
!13 = !DILocation(line: 29, column: 33, scope: !7)
!14 = !DILocation(line: 29, column: 40, scope: !7)
!15 = !DILocation(line: 34, column: 29, scope: !7)
!16 = !DILocation(line: 34, column: 5, scope: !7)
!17 = !DILocation(line: 29, column: 51, scope: !7)
!18 = !DILocation(line: 29, column: 60, scope: !7)
!19 = !DILocation(line: 29, column: 67, scope: !7)
!20 = !DILocation(line: 37, column: 9, scope: !7)
!21 = !DILocation(line: 61, column: 1, scope: !7)
!22 = !DILocation(line: 35, column: 15, scope: !7)
!23 = !DILocation(line: 59, column: 29, scope: !7)
!24 = !{!25, !25, i64 0}
!25 = !{!"float", !26, i64 0}
!26 = !{!"omnipotent char", !27, i64 0}
!27 = !{!"Simple C/C++ TBAA"}
!28 = !DILocation(line: 34, column: 43, scope: !7)
!29 = distinct !{!29, !16, !30, !31}
!30 = !DILocation(line: 60, column: 5, scope: !7)
!31 = !{!"llvm.loop.mustprogress"}
!32 = !DILocation(line: 38, column: 46, scope: !7)
!33 = !DILocation(line: 38, column: 28, scope: !7)
!34 = !DILocation(line: 38, column: 26, scope: !7)
!35 = !DILocation(line: 39, column: 37, scope: !7)
!36 = !DILocation(line: 39, column: 42, scope: !7)
!37 = !DILocation(line: 39, column: 46, scope: !7)
!38 = !DILocation(line: 39, column: 28, scope: !7)
!39 = !DILocation(line: 39, column: 26, scope: !7)
!40 = !DILocation(line: 40, column: 13, scope: !7)
!41 = !DILocation(line: 45, column: 13, scope: !7)
!42 = !DILocation(line: 54, column: 13, scope: !7)
!43 = !DILocation(line: 37, column: 46, scope: !7)
!44 = !DILocation(line: 37, column: 35, scope: !7)
!45 = distinct !{!45, !20, !46, !31}
!46 = !DILocation(line: 58, column: 9, scope: !7)
!47 = !DILocation(line: 49, column: 28, scope: !7)
!48 = !DILocation(line: 49, column: 43, scope: !7)
!49 = !DILocation(line: 49, column: 41, scope: !7)
!50 = !DILocation(line: 49, column: 25, scope: !7)
!51 = !DILocation(line: 45, column: 40, scope: !7)
!52 = !DILocation(line: 45, column: 31, scope: !7)
!53 = distinct !{!53, !41, !54, !31, !55}
!54 = !DILocation(line: 53, column: 13, scope: !7)
!55 = !{!"llvm.loop.unroll.disable"}
