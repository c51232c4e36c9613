// align.cl: the best local alignment of many reads with a genome, by Smith and Waterman with Gotoh's affine gaps.
//
//     H(i,j) = max(0, H(i-1,j-1) + s(i,j), E(i,j), F(i,j))     s = MATCH where the bases are equal, else -MISMATCH
//     E(i,j) = max(E(i,j-1) - EXTEND, H(i,j-1) - OPEN)         a gap in the read
//     F(i,j) = max(F(i-1,j) - EXTEND, H(i-1,j) - OPEN)         a gap in the genome; i: base of the read, j: of the genome
//
// layout  Reads lie in groups of LANES of about one length: base i of read l of group g is reads[(g * rows + i) * LANES + l].
//         A lane of a vector computes a read; no lane needs anything of another.
// geometry {parts, groups}: a work-item aligns a group with a part of the genome, which begins overlap bases before its own
//         part, because no alignment that scores is longer; and a strip of COLUMNS columns at a time, which stay in registers.
// macros  LANES   reads of a work-item: 1 on GPUs; on CPUs 64, or 32 where scores need 16 bits
//         CELL    type of a score: int on GPUs; uchar or ushort on CPUs
//         ROWS    at least the rows of a group    COLUMNS   columns of a strip    MATCH, MISMATCH, OPEN, EXTEND
// note    Subtraction stops at 0, which stands for every score below: none of them can win.
// source  Smith and Waterman (1981); Gotoh (1982); Rognes, Faster Smith-Waterman database searches (2011), for the lanes

#if LANES == 1
typedef int cells;
#define EQUAL(reads, c) ((reads) == (c))
#define PICK(mask, a, b) ((mask) ? (a) : (b))
#define READS(p) ((int)*(p))
#define SUB(a, b) max((a) - (b), 0)
#else // vectors longer than OpenCL C has are an extension of Clang, of which the compilers of CPU drivers are made
typedef CELL cells __attribute__((ext_vector_type(LANES)));
typedef uchar bases __attribute__((ext_vector_type(LANES)));
#define EQUAL(reads, c) ((reads) == (cells)(c))
#define PICK(mask, a, b) ((mask) ? (a) : (b))
#define READS(p) __builtin_convertvector(*(global const bases *)(p), cells)
#define SUB(a, b) ((a) > (cells)(b) ? (a) - (cells)(b) : (cells)(0))
#endif
#define MAX(a, b) ((a) > (b) ? (a) : (b))

// align: scores int[groups][parts][LANES] are the best ones, and ends int[groups][parts][LANES] the first column of the strips in
// which they end. lengths has the rows of each group. genome is filled up with a base that is equal to none.
kernel void align(global const uchar *reads, global const int *lengths, global const uchar *genome, global int *scores, global int *ends,
	int rows, int columns, int part, int overlap) {
	const int group = get_global_id(1), length = lengths[group];
	const int own = get_global_id(0) * part, last = min(own + part, columns);
	global const uchar *read = reads + (size_t)group * rows * LANES;
	const size_t out = ((size_t)group * get_global_size(0) + get_global_id(0)) * LANES;
	cells left[ROWS], gap[ROWS]; // H and E at the left edge of a strip
	for (int i = 0; i < length; i++) { left[i] = 0; gap[i] = 0; }
	cells best = 0;
	for (int l = 0; l < LANES; l++) ends[out + l] = 0;
	for (int j = max(own - overlap, 0); j < last; j += COLUMNS) {
		cells h[COLUMNS], f[COLUMNS], top = 0, corner = 0;
		for (int c = 0; c < COLUMNS; c++) { h[c] = 0; f[c] = 0; }
		for (int i = 0; i < length; i++) {
			cells q = READS(read + i * LANES), diagonal = corner, e = gap[i];
			corner = left[i];
#pragma unroll
			for (int c = 0; c < COLUMNS; c++) {
				cells x = PICK(EQUAL(q, genome[j + c]), diagonal + (cells)(MATCH), SUB(diagonal, MISMATCH));
				diagonal = h[c];
				x = MAX(x, e);
				x = MAX(x, f[c]);
				top = MAX(top, x);
				h[c] = x;
				x = SUB(x, OPEN);
				e = SUB(e, EXTEND);
				e = MAX(e, x);
				f[c] = SUB(f[c], EXTEND);
				f[c] = MAX(f[c], x);
			}
			left[i] = h[COLUMNS - 1];
			gap[i] = e;
		}
		for (int l = 0; l < LANES; l++) {
#if LANES == 1
			if (top > best) ends[out] = j;
#else
			ends[out + l] = top[l] > best[l] ? j : ends[out + l];
#endif
		}
		best = MAX(best, top);
	}
#if LANES == 1
	scores[out] = best;
#else
	for (int l = 0; l < LANES; l++) scores[out + l] = best[l];
#endif
}
