// hash.cl: SHA-256 of many messages, a search for messages by their digests, and keys from many passwords by PBKDF2-HMAC-SHA256.
//
//     digest = fold over blocks of compress(state, block)                                  FIPS 180-4, section 6.2
//     key    = U1 ^ U2 ^ ... ^ Uc,  U1 = HMAC(P, salt || part),  Uj = HMAC(P, Uj-1)        RFC 8018, section 5.2
//
// layout  Messages lie in groups of 32, each a matrix [rows][32] of big-endian words: word r of message i is
//         words[(i / 32 * rows + r) * 32 + i % 32]. A work-item of a CPU reads vectors, and neighbouring work-items of a
//         GPU read neighbouring words. Digests and keys are laid out alike, with 8 rows.
// macros  WIDTH    messages of a work-item, each in a lane of a vector: 1 on GPUs; on CPUs what a register holds, or twice that
//                  where there are 32 of them: each step of a round waits for the one before, but not for the other register's
//         TARGETS  of search
// launch  sha256 {n / WIDTH / repeat}, search {n, parts}, pbkdf2 {n / WIDTH, parts of a key}
// source  FIPS 180-4 (2015), RFC 2104, RFC 8018

#define AT(rows, r, i) (((size_t)(i) / 32 * (rows) + (r)) * 32 + (i) % 32)
#if WIDTH == 1
typedef uint lanes, stored;
#define ANY(x) (x)
#define ROTR(x, n) rotate(x, 32u - (n))
#else // vectors longer than OpenCL C has are an extension of Clang, of which the compilers of CPU drivers are made
typedef uint lanes __attribute__((ext_vector_type(WIDTH)));
typedef uint stored __attribute__((ext_vector_type(WIDTH), aligned(4))); // as they lie in memory
#define ANY(x) any((x).lo | (x).hi)
#define ROTR(x, n) ((x) >> (n) | (x) << (32 - (n)))
#endif
#define LOAD(p) (*(global const stored *)(p))
#define STORE(v, p) (*(global stored *)(p) = (v))
#define EACH_WORD(n) for (uint r = 0; r < n; r++)

// Functions of FIPS 180-4, section 4.1.2.
#define SUM0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define SUM1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define SIGMA0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ (x) >> 3)
#define SIGMA1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ (x) >> 10)
#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJORITY(x, y, z) ((((x) ^ (y)) & ((y) ^ (z))) ^ (y)) // y ^ z is x ^ y of the round before

// The state that hashing begins with, and the constants of the rounds: sections 5.3.3 and 4.2.2.
constant uint first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constant uint constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// schedule makes the words from to to - 1 of the next sixteen, each in the place of the one sixteen before.
static inline __attribute__((always_inline)) void schedule(lanes *w, uint from, uint to) {
#pragma unroll
	for (uint i = from; i < to; i++)
		w[i] += SIGMA1(w[(i + 14) % 16]) + w[(i + 9) % 16] + SIGMA0(w[(i + 1) % 16]);
}

// rounds makes those from to to - 1 of sixteen, with constants k. The letters a to h of the standard move by a place in each
// round; here their names do, and stand where they began after eight.
static inline __attribute__((always_inline)) void rounds(lanes *s, const lanes *w, constant uint *k, uint from, uint to) {
#define LETTER(n) s[(n + 16 - i) % 8]
#pragma unroll
	for (uint i = from; i < to; i++) {
		const lanes t = LETTER(7) + SUM1(LETTER(4)) + CHOOSE(LETTER(4), LETTER(5), LETTER(6)) + (k[i] + w[i]);
		LETTER(3) += t;
		LETTER(7) = t + SUM0(LETTER(0)) + MAJORITY(LETTER(0), LETTER(1), LETTER(2));
	}
}

// mix makes the first n rounds, a multiple of sixteen. Its code is short enough for a CPU's cache of decoded instructions.
static inline __attribute__((always_inline)) void mix(lanes *s, lanes *w, uint n) {
	rounds(s, w, constants, 0, 16);
#pragma unroll 1
	for (uint i = 16; i < n; i += 16) {
		schedule(w, 0, 16);
		rounds(s, w, constants + i, 0, 16);
	}
}

// compress folds the block w, which it uses up, into the state s.
static inline __attribute__((always_inline)) void compress(lanes *s, lanes *w) {
	lanes t[8];
	EACH_WORD(8) t[r] = s[r];
	mix(t, w, 64);
	EACH_WORD(8) s[r] += t[r];
}

