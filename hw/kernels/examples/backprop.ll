; ModuleID = 'backprop.c'
source_filename = "backprop.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@backprop_forward.value = internal unnamed_addr addrspace(3) global [16 x float] undef, align 4
@backprop_forward.product = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @backprop_forward(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef writeonly %2, i32 noundef %3) local_unnamed_addr #0 !dbg !9 {
  %5 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !12
  %6 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !13
  %7 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !14
  %8 = shl nsw i32 %7, 4, !dbg !15
  %9 = add nuw nsw i32 %8, %5, !dbg !16
  %10 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !17
  %11 = shl nuw nsw i32 %10, 4, !dbg !18
  %12 = add nuw nsw i32 %11, %6, !dbg !19
  %13 = icmp eq i32 %5, 0, !dbg !20
  %14 = zext nneg i32 %6 to i64
  br i1 %13, label %15, label %20, !dbg !21

15:                                               ; preds = %4
  %16 = getelementptr inbounds [16 x float], ptr addrspace(3) @backprop_forward.value, i64 0, i64 %14
  %17 = zext nneg i32 %12 to i64
  %18 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %17
  %19 = load float, ptr addrspace(1) %18, align 4, !dbg !22, !tbaa !23
  store float %19, ptr addrspace(3) %16, align 4, !dbg !27, !tbaa !23
  br label %20, !dbg !28

20:                                               ; preds = %4, %15
  tail call void @llvm.nvvm.barrier0(), !dbg !29
  %21 = mul nsw i32 %12, %3, !dbg !30
  %22 = add nsw i32 %21, %9, !dbg !31
  %23 = sext i32 %22 to i64, !dbg !32
  %24 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %23, !dbg !32
  %25 = load float, ptr addrspace(1) %24, align 4, !dbg !32, !tbaa !23
  %26 = getelementptr inbounds [16 x float], ptr addrspace(3) @backprop_forward.value, i64 0, i64 %14, !dbg !33
  %27 = load float, ptr addrspace(3) %26, align 4, !dbg !33, !tbaa !23
  %28 = fmul float %25, %27, !dbg !34
  %29 = zext nneg i32 %5 to i64, !dbg !35
  %30 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @backprop_forward.product, i64 0, i64 %14, i64 %29, !dbg !35
  store float %28, ptr addrspace(3) %30, align 4, !dbg !36, !tbaa !23
  tail call void @llvm.nvvm.barrier0(), !dbg !37
  %31 = icmp ult i32 %6, 8, !dbg !38
  br i1 %31, label %32, label %39, !dbg !39

32:                                               ; preds = %20
  %33 = or disjoint i32 %6, 8
  %34 = zext nneg i32 %33 to i64
  %35 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @backprop_forward.product, i64 0, i64 %34, i64 %29
  %36 = load float, ptr addrspace(3) %35, align 4, !dbg !40, !tbaa !23
  %37 = load float, ptr addrspace(3) %30, align 4, !dbg !41, !tbaa !23
  %38 = fadd float %36, %37, !dbg !41
  store float %38, ptr addrspace(3) %30, align 4, !dbg !41, !tbaa !23
  br label %39, !dbg !42

39:                                               ; preds = %32, %20
  tail call void @llvm.nvvm.barrier0(), !dbg !43
  %40 = icmp ult i32 %6, 4, !dbg !38
  br i1 %40, label %41, label %48, !dbg !39

41:                                               ; preds = %39
  %42 = or disjoint i32 %6, 4
  %43 = zext nneg i32 %42 to i64
  %44 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @backprop_forward.product, i64 0, i64 %43, i64 %29
  %45 = load float, ptr addrspace(3) %44, align 4, !dbg !40, !tbaa !23
  %46 = load float, ptr addrspace(3) %30, align 4, !dbg !41, !tbaa !23
  %47 = fadd float %45, %46, !dbg !41
  store float %47, ptr addrspace(3) %30, align 4, !dbg !41, !tbaa !23
  br label %48, !dbg !42

48:                                               ; preds = %41, %39
  tail call void @llvm.nvvm.barrier0(), !dbg !43
  %49 = icmp ult i32 %6, 2, !dbg !38
  br i1 %49, label %50, label %57, !dbg !39

