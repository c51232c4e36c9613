// hash.cl: SHA-256 of many messages, a search for messages by their digests, and keys from many passwords by PBKDF2-HMAC-SHA256.
//
//     digest = fold over blocks of compress(state, block)                                  FIPS 180-4, section 6.2
//     key    = U1 ^ U2 ^ ... ^ Uc,  U1 = HMAC(P, salt || part),  Uj = HMAC(P, Uj-1)        RFC 8018, section 5.2
//
// layout  Messages lie in groups of 32, each a matrix [rows][32] of big-endian words: word r of message i is
//         words[(i / 32 * rows + r) * 32 + i % 32]. A work-item of a CPU reads vectors, and neighbouring work-items of a
//         GPU read neighbouring words. Digests and keys are laid out alike, with 8 rows.
// macros  WIDTH    messages in a vector, each in a lane: 1 on GPUs; 4, 8 or 16 on CPUs
//         COUNT    vectors of a work-item at a time: 1 on GPUs and for search, which needs few registers for anything else; 2 on
//                  CPUs: each step of a round waits for the one before, but not for that of the other vector
//         TARGETS  of search
// launch  sha256 {n / WIDTH / COUNT / repeat}, search {n, parts}, pbkdf2 {n / WIDTH / COUNT, parts of a key}
// note    Rounds are written out, so that the sixteen words of the schedule lie at constant places, and so that what is
//         constant in a padded block is calculated by the compiler.
// source  FIPS 180-4 (2015), RFC 2104, RFC 8018

#define AT(rows, r, i) (((size_t)(i) / 32 * (rows) + (r)) * 32 + (i) % 32)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if WIDTH == 1
typedef uint lanes;
#define LOAD(p) (*(p))
#define STORE(v, p) (*(p) = (v))
#define ANY_EQUAL(x, y) ((x) == (y))
#else
typedef JOIN(uint, WIDTH) lanes;
#define LOAD(p) JOIN(vload, WIDTH)(0, p)
#define STORE(v, p) JOIN(vstore, WIDTH)(v, 0, p)
#define ANY_EQUAL(x, y) any((x) == (y))
#endif
// EACH does something for each vector v, and EACH_WORD for each word r of them; v is a constant, as a register's number is.
#if COUNT == 1
#define EACH(...) { enum { v = 0 }; __VA_ARGS__ }
#else
#define EACH(...) { { enum { v = 0 }; __VA_ARGS__ } { enum { v = 1 }; __VA_ARGS__ } }
#endif
#define EACH_WORD(n, ...) for (uint r = 0; r < n; r++) EACH(__VA_ARGS__)

// Functions of FIPS 180-4, section 4.1.2; rotations there go to the right.
#define ROTR(x, n) rotate(x, (lanes)(32 - n))
#define SUM0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define SUM1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define SIGMA0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ (x >> 3))
#define SIGMA1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ (x >> 10))
#define CHOOSE(x, y, z) (z ^ (x & (y ^ z)))
#define MAJORITY(x, y, z) ((x & y) | (z & (x | y)))

#define ROUND(a, b, c, d, e, f, g, h, k, i) EACH(                     \
	h[v] += SUM1(e[v]) + CHOOSE(e[v], f[v], g[v]) + (k##u + w[i][v]); \
	d[v] += h[v];                                                     \
	h[v] += SUM0(a[v]) + MAJORITY(a[v], b[v], c[v]);                  \
)
// EIGHT rounds with the words from i on; after them the letters are back in their places.
#define EIGHT(i, k0, k1, k2, k3, k4, k5, k6, k7) \
	ROUND(a, b, c, d, e, f, g, h, k0, i)         \
	ROUND(h, a, b, c, d, e, f, g, k1, i + 1)     \
	ROUND(g, h, a, b, c, d, e, f, k2, i + 2)     \
	ROUND(f, g, h, a, b, c, d, e, k3, i + 3)     \
	ROUND(e, f, g, h, a, b, c, d, k4, i + 4)     \
	ROUND(d, e, f, g, h, a, b, c, k5, i + 5)     \
	ROUND(c, d, e, f, g, h, a, b, k6, i + 6)     \
	ROUND(b, c, d, e, f, g, h, a, k7, i + 7)