// sha256: words uint[n/32][rows][32] holds each message, the bit 1 behind it, and zeros; rows of zeros may be left out at the
// end. lengths, of n messages, are in bytes; blocks is how many the longest has. A shorter one keeps its digest. A work-item
// hashes repeat times WIDTH messages, so that starting it takes little of the time.
kernel void sha256(global const uint *words, global const uint *lengths, global uint *digests, uint n, uint rows, uint blocks, uint repeat) {
	const size_t begin = get_global_id(0) * repeat * WIDTH, end = min(begin + repeat * WIDTH, (size_t)n);
	for (size_t i = begin; i < end; i += WIDTH) {
		const lanes length = LOAD(lengths + i), last = (length + 8) >> 6;
		lanes s[8], w[16], before[8];
		EACH_WORD(8) s[r] = first[r];
		for (uint b = 0; b < blocks; b++) {
			// Masks: all ones for messages that this block is of, and for those that it is the last of, which ends with the length in bits.
			const lanes live = -((b - 1 - last) >> 31), ends = live & ~-((b - last) >> 31);
			EACH_WORD(16) w[r] = b * 16 + r < rows ? LOAD(words + AT(rows, b * 16 + r, i)) : (lanes)0;
			EACH_WORD(8) before[r] = s[r];
			w[15] |= length << 3 & ends;
			compress(s, w);
			EACH_WORD(8) s[r] = (s[r] & live) | (before[r] & ~live);
		}
		EACH_WORD(8) STORE(s[r], digests + AT(8, r, i));
	}
}

// search: a message is four characters and a word. words uint[n][16] is the padded block of each word behind four characters that are
// left out; beginnings uint[get_global_size(1)][part] are what these may be, with copies of the last up to a multiple of WIDTH. found
// int[TARGETS][parts][n] is the number of the first message, word * beginnings + beginning, with the digest of targets
// uint[TARGETS][8]; INT_MAX where there is none.
//
// A digest tells what the letter a was after 57 of the 64 rounds: the others are made for messages that have it alone.
#ifdef TARGETS
kernel void search(global const uint *words, global const uint *beginnings, global const uint *targets, global int *found, uint part) {
	const uint word = get_global_id(0), from = get_global_id(1) * part;
	int best[TARGETS];
	uint early[TARGETS];
	for (uint t = 0; t < TARGETS; t++) {
		uint a[8]; // after 64, 63, 62 and 61 rounds, then the letter e, of which it follows after 60 to 57
		EACH_WORD(8) a[r] = targets[8 * t + r] - first[r];
		EACH_WORD(4) a[r + 4] -= a[r] - SUM0(a[r + 1]) - MAJORITY(a[r + 1], a[r + 2], a[r + 3]);
		early[t] = a[7];
		best[t] = INT_MAX;
	}
	for (uint i = from; i < from + part; i += WIDTH) {
		lanes s[8], w[16];
		EACH_WORD(8) s[r] = first[r];
		EACH_WORD(16) w[r] = words[word * 16 + r];
		w[0] = LOAD(beginnings + i);
		mix(s, w, 48);
		schedule(w, 0, 9);
		rounds(s, w, constants + 48, 0, 9);
		bool none = true;
		for (uint t = 0; t < TARGETS; t++) none = none && !ANY(s[7] == early[t]);
		if (none) continue;
		schedule(w, 9, 16);
		rounds(s, w, constants + 48, 9, 16);
		for (uint t = 0; t < TARGETS; t++) {
			lanes differ = 0;
			EACH_WORD(8) differ |= s[r] + first[r] ^ targets[8 * t + r];
			for (uint l = 0; l < WIDTH; l++)
				if (((uint *)&differ)[l] == 0) best[t] = min(best[t], (int)(word * get_global_size(1) * part + i + l));
		}
	}
	for (uint t = 0; t < TARGETS; t++)
		found[(t * get_global_size(1) + get_global_id(1)) * get_global_size(0) + word] = best[t];
}
#endif

// pbkdf2: words uint[n/32][16][32] holds passwords of at most 64 bytes and zeros; salts uint[parts][16] what HMAC hashes first
// for each part of a key: salt, number of the part from 1, the bit 1, zeros, length. keys are uint[parts][n/32][8][32].
kernel void pbkdf2(global const uint *words, global const uint *salts, global uint *keys, uint n, uint count) {
	const size_t i = get_global_id(0) * WIDTH, part = get_global_id(1);
	lanes w[16], s[8], inner[8], outer[8], key[8];
	EACH_WORD(8) s[r] = 0;
	for (int hash = 0; hash < 2; hash++) { // the states after the password, with the two pads of RFC 2104
		EACH_WORD(8) { inner[r] = s[r]; s[r] = first[r]; }
		EACH_WORD(16) w[r] = LOAD(words + AT(16, r, i)) ^ (hash ? 0x5c5c5c5cu : 0x36363636u);
		compress(s, w);
	}
	EACH_WORD(8) { outer[r] = s[r]; s[r] = inner[r]; key[r] = 0; }
	EACH_WORD(16) w[r] = salts[part * 16 + r];
	compress(s, w);
	for (uint hash = 1; hash < 2 * count; hash++) { // outer and inner hash in turns: of a digest, padded as the second block
		EACH_WORD(8) { w[r] = s[r]; w[r + 8] = 0; s[r] = hash & 1 ? outer[r] : inner[r]; }
		w[8] = 0x80000000;
		w[15] = 8 * (64 + 32);
		compress(s, w);
		if (hash & 1) EACH_WORD(8) key[r] ^= s[r];
	}
	EACH_WORD(8) STORE(key[r], keys + part * 8 * n + AT(8, r, i));
}
