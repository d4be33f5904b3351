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
  %11 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !15
  %12 = shl nuw nsw i32 %11, 3, !dbg !16
  %13 = add nuw nsw i32 %12, %7, !dbg !17
  %14 = icmp sgt i32 %3, 0, !dbg !18
  %15 = mul nsw i32 %13, %3
  br i1 %14, label %16, label %22, !dbg !19

16:                                               ; preds = %5
  %17 = add nuw i32 %15, %6
  %18 = zext nneg i32 %7 to i64
  %19 = zext nneg i32 %6 to i64
  %20 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @planted.tile_a, i64 0, i64 %18, i64 %19
  %21 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @planted.tile_b, i64 0, i64 %18, i64 %19
  br label %27, !dbg !19

22:                                               ; preds = %40, %5
  %23 = phi float [ 0.000000e+00, %5 ], [ %52, %40 ], !dbg !20
  %24 = add nsw i32 %15, %10, !dbg !21
  %25 = sext i32 %24 to i64, !dbg !22
  %26 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %25, !dbg !22
  store float %23, ptr addrspace(1) %26, align 4, !dbg !23, !tbaa !24
  ret void, !dbg !28

27:                                               ; preds = %16, %40
  %28 = phi i32 [ 0, %16 ], [ %41, %40 ]
  %29 = phi float [ 0.000000e+00, %16 ], [ %52, %40 ]
  %30 = add i32 %17, %28, !dbg !29
  %31 = sext i32 %30 to i64, !dbg !30
  %32 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %31, !dbg !30
  %33 = load float, ptr addrspace(1) %32, align 4, !dbg !30, !tbaa !24
  store float %33, ptr addrspace(3) %20, align 4, !dbg !31, !tbaa !24
  %34 = add nuw nsw i32 %28, %7, !dbg !32
  %35 = mul nuw nsw i32 %34, %3, !dbg !33
  %36 = add nuw nsw i32 %35, %10, !dbg !34
  %37 = zext nneg i32 %36 to i64, !dbg !35
  %38 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %37, !dbg !35
  %39 = load float, ptr addrspace(1) %38, align 4, !dbg !35, !tbaa !24
  store float %39, ptr addrspace(3) %21, align 4, !dbg !36, !tbaa !24
  tail call void @llvm.nvvm.barrier0(), !dbg !37
  br label %43, !dbg !38

40:                                               ; preds = %43
  tail call void @llvm.nvvm.barrier0(), !dbg !39
  %41 = add nuw nsw i32 %28, 8, !dbg !40
  %42 = icmp slt i32 %41, %3, !dbg !18
  br i1 %42, label %27, label %22, !dbg !19, !llvm.loop !41

43:                                               ; preds = %27, %43
  %44 = phi i32 [ 0, %27 ], [ %53, %43 ]
  %45 = phi float [ %29, %27 ], [ %52, %43 ]
  %46 = zext nneg i32 %44 to i64, !dbg !44
  %47 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @planted.tile_a, i64 0, i64 %18, i64 %46, !dbg !44
  %48 = load float, ptr addrspace(3) %47, align 4, !dbg !44, !tbaa !24
  %49 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @planted.tile_b, i64 0, i64 %46, i64 %19, !dbg !45
  %50 = load float, ptr addrspace(3) %49, align 4, !dbg !45, !tbaa !24
  %51 = fmul float %48, %50, !dbg !46
  %52 = fadd float %45, %51, !dbg !47
  %53 = add nuw nsw i32 %44, 1, !dbg !48
  %54 = icmp eq i32 %53, 8, !dbg !49
  br i1 %54, label %40, label %43, !dbg !38, !llvm.loop !50
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
!15 = !DILocation(line: 29, column: 51, scope: !7)
!16 = !DILocation(line: 29, column: 60, scope: !7)
!17 = !DILocation(line: 29, column: 67, scope: !7)
!18 = !DILocation(line: 37, column: 35, scope: !7)
!19 = !DILocation(line: 37, column: 9, scope: !7)
!20 = !DILocation(line: 35, column: 15, scope: !7)
!21 = !DILocation(line: 59, column: 19, scope: !7)
!22 = !DILocation(line: 59, column: 9, scope: !7)
!23 = !DILocation(line: 59, column: 29, scope: !7)
!24 = !{!25, !25, i64 0}
!25 = !{!"float", !26, i64 0}
!26 = !{!"omnipotent char", !27, i64 0}
!27 = !{!"Simple C/C++ TBAA"}
!28 = !DILocation(line: 61, column: 1, scope: !7)
!29 = !DILocation(line: 38, column: 46, scope: !7)
!30 = !DILocation(line: 38, column: 28, scope: !7)
!31 = !DILocation(line: 38, column: 26, scope: !7)
!32 = !DILocation(line: 39, column: 37, scope: !7)
!33 = !DILocation(line: 39, column: 42, scope: !7)
!34 = !DILocation(line: 39, column: 46, scope: !7)
!35 = !DILocation(line: 39, column: 28, scope: !7)
!36 = !DILocation(line: 39, column: 26, scope: !7)
!37 = !DILocation(line: 40, column: 13, scope: !7)
!38 = !DILocation(line: 45, column: 13, scope: !7)
!39 = !DILocation(line: 54, column: 13, scope: !7)
!40 = !DILocation(line: 37, column: 46, scope: !7)
!41 = distinct !{!41, !19, !42, !43}
!42 = !DILocation(line: 58, column: 9, scope: !7)
!43 = !{!"llvm.loop.mustprogress"}
!44 = !DILocation(line: 49, column: 28, scope: !7)
!45 = !DILocation(line: 49, column: 43, scope: !7)
!46 = !DILocation(line: 49, column: 41, scope: !7)
!47 = !DILocation(line: 49, column: 25, scope: !7)
!48 = !DILocation(line: 45, column: 40, scope: !7)
!49 = !DILocation(line: 45, column: 31, scope: !7)
!50 = distinct !{!50, !38, !51, !43, !52}
!51 = !DILocation(line: 53, column: 13, scope: !7)
!52 = !{!"llvm.loop.unroll.disable"}