// NEXT is the schedule's next word, in the place of the one sixteen before.
#define NEXT(i) EACH(w[i][v] += SIGMA1(w[(i + 14) & 15][v]) + w[(i + 9) & 15][v] + SIGMA0(w[(i + 1) & 15][v]);)
#define SCHEDULE(i) NEXT(i) NEXT(i + 1) NEXT(i + 2) NEXT(i + 3) NEXT(i + 4) NEXT(i + 5) NEXT(i + 6) NEXT(i + 7)

// compress folds the block w, which it uses up, into the state s.
static inline __attribute__((always_inline)) void compress(lanes (*s)[COUNT], lanes (*w)[COUNT]) {
	lanes a[COUNT], b[COUNT], c[COUNT], d[COUNT], e[COUNT], f[COUNT], g[COUNT], h[COUNT];
	EACH(a[v] = s[0][v]; b[v] = s[1][v]; c[v] = s[2][v]; d[v] = s[3][v]; e[v] = s[4][v]; f[v] = s[5][v]; g[v] = s[6][v]; h[v] = s[7][v];)
	EIGHT(0, 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5)
	EIGHT(8, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174)
	SCHEDULE(0)
	EIGHT(0, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da)
	SCHEDULE(8)
	EIGHT(8, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967)
	SCHEDULE(0)
	EIGHT(0, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85)
	SCHEDULE(8)
	EIGHT(8, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070)
	SCHEDULE(0)
	EIGHT(0, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3)
	SCHEDULE(8)
	EIGHT(8, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2)
	EACH(s[0][v] += a[v]; s[1][v] += b[v]; s[2][v] += c[v]; s[3][v] += d[v]; s[4][v] += e[v]; s[5][v] += f[v]; s[6][v] += g[v]; s[7][v] += h[v];)
}

