package pace

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var wait = Key{Engine: "gpu", Kind: "wait"}

func expectedOf(x *Table, k Key, predicted time.Duration) float64 {
	d, _ := x.Correct(k, predicted)
	return float64(d)
}

// A delay of a run by other work does not change the estimate of a small part of it, however often it happens.
func TestLoadIsNotLaidToASmallPart(t *testing.T) {
	t.Parallel()
	var x Table
	run := []Part{{matmul, 4e4, 2}, {other, 1e4, 1}, {wait, 5e3, 1}}
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		x.LearnSum(run, time.Duration(95e3*(1+3*r.Float64())), true)
	}
	require.InEpsilon(t, 5e3, expectedOf(&x, wait, 5e3), 0.3)
	require.Greater(t, expectedOf(&x, matmul, 4e4), 6e4, "the largest part is what explains it")
}

func TestWhatIsKnownWellStays(t *testing.T) {
	t.Parallel()
	var x Table
	for range 20 {
		learn(&x, matmul, 1e5, 1e5, true)
	}
	for range 20 { // the part that was never measured takes four times as long as predicted
		x.LearnSum([]Part{{matmul, 1e5, 1}, {other, 1e5, 1}}, 5e5, true)
	}
	require.InEpsilon(t, 1e5, expectedOf(&x, matmul, 1e5), 0.15)
	require.InEpsilon(t, 4e5, expectedOf(&x, other, 1e5), 0.15)
}

// Parts of one key are off by one cause, also where each is small.
func TestErrorsOfOneKeyAddUp(t *testing.T) {
	t.Parallel()
	var x Table
	run := []Part{{other, 6e4, 1}}
	for range 20 {
		run = append(run, Part{matmul, 2e3, 1})
	}
	for range 30 {
		learn(&x, other, 6e4, 6e4, true)
		x.LearnSum(run, 14e4, true)
	}
	require.InEpsilon(t, 4e3, expectedOf(&x, matmul, 2e3), 0.15)
}

// A device that is a third faster stays so if one run of three was disturbed, and after a while in which all were.
func TestADisturbedMachineIsForgotten(t *testing.T) {
	t.Parallel()
	var x Table
	const device, cpu = 1e5, 1.5e5
	for range 10 {
		learn(&x, matmul, device, device, true)
	}
	for i := range 60 {
		took := time.Duration(device)
		if i%3 == 0 {
			took *= 4
		}
		learn(&x, matmul, device, took, true)
		require.Less(t, expectedOf(&x, matmul, device), cpu, "after %d", i)
	}
	for range 60 {
		learn(&x, matmul, device, 4*device, true)
	}
	require.Greater(t, expectedOf(&x, matmul, device), 3*device, "what stays is believed")
	for range 60 {
		learn(&x, matmul, device, device, true)
	}
	require.InEpsilon(t, device, expectedOf(&x, matmul, device), 0.1)
}

func TestNothingIsLearnedOfNothing(t *testing.T) {
	t.Parallel()
	var x Table
	x.LearnSum(nil, 5, true)
	x.LearnSum([]Part{{matmul, 0, 1}, {other, 5, 0}}, 5, true)
	x.LearnSum([]Part{{matmul, 5, 1}}, 0, true)
	require.False(t, x.Dirty())
}
