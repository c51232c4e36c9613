// contract/gpu_wgmma_ptx.cl: matrix multiply-accumulate by the warpgroups of NVIDIA's Hopper GPUs, in inline PTX
//
// The instruction is for the target sm_90a, and OpenCL C is compiled for sm_90. It therefore stands in lines that are
// comments to the compiler; package platform makes them code, and sm_90a the target, in the PTX
// that the compiler has written.
//
// WGMMA_STEP(c, a, b)       c += a·b for TK values of k: c is float[TN / 8][4], a and b are descriptors of the
//                           first 16 values, as contract/gpu_wgmma.cl makes them
// ADDRESS(share, p)         of p in local memory, bytes
//
// macros  TN 64, 128 or 256    TK 16, 32 or 64    A_BY_K B_BY_K OPERAND  see contract/gpu_mma.cl
// source  NVIDIA, PTX ISA: wgmma.mma_async, fence.proxy

#define ADDRESS(share, p) SHARED(p)

// Copies and stores go to local memory by another path than these instructions read it.
#undef COPIES_WAIT
#define COPIES_WAIT(n) asm volatile("cp.async.wait_group %0; fence.proxy.async.shared::cta;" : : "n"(n) : "memory");

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define MARK "//sm_90a: "
#define SUMS_64 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15" \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define SUMS_128 SUMS_64 \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" \
    ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define SUMS_256 SUMS_128 \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
    ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95" \
    ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
    ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#if TN == 64
#define SUMS SUMS_64
#define OWN_SUMS(c) OWN_8(c, 0)
#elif TN == 128
#define SUMS SUMS_128
#define OWN_SUMS(c) OWN_8(c, 0), OWN_8(c, 8)
#else
#define SUMS SUMS_256
#define OWN_SUMS(c) OWN_8(c, 0), OWN_8(c, 8), OWN_8(c, 16), OWN_8(c, 24)
#endif
#define OWN_8(c, j) OWN_2(c, j), OWN_2(c, j + 2), OWN_2(c, j + 4), OWN_2(c, j + 6)
#define OWN_2(c, j) OWN(c, j), OWN(c, j + 1)
#define OWN(c, j) "+f"((c)[j][0]), "+f"((c)[j][1]), "+f"((c)[j][2]), "+f"((c)[j][3])

#if A_BY_K
#define TURNED_A "0"
#else
#define TURNED_A "1"
#endif
#if B_BY_K
#define TURNED_B "0"
#else
#define TURNED_B "1"
#endif
#define PRODUCT(i) MARK "wgmma.mma_async.sync.aligned.m64n" TEXT(TN) "k16.f32." OPERAND "." OPERAND \
    " {" SUMS "}, %[a" #i "], %[b" #i "], all, 1, 1, " TURNED_A ", " TURNED_B ";\n"
#define FACTORS(i, x, y) [a##i] "l"((x) + i * NEXT_A), [b##i] "l"((y) + i * NEXT_B)
#if TK == 16
#define PRODUCTS PRODUCT(0)
#define ALL_FACTORS(x, y) FACTORS(0, x, y)
#elif TK == 32
#define PRODUCTS PRODUCT(0) PRODUCT(1)
#define ALL_FACTORS(x, y) FACTORS(0, x, y), FACTORS(1, x, y)
#else
#define PRODUCTS PRODUCT(0) PRODUCT(1) PRODUCT(2) PRODUCT(3)
#define ALL_FACTORS(x, y) FACTORS(0, x, y), FACTORS(1, x, y), FACTORS(2, x, y), FACTORS(3, x, y)
#endif

// One statement, so that the sums stay where they are while the units add to them.
#define WGMMA_STEP(c, a, b) \
    asm volatile(MARK "{\n" MARK ".reg .pred all;\n" MARK "setp.eq.u32 all, %[one], 1;\n" \
        MARK "wgmma.fence.sync.aligned;\n" PRODUCTS \
        MARK "wgmma.commit_group.sync.aligned;\n" MARK "wgmma.wait_group.sync.aligned 0;\n" MARK "}\n" \
        : OWN_SUMS(c) : [one] "r"(1), ALL_FACTORS(a, b) : "memory");
