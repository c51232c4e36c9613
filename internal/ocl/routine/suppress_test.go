package routine_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
)

func suppressCases() []engine.Suppress {
	return []engine.Suppress{
		{Batches: 1, Classes: 1, Boxes: 1, IoU: 0.5},
		{Batches: 2, Classes: 3, Boxes: 37, IoU: 0.3, Centre: true},
		{Batches: 1, Classes: 5, Boxes: 300, IoU: 0.5, HasScore: true, Score: 0.3, PerClass: 21, Capacity: 50},
		{Batches: 3, Classes: 1, Boxes: 1000, IoU: 0, HasScore: true, Score: 0},
		{Batches: 1, Classes: 2, Boxes: 2000, IoU: 1, Centre: true},
		{Batches: 1, Classes: 70, Boxes: 90, IoU: 0.7, HasScore: true, Score: -0.05, Capacity: 9000},
		{Batches: 1, Classes: 2, Boxes: 5000, IoU: 0.45, PerClass: 333},
		{Batches: 1, Classes: 2, Boxes: 40, IoU: 0.45, HasScore: true, Score: 2},
	}
}

func TestEveryWayToSuppressSelectsTheBoxesOfTheCPUPath(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(21, 22))
	for _, variantName := range []string{"list", "group", "blocks"} {
		for _, wide := range []bool{false, true} {
			e := device(t, "suppress="+variantName, func(f *facts.Device) { f.ForceWide = wide })
			for i, a := range suppressCases() {
				if wide && i != 2 {
					continue
				}
				for _, spread := range []float32{30, 300} {
					task := sample.Suppress(a)
					if err := e.Check(task); err != nil {
						t.Skip(err)
					}
					plan := bitForBit(t, e, task, sample.SuppressInput(r, a, spread))
					if variantName != "group" || a.Boxes <= 2048 {
						require.Contains(t, plan.Variant, variantName)
					}
				}
			}
		}
	}
}

// selectedBy is greedy suppression of one class, with the union computed by less.
func selectedBy(boxes, scores []float32, limit float32, less func(sum, h, w float32) float32) (kept []int) {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	area := func(b []float32) float32 { return float32((b[2] - b[0]) * (b[3] - b[1])) }
	for _, i := range order {
		if !slices.ContainsFunc(kept, func(j int) bool {
			a, b := boxes[4*i:][:4], boxes[4*j:][:4]
			h, w := min(a[2], b[2])-max(a[0], b[0]), min(a[3], b[3])-max(a[1], b[1])
			return h > 0 && w > 0 && float32(h*w) > float32(limit*less(area(a)+area(b), h, w))
		}) {
			kept = append(kept, i)
		}
	}
	return kept
}

// Boxes on a grid whose shares are the threshold but for rounding: a product that were contracted with a
// sum would select others.
func TestNoProductIsContractedWhereBoxesAreCompared(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(23, 24))
	const n = 200
	differ := 0
	for _, limit := range []float64{0.5, 1.0 / 3, 0.25, 0.2, 0.6} {
		var boxes, scores []float32
		for range n {
			y, x := r.IntN(8), r.IntN(8)
			boxes = append(boxes, float32(y)*0.1, float32(x)*0.1, float32(y+1+r.IntN(6))*0.1, float32(x+1+r.IntN(6))*0.1)
			scores = append(scores, r.Float32())
		}
		apart := selectedBy(boxes, scores, float32(limit), func(sum, h, w float32) float32 { return sum - float32(h*w) })
		together := selectedBy(boxes, scores, float32(limit), func(sum, h, w float32) float32 {
			return float32(math.FMA(-float64(h), float64(w), float64(sum)))
		})
		if !slices.Equal(apart, together) {
			differ++
		}
		task := sample.Suppress(engine.Suppress{Batches: 1, Classes: 1, Boxes: n, IoU: limit})
		ins := [][]byte{sample.FloatBytes(boxes), sample.FloatBytes(scores)}
		require.Equal(t, uint64(len(apart)), binary.NativeEndian.Uint64(ocltest.OnCPUPath(t, task, ins)[1]))
		for _, variantName := range []string{"list", "group", "blocks"} {
			for _, fast := range []bool{false, true} {
				task.FastMath = fast
				e := device(t, "suppress="+variantName, nil)
				if err := e.Check(task); err != nil {
					t.Skip(err)
				}
				got, _ := ocltest.Execute(t, e, task, ins, 0)
				for i, box := range apart {
					require.Equal(t, uint64(box), binary.NativeEndian.Uint64(got[0][8*(3*i+2):]), "%s, limit %v, fast %v", variantName, limit, fast)
				}
				require.Equal(t, uint64(len(apart)), binary.NativeEndian.Uint64(got[1]))
			}
		}
	}
	require.Positive(t, differ, "contraction would change nothing here")
}

