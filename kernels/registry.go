package kernels

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Variant describes one way to compute a family, for people and for tests:
// what a host must fill in before it compiles File.
type Variant struct {
	Family, Name string
	Class        Class
	File         string   // after lib/prelude.cl, Optional and Needs
	Needs        []string // files that stand before it
	Optional     []string // files that may: instructions that a device has proven, and how a BLAS call stores
	Kernels      []string // entry points
	Hooks        []string // macros that the host makes of a task's expressions
	Macros       []Macro  // parameters that are compiled in
	For          string   // where it is the right one
}

// Class is the kind of device that a kernel is written for, as the names of files say. A kernel is
// right on every device whose limits allow it; rules choose it for those of its class, and for others
// only where nothing else can run a task.
type Class uint8

const (
	Any Class = iota
	CPU       // drivers that run work-items on the host's cores: a work-item has loops that become vectors
	GPU       // neighbouring work-items read neighbouring memory and share local memory
)

func (c Class) String() string { return [...]string{"any", "cpu", "gpu"}[c] }

// ClassOf is the class that a file's name says it is for, as cpu of "reduce/cpu_block.cl". Files of
// lib without one serve any.
func ClassOf(file string) Class {
	switch prefix, _, _ := strings.Cut(path.Base(file), "_"); prefix {
	case "cpu":
		return CPU
	case "gpu":
		return GPU
	}
	return Any
}

// FileOf is the file that has a kernel of that name.
func FileOf(kernel string) string {
	all := Variants()
	i := slices.IndexFunc(all, func(v Variant) bool { return slices.Contains(v.Kernels, kernel) })
	if i < 0 {
		panic("kernels: no kernel " + kernel) // a misspelt constant of this module
	}
	return all[i].File
}

// Macro is a compiled-in parameter. Without Values it takes any type or text.
type Macro struct {
	Name   string
	Values []int
	Doc    string
}

var (
	onOff     = []int{0, 1}
	groupSize = []int{1, 2, 4, 8, 16, 32, 64, 128, 256}
)

// Variants are those of all families, which are not to be written to.
func Variants() []Variant { return variants() }

// variants are made when they are first asked for: most programs never do.
var variants = sync.OnceValue(func() []Variant {
	return slices.Concat(
		mapVariants(), reduceVariants(), rowVariants(), contractVariants(), productVariants(), attentionVariants(), scatterVariants(),
		scanVariants(), runningVariants(),
		factorVariants(), joinVariants(), rankVariants(), uniqueVariants(), suppressVariants(), treeVariants(), customVariants(),
	)
})
