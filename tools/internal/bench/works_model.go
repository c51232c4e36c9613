package bench

import "fmt"

// modelWorks are whole networks: steps of training, and inference.
func modelWorks() []*Work {
	var works []*Work
	add := func(name, about string, l *layers, tolerance float64, goal Goal) *Work {
		w := &Work{
			Name: name, About: about, Program: l.Program, Rate: GFLOPS, Flops: l.flops, Bytes: l.bytes, Tolerance: tolerance, Goals: []Goal{goal},
		}
		works = append(works, w)
		return w
	}
	faster, level := atLeast(1.5, PyTorch), atLeast(1, ONNXRuntime)
	for _, batch := range []int{128, 1000} {
		l := newLayers()
		add(fmt.Sprintf("train-mlp/%d", batch), "784-512-512-10, Adam", l.training(l.mlp(batch), batch), 1e-5, faster)
	}
	for _, batch := range []int{128, 100} {
		l := newLayers()
		add(fmt.Sprintf("train-cnn/%d", batch), "2 x (3x3, ReLU, pool), 32 and 64 channels, 2 dense, Adam", l.training(l.cnn(batch), batch),
			1e-5, faster)
	}
	for _, t := range []struct {
		transformer
		blocks int
	}{
		{transformer{16, 64, 128, 4, 512, true}, 2}, // examples/transformer
		{transformer{8, 256, 256, 8, 1024, true}, 4},
	} {
		l := newLayers()
		logits := l.language(t.transformer, t.blocks, 78)
		add(fmt.Sprintf("train-transformer/%dx%dx%d", t.batch, t.tokens, t.width),
			fmt.Sprintf("a language model of characters, %d blocks of %d heads, Adam", t.blocks, t.heads),
			l.training(logits, t.batch*t.tokens), 1e-4, faster)
	}
	for _, b := range []struct{ batch, steps, in, hidden int }{{64, 28, 28, 128}, {32, 64, 128, 256}} {
		l := newLayers()
		about := fmt.Sprintf("%d steps of %d, an LSTM of %d, dense, Adam", b.steps, b.in, b.hidden)
		add(fmt.Sprintf("train-lstm/%dx%d", b.batch, b.steps), about, l.training(l.lstm(b.batch, b.steps, b.in, b.hidden), b.batch), 1e-4, faster)
	}
	small := transformer{batch: 16, tokens: 128, width: 256, heads: 4, hidden: 1024}
	for _, b := range []struct {
		name string
		transformer
	}{
		{"transformer/16x128", small},
		{"gpt2-block/1x1024", transformer{1, 1024, 768, 12, 3072, true}},
		{"gpt2-block/4x256", transformer{4, 256, 768, 12, 3072, true}},
	} {
		about := fmt.Sprintf("width %d, %d heads, hidden %d", b.width, b.heads, b.hidden)
		l := newLayers()
		x := l.Operand(b.batch, b.tokens, b.width)
		y := l.block(b.transformer, x)
		l.flops, l.bytes = 3*l.flops, 3*l.bytes
		l.Backward(y, []int{b.batch, b.tokens, b.width}, append(l.Weights(), x)...)
		add(b.name+"-grad", about+", forward and backward", l, 1e-3, faster)
		l = newLayers()
		l.Return(l.block(b.transformer, l.Operand(b.batch, b.tokens, b.width)))
		add(b.name+"-forward", about, l, 1e-3, level)
	}
	for _, n := range []int{1, 32} {
		add(fmt.Sprintf("resnet18/%d", n), "inference, 224 x 224", resNet18(n), 1e-3, level).Slow = n > 1
		add(fmt.Sprintf("mobilenetv2/%d", n), "inference, 224 x 224", mobileNetV2(n), 1e-3, level).Slow = n > 1
	}
	for _, batch := range []int{1, 128} {
		l := newLayers()
		l.Return(l.mlp(batch))
		add(fmt.Sprintf("mlp/%d", batch), "784-512-512-10, inference", l, 1e-4, level)
	}
	return works
}

// servedWorks are networks that several clients ask at the same time, one image
// each: the time of a turn is the whole time divided by the number of answers, the
// percentiles are those of how long a client waits.
func servedWorks() []*Work {
	var works []*Work
	for _, clients := range []int{1, 4} {
		for _, m := range []struct {
			name string
			*layers
		}{{"resnet18", resNet18(1)}, {"mlp", func() *layers { l := newLayers(); l.Return(l.mlp(1)); return l }()}} {
			works = append(works, &Work{
				Name: fmt.Sprintf("served-%s/%d-clients", m.name, clients), About: "one image a request", Program: m.Program, Rate: PerSec,
				Flops: m.flops, Bytes: m.bytes, Tolerance: 1e-3, Clients: clients, Goals: []Goal{atLeast(1, ONNXRuntime)},
			})
		}
	}
	return works
}

// loopWorks are chains of kernels that do next to nothing, each reading the output of the one
// before: they measure the cost of running a compiled graph.
func loopWorks() []*Work {
	var works []*Work
	for _, n := range []int{1, 8, 64} {
		p := &Program{}
		x := p.Operand(TinyItems)
		for range n {
			x = p.Do("tiny", x)
		}
		works = append(works, &Work{
			Name: fmt.Sprintf("run-loop/%d-kernels", n), About: "a run of a graph, its context without an end, beside the same kernels enqueued from C",
			Program: p.Return(x), Rate: PerSec, Bytes: float64(8 * TinyItems * n), Goals: []Goal{atLeast(1/1.3, LimitLoop)},
		})
	}
	return works
}

// startWorks are programs from their start to their first result, when their kernels are in the
// caches already.
func startWorks() []*Work {
	return []*Work{{
		Name: "cold-start/digits", About: "from the start of the process to the loss of the first batch, caches filled", Rate: Seconds,
		Program: &Program{}, Process: &Process{Package: "github.com/anycl/anycl/examples/digits", Line: "first result"},
		Goals: []Goal{atLeast(1, LimitHalfSecond)},
	}}
}

// TinyKernel is the source of the step "tiny", launched over TinyItems in one
// work-group: y = x/2 + 1.
const (
	TinyKernel = "kernel void tiny(global const float *x, global float *y)\n{\n    size_t i = get_global_id(0);\n    y[i] = x[i] * 0.5f + 1.0f;\n}\n"
	TinyItems  = 64
)
