package ocl

import (
	"fmt"
	"math"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Cells of scatters, attention and routines.

func scatterCells() (all []cell) {
	for _, v := range []string{"rows", "parts", "item"} {
		d := tinyCPU
		if v == "item" {
			d = tinyGPU
		}
		for i, s := range [][3]int{{5, 20, 3}, {6, 9, 37}, {1, 5, 1}, {7, 0, 4}} {
			dt := []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int8, tensor.Int64}[i]
			keys := []tensor.DType{tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint64}[i]
			for _, inPlace := range []bool{false, true} {
				task := sample.Scatter(s[0], s[1], s[2], dt, keys)
				name := fmt.Sprint(dt, " ", s)
				if inPlace {
					task.Alias = []int{0}
					name += " in place"
				}
				r := seeded(uint64(i))
				at := make([]byte, task.Ins[1].Bytes())
				for n := range int64(s[1]) {
					ocltest.PutAt(keys, at, n, 0, uint64(int64(r.IntN(s[0]+3)-1)))
				}
				c := forced(d(), "scatter="+v, name, task).on(ocltest.RandomBytes(r, dt, task.Ins[0].Len), at, ocltest.RandomBytes(r, dt, task.Ins[2].Len))
				c.scale = 5
				all = append(all, c)
			}
		}
	}
	return append(all, putCells()...)
}

// putCells are scatters that do not add, whose elements have positions of their own, or whose updates never meet.
func putCells() (all []cell) {
	for put := range engine.PutSet + 1 {
		for i, v := range []string{"rows", "item", "distinct", "parts"} {
			if v == "parts" && put != engine.PutMin && put != engine.PutMax {
				continue
			}
			task := sample.Scatter(7, 70, 3, tensor.Float32, tensor.Int32)
			task.Put = put
			if v == "distinct" {
				if put != engine.PutSet {
					continue
				}
				task = sample.Scatter(90, 70, 3, tensor.Float32, tensor.Int32)
				task.Put, task.Distinct = put, true
			}
			d := tinyCPU
			if v == "item" {
				d = tinyGPU
			}
			if task.Each = v != "rows" && v != "parts"; task.Each {
				task.Ins[1].Len *= 3
				task.At = engine.Load(1, tensor.Int32, sample.DenseAt(task.Axes, 1, 2), nil)
			}
			r := seeded(uint64(i))
			at := make([]byte, task.Ins[1].Bytes())
			for n := range task.Ins[1].Len {
				to := r.IntN(10) - 1
				if v == "distinct" { // no two in a column, and some outside
					to = int(n/3)*31%97 - 1
				}
				ocltest.PutAt(tensor.Int32, at, n, 0, uint64(int64(to)))
			}
			c := forced(d(), "scatter="+v, put.String(), task).on(ocltest.RandomBytes(r, tensor.Float32, task.Ins[0].Len), at, ocltest.RandomBytes(r, tensor.Float32, task.Ins[2].Len))
			c.scale = 5
			all = append(all, c)
		}
	}
	return all
}

func attentionCells() (all []cell) {
	f32 := tensor.Float32
	for _, v := range []string{"lane", "tile", "block"} {
		d := tinyCPU()
		switch v {
		case "tile":
			d = tinyGPU()
		case "block":
			d = ocltest.GPU(64)
		}
		for pass := range engine.AttentionGradKV + 1 {
			for _, c := range []sample.Attention{
				{DType: f32, B: 1, G: 1, M: 17, N: 19, D: 4, E: 4, WithTops: true},
				{DType: f32, B: 2, G: 2, M: 3, N: 9, D: 3, E: 5, Low: -3, High: 4, WithTops: true},
				{DType: f32, B: 1, G: 2, M: 5, N: 18, D: 4, E: 3, Mask: tensor.Bool, MaskAxes: []int{0, 3}},
				{DType: f32, B: 1, G: 2, M: 4, N: 7, D: 4, E: 4, Mask: f32, MaskAxes: []int{2, 3}, HeadsLast: true},
				{DType: tensor.Float16, B: 1, G: 1, M: 5, N: 7, D: 4, E: 4},
				{DType: f32, B: 1, G: 1, M: 5, N: 0, D: 4, E: 4, WithTops: true},
			} {
				if c.Pass = pass; pass == engine.AttentionGradKV && c.N == 0 {
					continue // there are no keys to have a gradient
				}
				if v == "block" {
					c.M, c.D, c.E = c.M+12, c.D+16, c.E+16
					if pass == engine.AttentionGradKV {
						c.N += 9
					}
				}
				cl := forced(d, "attention="+v, c.String(), c.Task())
				cl.ins = func(t *testing.T) [][]byte { return c.Inputs(t, 5) }
				cl.tol, cl.scale = 2e-5, 4
				all = append(all, cl)
			}
		}
	}
	return all
}