50:                                               ; preds = %48
  %51 = or disjoint i32 %6, 2
  %52 = zext nneg i32 %51 to i64
  %53 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @backprop_forward.product, i64 0, i64 %52, i64 %29
  %54 = load float, ptr addrspace(3) %53, align 4, !dbg !40, !tbaa !23
  %55 = load float, ptr addrspace(3) %30, align 4, !dbg !41, !tbaa !23
  %56 = fadd float %54, %55, !dbg !41
  store float %56, ptr addrspace(3) %30, align 4, !dbg !41, !tbaa !23
  br label %57, !dbg !42

57:                                               ; preds = %50, %48
  tail call void @llvm.nvvm.barrier0(), !dbg !43
  %58 = icmp eq i32 %6, 0, !dbg !38
  br i1 %58, label %59, label %64, !dbg !39

59:                                               ; preds = %57
  %60 = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @backprop_forward.product, i64 0, i64 1, i64 %29
  %61 = load float, ptr addrspace(3) %60, align 4, !dbg !40, !tbaa !23
  %62 = load float, ptr addrspace(3) %30, align 4, !dbg !41, !tbaa !23
  %63 = fadd float %61, %62, !dbg !41
  store float %63, ptr addrspace(3) %30, align 4, !dbg !41, !tbaa !23
  br label %64, !dbg !42

64:                                               ; preds = %59, %57
  tail call void @llvm.nvvm.barrier0(), !dbg !43
  %65 = icmp eq i32 %6, 0, !dbg !44
  br i1 %65, label %66, label %73, !dbg !45

66:                                               ; preds = %64
  %67 = mul nsw i32 %10, %3
  %68 = add nsw i32 %67, %9
  %69 = sext i32 %68 to i64
  %70 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %69
  %71 = getelementptr inbounds [16 x float], ptr addrspace(3) @backprop_forward.product, i64 0, i64 %29
  %72 = load float, ptr addrspace(3) %71, align 4, !dbg !46, !tbaa !23
  store float %72, ptr addrspace(1) %70, align 4, !dbg !47, !tbaa !23
  br label %73, !dbg !48

