package platform

import (
	"errors"
	"slices"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/quirk"
)

// sliceWords is SLICE in probes.cl: how many words the kernel of all proofs gives to each.
const sliceWords = 4 * probeItems

// togetherProbes are the sections that it runs, by the number of their slice.
var togetherProbes = [...]string{"atomics32", "atomics64", "fp64", "half", "dot_vex", "dot_x86", "dot_avx2"}

// answer is the output of the joint kernel of all proofs for a probe; not ok where that kernel does not run,
// or lacks the probe. A probe whose answer is wrong or missing is run alone, so that no other can spoil it.
func (p *prober) answer(pr probe) (io []uint32, ok bool) {
	i := slices.Index(togetherProbes[:], pr.section)
	if i < 0 || !p.joined() {
		return nil, false
	}
	if p.answers == nil {
		var err error
		if p.answers, err = p.ask(); err != nil {
			p.o.opts.Logger.Debug("platform: probes do not run together", "device", p.o.device.ID, "error", err)
			p.answers = make([]uint32, len(togetherProbes)*sliceWords)
		}
	}
	return p.answers[i*sliceWords:][:sliceWords], true
}

// ask launches the kernel of all proofs.
func (p *prober) ask() (io []uint32, err error) {
	io = make([]uint32, len(togetherProbes)*sliceWords)
	for _, pr := range probes {
		if i := slices.Index(togetherProbes[:], pr.section); i >= 0 {
			copy(io[i*sliceWords:], pr.in)
		}
	}
	k, err := p.programs[defaultStd+togetherSection].Kernel("proofs")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	items := min(probeItems, p.o.device.MaxWorkGroup)
	err = errors.Join(p.setProofs(k, 0), k.SetInt32(2, 0), p.queue.Write(p.buffer, 0, cl.Bytes(io), nil))
	if err == nil {
		err = p.queue.Launch(k, cl.Range1(items, items), nil)
	}
	if err == nil {
		err = p.queue.Read(p.buffer, 0, cl.Bytes(io), nil)
	}
	return io, err
}

// setProofs sets the arguments of the kernel of all proofs, but for the number of multiply-adds.
func (p *prober) setProofs(k *cl.Kernel, way int32) error {
	return errors.Join(k.SetBuffer(0, p.buffer), k.SetLocal(1, 4*probeItems), k.SetInt32(3, way))
}

// chainWays are the numbers of the ways to multiply and add in the kernel of all proofs.
var chainWays = map[string]int32{"rate_plain": 1, "rate_mad": 2, "rate_fma": 3}

// chain is a rater of one of the ways in the kernel of all proofs: of one item and one chain, which shows whether a way is emulated.
func (p *prober) chain(section string) (*rater, error) {
	k, err := p.programs[defaultStd+togetherSection].Kernel("proofs")
	if err != nil {
		return nil, err
	}
	if err := p.setProofs(k, chainWays[section]); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	items := min(probeItems, p.o.device.MaxWorkGroup)
	return &rater{
		o: p.o, queue: p.queue, kernel: k, buffer: p.buffer, at: 4 * sliceWords * int64(len(togetherProbes)), arg: 2,
		size: cl.Range1(items, items), items: 1, chains: 1,
	}, nil
}

// copier is a kernel that copies from one buffer to another.
type copier struct {
	*cl.Kernel
	from, to int  // its arguments
	joined   bool // it copies as many vectors an item as it is told
}

// newCopier is the kernel that copies; programs of probes may be missing.
func newCopier(prog *cl.Program, joined bool) (c copier, err error) {
	if prog == nil {
		return c, errors.New("no kernel to copy with")
	}
	if !joined {
		c.Kernel, err = prog.Kernel("copy")
		c.to = 1
		return c, err
	}
	c.Kernel, err = prog.Kernel("copies")
	c.to, c.joined = 2, true
	return c, err
}

// set makes it copy from one buffer to the other, in launches of d that q takes.
func (c copier) set(q *cl.Queue, d *Device, from, to *cl.Buffer) error {
	return errors.Join(c.SetBuffer(c.from, from), c.SetBuffer(c.to, to), c.prepare(q, d))
}

// prepare comes after the memories are set.
func (c copier) prepare(q *cl.Queue, d *Device) error {
	if !c.joined {
		return nil
	}
	return errors.Join(c.widest(q, d), c.SetInt32(1, 1))
}

// mostItems is how many items the kernel that copies as many vectors an item as it is told has at most.
const mostItems = 1 << 15

// widest launches it as wide as any later launch is, to do nothing. PoCL before 6 keeps a loaded kernel for the widest launch so
// far, and aborts where a wider one begins while others are at work, as when the device is measured by several at a time.
func (c copier) widest(q *cl.Queue, d *Device) error {
	if !d.has(quirk.Widest) {
		return nil
	}
	items, group := d.rateItems()
	items = max(items, mostItems) / group * group
	return errors.Join(c.SetInt32(1, 0), q.Launch(c.Kernel, cl.Range1(items, group), nil), q.Finish())
}

// launch copies about n bytes on the device, or its inline device, whose queue is given, and returns how many.
// Where a kernel is compiled anew for other sizes of groups, and of more than 65,535 items, it is always the same.
func (c copier) launch(q *cl.Queue, d *Device, n int64) (moved int64, err error) {
	_, group := d.rateItems()
	vector := int64(4 * d.ratedVector())
	items, rounds := max(1, n/vector), int64(1)
	if c.joined {
		items = max(items, int64(group))
		if items > mostItems {
			items, rounds = mostItems, items/mostItems
		}
		if err := c.SetInt32(1, int32(rounds)); err != nil {
			return 0, err
		}
	}
	if int64(group) > items {
		group = 1
	}
	items = items / int64(group) * int64(group)
	return items * rounds * vector, q.Launch(c.Kernel, cl.Range1(int(items), group), nil)
}

// copier is a kernel of this prober's that copies.
func (p *prober) copier() (copier, error) {
	return newCopier(p.programs[defaultStd+"copy"], p.joined())
}
