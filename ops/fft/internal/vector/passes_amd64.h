// Passes of a Fourier transform for the numbers whose instructions are defined before.
//
// DI are the arguments, SI and DX the group in X and in Y, AX and R15 where in them, R14 the bytes that are left of a group, and CX
// the groups that are left; R8 and R9 are one and three strides of a group's numbers, R10 to R13 where the results are, BX its
// roots.

// TIMES is A times the root of which WR has the real part everywhere and WI the imaginary one. T is overwritten.
#define TIMES(A, WR, WI, T) MUL WR, A, T; SWAP(A, A); MUL WI, A, A; ADDSUB A, T, A

// BOTH is A + iB in B, and A - iB in T. All signs are set in Y15.
#define BOTH(A, B, T) SWAP(B, B); VXORPS Y15, B, T; ADDSUB B, A, B; ADDSUB T, A, T

#define BEGIN \
	MOVQ a+0(FP), DI; \
	MOVQ Args_X(DI), SI; \
	MOVQ Args_Y(DI), DX; \
	MOVQ Args_Times(DI), CX; \
	MOVQ Args_Apart(DI), R8; \
	LEAQ (R8)(R8*2), R9; \
	MOVQ Args_Y1(DI), R10; \
	MOVQ Args_Y2(DI), R11; \
	MOVQ Args_Y3(DI), R12; \
	MOVQ Args_Y4(DI), R13; \
	MOVQ Args_Roots(DI), BX; \
	SIGNS(Y15)

// GROUP goes to plain where there is no root but 1.
#define GROUP \
	MOVQ SI, AX; \
	MOVQ DX, R15; \
	MOVQ Args_Bytes(DI), R14; \
	CMPQ CX, Args_Times(DI); \
	JEQ plain; \
	TESTQ BX, BX; \
	JEQ plain

#define NEXT(LOOP) ADDQ $32, AX; ADDQ $32, R15; SUBQ $32, R14; JNZ LOOP

#define END(RADIX) \
	ADDQ Args_From(DI), SI; \
	ADDQ Args_To(DI), DX; \
	TESTQ BX, BX; \
	JEQ last; \
	ADDQ $((RADIX-1)*2*PART), BX; \
last: \
	DECQ CX; \
	JNZ group; \
	VZEROUPPER; \
	RET

TEXT RADIX2(SB), NOSPLIT, $0-8
	BEGIN
group:
	GROUP
	ALL (BX), Y9
	ALL PART(BX), Y10
turn:
	VMOVUPS (AX), Y0
	VMOVUPS (AX)(R8*1), Y1
	ADD Y1, Y0, Y2
	SUB Y1, Y0, Y3
	TIMES(Y3, Y9, Y10, Y4)
	VMOVUPS Y2, (R15)
	VMOVUPS Y3, (R15)(R10*1)
	NEXT(turn)
	JMP done
plain:
	VMOVUPS (AX), Y0
	VMOVUPS (AX)(R8*1), Y1
	ADD Y1, Y0, Y2
	SUB Y1, Y0, Y3
	VMOVUPS Y2, (R15)
	VMOVUPS Y3, (R15)(R10*1)
	NEXT(plain)
done:
	END(2)

// The constants are half of the root of 3, and a half.
#define SUMS3 \
	VMOVUPS (AX), Y0; \
	VMOVUPS (AX)(R8*1), Y1; \
	VMOVUPS (AX)(R8*2), Y2; \
	ADD Y2, Y1, Y3; \
	SUB Y2, Y1, Y4; \
	MUL Y13, Y4, Y4; \
	ADD Y3, Y0, Y6; \
	MUL Y14, Y3, Y3; \
	SUB Y3, Y0, Y5; \
	BOTH(Y5, Y4, Y7); \
	VMOVUPS Y6, (R15)

TEXT RADIX3(SB), NOSPLIT, $0-8
	BEGIN
	MOVQ Args_Consts(DI), AX
	ALL (AX), Y13
	ALL PART(AX), Y14
group:
	GROUP
	ALL (BX), Y9
	ALL PART(BX), Y10
	ALL (2*PART)(BX), Y11
	ALL (3*PART)(BX), Y12
turn:
	SUMS3
	TIMES(Y7, Y9, Y10, Y1)
	TIMES(Y4, Y11, Y12, Y2)
	VMOVUPS Y7, (R15)(R10*1)
	VMOVUPS Y4, (R15)(R11*1)
	NEXT(turn)
	JMP done