73:                                               ; preds = %66, %64
  ret void, !dbg !49
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

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local void @backprop_activate(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef writeonly %2, ptr addrspace(1) nocapture noundef writeonly %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #3 !dbg !50 {
  %7 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !51
  %8 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !52
  %9 = mul nuw nsw i32 %7, %8, !dbg !53
  %10 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !54
  %11 = add nuw nsw i32 %9, %10, !dbg !55
  %12 = icmp slt i32 %11, %5, !dbg !56
  br i1 %12, label %13, label %87, !dbg !57

13:                                               ; preds = %6
  %14 = icmp sgt i32 %4, 0, !dbg !58
  br i1 %14, label %15, label %38, !dbg !59

15:                                               ; preds = %13
  %16 = and i32 %4, 3, !dbg !59
  %17 = icmp ult i32 %4, 4, !dbg !59
  br i1 %17, label %20, label %18, !dbg !59

18:                                               ; preds = %15
  %19 = and i32 %4, 2147483644, !dbg !59
  br label %53, !dbg !59

20:                                               ; preds = %53, %15
  %21 = phi float [ poison, %15 ], [ %83, %53 ]
  %22 = phi float [ 0.000000e+00, %15 ], [ %83, %53 ]
  %23 = phi i32 [ 0, %15 ], [ %84, %53 ]
  %24 = icmp eq i32 %16, 0, !dbg !59
  br i1 %24, label %38, label %25, !dbg !59

25:                                               ; preds = %20, %25
  %26 = phi float [ %34, %25 ], [ %22, %20 ]
  %27 = phi i32 [ %35, %25 ], [ %23, %20 ]
  %28 = phi i32 [ %36, %25 ], [ 0, %20 ]
  %29 = mul nsw i32 %27, %5, !dbg !60
  %30 = add nsw i32 %29, %11, !dbg !61
  %31 = sext i32 %30 to i64, !dbg !62
  %32 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %31, !dbg !62
  %33 = load float, ptr addrspace(1) %32, align 4, !dbg !62, !tbaa !23
  %34 = fadd float %26, %33, !dbg !63
  %35 = add nuw nsw i32 %27, 1, !dbg !64
  %36 = add i32 %28, 1, !dbg !59
  %37 = icmp eq i32 %36, %16, !dbg !59
  br i1 %37, label %38, label %25, !dbg !59, !llvm.loop !65

38:                                               ; preds = %20, %25, %13
  %39 = phi float [ 0.000000e+00, %13 ], [ %21, %20 ], [ %34, %25 ], !dbg !67
  %40 = fcmp olt float %39, 0.000000e+00, !dbg !68
  %41 = fneg float %39, !dbg !69
  %42 = select i1 %40, float %41, float %39, !dbg !69
  %43 = fadd float %42, 1.000000e+00, !dbg !70
  %44 = fdiv float %39, %43, !dbg !71
  %45 = zext nneg i32 %11 to i64, !dbg !72
  %46 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %45, !dbg !72
  store float %44, ptr addrspace(1) %46, align 4, !dbg !73, !tbaa !23
  %47 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %45, !dbg !74
  %48 = load float, ptr addrspace(1) %47, align 4, !dbg !74, !tbaa !23
  %49 = fsub float %48, %44, !dbg !75
  %50 = fmul float %43, %43, !dbg !76
  %51 = fdiv float %49, %50, !dbg !77
  %52 = getelementptr inbounds float, ptr addrspace(1) %3, i64 %45, !dbg !78
  store float %51, ptr addrspace(1) %52, align 4, !dbg !79, !tbaa !23
  br label %87, !dbg !80

53:                                               ; preds = %53, %18
  %54 = phi float [ 0.000000e+00, %18 ], [ %83, %53 ]
  %55 = phi i32 [ 0, %18 ], [ %84, %53 ]
  %56 = phi i32 [ 0, %18 ], [ %85, %53 ]
  %57 = mul nsw i32 %55, %5, !dbg !60
  %58 = add nsw i32 %57, %11, !dbg !61
  %59 = sext i32 %58 to i64, !dbg !62
  %60 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %59, !dbg !62
  %61 = load float, ptr addrspace(1) %60, align 4, !dbg !62, !tbaa !23
  %62 = fadd float %54, %61, !dbg !63
  %63 = or disjoint i32 %55, 1, !dbg !64
  %64 = mul nsw i32 %63, %5, !dbg !60
  %65 = add nsw i32 %64, %11, !dbg !61
  %66 = sext i32 %65 to i64, !dbg !62
  %67 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %66, !dbg !62
  %68 = load float, ptr addrspace(1) %67, align 4, !dbg !62, !tbaa !23
  %69 = fadd float %62, %68, !dbg !63
  %70 = or disjoint i32 %55, 2, !dbg !64
  %71 = mul nsw i32 %70, %5, !dbg !60
  %72 = add nsw i32 %71, %11, !dbg !61
  %73 = sext i32 %72 to i64, !dbg !62
  %74 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %73, !dbg !62
  %75 = load float, ptr addrspace(1) %74, align 4, !dbg !62, !tbaa !23
  %76 = fadd float %69, %75, !dbg !63
  %77 = or disjoint i32 %55, 3, !dbg !64
  %78 = mul nsw i32 %77, %5, !dbg !60
  %79 = add nsw i32 %78, %11, !dbg !61
  %80 = sext i32 %79 to i64, !dbg !62
  %81 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %80, !dbg !62
  %82 = load float, ptr addrspace(1) %81, align 4, !dbg !62, !tbaa !23
  %83 = fadd float %76, %82, !dbg !63
  %84 = add nuw nsw i32 %55, 4, !dbg !64
  %85 = add i32 %56, 4, !dbg !59
  %86 = icmp eq i32 %85, %19, !dbg !59
  br i1 %86, label %20, label %53, !dbg !59, !llvm.loop !81

87:                                               ; preds = %6, %38
  ret void, !dbg !80
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local void @backprop_adjust(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef %2, ptr addrspace(1) nocapture noundef %3, i32 noundef %4, float noundef %5, float noundef %6) local_unnamed_addr #4 !dbg !84 {
  %8 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !85
  %9 = shl nsw i32 %8, 4, !dbg !86
  %10 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !87
  %11 = add nuw nsw i32 %9, %10, !dbg !88
  %12 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !89
  %13 = shl nuw nsw i32 %12, 4, !dbg !90
  %14 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !91
  %15 = add nuw nsw i32 %13, %14, !dbg !92
  %16 = mul nsw i32 %15, %4, !dbg !93
  %17 = add nsw i32 %16, %11, !dbg !94
  %18 = zext nneg i32 %11 to i64, !dbg !95
  %19 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %18, !dbg !95
  %20 = load float, ptr addrspace(1) %19, align 4, !dbg !95, !tbaa !23
  %21 = fmul float %20, %5, !dbg !96
  %22 = zext nneg i32 %15 to i64, !dbg !97
  %23 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %22, !dbg !97
  %24 = load float, ptr addrspace(1) %23, align 4, !dbg !97, !tbaa !23
  %25 = fmul float %21, %24, !dbg !98
  %26 = sext i32 %17 to i64, !dbg !99
  %27 = getelementptr inbounds float, ptr addrspace(1) %3, i64 %26, !dbg !99
  %28 = load float, ptr addrspace(1) %27, align 4, !dbg !99, !tbaa !23
  %29 = fmul float %28, %6, !dbg !100
  %30 = fadd float %25, %29, !dbg !101
  %31 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %26, !dbg !102
  %32 = load float, ptr addrspace(1) %31, align 4, !dbg !103, !tbaa !23
  %33 = fadd float %32, %30, !dbg !103
  store float %33, ptr addrspace(1) %31, align 4, !dbg !103, !tbaa !23
  store float %30, ptr addrspace(1) %27, align 4, !dbg !104, !tbaa !23
  ret void, !dbg !105
}

