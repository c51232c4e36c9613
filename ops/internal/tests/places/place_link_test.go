package places_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// distant is a device with memory of its own at the end of a slow link, faster by a factor than
// the CPU path is said to be. It counts what passes the link.
type distant struct {
	opstest.Slowed
	latency  time.Duration
	up, down time.Duration // of 1000 bytes

	sent, fetched atomic.Int64 // bytes
}

func (d *distant) Traits() engine.Traits { return engine.Traits{Estimates: d.estimates} }

func (d *distant) Transfer(n int64) time.Duration {
	return d.latency + max(d.Upload(n), d.Download(n))
}
func (d *distant) Upload(n int64) time.Duration   { return d.up * time.Duration(n) / 1000 }
func (d *distant) Download(n int64) time.Duration { return d.down * time.Duration(n) / 1000 }

// distantEstimates are the estimates of a device whose link is not as fast both ways.
type distantEstimates struct {
	engine.Estimates
	d *distant
}

func (d *distant) estimates(tasks []*engine.Task) engine.Estimates {
	return distantEstimates{engine.Independent(d, tasks), d}
}

func (s distantEstimates) Upload(n int64, _ engine.MemoryDomain) time.Duration { return s.d.Upload(n) }
func (s distantEstimates) Download(n int64, _ engine.MemoryDomain) time.Duration {
	return s.d.Download(n)
}

func (d *distant) Write(ctx context.Context, m engine.Memory, off int64, src []byte) error {
	d.sent.Add(int64(len(src)))
	return d.Slowed.Write(ctx, m, off, src)
}

func (d *distant) Read(ctx context.Context, dst []byte, m engine.Memory, off int64) error {
	d.fetched.Add(int64(len(dst)))
	return d.Slowed.Read(ctx, dst, m, off)
}

// paced is the CPU path with times of a test.
type paced struct {
	*fallback.Engine
	time func(t *engine.Task) time.Duration
}

func (p *paced) Estimate(t *engine.Task) time.Duration { return p.time(t) }
func (p *paced) Transfer(int64) time.Duration          { return 0 }

// work is the time of a task at a billion operations a second.
func work(t *engine.Task) time.Duration {
	c := t.Cost()
	return time.Duration(c.Flops + (c.BytesRead+c.BytesWrite)/10)
}

// linked is a runtime on a device a given number of times as fast as the CPU path, and the device.
func linked(t *testing.T, faster float64, d *distant) *Runtime {
	t.Helper()
	cpu := &paced{fallback.New(nil), work}
	d.Engine = fallback.New(nil)
	d.Time = func(t *engine.Task) time.Duration {
		if t.Kind == engine.Routine {
			return -1
		}
		return time.Duration(float64(work(t)) / faster)
	}
	rt := NewRuntime(d, cpu)
	t.Cleanup(func() { require.NoError(t, errors.Join(rt.Close(), d.Engine.Close(), cpu.Close())) })
	return rt
}

// pcie is a link of 10 GB/s with 20 us until a transfer is known to be done.
func pcie() *distant {
	return &distant{latency: 20 * time.Microsecond, up: 100 * time.Nanosecond, down: 100 * time.Nanosecond}
}

// onAll are the engines that tasks of x run on.
func onAll(x *Executable) map[string]int {
	out := map[string]int{}
	for _, t := range x.Report().Tasks {
		out[t.Where]++
	}
	return out
}

// moves lists the moves of every run by the names of source and destination.
func moves(x *Executable) (out []string) {
	for _, v := range x.Report().Values {
		for _, m := range v.Moves {
			out = append(out, m.From+" to "+m.To)
		}
	}
	return out
}

