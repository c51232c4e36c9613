#include "go_asm.h"
#include "textflag.h"

// AX is in the first row of A, R8 from each to the next; BX in the first of four rows of B, R9, R10 and R11 from it to the others; CX the bytes to
// go. DI is where the row of C begins, R13 from each to the next.
#define LOAD_ARGS \
	MOVQ x+0(FP), DX; MOVQ args_aRow(DX), R8; MOVQ b+16(FP), SI; MOVQ args_b1(DX), R9; MOVQ args_b2(DX), R10; \
	MOVQ args_b3(DX), R11; MOVQ c+24(FP), DI; MOVQ args_cRow(DX), R13; MOVQ args_blocks(DX), R12

#define BEGIN_BLOCK MOVQ a+8(FP), AX; MOVQ SI, BX; MOVQ args_whole(DX), CX

#define NEXT_BLOCK ADDQ args_next(DX), SI; ADDQ $16, DI; DECQ R12

// The sums of four vectors, in the order of them, are added to four numbers of C.
#define ADD_SUMS(C, A0, A1, A2, A3, X0, X1) \
	VHADDPS A1, A0, A0; VHADDPS A3, A2, A2; VHADDPS A2, A0, A0; VEXTRACTF128 $1, A0, X1; VADDPS X1, X0, X0; \
	VADDPS C, X0, X0; VMOVUPS X0, C

#define ONE_COLUMN(C0, C1, C2) VFMADD231PS Y15, Y12, C0; VFMADD231PS Y15, Y13, C1; VFMADD231PS Y15, Y14, C2

// Vectors behind the end of a row are zero.
#define MASKED(FROM, TO) VMOVUPS (R14), TO; VMASKMOVPS FROM, TO, TO

// func three(x *args, a, b, c *float32, mask *uint32)
TEXT ·three(SB), NOSPLIT, $0-40
	LOAD_ARGS

block:
	BEGIN_BLOCK
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y8, Y8, Y8
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11
	SUBQ   $32, CX
	JLT    rest

step:
	VMOVUPS (AX), Y12
	VMOVUPS (AX)(R8*1), Y13
	VMOVUPS (AX)(R8*2), Y14
	VMOVUPS (BX), Y15
	ONE_COLUMN(Y0, Y4, Y8)
	VMOVUPS (BX)(R9*1), Y15
	ONE_COLUMN(Y1, Y5, Y9)
	VMOVUPS (BX)(R10*1), Y15
	ONE_COLUMN(Y2, Y6, Y10)
	VMOVUPS (BX)(R11*1), Y15
	ONE_COLUMN(Y3, Y7, Y11)
	ADDQ    $32, AX
	ADDQ    $32, BX
	SUBQ    $32, CX
	JGE     step

rest:
	MOVQ  mask+32(FP), R14
	TESTQ R14, R14
	JZ    add
	MASKED((AX), Y12)
	MASKED((AX)(R8*1), Y13)
	MASKED((AX)(R8*2), Y14)
	MASKED((BX), Y15)
	ONE_COLUMN(Y0, Y4, Y8)
	MASKED((BX)(R9*1), Y15)
	ONE_COLUMN(Y1, Y5, Y9)
	MASKED((BX)(R10*1), Y15)
	ONE_COLUMN(Y2, Y6, Y10)
	MASKED((BX)(R11*1), Y15)
	ONE_COLUMN(Y3, Y7, Y11)

add:
	ADD_SUMS((DI), Y0, Y1, Y2, Y3, X0, X1)
	ADD_SUMS((DI)(R13*1), Y4, Y5, Y6, Y7, X4, X5)
	ADD_SUMS((DI)(R13*2), Y8, Y9, Y10, Y11, X8, X9)
	NEXT_BLOCK
	JNZ  block
	VZEROUPPER
	RET

// func one(x *args, a, b, c *float32, mask *uint32)
TEXT ·one(SB), NOSPLIT, $0-40
	LOAD_ARGS

block:
	BEGIN_BLOCK
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	SUBQ   $32, CX
	JLT    rest

step:
	VMOVUPS     (AX), Y12
	VFMADD231PS (BX), Y12, Y0
	VFMADD231PS (BX)(R9*1), Y12, Y1
	VFMADD231PS (BX)(R10*1), Y12, Y2
	VFMADD231PS (BX)(R11*1), Y12, Y3
	ADDQ        $32, AX
	ADDQ        $32, BX
	SUBQ        $32, CX
	JGE         step

rest:
	MOVQ  mask+32(FP), R14
	TESTQ R14, R14
	JZ    add
	MASKED((AX), Y12)
	MASKED((BX), Y15)
	VFMADD231PS Y15, Y12, Y0
	MASKED((BX)(R9*1), Y15)
	VFMADD231PS Y15, Y12, Y1
	MASKED((BX)(R10*1), Y15)
	VFMADD231PS Y15, Y12, Y2
	MASKED((BX)(R11*1), Y15)
	VFMADD231PS Y15, Y12, Y3

add:
	ADD_SUMS((DI), Y0, Y1, Y2, Y3, X0, X1)
	NEXT_BLOCK
	JNZ  block
	VZEROUPPER
	RET

// VPMULUDQ multiplies the low halves of 64 bits, which is all that counts modulo 2³².
#define LOW_COLUMN(FROM, TO) VPMULUDQ FROM, Y12, Y13; VPADDQ Y13, TO, TO

// func low(x *args, a, b, c *uint64)
TEXT ·low(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DX
	MOVQ b+16(FP), SI
	MOVQ args_b1(DX), R9
	MOVQ args_b2(DX), R10
	MOVQ args_b3(DX), R11
	MOVQ c+24(FP), DI
	MOVQ args_blocks(DX), R12

block:
	BEGIN_BLOCK
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

step:
	VMOVDQU (AX), Y12
	LOW_COLUMN((BX), Y0)
	LOW_COLUMN((BX)(R9*1), Y1)
	LOW_COLUMN((BX)(R10*1), Y2)
	LOW_COLUMN((BX)(R11*1), Y3)
	ADDQ    $32, AX
	ADDQ    $32, BX
	SUBQ    $32, CX
	JNZ     step

	// The lanes of each vector are added to one number of C.
	VPUNPCKLQDQ Y1, Y0, Y4
	VPUNPCKHQDQ Y1, Y0, Y5
	VPADDQ      Y5, Y4, Y4
	VPUNPCKLQDQ Y3, Y2, Y6
	VPUNPCKHQDQ Y3, Y2, Y7
	VPADDQ      Y7, Y6, Y6
	VPERM2I128  $0x20, Y6, Y4, Y8
	VPERM2I128  $0x31, Y6, Y4, Y9
	VPADDQ      Y9, Y8, Y8
	VPADDQ      (DI), Y8, Y8
	VMOVDQU     Y8, (DI)
	ADDQ        args_next(DX), SI
	ADDQ        $32, DI
	DECQ        R12
	JNZ         block
	VZEROUPPER
	RET