plain:
	SUMS3
	VMOVUPS Y7, (R15)(R10*1)
	VMOVUPS Y4, (R15)(R11*1)
	NEXT(plain)
done:
	END(3)

// The results are in Y0, Y6, Y4 and Y7.
#define SUMS4 \
	VMOVUPS (AX), Y0; \
	VMOVUPS (AX)(R8*1), Y1; \
	VMOVUPS (AX)(R8*2), Y2; \
	VMOVUPS (AX)(R9*1), Y3; \
	ADD Y2, Y0, Y4; \
	SUB Y2, Y0, Y5; \
	ADD Y3, Y1, Y6; \
	SUB Y3, Y1, Y7; \
	ADD Y6, Y4, Y0; \
	SUB Y6, Y4, Y4; \
	BOTH(Y5, Y7, Y6)

#define PUT4 \
	VMOVUPS Y0, (R15); \
	VMOVUPS Y6, (R15)(R10*1); \
	VMOVUPS Y4, (R15)(R11*1); \
	VMOVUPS Y7, (R15)(R12*1)

TEXT RADIX4(SB), NOSPLIT, $0-8
	BEGIN
group:
	GROUP
	ALL (BX), Y9
	ALL PART(BX), Y10
	ALL (2*PART)(BX), Y11
	ALL (3*PART)(BX), Y12
	ALL (4*PART)(BX), Y13
	ALL (5*PART)(BX), Y14
turn:
	SUMS4
	TIMES(Y6, Y9, Y10, Y1)
	TIMES(Y4, Y11, Y12, Y2)
	TIMES(Y7, Y13, Y14, Y3)
	PUT4
	NEXT(turn)
	JMP done
plain:
	SUMS4
	PUT4
	NEXT(plain)
done:
	END(4)

// The constants are the cosines and sines of a fifth and of two fifths of a circle. The results are in Y9, Y2, Y4, Y8 and Y5.
#define SUMS5 \
	VMOVUPS (AX), Y0; \
	VMOVUPS (AX)(R8*1), Y1; \
	VMOVUPS (AX)(R8*2), Y2; \
	VMOVUPS (AX)(R9*1), Y3; \
	VMOVUPS (AX)(R8*4), Y4; \
	ADD Y4, Y1, Y5; \
	SUB Y4, Y1, Y6; \
	ADD Y3, Y2, Y7; \
	SUB Y3, Y2, Y8; \
	ADD Y5, Y0, Y9; \
	ADD Y7, Y9, Y9; \
	MUL Y10, Y5, Y1; \
	ADD Y1, Y0, Y1; \
	MUL Y12, Y7, Y2; \
	ADD Y2, Y1, Y1; \
	MUL Y12, Y5, Y3; \
	ADD Y3, Y0, Y3; \
	MUL Y10, Y7, Y4; \
	ADD Y4, Y3, Y3; \
	MUL Y11, Y6, Y5; \
	MUL Y13, Y8, Y7; \
	ADD Y7, Y5, Y5; \
	MUL Y13, Y6, Y6; \
	MUL Y11, Y8, Y8; \
	SUB Y8, Y6, Y8; \
	BOTH(Y1, Y5, Y2); \
	BOTH(Y3, Y8, Y4); \
	VMOVUPS Y9, (R15)

#define PUT5 \
	VMOVUPS Y2, (R15)(R10*1); \
	VMOVUPS Y4, (R15)(R11*1); \
	VMOVUPS Y8, (R15)(R12*1); \
	VMOVUPS Y5, (R15)(R13*1)

#define TIMES5(A, K) ALL (2*K*PART)(BX), Y9; ALL ((2*K+1)*PART)(BX), Y14; TIMES(A, Y9, Y14, Y0)

TEXT RADIX5(SB), NOSPLIT, $0-8
	BEGIN
	MOVQ Args_Consts(DI), AX
	ALL (AX), Y10
	ALL PART(AX), Y11
	ALL (2*PART)(AX), Y12
	ALL (3*PART)(AX), Y13
group:
	GROUP
turn:
	SUMS5
	TIMES5(Y2, 0)
	TIMES5(Y4, 1)
	TIMES5(Y8, 2)
	TIMES5(Y5, 3)
	PUT5
	NEXT(turn)
	JMP done
plain:
	SUMS5
	PUT5
	NEXT(plain)
done:
	END(5)