// runningCells are running folds of every kind, of one part and of several.
func runningCells() (all []cell) {
	for k, d := range []func(...func(*facts.Device)) *facts.Device{tinyCPU, tinyGPU} {
		for f := range engine.RunningLinear + 1 {
			for i, a := range []engine.Running{
				{Outer: 2, Length: 17, Inner: 3, Fold: f}, {Outer: 1, Length: 150, Inner: 1, Fold: f, Reverse: true}, {Outer: 1, Length: 9, Inner: 19, Fold: f, Exclusive: f != engine.RunningLinear},
			} {
				dt, tol := tensor.Float32, 0x1p-12
				if i == 1 && f < engine.RunningLogSum {
					dt, tol = tensor.Int32, 0
				}
				x := engine.Operand{DType: dt, Len: a.Outer * a.Length * a.Inner}
				ins, outs := []engine.Operand{x}, []engine.Operand{x}
				if f == engine.RunningLinear {
					ins = append(ins, x)
				}
				if f.Extreme() {
					outs = append(outs, engine.Operand{DType: tensor.Int64, Len: x.Len})
				}
				var data [][]byte
				for n := range ins {
					data = append(data, ocltest.RandomBytes(seeded(uint64(n)), dt, x.Len))
				}
				all = append(all, forced(d(), "running=fold", fmt.Sprint(k, " ", dt, " ", a.String(), i), sample.Routine(&a, ins, outs...)).on(data...).likeCPUPath(tol, 40))
			}
		}
	}
	return all
}

// factorCells are decompositions and systems, with panels that are cut and blocks that are not whole.
func factorCells() (all []cell) {
	dt := tensor.Float32
	of := func(n int64) engine.Operand { return engine.Operand{DType: dt, Len: n} }
	for _, gpu := range []bool{false, true} {
		d := tinyCPU
		if gpu {
			d = tinyGPU
		}
		add := func(force, name string, task *engine.Task, ins ...[]float64) {
			var data [][]byte
			for _, v := range ins {
				data = append(data, sample.BytesOf(dt, v))
			}
			all = append(all, forced(d(), force, fmt.Sprint(name, " ", gpu), task).on(data...).likeCPUPath(0x1p-12, 40))
		}
		for _, n := range []int{5, 70} {
			a := sample.Uniform(n * n)
			for i := range n {
				a[i*n+i] = float64(n)
			}
			x := of(int64(n * n))
			add("cholesky=halves", fmt.Sprint("cholesky ", n), sample.Routine(&engine.Cholesky{Batch: 1, N: int64(n)}, []engine.Operand{x}, x, engine.Operand{DType: tensor.Int32, Len: 1}), a)
			add("lu=halves", fmt.Sprint("lu ", n), sample.LU(dt, 1, n, n), a)
			tall := sample.Uniform(n * (n - 2))
			for i := range n {
				tall[i*(n-2)+1] *= 1e-30 // the squares of a column are lost
			}
			add("qr=blocks", fmt.Sprint("qr ", n), sample.Routine(&engine.QR{Batch: 1, M: int64(n), N: int64(n - 2), Columns: int64(n)}, []engine.Operand{of(int64(n * (n - 2)))}, x, of(int64(n*(n-2)))), tall)
			k := min(n, 19) // compilers of checkers are slow
			near, rank := sample.Uniform(k*(k+3)), of(int64(k))
			for i := range k {
				near[i*k+i] = 8 * float64(2*k-i)
			}
			for _, v := range []string{"group", "lanes"} {
				if gpu && v == "lanes" {
					continue
				}
				cells, square, oblong := len(all), of(int64(k*k)), of(int64(k*(k+3)))
				add("svd="+v, fmt.Sprint("svd ", k), sample.Routine(&engine.SVD{Batch: 1, M: int64(k + 3), N: int64(k)}, []engine.Operand{oblong}, oblong, rank, square), near)
				add("svd="+v, fmt.Sprint("svd wide ", k), sample.Routine(&engine.SVD{Batch: 1, M: int64(k), N: int64(k + 3), Full: true}, []engine.Operand{oblong}, engine.Operand{DType: dt}, rank, engine.Operand{DType: dt}), near)
				add("eigh="+v, fmt.Sprint("eigh ", k), sample.Routine(&engine.Eigh{Batch: 1, N: int64(k), Upper: gpu}, []engine.Operand{square}, rank, square), near[:k*k])
				for i := cells; i < len(all); i++ {
					all[i].want = directed(all[i].task)
				}
			}
			for i, t := range []engine.Triangular{{}, {Transposed: true}, {Right: true, Unit: true}, {Right: true, Transposed: true}} {
				t.Batch, t.N, t.Columns = 1, int64(n), 3
				add("triangle=halves", fmt.Sprint("triangle ", n, i), sample.Routine(&t, []engine.Operand{x, of(int64(3 * n))}, of(int64(3*n))), a, sample.Uniform(3*n))
			}
		}
	}
	return all
}