// start sets the state that FIPS 180-4, section 5.3.3 begins with.
static inline void start(lanes (*s)[COUNT]) {
	const uint words[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	EACH_WORD(8, s[r][v] = words[r];)
}

// sha256: words uint[n/32][rows][32] holds each message, the bit 1 behind it, and zeros; rows of zeros may be left out at the
// end. lengths, of n messages, are in bytes; blocks is how many the longest has. A shorter one keeps its digest. A work-item
// hashes repeat times WIDTH * COUNT messages, so that starting it takes little of the time.
kernel void sha256(global const uint *words, global const uint *lengths, global uint *digests, uint n, uint rows, uint blocks, uint repeat) {
	size_t first = get_global_id(0) * repeat * (WIDTH * COUNT), end = min(first + repeat * (WIDTH * COUNT), (size_t)n);
	for (size_t i = first; i < end; i += WIDTH * COUNT) {
		lanes s[8][COUNT], w[16][COUNT], before[8][COUNT];
		start(s);
		for (uint b = 0; b < blocks; b++) {
			EACH_WORD(16, w[r][v] = b * 16 + r < rows ? LOAD(words + AT(rows, b * 16 + r, i + v * WIDTH)) : (lanes)0;)
			EACH_WORD(8, before[r][v] = s[r][v];)
			EACH( // the last block of a message ends with its length in bits; masks are all ones where b <= last and b < last
				lanes length = LOAD(lengths + i + v * WIDTH);
				lanes last = (length + 8) >> 6;
				w[15][v] |= length << 3 & -((b - 1 - last) >> 31) & ~-((b - last) >> 31);
			)
			compress(s, w);
			EACH_WORD(8,
				lanes live = -((b - 1 - ((LOAD(lengths + i + v * WIDTH) + 8) >> 6)) >> 31);
				s[r][v] = bitselect(before[r][v], s[r][v], live);
			)
		}
		EACH_WORD(8, STORE(s[r][v], digests + AT(8, r, i + v * WIDTH));)
	}
}

// search: a message is four characters and a word. words uint[n][16] is the padded block of each word behind four characters that are
// left out; beginnings uint[get_global_size(1)][part] are what these may be, part a multiple of WIDTH. found
// int[TARGETS][parts][n] is the number of the first message, word * beginnings + beginning, with the digest of targets
// uint[TARGETS][8]; INT_MAX where there is none.
#ifdef TARGETS
kernel void search(global const uint *words, global const uint *beginnings, global const uint *targets, global int *found, uint part) {
	const uint word = get_global_id(0), from = get_global_id(1) * part;
	int best[TARGETS];
	for (uint t = 0; t < TARGETS; t++) best[t] = INT_MAX;
	for (uint i = from; i < from + part; i += WIDTH) {
		lanes s[8][1], w[16][1];
		start(s);
		for (uint r = 1; r < 16; r++) w[r][0] = words[word * 16 + r];
		w[0][0] = LOAD(beginnings + i);
		compress(s, w);
		for (uint t = 0; t < TARGETS; t++) {
			if (!ANY_EQUAL(s[0][0], targets[8 * t])) continue;
			uint digests[8 * WIDTH];
			for (uint r = 0; r < 8; r++) STORE(s[r][0], digests + r * WIDTH);
			for (uint l = 0; l < WIDTH; l++) {
				uint r = 0;
				while (r < 8 && digests[r * WIDTH + l] == targets[8 * t + r]) r++;
				if (r == 8) best[t] = min(best[t], (int)(word * get_global_size(1) * part + i + l));
			}
		}
	}
	for (uint t = 0; t < TARGETS; t++)
		found[(t * get_global_size(1) + get_global_id(1)) * get_global_size(0) + word] = best[t];
}
#endif

// pbkdf2: words uint[n/32][16][32] holds passwords of at most 64 bytes and zeros; salts uint[parts][16] what HMAC hashes first
// for each part of a key: salt, number of the part from 1, the bit 1, zeros, length. keys are uint[parts][n/32][8][32].
kernel void pbkdf2(global const uint *words, global const uint *salts, global uint *keys, uint n, uint count) {
	size_t i = get_global_id(0) * (WIDTH * COUNT), part = get_global_id(1);
	lanes w[16][COUNT], s[8][COUNT], inner[8][COUNT], outer[8][COUNT], key[8][COUNT];
	start(s);
	for (int hash = 0; hash < 2; hash++) { // the states after the password, with the two pads of RFC 2104
		EACH_WORD(8, inner[r][v] = s[r][v];)
		start(s);
		EACH_WORD(16, w[r][v] = LOAD(words + AT(16, r, i + v * WIDTH)) ^ (hash ? 0x5c5c5c5cu : 0x36363636u);)
		compress(s, w);
	}
	EACH_WORD(8, outer[r][v] = s[r][v]; s[r][v] = inner[r][v]; key[r][v] = 0;)
	EACH_WORD(16, w[r][v] = salts[part * 16 + r];)
	compress(s, w);
	for (uint hash = 1; hash < 2 * count; hash++) { // outer and inner hash in turns: of a digest, padded as the second block
		EACH_WORD(8, w[r][v] = s[r][v]; w[r + 8][v] = 0;)
		EACH(w[8][v] = 0x80000000; w[15][v] = 8 * (64 + 32);)
		EACH_WORD(8, s[r][v] = hash & 1 ? outer[r][v] : inner[r][v];)
		compress(s, w);
		if (hash & 1) EACH_WORD(8, key[r][v] ^= s[r][v];)
	}
	EACH_WORD(8, STORE(key[r][v], keys + part * 8 * n + AT(8, r, i + v * WIDTH));)
}
