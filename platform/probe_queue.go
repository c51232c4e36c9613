package platform

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/quirk"
)

// tryQueues proves out-of-order queues and profiling with commands whose order
// and times show.
func (p *prober) tryQueues() {
	d := p.o.device
	err := errors.New("not tried: quirk no-out-of-order")
	if !d.has(quirk.InOrder) {
		err = p.outOfOrder()
	}
	p.caps.OutOfOrder = err == nil
	p.record("out_of_order", d.info.Queue&cl.QueueOutOfOrder != 0, err)
	err = p.profiling()
	p.caps.Profiling = err == nil
	p.record("profiling", d.info.Queue&cl.QueueProfiling != 0, err)
}

func (p *prober) record(name string, declared bool, err error) {
	proof := Proof{Name: name, Declared: declared, Proven: err == nil}
	if err != nil {
		proof.Note = err.Error()
	}
	p.caps.Proofs = append(p.caps.Proofs, proof)
}

// outOfOrder copies a word from place to place, each copy waiting for the one
// before, so that a queue which ignores wait lists is found out.
func (p *prober) outOfOrder() (err error) {
	q, err := p.o.context.NewQueue(p.o.cl, cl.QueueOptions{OutOfOrder: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	words := make([]uint32, 16)
	words[0] = 0xC0FFEE
	if err := q.Write(p.buffer, 0, cl.Bytes(words), nil); err != nil {
		return err
	}
	var chain []*cl.Event
	defer func() {
		for _, e := range chain {
			err = errors.Join(err, e.Close())
		}
	}()
	for i := range len(words) - 1 {
		e, err := q.CopyEvent(p.buffer, p.buffer, int64(4*i), int64(4*i+4), 4, chain[max(0, i-1):])
		if err != nil {
			return err
		}
		chain = append(chain, e)
	}
	if err := q.Read(p.buffer, 0, cl.Bytes(words), chain[len(chain)-1:]); err != nil {
		return err
	}
	if slices.ContainsFunc(words, func(w uint32) bool { return w != words[0] }) {
		return errors.New("a wait list was not heeded")
	}
	return nil
}

func (p *prober) profiling() (err error) {
	q, err := p.o.context.NewQueue(p.o.cl, cl.QueueOptions{Profiling: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	// The copied content does not matter, as long as it was written.
	if err := q.Write(p.buffer, 0, make([]byte, p.rateBytes()), nil); err != nil {
		return err
	}
	var e *cl.Event
	if p.onInline { // a command stands in for a kernel of the device
		half := p.rateBytes() / 2
		e, err = q.CopyEvent(p.buffer, p.buffer, 0, half, half, nil)
	} else {
		k, kerr := p.copier()
		if kerr != nil {
			return kerr
		}
		defer func() { err = errors.Join(err, k.Close()) }()
		if err := k.set(q, p.o.device, p.buffer, p.buffer); err != nil {
			return err
		}
		items, group := p.o.device.rateItems()
		e, err = q.LaunchEvent(k.Kernel, cl.Range1(items, group), nil)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := e.Wait(); err != nil {
		return err
	}
	t, err := e.Profile()
	if err != nil {
		return err
	}
	if t.Started == 0 || t.Ended < t.Started {
		return errors.New("the clocks do not run")
	}
	return nil
}

const (
	largeFill    = 2<<30 + 4096
	roomForFills = 8 * largeFill
)

// tryLargeFill fills a little more than 2 GiB where there is room and where it
// takes milliseconds: on GPUs with memory of their own.
func (p *prober) tryLargeFill() {
	d := p.o.device
	if d.Class != GPU || d.Unified || d.MaxAlloc < largeFill || d.GlobalMem < roomForFills {
		return
	}
	err := p.largeFill()
	p.caps.LargeFill = err == nil
	p.record("large_fill", true, err)
}

func (p *prober) largeFill() (err error) {
	b, err := p.o.context.NewBuffer(cl.MemReadWrite, largeFill, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	q := p.o.queue
	if err := q.Fill(b, []byte{0xA5, 0x5A, 0xC3, 0x3C}, 0, largeFill, nil); err != nil {
		return err
	}
	got := make([]byte, 4096)
	// The start, the middle, either side of 2 GiB, and the end.
	for _, off := range []int64{0, 1 << 30, 1<<31 - 4096, 1 << 31} {
		if err := q.Read(b, off, got, nil); err != nil {
			return err
		}
		for i := 0; i < len(got); i += 4 {
			if [4]byte(got[i:i+4]) != [4]byte{0xA5, 0x5A, 0xC3, 0x3C} {
				return errors.New("fills only a part")
			}
		}
	}
	return nil
}

// mappingProbe is the size at which mapping and copying commands are compared.
const mappingProbe = 4 * mapFrom

// mappingMargin lets mapping be slower in the probe: its copy uses several cores,
// which a machine that is busy just now does not have. A driver that does not
// really share memory is slower by more.
const mappingMargin = 1.5

// tryMapping finds out whether a device that shares the host's memory really does
// so: PoCL maps in no time, while rusticl 25 moves the bytes through a shadow.
func (p *prober) tryMapping() {
	d := p.o.device
	if !d.Unified || d.Class == Simulator || d.MaxAlloc < mappingProbe {
		return
	}
	note, err := p.mapping()
	if err != nil {
		note = err.Error()
	}
	p.caps.Proofs = append(p.caps.Proofs, Proof{Name: "mapping", Declared: d.info.HostUnifiedMemory, Proven: p.caps.Mapping, Note: note})
}

// mark writes bytes that are told by their places, the same ones every 256 x 257 bytes.
func mark(b []byte, at func(i int) byte) {
	const distinct = 256 * 257 // pages that are mixed up show
	n := min(len(b), distinct)
	for i := range n {
		b[i] = at(i) ^ byte(i>>8)
	}
	for n < len(b) {
		n += copy(b[n:], b[:n])
	}
}

func (p *prober) mapping() (note string, err error) {
	o := p.o
	b, err := o.newBlock(mappingProbe)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	host, back := make([]byte, mappingProbe), make([]byte, mappingProbe)
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	// They take turns; the first round touches fresh pages and does not count.
	for i := range 8 {
		mark(host, func(j int) byte { return byte(j*31 + i) })
		start := time.Now()
		if i%2 == 0 {
			err = errors.Join(o.moveMapped(b.buffer, 0, host, true), o.moveMapped(b.buffer, 0, back, false))
		} else {
			err = errors.Join(o.queue.Write(b.buffer, 0, host, nil), o.queue.Read(b.buffer, 0, back, nil))
		}
		if err != nil {
			return "", err
		}
		if !bytes.Equal(host, back) {
			return "", errors.New("moves wrong bytes")
		}
		if i > 1 {
			least[i%2] = min(least[i%2], time.Since(start))
		}
	}
	p.caps.Mapping = float64(least[0]) <= mappingMargin*float64(least[1])
	rate := func(t time.Duration) string { return rateText(2 * mappingProbe / t.Seconds()) }
	return fmt.Sprintf("mapped %s, commands %s", rate(least[0]), rate(least[1])), nil
}