// floatsIn are the float32 values in memory.
func floatsIn(mem []byte) []float64 {
	v := make([]float64, len(mem)/4)
	for i := range v {
		v[i] = ocltest.NumberAt(tensor.Float32, mem, i)
	}
	return v
}

// directed returns the CPU path's result for one matrix, with the signs that make the largest element of each vector of U, or
// eigenvector, positive.
func directed(task *engine.Task) func(t *testing.T, ins [][]byte) [][]byte {
	return func(t *testing.T, ins [][]byte) [][]byte {
		out := ocltest.OnCPUPath(t, task, ins)
		vectors, others := 0, 2
		if len(out) == 2 {
			vectors, others = 1, -1
		}
		u := floatsIn(out[vectors])
		if len(u) == 0 {
			return out
		}
		columns := len(floatsIn(out[1-vectors]))
		for j := range columns {
			largest := 0.0
			for i := j; i < len(u); i += columns {
				if math.Abs(u[i]) > math.Abs(largest) {
					largest = u[i]
				}
			}
			for i := j; largest < 0 && i < len(u); i += columns {
				u[i] = -u[i]
			}
			if largest < 0 && others > 0 {
				vt := floatsIn(out[others])
				for i := range columns {
					vt[j*columns+i] *= -1
				}
				out[others] = sample.BytesOf(tensor.Float32, vt)
			}
		}
		out[vectors] = sample.BytesOf(tensor.Float32, u)
		return out
	}
}