func TestSuppressionWithoutBoxesSelectsNone(t *testing.T) {
	for _, variantName := range []string{"list", "group", "blocks"} {
		e := device(t, "suppress="+variantName, nil)
		for _, a := range []engine.Suppress{{Batches: 2, Classes: 2, Capacity: 3}, {Batches: 0, Classes: 2, Boxes: 4, Capacity: 2},
			{Batches: 2, Classes: 0, Boxes: 4, Capacity: 1}} {
			task := sample.Suppress(a)
			if err := e.Check(task); err != nil {
				t.Skip(err)
			}
			bitForBit(t, e, task, sample.SuppressInput(rand.New(rand.NewPCG(1, 1)), a, 30))
		}
	}
}

func TestSuppressionGivesOnlyWhatIsRead(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(25, 26))
	for _, variantName := range []string{"list", "group", "blocks"} {
		for unread := range 2 {
			a := engine.Suppress{Batches: 1, Classes: 2, Boxes: 60, IoU: 0.4}
			task := sample.Suppress(a)
			task.Outs[unread].Len = 0
			e := device(t, "suppress="+variantName, nil)
			if err := e.Check(task); err != nil {
				t.Skip(err)
			}
			bitForBit(t, e, task, sample.SuppressInput(r, a, 50))
		}
	}
}

// A device for which the smallest numbers are zero might select others.
func TestDevicesThatFlushLeaveSuppressionToTheCPUPath(t *testing.T) {
	e := device(t, "", func(f *facts.Device) { f.FlushesDenormals = true })
	err := e.Check(sample.Suppress(engine.Suppress{Batches: 1, Classes: 1, Boxes: 5}))
	require.ErrorIs(t, err, engine.ErrUnsupported)
	require.ErrorContains(t, err, "smallest numbers")
}

func BenchmarkSuppress(b *testing.B) {
	for _, boxes := range []int64{200, 1000, 10_000, 100_000} {
		for _, classes := range []int64{1, 20, 80} {
			for _, least := range []float64{-1, 1.9} { // all pass, or a twentieth
				if boxes*classes > 1e6 || least < 0 && boxes*boxes*classes > 21e8 {
					continue
				}
				a := engine.Suppress{Batches: 1, Classes: classes, Boxes: boxes, IoU: 0.5, HasScore: least > 0, Score: 0.95}
				b.Run(fmt.Sprintf("%dx%d/%v", classes, boxes, a.HasScore), func(b *testing.B) {
					r := rand.New(rand.NewPCG(1, 2))
					var xs, scores []float32
					for range boxes { // about half of them overlap one that is better
						y, x := r.Float32()*float32(math.Sqrt(float64(boxes)))*12, r.Float32()*float32(math.Sqrt(float64(boxes)))*12
						xs = append(xs, y, x, y+20+r.Float32()*10, x+20+r.Float32()*10)
					}
					for range classes * boxes {
						scores = append(scores, r.Float32())
					}
					routineBench(b, sample.Suppress(a), [][]byte{sample.FloatBytes(xs), sample.FloatBytes(scores)}, "")
				})
			}
		}
	}
}
