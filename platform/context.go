package platform

import (
	"slices"
	"sync"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/quirk"
)

// contexts are the contexts that are open on devices whose driver reads its compiler's library anew for each context: all
// opened devices of that kind share one. The last to close it releases it.
var contexts struct {
	sync.Mutex
	open []*sharedContext
}

type sharedContext struct {
	*cl.Context
	users int
}

// contextOf is a context of devices, which are all of one platform, and the function that releases it.
func (o *Opened) contextOf(devices ...*cl.Device) (c *cl.Context, release func() error, err error) {
	lib := devices[0].Platform().Library()
	if !o.device.has(quirk.OneContext) || devices[0].Parent() != nil {
		if c, err = lib.NewContext(devices...); err != nil {
			return nil, nil, err
		}
		return c, c.Close, nil
	}
	contexts.Lock()
	defer contexts.Unlock()
	i := slices.IndexFunc(contexts.open, func(s *sharedContext) bool {
		return s.Library() == lib && slices.EqualFunc(s.Devices(), devices, (*cl.Device).Same)
	})
	if i < 0 {
		if c, err = lib.NewContext(devices...); err != nil {
			return nil, nil, err
		}
		i = len(contexts.open)
		contexts.open = append(contexts.open, &sharedContext{Context: c})
	}
	s := contexts.open[i]
	s.users++
	return s.Context, s.release, nil
}

// release closes the context after its last user.
func (s *sharedContext) release() error {
	contexts.Lock()
	defer contexts.Unlock()
	if s.users--; s.users > 0 {
		return nil
	}
	contexts.open = slices.DeleteFunc(contexts.open, func(other *sharedContext) bool { return other == s })
	return s.Close()
}

// newContext makes the device's context, with the inline device where that is possible.
func (o *Opened) newContext() (err error) {
	if c := o.device.inline; c != nil && o.device.Unified {
		if o.context, o.closeContext, err = o.contextOf(o.cl, c.cl); err == nil {
			o.paired = true
			return nil
		}
		o.warn("no inline device", err)
	}
	o.context, o.closeContext, err = o.contextOf(o.cl)
	return err
}
