#include "go_asm.h"
#include "textflag.h"

// Two pairs of float64 are in a register.
#define PART 8
#define ADD VADDPD
#define SUB VSUBPD
#define MUL VMULPD
#define ADDSUB VADDSUBPD
#define ALL VBROADCASTSD
#define SWAP(A, B) VPERMILPD $5, A, B
#define REAL(A, B) VMOVDDUP A, B
#define IMAG(A, B) VPERMILPD $15, A, B
#define SIGNS(A) VPCMPEQD A, A, A; VPSLLQ $63, A, A
#define ORDER
#define EACH(FROM, A, B) VMOVUPD FROM, A; VPERMPD $0x50, B, B

// Columns A, B, C, D of two rows become halves of rows: A and B of the first.
#define TURNED(A, B, C, D, E, F, G, H) \
	VPERM2F128 $0x20, B, A, E; VPERM2F128 $0x20, D, C, F; VPERM2F128 $0x31, B, A, G; VPERM2F128 $0x31, D, C, D; \
	VMOVAPD E, A; VMOVAPD F, B; VMOVAPD G, C

// Rows are at R15 and, R9 apart, behind it.
#define PUT_ROWS(A, B, C, D) \
	VMOVUPD A, (R15); VMOVUPD B, 32(R15); VMOVUPD C, (R15)(R9*1); VMOVUPD D, 32(R15)(R9*1)

#define BACKWARD(FROM, A) VMOVUPD FROM, A; VPERM2F128 $1, A, A, A
#define NEXT_ROWS LEAQ (DX)(R9*2), DX

#define RADIX2 ·radix2Double
#define RADIX3 ·radix3Double
#define RADIX4 ·radix4Double
#define RADIX5 ·radix5Double
#define ROWS4 ·rows4Double
#define ODD ·oddDouble
#define STORE ·storeDouble
#define UNPACK ·unpackDouble
#include "passes_amd64.h"
#include "odd_amd64.h"
#include "rows_amd64.h"
