package opinfo

import (
	"slices"
	"strings"
)

// idle are arguments that change no value of a result: where results lie, what is checked, in which order equal ones come, how
// derivatives are stored; running statistics, which are read where they are used; forms of a call that the cases always give.
var idle = strings.Fields("device layout memory_format pin_memory requires_grad out copy non_blocking sparse unsafe check_errors compute_mode " +
	"sorted stable return_indices running_mean running_var momentum hermitian recompute_scale_factor append prepend")

// ofAxes are arguments that make no difference to a tensor of one axis or none.
var ofAxes = strings.Fields("dim dims dim0 dim1 dimension keepdim descending")

// value is an argument, which counts as read.
func (c *Call) value(name string) any {
	c.read[name] = true
	return c.values[name]
}

// refuseUnread refuses a call with an argument that its row has not asked for: without it the result would be that of another call.
func (c *Call) refuseUnread() {
	l, ok := c.values["input"].(*leaf)
	flat := ok && l.t.Rank() <= 1
	for _, a := range c.order {
		if a.value == nil || c.read[a.name] || slices.Contains(idle, a.name) || flat && slices.Contains(ofAxes, a.name) {
			continue
		}
		c.refuse("argument %s is not supported", a.name)
	}
}

// refuseOther refuses another word than the one that the variant of the op stands for.
func (c *Call) refuseOther(name, only string) {
	if v := c.str(name, only); v != only {
		c.refuse("%s %s is not supported", name, v)
	}
}
