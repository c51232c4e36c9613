package grammar

import (
	"strconv"
	"strings"

	"github.com/anycl/anycl/cl"
)

// Division is a way to divide a device, and one of the parts.
type Division struct {
	Equal  int   // as many parts as this, whose sizes differ by one unit at most
	Counts []int // or parts of a given number of units
	Domain cl.AffinityDomain
	Number int // -1: none is named
}

// Domains are the names of parts of the memory hierarchy.
var Domains = []struct {
	Name   string
	Domain cl.AffinityDomain
}{
	{"numa", cl.AffinityNUMA}, {"l4", cl.AffinityL4}, {"l3", cl.AffinityL3}, {"l2", cl.AffinityL2}, {"l1", cl.AffinityL1},
	{"next", cl.AffinityNextPartitionable},
}

// ParseDivision reads the text behind the slash: "4:1", "1+3:0", "numa:1".
func ParseDivision(text string) (v Division, ok bool) {
	how, number, named := strings.Cut(text, ":")
	v.Number = -1
	if named {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return v, false
		}
		v.Number = n
	}
	for _, d := range Domains {
		if how == d.Name {
			v.Domain = d.Domain
			return v, true
		}
	}
	for s := range strings.SplitSeq(how, "+") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return v, false
		}
		v.Counts = append(v.Counts, n)
	}
	if len(v.Counts) == 1 {
		v.Equal, v.Counts = v.Counts[0], nil
	}
	return v, true
}

// Way is how the device is divided, in the words of the text.
func (v *Division) Way() string {
	for _, d := range Domains {
		if v.Domain == d.Domain {
			return d.Name
		}
	}
	if v.Equal > 0 {
		return strconv.Itoa(v.Equal)
	}
	text := make([]string, len(v.Counts))
	for i, n := range v.Counts {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, "+")
}
