; ModuleID = 'tile.c'
source_filename = "tile.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile_a = internal unnamed_addr addrspace(3) global [8 x [8 x float]] undef, align 4
@tile_b = internal unnamed_addr addrspace(3) global [8 x [8 x float]] undef, align 4

; Function Attrs: norecurse nounwind
define dso_local void @tile_product(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef readonly %1, ptr addrspace(1) nocapture noundef writeonly %2, i32 noundef %3) local_unnamed_addr #0 !dbg !9 {
  %5 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !12
  %6 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !13
  %7 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !14
  %8 = shl nsw i32 %7, 3, !dbg !15
  %9 = add nuw nsw i32 %8, %5, !dbg !16
  %10 = icmp sgt i32 %3, 0, !dbg !17
  br i1 %10, label %11, label %40, !dbg !18

11:                                               ; preds = %4
  %12 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !19
  %13 = shl nuw nsw i32 %12, 3, !dbg !20
  %14 = add nuw nsw i32 %13, %6, !dbg !21
  %15 = mul nuw nsw i32 %14, %3
  %16 = add nuw i32 %15, %5
  %17 = zext nneg i32 %6 to i64
  %18 = zext nneg i32 %5 to i64
  %19 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_a, i64 0, i64 %17, i64 %18
  %20 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_b, i64 0, i64 %17, i64 %18
  %21 = add nuw nsw i32 %15, %9
  %22 = zext nneg i32 %21 to i64
  %23 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %22
  %24 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_a, i64 0, i64 %17, i64 0, !dbg !22
  %25 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_b, i64 0, i64 0, i64 %18
  %26 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_a, i64 0, i64 %17, i64 1
  %27 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_b, i64 0, i64 1, i64 %18
  %28 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_a, i64 0, i64 %17, i64 2
  %29 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_b, i64 0, i64 2, i64 %18
  %30 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_a, i64 0, i64 %17, i64 3
  %31 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_b, i64 0, i64 3, i64 %18
  %32 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_a, i64 0, i64 %17, i64 4
  %33 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_b, i64 0, i64 4, i64 %18
  %34 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_a, i64 0, i64 %17, i64 5
  %35 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_b, i64 0, i64 5, i64 %18
  %36 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_a, i64 0, i64 %17, i64 6
  %37 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_b, i64 0, i64 6, i64 %18
  %38 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_a, i64 0, i64 %17, i64 7
  %39 = getelementptr inbounds [8 x [8 x float]], ptr addrspace(3) @tile_b, i64 0, i64 7, i64 %18
  br label %41, !dbg !18

40:                                               ; preds = %41, %4
  ret void, !dbg !23

