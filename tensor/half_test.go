package tensor

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// narrowFormat is one of the two 16-bit formats, seen through functions.
type narrowFormat struct {
	name               string
	expBits, fracBits  int
	from64             func(float64) uint16
	from32             func(float32) uint16
	to32               func(uint16) float32
	text               func(uint16) string
	largest, smallest  float64
	infinity, quietBit uint16
}

var narrowFormats = []narrowFormat{
	{
		name: "float16", expBits: 5, fracBits: 10,
		from64:  func(x float64) uint16 { return uint16(HalfFrom64(x)) },
		from32:  func(x float32) uint16 { return uint16(HalfFrom(x)) },
		to32:    func(b uint16) float32 { return Half(b).Float32() },
		text:    func(b uint16) string { return Half(b).String() },
		largest: 65504, smallest: 0x1p-24, infinity: 0x7c00, quietBit: 0x200,
	},
	{
		name: "bfloat16", expBits: 8, fracBits: 7,
		from64:  func(x float64) uint16 { return uint16(BF16From64(x)) },
		from32:  func(x float32) uint16 { return uint16(BF16From(x)) },
		to32:    func(b uint16) float32 { return BF16(b).Float32() },
		text:    func(b uint16) string { return BF16(b).String() },
		largest: 0x1.fep127, smallest: 0x1p-133, infinity: 0x7f80, quietBit: 0x40,
	},
}

// value decodes bits from the definition of the format, without Float32.
func (f narrowFormat) value(bits uint16) float64 {
	frac := float64(bits & (1<<f.fracBits - 1))
	exp := int(bits>>f.fracBits) & (1<<f.expBits - 1)
	sign := 1 - 2*float64(bits>>15)
	bias := 1<<(f.expBits-1) - 1
	switch {
	case exp == 1<<f.expBits-1 && frac != 0:
		return math.NaN()
	case exp == 1<<f.expBits-1:
		return math.Inf(int(sign))
	case exp == 0:
		return math.Copysign(math.Ldexp(frac, 1-bias-f.fracBits), sign)
	}
	return sign * math.Ldexp(1+frac*math.Ldexp(1, -f.fracBits), exp-bias)
}

func TestEveryNarrowValueDecodesAndRoundTrips(t *testing.T) {
	t.Parallel()
	for _, f := range narrowFormats {
		for i := range 1 << 16 {
			bits := uint16(i)
			want, got := f.value(bits), float64(f.to32(bits))
			if math.IsNaN(want) {
				if !math.IsNaN(got) || f.from32(f.to32(bits)) != bits|f.quietBit {
					t.Fatalf("%s %#04x: NaN became %v and %#04x", f.name, bits, got, f.from32(f.to32(bits)))
				}
				continue
			}
			if got != want || math.Signbit(got) != math.Signbit(want) {
				t.Fatalf("%s %#04x decodes to %v, want %v", f.name, bits, got, want)
			}
			if f.from32(f.to32(bits)) != bits || f.from64(want) != bits {
				t.Fatalf("%s %#04x does not round trip: %#04x, %#04x", f.name, bits, f.from32(f.to32(bits)), f.from64(want))
			}
			if back, err := strconv.ParseFloat(f.text(bits), 64); err != nil || f.from64(back) != bits {
				t.Fatalf("%s %#04x prints as %s", f.name, bits, f.text(bits))
			}
		}
	}
}

func TestEveryMidpointBetweenNarrowValuesRoundsToEven(t *testing.T) {
	t.Parallel()
	for _, f := range narrowFormats {
		for i := range int(f.infinity) {
			low, high := uint16(i), uint16(i)+1
			a, b := f.value(low), f.value(high)
			if high == f.infinity { // the next value that the exponent would give, if it were there
				b = 2*a - f.value(low-1)
			}
			mid := a + (b-a)/2 // exact: float64 has room to spare
			even := low + low&1
			below, above := math.Nextafter(mid, math.Inf(-1)), math.Nextafter(mid, math.Inf(1))
			for x, want := range map[float64]uint16{mid: even, below: low, above: high} {
				if got := f.from64(x); got != want {
					t.Fatalf("%s: %v, beside %#04x, rounds to %#04x, want %#04x", f.name, x, low, got, want)
				}
				if got := f.from64(-x); got != want|0x8000 {
					t.Fatalf("%s: %v rounds to %#04x, want %#04x", f.name, -x, got, want|0x8000)
				}
			}
			if got := f.from32(float32(mid)); float64(float32(mid)) == mid && got != even {
				t.Fatalf("%s: float32 %v rounds to %#04x, want %#04x", f.name, mid, got, even)
			}
		}
	}
}

func TestRoundingFromFloat64AgreesWithBigFloat(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range narrowFormats {
		minExp := 2 - 1<<(f.expBits-1)
		for range 20000 {
			x := math.Ldexp(1+rng.Float64(), minExp+rng.IntN(1<<f.expBits-3))
			y, _ := new(big.Float).SetMode(big.ToNearestEven).SetPrec(uint(f.fracBits + 1)).SetFloat64(x).Float64()
			if got := f.value(f.from64(x)); got != y && y <= f.largest {
				t.Fatalf("%s: %v rounds to %v, want %v", f.name, x, got, y)
			}
		}
	}
}

func TestNarrowingExtremes(t *testing.T) {
	t.Parallel()
	for _, f := range narrowFormats {
		for x, want := range map[float64]uint16{
			0: 0, math.Inf(1): f.infinity, math.MaxFloat64: f.infinity,
			f.largest: f.infinity - 1, f.smallest: 1,
			f.smallest / 2: 0, math.Nextafter(f.smallest/2, 1): 1, f.smallest / 4: 0,
			math.SmallestNonzeroFloat64: 0,
		} {
			assert.Equalf(t, want, f.from64(x), "%s of %v", f.name, x)
			assert.Equalf(t, want|0x8000, f.from64(math.Copysign(x, -1)), "%s of -%v", f.name, x)
		}
		require.True(t, math.IsNaN(f.value(f.from64(math.NaN()))))
	}
}

func TestHalfFromFloat64RoundsOnce(t *testing.T) {
	t.Parallel()
	// Just above the middle of 1 and the next Half; float32 would round it onto the middle.
	x := 1 + 0x1p-11 + 0x1p-40
	assert.Equal(t, Half(0x3c01), HalfFrom64(x))
	assert.Equal(t, Half(0x3c00), HalfFrom(float32(x)))
	y := 1 + 0x1p-8 + 0x1p-40
	assert.Equal(t, BF16(0x3f81), BF16From64(y))
	assert.Equal(t, BF16(0x3f80), BF16From(float32(y)))
}
