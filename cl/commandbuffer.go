package cl

import (
	"sync"

	"github.com/anycl/anycl/internal/cldriver"
)

// CommandBuffer is a list of commands, recorded once and replayed at will: the
// provisional extension cl_khr_command_buffer, in its versions before and since
// 0.9.5. Recording is for one goroutine at a time.
//
// The objects that recorded commands use (kernels, their arguments' memory) stay alive until the
// command buffer is closed, even after their own Close. Leave the arguments of a recorded kernel alone:
// the extension says that a replay uses the arguments at the time of recording, but PoCL 3.1 uses those at the time of replay.
type CommandBuffer struct {
	obj        *object
	queue      *Queue
	properties bool
	held       *holds
}

// holds lists the objects that a command buffer keeps alive. It stands apart because the safety net
// must reach it without reaching the command buffer.
type holds struct {
	sync.Mutex
	objects []*object
}

// take holds the objects that one recorded command uses; the caller adds them once the command is
// recorded, or lets them go.
func take(op cldriver.Op, args []holder, objects []*object) ([]*object, error) {
	var taken []*object
	for _, a := range args {
		if a != nil {
			objects = append(objects, a.core())
		}
	}
	for _, o := range objects {
		if err := hold(o, op); err != nil {
			letGo(taken)
			return nil, err
		}
		taken = append(taken, o)
	}
	return taken, nil
}

func (h *holds) add(taken []*object) {
	h.Lock()
	defer h.Unlock()
	h.objects = append(h.objects, taken...)
}

// SyncPoint names a recorded command for later ones to wait for.
type SyncPoint uint32

// CommandBufferOptions configure a command buffer.
type CommandBufferOptions struct {
	// Simultaneous allows a replay while another is still running.
	Simultaneous bool
}

const commandBufferExtension = "cl_khr_command_buffer"

// NewCommandBuffer begins a recording for the queue. Errors: ErrUnsupported where
// the device does not list the extension with its version, which decides the
// functions' arguments; IncompatibleCommandQueue.
func (q *Queue) NewCommandBuffer(o CommandBufferOptions) (*CommandBuffer, error) {
	const op = "create command buffer"
	var version Version
	for _, e := range q.dev.Info().ExtensionVersions {
		if e.Name == commandBufferExtension {
			version = e.Version
		}
	}
	if version == (Version{}) {
		return nil, unsupported(op)
	}
	lib := q.obj.lib
	lib.drain()
	if !q.obj.use() {
		return nil, closed(op, "queue")
	}
	defer q.obj.done()
	platform := q.dev.platform.h
	h, st := lib.drv.NewCommandBuffer(platform, q.obj.h, o.Simultaneous)
	if err := check(st, op, q.dev.String()); err != nil {
		return nil, err
	}
	obj := lib.newObject(kindCommandBuffer, h, q.obj, nil)
	held := new(holds)
	obj.free = func(o *object) cldriver.Status {
		st := o.lib.drv.ReleaseCommandBuffer(platform, o.h)
		letGo(held.objects)
		return st
	}
	return guard(&CommandBuffer{obj: obj, queue: q, held: held, properties: takesProperties(version)}, obj), nil
}

// takesProperties reports whether the extension's recording functions take a list
// of properties, which version 0.9.5 inserted into their arguments.
func takesProperties(v Version) bool {
	return v.AtLeast(0, 10) || v.Major == 0 && v.Minor == 9 && v.Patch >= 5
}

func (b *CommandBuffer) core() *object {
	if b == nil {
		return nil
	}
	return b.obj
}

