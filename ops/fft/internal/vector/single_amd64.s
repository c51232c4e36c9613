#include "go_asm.h"
#include "textflag.h"

// Four pairs of float32 are in a register.
#define PART 4
#define ADD VADDPS
#define SUB VSUBPS
#define MUL VMULPS
#define ADDSUB VADDSUBPS
#define ALL VBROADCASTSS
#define SWAP(A, B) VPERMILPS $0xB1, A, B
#define REAL(A, B) VMOVSLDUP A, B
#define IMAG(A, B) VMOVSHDUP A, B
#define SIGNS(A) VPCMPEQD A, A, A; VPSLLD $31, A, A
#define ORDER VMOVDQU twice<>(SB), Y15
#define EACH(FROM, A, B) VMOVUPS FROM, A; VPERMPS B, Y15, B

DATA twice<>+0(SB)/4, $0
DATA twice<>+4(SB)/4, $0
DATA twice<>+8(SB)/4, $1
DATA twice<>+12(SB)/4, $1
DATA twice<>+16(SB)/4, $2
DATA twice<>+20(SB)/4, $2
DATA twice<>+24(SB)/4, $3
DATA twice<>+28(SB)/4, $3
GLOBL twice<>(SB), RODATA|NOPTR, $32

// Columns A, B, C, D of four rows become rows.
#define TURNED(A, B, C, D, E, F, G, H) \
	VUNPCKLPD B, A, E; VUNPCKHPD B, A, F; VUNPCKLPD D, C, G; VUNPCKHPD D, C, H; \
	VPERM2F128 $0x20, G, E, A; VPERM2F128 $0x20, H, F, B; VPERM2F128 $0x31, G, E, C; VPERM2F128 $0x31, H, F, D

// Rows are at R15 and, R9 apart, behind it.
#define PUT_ROWS(A, B, C, D) \
	VMOVUPS A, (R15); VMOVUPS B, (R15)(R9*1); VMOVUPS C, (R15)(R9*2); LEAQ (R15)(R9*2), AX; VMOVUPS D, (AX)(R9*1)

#define BACKWARD(FROM, A) VPERMPD $0x1B, FROM, A
#define NEXT_ROWS LEAQ (DX)(R9*4), DX

#define RADIX2 ·radix2Single
#define RADIX3 ·radix3Single
#define RADIX4 ·radix4Single
#define RADIX5 ·radix5Single
#define ROWS4 ·rows4Single
#define ODD ·oddSingle
#define STORE ·storeSingle
#define UNPACK ·unpackSingle
#include "passes_amd64.h"
#include "odd_amd64.h"
#include "rows_amd64.h"