// Chains stay where they are: of a network only what is fed and what is asked for passes the link.
func TestAChainBehindASlowLinkStaysResident(t *testing.T) {
	t.Parallel()
	d := pcie()
	rt := linked(t, 50, d)
	g := NewGraph("resident chain")
	x := g.Input("x", tensor.Float32, 64, 64)
	h := x
	for i := range 6 {
		w := g.Variable(string(rune('a'+i)), opstest.Vec(t, []int{64, 64}))
		h = Softmax(MatMul(h, w), -1)
	}
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Sum(h)}})
	require.NoError(t, err)
	require.Equal(t, []string{"host to slowed", "slowed to host"}, moves(exe))
	require.Len(t, onAll(exe), 1)
	feed := Feeds{x: opstest.Vec(t, []int{64, 64})}
	_, err = exe.Run(t.Context(), feed)
	require.NoError(t, err)
	sent, fetched := d.sent.Load(), d.fetched.Load()
	for range 3 {
		_, err = exe.Run(t.Context(), feed)
		require.NoError(t, err)
	}
	require.EqualValues(t, 3*4*64*64, d.sent.Load()-sent, "only what is fed: weights lie there")
	require.EqualValues(t, 3*4, d.fetched.Load()-fetched)
}

// Ops that the CPU path would do a little faster are not worth two transfers in the middle of a
// chain, and those that only it can do cost exactly those two.
func TestAChainIsNotThrownToAndFro(t *testing.T) {
	t.Parallel()
	d := pcie()
	rt := linked(t, 50, d)
	fast := d.Time
	d.Time = func(t *engine.Task) time.Duration {
		if t.Kind == engine.Reduce || t.Kind == engine.Row {
			return work(t) + 15*time.Microsecond // slower than the CPU path, by less than the wait for a transfer
		}
		return fast(t)
	}
	build := func(between func(h *Node) *Node) *Executable {
		g := NewGraph("to and fro")
		x := g.Input("x", tensor.Float32, 96, 96)
		h := x
		for range 4 {
			h = MatMul(between(MatMul(h, x)), x)
		}
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{h}})
		require.NoError(t, err)
		return exe
	}
	exe := build(func(h *Node) *Node { return Add(h, Max(h, -1)) })
	require.Equal(t, 1, len(onAll(exe)), "%v", opstest.Wheres(exe))
	exe = build(func(h *Node) *Node {
		v, _ := Sort(h, -1, nil)
		return v
	})
	require.Equal(t, map[string]int{"cpu": 4, "slowed": 8}, onAll(exe), "%v", opstest.Wheres(exe))
	require.Len(t, moves(exe), 2+4*2)
}

// Much that is fed for little work stays with the host, little that is fed for much does not.
func TestTheLinkDecidesWhereLittleIsDoneWithMuch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		link  *distant
		build func(g *Graph) *Node
		want  string
	}{
		{"much fed, little done", &distant{up: 1000, down: 1000}, func(g *Graph) *Node { return Sum(g.Input("x", tensor.Float32, 1<<20)) }, "cpu"},
		{"little fed, much done", &distant{up: 1000, down: 1000}, func(g *Graph) *Node {
			x := g.Input("x", tensor.Float32, 128, 128)
			return Sum(MatMul(MatMul(x, x), x))
		}, "slowed"},
		{"up is fast, and much goes up", &distant{up: 1, down: 100_000}, func(g *Graph) *Node { return Sum(Exp(Exp(g.Input("x", tensor.Float32, 1<<16)))) }, "slowed"},
		{"up is slow, and much goes up", &distant{up: 100_000, down: 1}, func(g *Graph) *Node { return Sum(Exp(Exp(g.Input("x", tensor.Float32, 1<<16)))) }, "cpu"},
		{"down is fast, and much goes down", &distant{up: 100_000, down: 1}, func(g *Graph) *Node {
			return Exp(Exp(BroadcastTo(g.Input("x", tensor.Float32, 1, 1), 256, 256)))
		}, "slowed"},
		{"down is slow, and much goes down", &distant{up: 1, down: 100_000}, func(g *Graph) *Node {
			return Exp(Exp(BroadcastTo(g.Input("x", tensor.Float32, 1, 1), 256, 256)))
		}, "cpu"},
	} {
		rt := linked(t, 100, c.link)
		g := NewGraph(c.name)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{c.build(g)}})
		require.NoError(t, err)
		require.Contains(t, onAll(exe), c.want, c.name)
		require.Len(t, onAll(exe), 1, "%s: %v", c.name, opstest.Wheres(exe))
	}
}
