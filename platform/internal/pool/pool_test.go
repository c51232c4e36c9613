package pool

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type fakeBlock struct{ id int }

func (fakeBlock) Close() error { return nil }

func TestSizeClassesHoldTheRequestAndWasteAFifthAtMost(t *testing.T) {
	check := func(n int64) {
		c := Size(n, 0)
		require.GreaterOrEqual(t, c, n)
		require.Zero(t, c%MinBlock)
		require.Equal(t, c, Size(c, 0), "a class is its own class")
		if n > 8*MinBlock {
			require.LessOrEqual(t, float64(c-n), 0.2*float64(c), "n = %d", n)
		}
	}
	for n := range int64(1 << 14) {
		check(n)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		check(r.Int64N(1 << (10 + r.IntN(38))))
	}
	for shift := 10; shift < 50; shift++ {
		for d := int64(-1); d <= 1; d++ {
			check(1<<shift + d)
		}
	}
}

func TestSizeClassesStayBelowTheLimit(t *testing.T) {
	assert.EqualValues(t, 1000000, Size(999999, 1000000))
	assert.EqualValues(t, 1000000, Size(1000000, 1000000))
	assert.EqualValues(t, 1<<31-1, Size(1<<31-2, 1<<31-1))
	assert.EqualValues(t, math.MaxInt64, Size(math.MaxInt64, 0))
	assert.EqualValues(t, MinBlock, Size(0, 0))
}

func TestPoolReturnsTheMostRecentBlockOfTheClass(t *testing.T) {
	p := Pool[fakeBlock]{Cap: 1 << 20}
	assert.Empty(t, p.Put(512, fakeBlock{1}))
	assert.Empty(t, p.Put(1024, fakeBlock{2}))
	assert.Empty(t, p.Put(512, fakeBlock{3}))
	assert.EqualValues(t, 2048, p.held)
	b, ok := p.Get(512)
	assert.True(t, ok)
	assert.Equal(t, 3, b.id)
	b, ok = p.Get(512)
	assert.True(t, ok)
	assert.Equal(t, 1, b.id)
	_, ok = p.Get(512)
	assert.False(t, ok)
	_, ok = p.Get(2048)
	assert.False(t, ok, "a block of another class is not for the taking")
	assert.EqualValues(t, 1024, p.held)
}

func TestPoolEvictsTheOldestAboveItsCap(t *testing.T) {
	p := Pool[fakeBlock]{Cap: 1000}
	assert.Empty(t, p.Put(400, fakeBlock{1}))
	assert.Empty(t, p.Put(400, fakeBlock{2}))
	assert.Equal(t, []fakeBlock{{1}}, p.Put(400, fakeBlock{3}))
	assert.Equal(t, []fakeBlock{{2}, {3}}, p.Put(900, fakeBlock{4}))
	assert.EqualValues(t, 900, p.held)
	assert.Equal(t, []fakeBlock{{5}}, p.Put(1001, fakeBlock{5}), "what never fits is not kept")
	assert.Equal(t, []fakeBlock{{4}}, p.Drain())
	assert.Zero(t, p.held)
	assert.Empty(t, p.Drain())
}

func TestPoolWithoutRoomKeepsNothing(t *testing.T) {
	var p Pool[fakeBlock]
	assert.Equal(t, []fakeBlock{{1}}, p.Put(256, fakeBlock{1}))
	assert.Zero(t, p.held)
}

func TestPoolBoundsTheNumberOfBlocks(t *testing.T) {
	p := Pool[fakeBlock]{Cap: math.MaxInt64}
	for i := range maxIdle {
		require.Empty(t, p.Put(256, fakeBlock{i}))
	}
	assert.Equal(t, []fakeBlock{{0}}, p.Put(256, fakeBlock{maxIdle}))
}

// The pool's accounts must agree with a plain list of the blocks put in and taken out.
func TestPoolKeepsItsBooks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	p := Pool[fakeBlock]{Cap: 8000}
	inside := map[int]int64{}
	for i := range 20000 {
		size := int64(256 * (1 + r.IntN(8)))
		if r.IntN(2) == 0 {
			inside[i] = size
			for _, e := range p.Put(size, fakeBlock{i}) {
				delete(inside, e.id)
			}
		} else if b, ok := p.Get(size); ok {
			require.Equal(t, size, inside[b.id])
			delete(inside, b.id)
		}
		var sum int64
		for _, s := range inside {
			sum += s
		}
		require.Equal(t, sum, p.held)
		require.LessOrEqual(t, p.held, p.Cap)
		require.Len(t, p.idle, len(inside))
	}
}