func routineCells() (all []cell) {
	all = append(runningCells(), factorCells()...)
	f32 := tensor.Float32
	for _, v := range []string{"row", "group", "column"} {
		d := tinyCPU
		if v == "group" {
			d = tinyGPU
		}
		long := map[string]int64{"row": 8200, "group": 2100, "column": 300}[v] // it is cut
		for i, a := range []engine.Scan{
			{Outer: 3, Length: 17, Inner: 1}, {Outer: 2, Length: 35, Inner: 1, Exclusive: true}, {Outer: 2, Length: 40, Inner: 1, Reverse: true},
			{Outer: 1, Length: long, Inner: 1, Exclusive: true, Reverse: true}, {Outer: 1, Length: long, Inner: 1}, {Outer: 2, Length: 9, Inner: 19}, {Outer: 1, Length: 33, Inner: 3, Reverse: true},
		} {
			if a.Inner > 1 && v != "column" {
				continue
			}
			for _, dt := range []tensor.DType{f32, tensor.Int8, tensor.Float16}[:1+(i+1)%3] {
				if a.Length == long && dt == tensor.Float16 {
					continue
				}
				task := sample.Scan(dt, a)
				tol := 0.0
				if dt.IsFloat() {
					tol = 0x1p-18
				}
				all = append(all, forced(d(), "scan="+v, fmt.Sprint(dt, " ", a.String()), task).on(ocltest.RandomBytes(seeded(1), dt, task.Ins[0].Len)).likeCPUPath(tol, 40))
			}
		}
	}
	for i, d := range []*facts.Device{tinyCPU(), tinyGPU(), tinyCPU(fewArguments)} {
		task := sample.Join([]tensor.DType{f32, tensor.Int8, tensor.Int64}[i], []int64{3, 5, 1}[i], 1, 3, 0, 9, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
		var ins [][]byte
		for _, o := range task.Ins {
			ins = append(ins, ocltest.RandomBytes(seeded(1), o.DType, o.Len))
		}
		all = append(all, forced(d, "join=inputs", fmt.Sprint(i), task).on(ins...).likeCPUPath(0, 0))
	}
	rows := engine.Scan{Outer: 3, Length: 100, Inner: 1}
	cut := engine.Scan{Outer: 1, Length: 8200, Inner: 1}
	all = append(all, forced(tinyCPU(tinyCache), "scan=row", "streamed", sample.Scan(f32, rows)).likeCPUPath(0x1p-18, 40),
		forced(tinyCPU(tinyCache), "scan=row", "streamed and cut", sample.Scan(f32, cut)).likeCPUPath(0x1p-18, 40),
		forced(tinyCPU(tinyCache), "scan=row", "streamed doubles", sample.Scan(tensor.Float64, rows)).likeCPUPath(0x1p-40, 40))
	sorted := func(d *facts.Device, force, name string, a engine.Rank) cell {
		return forced(d, force, name, sample.Rank(f32, a)).on(sample.RankInput(seeded(3), f32, a.Rows*a.Length)).likeCPUPath(0, 0)
	}
	all = append(all,
		sorted(tinyCPU(tinyCache), "rank=radix", "streamed", engine.Rank{Rows: 2, Length: 70, Keep: 70}),
		sorted(tinyCPU(), "rank=radix", "buffered", engine.Rank{Rows: 2, Length: 300, Keep: 300}).with("BUFFERED", 1),
		sorted(tinyCPU(tinyCache), "rank=radix", "buffered and streamed", engine.Rank{Rows: 1, Length: 200, Keep: 200}).with("BUFFERED", 1),
		sorted(tinyCPU(), "rank=first", "cut", engine.Rank{Rows: 1, Length: 33_000, Keep: 3}),
		sorted(tinyCPU(), "rank=first", "cut, by position", engine.Rank{Rows: 1, Length: 33_000, Keep: 3, Descending: true, ByPosition: true}),
		sorted(tinyGPU(), "rank=pick", "cut", engine.Rank{Rows: 1, Length: 17_000, Keep: 3}),
		sorted(tinyGPU(), "rank=pick", "cut, by position", engine.Rank{Rows: 1, Length: 17_000, Keep: 3, Descending: true, ByPosition: true}),
	)
	for _, v := range []string{"radix", "lanes", "few", "first", "group", "blocks", "match", "pick"} {
		d := tinyCPU
		if v == "group" || v == "pick" {
			d = tinyGPU
		} else if v == "blocks" || v == "match" {
			d = func(...func(*facts.Device)) *facts.Device { return ocltest.GPU(64) }
		}
		for i, a := range []engine.Rank{
			{Rows: 2, Length: 35, Keep: 35}, {Rows: 9, Length: 7, Keep: 7, Descending: true}, {Rows: 1, Length: 1, Keep: 1}, {Rows: 3, Length: 21, Keep: 4, Descending: true, ByPosition: true},
			{Rows: 2, Length: 70, Keep: 3},
			{Rows: 1, Length: 300, Keep: 2, Descending: true, ByPosition: true}, {Rows: 3, Length: 150, Keep: 16, Descending: true},
		} {
			dt := []tensor.DType{f32, tensor.Int16, f32, tensor.Float64, tensor.Float16, tensor.Int32, f32}[i]
			if (v == "first" || v == "pick") && 8*a.Keep > a.Length || v == "few" && 2*a.Keep > a.Length || (v == "first" || v == "few" || v == "pick") && dt.Size() == 8 { // others take the rest
				continue
			}
			task := sample.Rank(dt, a)
			all = append(all, forced(d(), "rank="+v, fmt.Sprint(dt, " ", a.String()), task).on(sample.RankInput(seeded(3), dt, a.Rows*a.Length)).likeCPUPath(0, 0))
		}
	}
	for _, v := range []string{"radix", "group", "blocks"} {
		d := map[string]*facts.Device{"radix": tinyCPU(), "group": tinyGPU(), "blocks": ocltest.GPU(64)}[v]
		long := map[string]int64{"radix": 16_400, "group": 100, "blocks": 8300}[v] // it is cut
		for i, n := range []int64{35, 40, 1, 300, long, long, 0} {
			a, dt := engine.Unique{Count: n, Width: 1, Sorted: i%2 == 0}, []tensor.DType{f32, tensor.Int64, tensor.Float16, tensor.Float64, tensor.Uint8, tensor.Uint8, f32}[i]
			if n == 0 && v != "radix" {
				continue
			}
			all = append(all, forced(d, "unique="+v, fmt.Sprint(dt, " ", a.String()), sample.Unique(dt, a)).on(sample.UniqueInput(seeded(3), dt, n, 20)).likeCPUPath(0, 0))
		}
	}
	for i, n := range []int64{37, 1, 300} {
		a, dt := engine.Unique{Count: n, Width: int64(i) * 2, Sorted: i != 1}, []tensor.DType{f32, tensor.Int64, tensor.Float16}[i]
		all = append(all, forced(ocltest.GPU(64), "unique=rows", fmt.Sprint(dt, " ", a.String()), sample.Unique(dt, a)).on(sample.UniqueInput(seeded(3), dt, n*a.Width, 2)).likeCPUPath(0, 0))
	}
	for _, v := range []string{"list", "group", "blocks"} {
		d := map[string]*facts.Device{"list": tinyCPU(), "group": tinyGPU(), "blocks": ocltest.GPU(64)}[v]
		for i, a := range []engine.Suppress{
			{Batches: 1, Classes: 2, Boxes: 50, IoU: 0.4}, {Batches: 2, Classes: 1, Boxes: 37, IoU: 0.2, Centre: true, PerClass: 5, Capacity: 7},
			{Batches: 1, Classes: 3, Boxes: 130, IoU: 0.6, HasScore: true, Score: 0.3, Capacity: 500}, {Batches: 1, Classes: 1, Boxes: 20, IoU: 0.5, HasScore: true, Score: 3},
			{Batches: 2, Classes: 2, Capacity: 3},
		} {
			if a.Boxes == 0 && v != "list" {
				continue
			}
			ins := sample.SuppressInput(seeded(uint64(i)), a, 60)
			all = append(all, forced(d, "suppress="+v, a.String(), sample.Suppress(a)).on(ins...).likeCPUPath(0, 0))
		}
	}
	for _, v := range []string{"block", "item"} {
		d := tinyCPU()
		if v == "item" {
			d = tinyGPU()
		}
		for i, dt := range []tensor.DType{f32, tensor.Float64, f32, f32} {
			a := engine.Trees{Samples: int64(8 + 3*i), Features: 3, Targets: int64(1 + 2*(i%2)), Count: 3, Aggregate: engine.Aggregate(i)}
			task, ins := sample.Forest(seeded(5), dt, a, 2, int(a.Targets))
			all = append(all, forced(d, "trees="+v, fmt.Sprint(dt, " ", a.String()), task).on(ins...).likeCPUPath(0, 0))
		}
	}
	return all
}
