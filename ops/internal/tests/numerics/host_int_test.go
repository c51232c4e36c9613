package numerics_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/tensor"
)

// edges are integers of dt at which functions break, and some others.
func edges(dt tensor.DType, r *rand.Rand) []*big.Int {
	one := big.NewInt(1)
	lo, hi := big.NewInt(0), new(big.Int).Sub(new(big.Int).Lsh(one, uint(8*dt.Size())), one)
	if dt.IsSigned() {
		hi.Rsh(hi, 1)
		lo = new(big.Int).Sub(new(big.Int).Neg(hi), one)
	}
	out := []*big.Int{lo, hi, new(big.Int).Add(lo, one), new(big.Int).Sub(hi, one)}
	for _, v := range []int64{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 100, -1, -2, -7, -8, -64, -100} {
		if v >= 0 || dt.IsSigned() {
			out = append(out, big.NewInt(v))
		}
	}
	for range 6 {
		out = append(out, wrapBig(new(big.Int).SetUint64(r.Uint64()), dt))
	}
	return out
}

// wrapBig keeps the low bits of v that dt has, in two's complement.
func wrapBig(v *big.Int, dt tensor.DType) *big.Int {
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(8*dt.Size()))
	m := new(big.Int).Mod(v, modulus)
	if dt.IsSigned() && m.Bit(8*dt.Size()-1) == 1 {
		m.Sub(m, modulus)
	}
	return m
}

func truthOf(holds bool) uint64 {
	if holds {
		return 1
	}
	return 0
}

func intBlock(dt tensor.DType, v *big.Int) engine.Block {
	if engine.ClassOf(dt) == engine.ClassI64 {
		return engine.Block{I64: []int64{v.Int64()}}
	}
	return engine.Block{U64: []uint64{v.Uint64()}}
}

// hostInt runs an op on integers and wraps the result, as an engine does.
func hostInt(op string, dt tensor.DType, args ...*big.Int) *big.Int {
	var blocks []engine.Block
	var in []tensor.DType
	for _, a := range args {
		blocks, in = append(blocks, intBlock(dt, a)), append(in, dt)
	}
	dst := intBlock(dt, new(big.Int))
	opOf(op).Scalar.Host(dt, in, dst, blocks)
	if dst.I64 != nil {
		return wrapBig(big.NewInt(dst.I64[0]), dt)
	}
	return wrapBig(new(big.Int).SetUint64(dst.U64[0]), dt)
}

func TestHostFunctionsOfIntegersWrap(t *testing.T) {
	t.Parallel()
	bin := func(f func(z, a, b *big.Int) *big.Int) func(a, b *big.Int, dt tensor.DType) *big.Int {
		return func(a, b *big.Int, _ tensor.DType) *big.Int { return f(new(big.Int), a, b) }
	}
	orZero := func(f func(z, a, b *big.Int) *big.Int) func(a, b *big.Int, dt tensor.DType) *big.Int {
		return func(a, b *big.Int, _ tensor.DType) *big.Int {
			if b.Sign() == 0 {
				return big.NewInt(0)
			}
			return f(new(big.Int), a, b)
		}
	}
	pick := func(first func(cmp int) bool) func(a, b *big.Int, dt tensor.DType) *big.Int {
		return func(a, b *big.Int, _ tensor.DType) *big.Int {
			if first(a.Cmp(b)) {
				return a
			}
			return b
		}
	}
	binary := map[string]func(a, b *big.Int, dt tensor.DType) *big.Int{
		"add": bin((*big.Int).Add), "sub": bin((*big.Int).Sub), "mul": bin((*big.Int).Mul),
		"and": bin((*big.Int).And), "or": bin((*big.Int).Or), "xor": bin((*big.Int).Xor),
		"div": orZero((*big.Int).Quo), "rem": orZero((*big.Int).Rem),
		"maximum": pick(func(cmp int) bool { return cmp > 0 }),
		"minimum": pick(func(cmp int) bool { return cmp < 0 }),
		"shift_left": func(a, b *big.Int, dt tensor.DType) *big.Int {
			if b.Sign() < 0 || b.Cmp(big.NewInt(int64(8*dt.Size()))) >= 0 {
				return big.NewInt(0)
			}
			return new(big.Int).Lsh(a, uint(b.Int64()))
		},
		"shift_right": func(a, b *big.Int, dt tensor.DType) *big.Int { // Rsh rounds down, as the sign fills
			if b.Sign() < 0 || b.Cmp(big.NewInt(int64(8*dt.Size()))) >= 0 {
				return new(big.Int).Rsh(a, 64)
			}
			return new(big.Int).Rsh(a, uint(b.Int64()))
		},
	}
	unary := map[string]func(z, a *big.Int) *big.Int{
		"neg": (*big.Int).Neg, "abs": (*big.Int).Abs, "not": (*big.Int).Not,
		"sign":   func(z, a *big.Int) *big.Int { return z.SetInt64(int64(a.Sign())) },
		"square": func(z, a *big.Int) *big.Int { return z.Mul(a, a) },
		"relu": func(z, a *big.Int) *big.Int {
			if a.Sign() < 0 {
				return z
			}
			return a
		},
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, dt := range dtypes.Ints {
		values := edges(dt, r)
		for _, a := range values {
			for op, f := range unary {
				want := wrapBig(f(new(big.Int), a), dt)
				require.Zero(t, want.Cmp(hostInt(op, dt, a)), "%s(%v) in %v is not %v", op, a, dt, want)
			}
			for _, b := range values {
				for op, f := range binary {
					want := wrapBig(f(a, b, dt), dt)
					require.Zero(t, want.Cmp(hostInt(op, dt, a, b)), "%s(%v, %v) in %v is not %v", op, a, b, dt, want)
				}
				for op, holds := range map[string]bool{
					"equal": a.Cmp(b) == 0, "not_equal": a.Cmp(b) != 0, "less": a.Cmp(b) < 0,
					"less_equal": a.Cmp(b) <= 0, "greater": a.Cmp(b) > 0, "greater_equal": a.Cmp(b) >= 0,
				} {
					dst := engine.Block{U64: make([]uint64, 1)}
					opOf(op).Scalar.Host(tensor.Bool, []tensor.DType{dt, dt}, dst, []engine.Block{intBlock(dt, a), intBlock(dt, b)})
					require.Equal(t, truthOf(holds), dst.U64[0], "%s(%v, %v) in %v", op, a, b, dt)
				}
			}
		}
	}
}

func TestHostLogicOfBoolsIsLogical(t *testing.T) {
	t.Parallel()
	for _, a := range []uint64{0, 1} {
		not := engine.Block{U64: make([]uint64, 1)}
		opOf("not").Scalar.Host(tensor.Bool, []tensor.DType{tensor.Bool}, not, []engine.Block{{U64: []uint64{a}}})
		require.Equal(t, 1-a, not.U64[0])
		for _, b := range []uint64{0, 1} {
			for op, want := range map[string]uint64{"and": a * b, "or": max(a, b), "xor": (a + b) % 2, "equal": truthOf(a == b), "less": truthOf(a < b)} {
				y := engine.Block{U64: make([]uint64, 1)}
				opOf(op).Scalar.Host(tensor.Bool, []tensor.DType{tensor.Bool, tensor.Bool}, y, []engine.Block{{U64: []uint64{a}}, {U64: []uint64{b}}})
				require.Equal(t, want, y.U64[0], "%s(%d, %d)", op, a, b)
			}
		}
	}
}