attributes #0 = { norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #4 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2, !3, !4}
!llvm.module.flags = !{!5, !6, !7, !8}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "backprop.c", directory: ".")
!2 = !{ptr @backprop_forward, !"kernel", i32 1}
!3 = !{ptr @backprop_activate, !"kernel", i32 1}
!4 = !{ptr @backprop_adjust, !"kernel", i32 1}
!5 = !{i32 7, !"Dwarf Version", i32 2}
!6 = !{i32 2, !"Debug Info Version", i32 3}
!7 = !{i32 1, !"wchar_size", i32 4}
!8 = !{i32 7, !"frame-pointer", i32 2}
!9 = distinct !DISubprogram(name: "backprop_forward", scope: !1, file: !1, line: 12, type: !10, scopeLine: 14, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!10 = !DISubroutineType(types: !11)
!11 = !{}
!12 = !DILocation(line: 17, column: 19, scope: !9)
!13 = !DILocation(line: 17, column: 34, scope: !9)
!14 = !DILocation(line: 18, column: 22, scope: !9)
!15 = !DILocation(line: 18, column: 31, scope: !9)
!16 = !DILocation(line: 18, column: 38, scope: !9)
!17 = !DILocation(line: 18, column: 52, scope: !9)
!18 = !DILocation(line: 18, column: 61, scope: !9)
!19 = !DILocation(line: 18, column: 68, scope: !9)
!20 = !DILocation(line: 20, column: 11, scope: !9)
!21 = !DILocation(line: 20, column: 9, scope: !9)
!22 = !DILocation(line: 21, column: 20, scope: !9)
!23 = !{!24, !24, i64 0}
!24 = !{!"float", !25, i64 0}
!25 = !{!"omnipotent char", !26, i64 0}
!26 = !{!"Simple C/C++ TBAA"}
!27 = !DILocation(line: 21, column: 18, scope: !9)
!28 = !DILocation(line: 21, column: 9, scope: !9)
!29 = !DILocation(line: 22, column: 5, scope: !9)
!30 = !DILocation(line: 23, column: 35, scope: !9)
!31 = !DILocation(line: 23, column: 44, scope: !9)
!32 = !DILocation(line: 23, column: 21, scope: !9)
!33 = !DILocation(line: 23, column: 54, scope: !9)
!34 = !DILocation(line: 23, column: 52, scope: !9)
!35 = !DILocation(line: 23, column: 5, scope: !9)
!36 = !DILocation(line: 23, column: 19, scope: !9)
!37 = !DILocation(line: 24, column: 5, scope: !9)
!38 = !DILocation(line: 26, column: 15, scope: !9)
!39 = !DILocation(line: 26, column: 13, scope: !9)
!40 = !DILocation(line: 27, column: 30, scope: !9)
!41 = !DILocation(line: 27, column: 27, scope: !9)
!42 = !DILocation(line: 27, column: 13, scope: !9)
!43 = !DILocation(line: 28, column: 9, scope: !9)
!44 = !DILocation(line: 30, column: 11, scope: !9)
!45 = !DILocation(line: 30, column: 9, scope: !9)
!46 = !DILocation(line: 31, column: 45, scope: !9)
!47 = !DILocation(line: 31, column: 43, scope: !9)
!48 = !DILocation(line: 31, column: 9, scope: !9)
!49 = !DILocation(line: 32, column: 1, scope: !9)
!50 = distinct !DISubprogram(name: "backprop_activate", scope: !1, file: !1, line: 34, type: !10, scopeLine: 36, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!51 = !DILocation(line: 37, column: 22, scope: !50)
!52 = !DILocation(line: 37, column: 33, scope: !50)
!53 = !DILocation(line: 37, column: 31, scope: !50)
!54 = !DILocation(line: 37, column: 49, scope: !50)
!55 = !DILocation(line: 37, column: 47, scope: !50)
!56 = !DILocation(line: 40, column: 14, scope: !50)
!57 = !DILocation(line: 40, column: 9, scope: !50)
!58 = !DILocation(line: 42, column: 29, scope: !50)
!59 = !DILocation(line: 42, column: 5, scope: !50)
!60 = !DILocation(line: 43, column: 29, scope: !50)
!61 = !DILocation(line: 43, column: 38, scope: !50)
!62 = !DILocation(line: 43, column: 16, scope: !50)
!63 = !DILocation(line: 43, column: 13, scope: !50)
!64 = !DILocation(line: 42, column: 42, scope: !50)
!65 = distinct !{!65, !66}
!66 = !{!"llvm.loop.unroll.disable"}
!67 = !DILocation(line: 0, scope: !50)
!68 = !DILocation(line: 45, column: 34, scope: !50)
!69 = !DILocation(line: 45, column: 30, scope: !50)
!70 = !DILocation(line: 45, column: 27, scope: !50)
!71 = !DILocation(line: 47, column: 24, scope: !50)
!72 = !DILocation(line: 47, column: 5, scope: !50)
!73 = !DILocation(line: 47, column: 18, scope: !50)
!74 = !DILocation(line: 48, column: 20, scope: !50)
!75 = !DILocation(line: 48, column: 33, scope: !50)
!76 = !DILocation(line: 48, column: 57, scope: !50)
!77 = !DILocation(line: 48, column: 48, scope: !50)
!78 = !DILocation(line: 48, column: 5, scope: !50)
!79 = !DILocation(line: 48, column: 17, scope: !50)
!80 = !DILocation(line: 49, column: 1, scope: !50)
!81 = distinct !{!81, !59, !82, !83}
!82 = !DILocation(line: 43, column: 44, scope: !50)
!83 = !{!"llvm.loop.mustprogress"}
!84 = distinct !DISubprogram(name: "backprop_adjust", scope: !1, file: !1, line: 51, type: !10, scopeLine: 53, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!85 = !DILocation(line: 54, column: 22, scope: !84)
!86 = !DILocation(line: 54, column: 31, scope: !84)
!87 = !DILocation(line: 54, column: 40, scope: !84)
!88 = !DILocation(line: 54, column: 38, scope: !84)
!89 = !DILocation(line: 54, column: 60, scope: !84)
!90 = !DILocation(line: 54, column: 69, scope: !84)
!91 = !DILocation(line: 54, column: 78, scope: !84)
!92 = !DILocation(line: 54, column: 76, scope: !84)
!93 = !DILocation(line: 55, column: 27, scope: !84)
!94 = !DILocation(line: 55, column: 36, scope: !84)
!95 = !DILocation(line: 56, column: 31, scope: !84)
!96 = !DILocation(line: 56, column: 29, scope: !84)
!97 = !DILocation(line: 56, column: 45, scope: !84)
!98 = !DILocation(line: 56, column: 43, scope: !84)
!99 = !DILocation(line: 56, column: 72, scope: !84)
!100 = !DILocation(line: 56, column: 70, scope: !84)
!101 = !DILocation(line: 56, column: 59, scope: !84)
!102 = !DILocation(line: 58, column: 5, scope: !84)
!103 = !DILocation(line: 58, column: 16, scope: !84)
!104 = !DILocation(line: 59, column: 16, scope: !84)
!105 = !DILocation(line: 60, column: 1, scope: !84)
