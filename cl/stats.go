package cl

import "github.com/anycl/anycl/internal/cldriver"

type kind uint8

const (
	kindContext kind = iota
	kindQueue
	kindBuffer
	kindImage
	kindSampler
	kindProgram
	kindKernel
	kindEvent
	kindSubdevice
	kindSVM
	kindMapping
	kindCommandBuffer
	kindCount
)

var kindNames = [kindCount]string{
	"context", "queue", "buffer", "image", "sampler", "program", "kernel", "event",
	"sub-device", "SVM allocation", "mapping", "command buffer",
}

func (k kind) String() string { return kindNames[k] }

// releaseKind gives the driver's kind of the kinds that are released by handle alone.
var releaseKind = [kindCount]cldriver.Kind{
	kindContext: cldriver.KindContext, kindQueue: cldriver.KindQueue, kindBuffer: cldriver.KindMemory,
	kindImage: cldriver.KindMemory, kindSampler: cldriver.KindSampler, kindProgram: cldriver.KindProgram,
	kindKernel: cldriver.KindKernel, kindEvent: cldriver.KindEvent, kindSubdevice: cldriver.KindDevice,
}

// Stats counts a library's live objects: made and not yet released. A closed
// object counts while children or running calls hold it.
type Stats struct {
	Contexts, Queues, Buffers, Images, Samplers, Programs, Kernels int
	Events, Subdevices, SVM, Mappings, CommandBuffers              int
}

// Total is the number of live objects of all kinds.
func (s Stats) Total() int {
	return s.Contexts + s.Queues + s.Buffers + s.Images + s.Samplers + s.Programs + s.Kernels +
		s.Events + s.Subdevices + s.SVM + s.Mappings + s.CommandBuffers
}

// Stats returns the live objects after releasing those that the garbage
// collector has found lost.
func (l *Library) Stats() Stats {
	l.drain()
	n := func(k kind) int { return int(l.live[k].Load()) }
	return Stats{
		Contexts: n(kindContext), Queues: n(kindQueue), Buffers: n(kindBuffer), Images: n(kindImage),
		Samplers: n(kindSampler), Programs: n(kindProgram), Kernels: n(kindKernel), Events: n(kindEvent),
		Subdevices: n(kindSubdevice), SVM: n(kindSVM), Mappings: n(kindMapping), CommandBuffers: n(kindCommandBuffer),
	}
}
