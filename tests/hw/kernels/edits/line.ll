; A kernel whose instructions are U1 to U7, for tests of what each edit does.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @line(ptr addrspace(1) %p, i32 noundef %n, float %f) {
  %a = add nuw nsw i32 %n, 1
  %b = mul nsw i32 %a, 2
  %c = sub nsw i32 %b, %n
  %x = sitofp i32 %c to float
  %y = fadd nnan contract float %x, %f
  store float %y, ptr addrspace(1) %p, align 64
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @line, !"kernel", i32 1}