41:                                               ; preds = %11, %41
  %42 = phi i32 [ 0, %11 ], [ %78, %41 ]
  %43 = phi float [ 0.000000e+00, %11 ], [ %77, %41 ]
  %44 = add i32 %16, %42, !dbg !24
  %45 = sext i32 %44 to i64, !dbg !25
  %46 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %45, !dbg !25
  %47 = load float, ptr addrspace(1) %46, align 4, !dbg !25, !tbaa !26
  store float %47, ptr addrspace(3) %19, align 4, !dbg !30, !tbaa !26
  %48 = add nuw nsw i32 %42, %6, !dbg !31
  %49 = mul nuw nsw i32 %48, %3, !dbg !32
  %50 = add nuw nsw i32 %49, %9, !dbg !33
  %51 = zext nneg i32 %50 to i64, !dbg !34
  %52 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %51, !dbg !34
  %53 = load float, ptr addrspace(1) %52, align 4, !dbg !34, !tbaa !26
  store float %53, ptr addrspace(3) %20, align 4, !dbg !35, !tbaa !26
  tail call void @llvm.nvvm.barrier0(), !dbg !36
  %54 = load float, ptr addrspace(3) %24, align 4, !dbg !22, !tbaa !26
  %55 = load float, ptr addrspace(3) %25, align 4, !dbg !37, !tbaa !26
  %56 = tail call float @llvm.fmuladd.f32(float %54, float %55, float %43), !dbg !38
  %57 = load float, ptr addrspace(3) %26, align 4, !dbg !22, !tbaa !26
  %58 = load float, ptr addrspace(3) %27, align 4, !dbg !37, !tbaa !26
  %59 = tail call float @llvm.fmuladd.f32(float %57, float %58, float %56), !dbg !38
  %60 = load float, ptr addrspace(3) %28, align 4, !dbg !22, !tbaa !26
  %61 = load float, ptr addrspace(3) %29, align 4, !dbg !37, !tbaa !26
  %62 = tail call float @llvm.fmuladd.f32(float %60, float %61, float %59), !dbg !38
  %63 = load float, ptr addrspace(3) %30, align 4, !dbg !22, !tbaa !26
  %64 = load float, ptr addrspace(3) %31, align 4, !dbg !37, !tbaa !26
  %65 = tail call float @llvm.fmuladd.f32(float %63, float %64, float %62), !dbg !38
  %66 = load float, ptr addrspace(3) %32, align 4, !dbg !22, !tbaa !26
  %67 = load float, ptr addrspace(3) %33, align 4, !dbg !37, !tbaa !26
  %68 = tail call float @llvm.fmuladd.f32(float %66, float %67, float %65), !dbg !38
  %69 = load float, ptr addrspace(3) %34, align 4, !dbg !22, !tbaa !26
  %70 = load float, ptr addrspace(3) %35, align 4, !dbg !37, !tbaa !26
  %71 = tail call float @llvm.fmuladd.f32(float %69, float %70, float %68), !dbg !38
  %72 = load float, ptr addrspace(3) %36, align 4, !dbg !22, !tbaa !26
  %73 = load float, ptr addrspace(3) %37, align 4, !dbg !37, !tbaa !26
  %74 = tail call float @llvm.fmuladd.f32(float %72, float %73, float %71), !dbg !38
  %75 = load float, ptr addrspace(3) %38, align 4, !dbg !22, !tbaa !26
  %76 = load float, ptr addrspace(3) %39, align 4, !dbg !37, !tbaa !26
  %77 = tail call float @llvm.fmuladd.f32(float %75, float %76, float %74), !dbg !38
  tail call void @llvm.nvvm.barrier0(), !dbg !39
  store float %77, ptr addrspace(1) %23, align 4, !dbg !40, !tbaa !26
  %78 = add nuw nsw i32 %42, 8, !dbg !41
  %79 = icmp slt i32 %78, %3, !dbg !17
  br i1 %79, label %41, label %40, !dbg !18, !llvm.loop !42
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

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(read, argmem: readwrite, inaccessiblemem: none)
define dso_local void @smooth(ptr addrspace(1) nocapture noundef readonly %0, ptr addrspace(1) nocapture noundef writeonly %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #3 !dbg !45 {
  %5 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !46
  %6 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !47
  %7 = mul nuw nsw i32 %5, %6, !dbg !48
  %8 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !49
  %9 = add nuw nsw i32 %7, %8, !dbg !50
  %10 = icmp slt i32 %9, %2, !dbg !51
  br i1 %10, label %11, label %41, !dbg !52

11:                                               ; preds = %4
  %12 = icmp eq i32 %9, 0, !dbg !53
  %13 = zext nneg i32 %9 to i64, !dbg !54
  %14 = getelementptr float, ptr addrspace(1) %0, i64 %13, !dbg !54
  %15 = getelementptr i8, ptr addrspace(1) %14, i64 -4, !dbg !54
  %16 = select i1 %12, ptr addrspace(1) %0, ptr addrspace(1) %15, !dbg !54
  %17 = load float, ptr addrspace(1) %16, align 4, !dbg !54, !tbaa !26
  %18 = add nsw i32 %2, -1, !dbg !55
  %19 = icmp ult i32 %9, %18, !dbg !56
  %20 = select i1 %19, i64 4, i64 0, !dbg !57
  %21 = getelementptr inbounds i8, ptr addrspace(1) %14, i64 %20, !dbg !57
  %22 = load float, ptr addrspace(1) %21, align 4, !dbg !57, !tbaa !26
  switch i32 %3, label %36 [
    i32 0, label %23
    i32 1, label %28
    i32 5, label %28
    i32 2, label %33
  ], !dbg !58

23:                                               ; preds = %11
  %24 = load float, ptr addrspace(1) %14, align 4, !dbg !59, !tbaa !26
  %25 = fadd float %17, %24, !dbg !60
  %26 = fadd float %22, %25, !dbg !61
  %27 = fdiv float %26, 3.000000e+00, !dbg !62
  br label %38, !dbg !63

28:                                               ; preds = %11, %11
  %29 = fmul float %22, 2.500000e-01, !dbg !64
  %30 = tail call float @llvm.fmuladd.f32(float %17, float 2.500000e-01, float %29), !dbg !65
  %31 = load float, ptr addrspace(1) %14, align 4, !dbg !66, !tbaa !26
  %32 = tail call float @llvm.fmuladd.f32(float %31, float 5.000000e-01, float %30), !dbg !67
  br label %38, !dbg !68

33:                                               ; preds = %11
  %34 = load float, ptr addrspace(1) %14, align 4, !dbg !69, !tbaa !26
  %35 = tail call float @llvm.fma.f32(float %17, float %22, float %34), !dbg !70
  br label %38, !dbg !71

36:                                               ; preds = %11
  %37 = load float, ptr addrspace(1) %14, align 4, !dbg !72, !tbaa !26
  br label %38, !dbg !73

38:                                               ; preds = %36, %33, %28, %23
  %39 = phi float [ %27, %23 ], [ %32, %28 ], [ %35, %33 ], [ %37, %36 ]
  %40 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %13, !dbg !74
  store float %39, ptr addrspace(1) %40, align 4, !dbg !74, !tbaa !26
  br label %41, !dbg !75

41:                                               ; preds = %38, %4
  ret void, !dbg !75
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #1

attributes #0 = { norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read, argmem: readwrite, inaccessiblemem: none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2, !3}
!llvm.module.flags = !{!4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "tile.c", directory: ".")
!2 = !{ptr @tile_product, !"kernel", i32 1}
!3 = !{ptr @smooth, !"kernel", i32 1}
!4 = !{i32 7, !"Dwarf Version", i32 2}
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = !{i32 1, !"wchar_size", i32 4}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!9 = distinct !DISubprogram(name: "tile_product", scope: !1, file: !1, line: 16, type: !10, scopeLine: 17, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!10 = !DISubroutineType(types: !11)
!11 = !{}
!12 = !DILocation(line: 18, column: 13, scope: !9)
!13 = !DILocation(line: 18, column: 47, scope: !9)
!14 = !DILocation(line: 19, column: 18, scope: !9)
!15 = !DILocation(line: 19, column: 49, scope: !9)
!16 = !DILocation(line: 19, column: 56, scope: !9)
!17 = !DILocation(line: 23, column: 23, scope: !9)
!18 = !DILocation(line: 23, column: 5, scope: !9)
!19 = !DILocation(line: 20, column: 15, scope: !9)
!20 = !DILocation(line: 20, column: 46, scope: !9)
!21 = !DILocation(line: 20, column: 53, scope: !9)
!22 = !DILocation(line: 28, column: 20, scope: !9)
!23 = !DILocation(line: 32, column: 1, scope: !9)
!24 = !DILocation(line: 24, column: 38, scope: !9)
!25 = !DILocation(line: 24, column: 24, scope: !9)
!26 = !{!27, !27, i64 0}
!27 = !{!"float", !28, i64 0}
!28 = !{!"omnipotent char", !29, i64 0}
!29 = !{!"Simple C/C++ TBAA"}
!30 = !DILocation(line: 24, column: 22, scope: !9)
!31 = !DILocation(line: 25, column: 29, scope: !9)
!32 = !DILocation(line: 25, column: 34, scope: !9)
!33 = !DILocation(line: 25, column: 38, scope: !9)
!34 = !DILocation(line: 25, column: 24, scope: !9)
!35 = !DILocation(line: 25, column: 22, scope: !9)
!36 = !DILocation(line: 26, column: 9, scope: !9)
!37 = !DILocation(line: 28, column: 35, scope: !9)
!38 = !DILocation(line: 28, column: 17, scope: !9)
!39 = !DILocation(line: 29, column: 9, scope: !9)
!40 = !DILocation(line: 30, column: 29, scope: !9)
!41 = !DILocation(line: 23, column: 30, scope: !9)
!42 = distinct !{!42, !18, !43, !44}
!43 = !DILocation(line: 31, column: 5, scope: !9)
!44 = !{!"llvm.loop.mustprogress"}
!45 = distinct !DISubprogram(name: "smooth", scope: !1, file: !1, line: 35, type: !10, scopeLine: 36, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!46 = !DILocation(line: 37, column: 13, scope: !45)
!47 = !DILocation(line: 37, column: 46, scope: !45)
!48 = !DILocation(line: 37, column: 44, scope: !45)
!49 = !DILocation(line: 38, column: 13, scope: !45)
!50 = !DILocation(line: 37, column: 76, scope: !45)
!51 = !DILocation(line: 41, column: 11, scope: !45)
!52 = !DILocation(line: 41, column: 9, scope: !45)
!53 = !DILocation(line: 43, column: 14, scope: !45)
!54 = !DILocation(line: 43, column: 12, scope: !45)
!55 = !DILocation(line: 44, column: 19, scope: !45)
!56 = !DILocation(line: 44, column: 15, scope: !45)
!57 = !DILocation(line: 44, column: 13, scope: !45)
!58 = !DILocation(line: 45, column: 5, scope: !45)
!59 = !DILocation(line: 47, column: 26, scope: !45)
!60 = !DILocation(line: 47, column: 24, scope: !45)
!61 = !DILocation(line: 47, column: 32, scope: !45)
!62 = !DILocation(line: 47, column: 41, scope: !45)
!63 = !DILocation(line: 48, column: 9, scope: !45)
!64 = !DILocation(line: 51, column: 39, scope: !45)
!65 = !DILocation(line: 51, column: 31, scope: !45)
!66 = !DILocation(line: 51, column: 49, scope: !45)
!67 = !DILocation(line: 51, column: 47, scope: !45)
!68 = !DILocation(line: 52, column: 9, scope: !45)
!69 = !DILocation(line: 54, column: 46, scope: !45)
!70 = !DILocation(line: 54, column: 18, scope: !45)
!71 = !DILocation(line: 55, column: 9, scope: !45)
!72 = !DILocation(line: 57, column: 18, scope: !45)
!73 = !DILocation(line: 58, column: 9, scope: !45)
!74 = !DILocation(line: 0, scope: !45)
!75 = !DILocation(line: 60, column: 1, scope: !45)
