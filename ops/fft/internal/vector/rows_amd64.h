// Numbers with roots of their own: a first pass of a row, and lanes that are stored as rows.

// TIMES_EACH is A times the pairs at FROM.
#define TIMES_EACH(A, FROM) \
	VMOVUPS FROM, Y8; \
	REAL(Y8, Y9); \
	IMAG(Y8, Y10); \
	TIMES(A, Y9, Y10, Y11)

TEXT ROWS4(SB), NOSPLIT, $0-8
	BEGIN
	MOVQ SI, AX
	MOVQ DX, R15
	MOVQ Args_Bytes(DI), R14
	MOVQ R14, DX
loop:
	SUMS4
	TIMES_EACH(Y6, (BX))
	TIMES_EACH(Y4, (BX)(DX*1))
	TIMES_EACH(Y7, (BX)(DX*2))
	CMPQ R10, R12
	JLT put
	VMOVAPS Y6, Y1
	VMOVAPS Y7, Y6
	VMOVAPS Y1, Y7
put:
	TURNED(Y0, Y6, Y4, Y7, Y1, Y2, Y3, Y5)
	VMOVUPS Y0, (R15)
	VMOVUPS Y6, 32(R15)
	VMOVUPS Y4, 64(R15)
	VMOVUPS Y7, 96(R15)
	ADDQ $96, R15
	ADDQ $32, BX
	NEXT(loop)
	VZEROUPPER
	RET

// ONE is the number at A of all lanes times its roots. It goes on to the next.
#define ONE(A) \
	VMOVUPS (SI), A; \
	EACH((BX), X8, Y8); \
	EACH((CX), X9, Y9); \
	VXORPS Y14, Y9, Y9; \
	TIMES(A, Y8, Y9, Y10); \
	ADDQ R10, SI; \
	ADDQ R11, BX; \
	ADDQ R11, CX

// R8 are the bytes of lanes that are left, R14 the numbers of them that are left.
TEXT STORE(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DI
	MOVQ Tile_Bytes(DI), R8
	MOVQ Tile_YStride(DI), R9
	MOVQ Tile_ZStride(DI), R10
	MOVQ Tile_CosStride(DI), R11
	MOVQ Tile_Z(DI), R12
	MOVQ Tile_Y(DI), DX
	XORQ R13, R13
	VPBROADCASTQ Tile_Sign(DI), Y14
	ORDER
lanes:
	MOVQ R12, SI
	MOVQ DX, R15
	MOVQ Tile_Cos(DI), BX
	MOVQ Tile_Sin(DI), CX
	ADDQ R13, BX
	ADDQ R13, CX
	MOVQ Tile_Numbers(DI), R14
numbers:
	ONE(Y0)
	ONE(Y1)
	ONE(Y2)
	ONE(Y3)
	TURNED(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	PUT_ROWS(Y0, Y1, Y2, Y3)
	ADDQ $(8*PART), R15
	SUBQ $4, R14
	JNZ numbers
	ADDQ $32, R12
	ADDQ $16, R13
	NEXT_ROWS
	SUBQ $32, R8
	JNZ lanes
	VZEROUPPER
	RET

TEXT UNPACK(SB), NOSPLIT, $0-8
	MOVQ h+0(FP), DI
	MOVQ Halves_A(DI), SI
	MOVQ Halves_B(DI), DX
	MOVQ Halves_Y(DI), R15
	MOVQ Halves_Cos(DI), BX
	MOVQ Halves_Sin(DI), CX
	MOVQ Halves_Bytes(DI), R14
	MOVQ Halves_Consts(DI), AX
	VMOVUPS (AX), Y11
	VMOVUPS 32(AX), Y12
	VMOVUPS 64(AX), Y13
	VMOVUPS 96(AX), Y14
	ORDER
loop:
	VMOVUPS (SI), Y0
	BACKWARD((DX), Y1)
	VXORPS Y11, Y0, Y0
	VXORPS Y12, Y1, Y1
	ADD Y1, Y0, Y2
	SUB Y1, Y0, Y3
	EACH((BX), X4, Y4)
	EACH((CX), X5, Y5)
	VXORPS Y13, Y4, Y4
	MUL Y5, Y3, Y6
	SWAP(Y3, Y3)
	MUL Y4, Y3, Y3
	ADDSUB Y3, Y6, Y6
	ADD Y6, Y2, Y2
	MUL Y14, Y2, Y2
	VMOVUPS Y2, (R15)
	ADDQ $32, SI
	SUBQ $32, DX
	ADDQ $32, R15
	ADDQ $16, BX
	ADDQ $16, CX
	SUBQ $32, R14
	JNZ loop
	VZEROUPPER
	RET
