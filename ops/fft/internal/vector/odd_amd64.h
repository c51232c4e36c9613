// Passes of any odd radix.

// ONE_ODD puts A and B, the next result and that which it is taken together with. R12 is 0 where no root but 1 is.
#define ONE_ODD(A, B, PUT) \
	TESTQ R12, R12; \
	JEQ PUT; \
	MOVQ front-8(SP), R11; \
	MOVQ back-16(SP), R15; \
	ALL (R11), Y9; \
	ALL PART(R11), Y10; \
	TIMES(A, Y9, Y10, Y11); \
	ALL (R15), Y9; \
	ALL PART(R15), Y10; \
	TIMES(B, Y9, Y10, Y11); \
	ADDQ $(2*PART), R11; \
	SUBQ $(2*PART), R15; \
	MOVQ R11, front-8(SP); \
	MOVQ R15, back-16(SP); \
PUT: \
	MOVQ toFront-24(SP), R11; \
	MOVQ toBack-32(SP), R15; \
	VMOVUPS A, (DX)(R11*1); \
	VMOVUPS B, (DX)(R15*1); \
	ADDQ Args_Y2(DI), R11; \
	SUBQ Args_Y2(DI), R15; \
	MOVQ R11, toFront-24(SP); \
	MOVQ R15, toBack-32(SP)

// Numbers j and radix - j are taken together, and so are the results. R13 are the sums and differences of these numbers, R9 and R10 the
// cosines and sines for the next two results, R14 how many of half of them are left, AX the bytes of a group that are done.
TEXT ODD(SB), NOSPLIT, $32-8
	MOVQ a+0(FP), DI
	MOVQ Args_X(DI), SI
	MOVQ Args_Y(DI), DX
	MOVQ Args_Times(DI), CX
	MOVQ Args_Apart(DI), R8
	MOVQ Args_Scratch(DI), R13
	MOVQ Args_Roots(DI), BX
	SIGNS(Y15)
	XORQ R12, R12
group:
	XORQ AX, AX
column:
	LEAQ (SI)(AX*1), R9
	MOVQ Args_Span(DI), R10
	ADDQ R9, R10
	VMOVUPS (R9), Y0
	VMOVAPS Y0, Y6
	MOVQ R13, R15
	MOVQ Args_Half(DI), R11
couples:
	ADDQ R8, R9
	SUBQ R8, R10
	VMOVUPS (R9), Y1
	VMOVUPS (R10), Y2
	ADD Y2, Y1, Y3
	SUB Y2, Y1, Y4
	ADD Y3, Y6, Y6
	VMOVUPS Y3, (R15)
	VMOVUPS Y4, 32(R15)
	ADDQ $64, R15
	DECQ R11
	JNZ couples
	VMOVUPS Y6, (DX)(AX*1)
	MOVQ Args_Y1(DI), R9
	ADDQ AX, R9
	MOVQ R9, toFront-24(SP)
	MOVQ Args_Y3(DI), R9
	ADDQ AX, R9
	MOVQ R9, toBack-32(SP)
	MOVQ BX, front-8(SP)
	MOVQ Args_RootSpan(DI), R9
	ADDQ BX, R9
	MOVQ R9, back-16(SP)
	MOVQ Args_Consts(DI), R9
	MOVQ Args_Half(DI), R14
two:
	MOVQ Args_Half(DI), R11
	IMUL3Q $(2*PART), R11, R10
	ADDQ R9, R10
	MOVQ R13, R15
	VMOVAPS Y0, Y1
	VXORPS Y2, Y2, Y2
	VMOVAPS Y0, Y3
	VXORPS Y4, Y4, Y4
sum:
	VMOVUPS (R15), Y5
	VMOVUPS 32(R15), Y6
	ALL (R9), Y7
	ALL PART(R9), Y8
	ALL (R10), Y9
	ALL PART(R10), Y10
	MUL Y7, Y5, Y7
	MUL Y8, Y6, Y8
	MUL Y9, Y5, Y9
	MUL Y10, Y6, Y10
	ADD Y7, Y1, Y1
	ADD Y8, Y2, Y2
	ADD Y9, Y3, Y3
	ADD Y10, Y4, Y4
	ADDQ $64, R15
	ADDQ $(2*PART), R9
	ADDQ $(2*PART), R10
	DECQ R11
	JNZ sum
	MOVQ R10, R9
	BOTH(Y1, Y2, Y7)
	ONE_ODD(Y2, Y7, first)
	DECQ R14
	JEQ next
	BOTH(Y3, Y4, Y7)
	ONE_ODD(Y4, Y7, second)
	DECQ R14
	JNZ two
next:
	ADDQ $32, AX
	CMPQ AX, Args_Bytes(DI)
	JNE column
	ADDQ Args_From(DI), SI
	ADDQ Args_To(DI), DX
	TESTQ BX, BX
	JEQ last
	MOVQ $1, R12
	ADDQ Args_RootSpan(DI), BX
	ADDQ $(2*PART), BX
last:
	DECQ CX
	JNZ group
	VZEROUPPER
	RET
