package fallback

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// detections are boxes around a few objects, with scores of which few are high.
func detections(batches, classes, n int) (boxes, scores []float32) {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	for range batches * n {
		y, x := float32(rng.IntN(20))*30+rng.Float32()*8, float32(rng.IntN(20))*30+rng.Float32()*8
		boxes = append(boxes, y, x, y+20+rng.Float32()*20, x+20+rng.Float32()*20)
	}
	for range batches * classes * n {
		scores = append(scores, float32(math.Pow(rng.Float64(), 8)))
	}
	return boxes, scores
}

// suppressNaive selects the boxes of one class by comparing with all that were selected.
func suppressNaive(boxes, scores []float32, most int, iou, score float32) (out []int64) {
	order := make([]int64, 0, len(scores))
	for i, s := range scores {
		if s > score {
			order = append(order, int64(i))
		}
	}
	slices.SortStableFunc(order, func(i, j int64) int { return cmp.Compare(scores[j], scores[i]) })
	for _, i := range order {
		if len(out) == most {
			break
		}
		if !slices.ContainsFunc(out, func(j int64) bool {
			a, b := boxes[4*i:][:4], boxes[4*j:][:4]
			h, w := min(a[2], b[2])-max(a[0], b[0]), min(a[3], b[3])-max(a[1], b[1])
			if h <= 0 || w <= 0 {
				return false
			}
			both := h * w
			return both > iou*((a[2]-a[0])*(a[3]-a[1])+(b[2]-b[0])*(b[3]-b[1])-both)
		}) {
			out = append(out, i)
		}
	}
	return out
}

func suppressTensors(a *engine.Suppress) ([]*tensor.Tensor, []engine.Operand) {
	boxes, scores := detections(int(a.Batches), int(a.Classes), int(a.Boxes))
	return []*tensor.Tensor{tensor.Must(tensor.FromSlice(boxes)), tensor.Must(tensor.FromSlice(scores))},
		[]engine.Operand{{DType: tensor.Int64, Len: 3 * a.Capacity}, {DType: tensor.Int64, Len: 1}}
}

func TestSuppressionOfManyBoxes(t *testing.T) {
	t.Parallel()
	for _, a := range []engine.Suppress{
		{Batches: 2, Classes: 5, Boxes: 3000, PerClass: 100, Capacity: 1000, IoU: 0.45, Score: 0.3, HasScore: true},
		{Batches: 1, Classes: 1, Boxes: 700, PerClass: 700, Capacity: 700, IoU: 0.1, Score: -1, HasScore: true},
		{Batches: 3, Classes: 2, Boxes: 400, PerClass: 5, Capacity: 17, IoU: 0.5, Score: 0.1, HasScore: true},
	} {
		ins, outs := suppressTensors(&a)
		boxes, scores := slice[float32](ins[0]), slice[float32](ins[1])
		var want []int64
		for i := range a.Batches * a.Classes {
			for _, b := range suppressNaive(boxes[i/a.Classes*a.Boxes*4:], scores[i*a.Boxes:][:a.Boxes], int(a.PerClass), float32(a.IoU),
				float32(a.Score)) {
				want = append(want, i/a.Classes, i%a.Classes, b)
			}
		}
		want = want[:min(len(want), 3*int(a.Capacity))]
		for _, workers := range []int{1, 3} {
			got := runRoutine(t, workers, &a, ins, outs)
			require.Equal(t, int64(len(want)/3), slice[int64](got[1])[0])
			require.Equal(t, want, slice[int64](got[0])[:len(want)])
			for _, v := range slice[int64](got[0])[len(want):] {
				require.Equal(t, int64(-1), v)
			}
		}
	}
}

// Equal scores, NaN in scores and boxes, boxes without an area or upside down.
func TestSuppressionOfWhatIsSpecial(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	boxes := []float32{
		0, 0, 1, 1, // 0
		1, 1, 0, 0, // 1: the same, from the other corner
		5, 5, 5, 9, // 2: no area
		5, 5, 5, 9, // 3: the same
		nan, 0, 1, 1, // 4
		0, 0, 1, 1, // 5: with a score of NaN
		0, 0, inf, inf, // 6
		-3, -3, -2, -2, // 7
	}
	scores := []float32{0.5, 0.5, 0.5, 0.5, 0.7, nan, 0.6, float32(math.Inf(-1))}
	a := &engine.Suppress{Batches: 1, Classes: 1, Boxes: 8, PerClass: 8, Capacity: 8, IoU: 0.5}
	outs := []engine.Operand{{DType: tensor.Int64, Len: 24}, {DType: tensor.Int64, Len: 1}}
	got := runRoutine(t, 2, a, []*tensor.Tensor{tensor.Must(tensor.FromSlice(boxes)), tensor.Must(tensor.FromSlice(scores))}, outs)
	require.Equal(t, []int64{6}, slice[int64](got[1]))
	var order []int64
	for i := range 6 {
		order = append(order, slice[int64](got[0])[3*i+2])
	}
	require.Equal(t, []int64{4, 6, 0, 2, 3, 7}, order)
}

var suppressBenchmarks = []struct {
	name string
	engine.Suppress
}{
	{"yolo/1x80x8400", engine.Suppress{Batches: 1, Classes: 80, Boxes: 8400, PerClass: 100, Capacity: 8000, IoU: 0.45, Score: 0.9,
		HasScore: true}},
	{"ssd/1x20x1917", engine.Suppress{Batches: 1, Classes: 20, Boxes: 1917, PerClass: 100, Capacity: 2000, IoU: 0.5, Score: 0.5,
		HasScore: true}},
	{"all/1x1x1000", engine.Suppress{Batches: 1, Classes: 1, Boxes: 1000, PerClass: 1000, Capacity: 1000, IoU: 0.5}},
	{"rpn/1x1x12000", engine.Suppress{Batches: 1, Classes: 1, Boxes: 12_000, PerClass: 2000, Capacity: 2000, IoU: 0.7}},
}

func BenchmarkSuppress(b *testing.B) {
	for _, c := range suppressBenchmarks {
		b.Run(c.name, func(b *testing.B) {
			ins, outs := suppressTensors(&c.Suppress)
			benchRoutine(b, &c.Suppress, ins, outs)
		})
	}
}

func BenchmarkSuppressNaive(b *testing.B) {
	for _, c := range suppressBenchmarks {
		b.Run(c.name, func(b *testing.B) {
			ins, _ := suppressTensors(&c.Suppress)
			boxes, scores := slice[float32](ins[0]), slice[float32](ins[1])
			score := float32(-1)
			if c.HasScore {
				score = float32(c.Score)
			}
			for b.Loop() {
				for i := range c.Classes {
					suppressNaive(boxes, scores[i*c.Boxes:][:c.Boxes], int(c.PerClass), float32(c.IoU), score)
				}
			}
		})
	}
}
