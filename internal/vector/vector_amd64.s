#include "textflag.h"

// Four vectors at a time, then one. CX has the numbers to go, DI is in the result, SI and DX in the operands.
#define OF_TWO(OP) \
	MOVQ dst+0(FP), DI; MOVQ a+8(FP), SI; MOVQ b+16(FP), DX; MOVQ n+24(FP), CX; \
	SUBQ $32, CX; JLT few; \
many: \
	VMOVUPS (SI), Y0; VMOVUPS 32(SI), Y1; VMOVUPS 64(SI), Y2; VMOVUPS 96(SI), Y3; \
	OP (DX), Y0, Y0; OP 32(DX), Y1, Y1; OP 64(DX), Y2, Y2; OP 96(DX), Y3, Y3; \
	VMOVUPS Y0, (DI); VMOVUPS Y1, 32(DI); VMOVUPS Y2, 64(DI); VMOVUPS Y3, 96(DI); \
	ADDQ $128, SI; ADDQ $128, DX; ADDQ $128, DI; SUBQ $32, CX; JGE many; \
few: \
	ADDQ $32, CX; JZ done; \
one: \
	VMOVUPS (SI), Y0; OP (DX), Y0, Y0; VMOVUPS Y0, (DI); \
	ADDQ $32, SI; ADDQ $32, DX; ADDQ $32, DI; SUBQ $8, CX; JNZ one; \
done: \
	VZEROUPPER; RET

// func add(dst, a, b *float32, n int)
TEXT ·add(SB), NOSPLIT, $0-32
	OF_TWO(VADDPS)

// func sub(dst, a, b *float32, n int)
TEXT ·sub(SB), NOSPLIT, $0-32
	OF_TWO(VSUBPS)

// func mul(dst, a, b *float32, n int)
TEXT ·mul(SB), NOSPLIT, $0-32
	OF_TWO(VMULPS)

// func div(dst, a, b *float32, n int)
TEXT ·div(SB), NOSPLIT, $0-32
	OF_TWO(VDIVPS)

// VMAXPS is its second operand, here the number, where one is NaN or both are zeros.
// func positive(dst, a *float32, n int)
TEXT ·positive(SB), NOSPLIT, $0-24
	MOVQ   dst+0(FP), DI
	MOVQ   a+8(FP), SI
	MOVQ   n+16(FP), CX
	VXORPS Y15, Y15, Y15
	SUBQ   $32, CX
	JLT    few

many:
	VMAXPS  (SI), Y15, Y0
	VMAXPS  32(SI), Y15, Y1
	VMAXPS  64(SI), Y15, Y2
	VMAXPS  96(SI), Y15, Y3
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $32, CX
	JGE     many

few:
	ADDQ $32, CX
	JZ   done

one:
	VMAXPS  (SI), Y15, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $8, CX
	JNZ     one

done:
	VZEROUPPER
	RET

// func addTimes(dst, x *float32, w float32, n int)
TEXT ·addTimes(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	VBROADCASTSS w+16(FP), Y15
	MOVQ         n+24(FP), CX
	SUBQ         $32, CX
	JLT          few

many:
	VMULPS  (SI), Y15, Y0
	VMULPS  32(SI), Y15, Y1
	VMULPS  64(SI), Y15, Y2
	VMULPS  96(SI), Y15, Y3
	VADDPS  (DI), Y0, Y0
	VADDPS  32(DI), Y1, Y1
	VADDPS  64(DI), Y2, Y2
	VADDPS  96(DI), Y3, Y3
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $32, CX
	JGE     many

few:
	ADDQ $32, CX
	JZ   done

one:
	VMULPS  (SI), Y15, Y0
	VADDPS  (DI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $8, CX
	JNZ     one

done:
	VZEROUPPER
	RET

// Of two vectors, VSHUFPS takes the even numbers of each half, and VPERMPD puts the halves in order.
// func addTimesOfTwo(dst, x *float32, w float32, n int)
TEXT ·addTimesOfTwo(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	VBROADCASTSS w+16(FP), Y15
	MOVQ         n+24(FP), CX

one:
	VMOVUPS (SI), Y0
	VSHUFPS $0x88, 32(SI), Y0, Y0
	VPERMPD $0xD8, Y0, Y0
	VMULPS  Y15, Y0, Y0
	VADDPS  (DI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $64, SI
	ADDQ    $32, DI
	SUBQ    $8, CX
	JNZ     one
	VZEROUPPER
	RET

// func addProducts(dst, a, b *float32, n int)
TEXT ·addProducts(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX

one:
	VMOVUPS (SI), Y0
	VMULPS  (DX), Y0, Y0
	VADDPS  (DI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DX
	ADDQ    $32, DI
	SUBQ    $8, CX
	JNZ     one
	VZEROUPPER
	RET

// Of 64 bits the low half stays; the high half becomes the low one's sign.
#define EXTEND(AT) \
	VMOVDQU AT, Y0; VPSHUFD $0xA0, Y0, Y1; VPSRAD $31, Y1, Y1; VPBLENDD $0xAA, Y1, Y0, Y0; VMOVDQU Y0, AT

// func signExtend32(dst *int64, n int)
TEXT ·signExtend32(SB), NOSPLIT, $0-16
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), CX

next:
	EXTEND((DI))
	EXTEND(32(DI))
	ADDQ $64, DI
	SUBQ $8, CX
	JNZ  next
	VZEROUPPER
	RET