// record submits a command to the recording and holds the objects that it uses.
func (b *CommandBuffer) record(c *cldriver.Command, after []SyncPoint, args []holder, objects ...*object) (SyncPoint, error) {
	lib := b.obj.lib
	defer lib.recycle(c)
	if !b.obj.use() {
		return 0, closed("record "+c.Op.String(), "command buffer")
	}
	defer b.obj.done()
	if c.Op == cldriver.OpMarker {
		c.Op = cldriver.OpBarrier // it stands for commands over no elements
	}
	c.Recorder, c.Platform, c.Properties = b.obj.h, b.queue.dev.platform.h, b.properties
	for _, s := range after {
		c.Sync = append(c.Sync, uint32(s))
	}
	taken, err := take(c.Op, args, objects)
	if err != nil {
		return 0, err
	}
	if err := b.queue.submit(c, nil, nil); err != nil {
		letGo(taken)
		return 0, err
	}
	b.held.add(taken)
	return SyncPoint(c.SyncPoint), nil
}

// Launch records a kernel with its present arguments.
func (b *CommandBuffer) Launch(k *Kernel, r Range, after ...SyncPoint) (SyncPoint, error) {
	c, err := b.queue.launch(k, r)
	if err != nil {
		return 0, err
	}
	point, err := b.record(c, after, k.args, k.obj)
	if err != nil {
		return 0, detail(err, "record %s, %+v", k.name, r)
	}
	return point, nil
}

// Copy records a copy between buffers.
func (b *CommandBuffer) Copy(src, dst *Buffer, srcOffset, dstOffset, size int64, after ...SyncPoint) (SyncPoint, error) {
	c, err := b.queue.copying(src, dst, srcOffset, dstOffset, size)
	if err != nil {
		return 0, err
	}
	return b.record(c, after, nil, src.obj, dst.obj)
}

// CopyRect records a copy of a box between buffers.
func (b *CommandBuffer) CopyRect(src, dst *Buffer, r Rect, after ...SyncPoint) (SyncPoint, error) {
	c, err := b.queue.copyRect(src, dst, &r)
	if err != nil {
		return 0, err
	}
	return b.record(c, after, nil, src.obj, dst.obj)
}

// Fill records the repetition of a pattern over a buffer.
func (b *CommandBuffer) Fill(dst *Buffer, pattern []byte, offset, size int64, after ...SyncPoint) (SyncPoint, error) {
	c, err := b.queue.filling(dst, pattern, offset, size)
	if err != nil {
		return 0, err
	}
	return b.record(c, after, nil, dst.obj)
}

// Barrier records a point that waits for the points given, or for everything.
func (b *CommandBuffer) Barrier(after ...SyncPoint) (SyncPoint, error) {
	return b.record(b.queue.command(cldriver.OpBarrier), after, nil)
}

// Finalize ends the recording. Only then can the buffer be replayed.
func (b *CommandBuffer) Finalize() error {
	const op = "finalize command buffer"
	if !b.obj.use() {
		return closed(op, "command buffer")
	}
	defer b.obj.done()
	return check(b.obj.lib.drv.FinalizeCommandBuffer(b.queue.dev.platform.h, b.obj.h), op, "")
}

// Close releases the command buffer and the objects that it held.
func (b *CommandBuffer) Close() error {
	if b == nil {
		return nil
	}
	return b.obj.close()
}

// Replay enqueues the recorded commands on the queue that they were recorded for.
// It allocates nothing. Errors: InvalidOperation while an earlier replay is not
// done, unless made with Simultaneous; InvalidOperation before Finalize.
func (q *Queue) Replay(b *CommandBuffer, wait []*Event) error {
	c, err := q.replay(b)
	if err != nil {
		return err
	}
	return q.run(c, wait, b.core())
}

// ReplayEvent is Replay with an event.
func (q *Queue) ReplayEvent(b *CommandBuffer, wait []*Event) (*Event, error) {
	c, err := q.replay(b)
	if err != nil {
		return nil, err
	}
	return q.runEvent(c, wait, nil, nil, b.core())
}

func (q *Queue) replay(b *CommandBuffer) (*cldriver.Command, error) {
	if b == nil || b.queue != q {
		return nil, invalid("replay", IncompatibleCommandQueue, "not recorded for this queue")
	}
	c := q.command(cldriver.OpReplay)
	c.Object, c.Platform = b.obj.h, q.dev.platform.h
	return c, nil
}
