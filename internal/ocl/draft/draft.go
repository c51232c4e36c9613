// Package draft writes the programs that kinds of devices would be given, for compilers of vendors whose
// devices need not be there.
package draft

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	_ "github.com/anycl/anycl/internal/ocl/families"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/platform"
)

// Class is a kind of device as the planner sees it, so that programs can be written for devices
// that the machine lacks.
type Class struct {
	Name  string
	About string
	FMA   platform.FMA
	facts []*facts.Device // one for each set of proven capabilities that devices of the class may have: rules depend on them
}

// classOf makes a class whose programs are planned by the facts that package platform would find about a device.
func classOf(name, about string, fma platform.FMA, class platform.Class, d platform.Device, proven ...platform.Caps) *Class {
	d.ID, d.Class = name, class
	c := &Class{Name: name, About: about, FMA: fma}
	for _, caps := range proven {
		c.facts = append(c.facts, facts.New(&d, &caps))
	}
	return c
}

// Classes are the kinds of devices that programs are drafted for. Of a vendor's devices they are
// those that most users meet; floor has the features of every GPU, and cpu lacks the instructions
// of particular processors, which only their own compilers know.
var Classes = []*Class{
	classOf("floor", "any GPU: 32 KiB of local memory, no double, nothing proven", platform.FMAPlain, platform.GPU,
		platform.Device{Units: 4, MaxWorkGroup: 256, LocalMem: 32 << 10, VectorWidth: 1, ArgBytes: 1024, MaxAlloc: 1 << 30}, platform.Caps{}),
	classOf("nvidia", "48 KiB of local memory, matrix units and sums of four bytes by PTX", platform.FMAFused, platform.GPU,
		platform.Device{Units: 108, MaxWorkGroup: 1024, LocalMem: 48 << 10, VectorWidth: 1, ArgBytes: 4352, MaxAlloc: 10 << 30},
		platform.Caps{FP64: true, PTX: true, DotPTX: true, MMA: 80}, platform.Caps{FP64: true}),
	classOf("amd", "64 KiB of local memory, with and without sums of four bytes by builtins", platform.FMAFused, platform.GPU,
		platform.Device{Units: 60, MaxWorkGroup: 256, LocalMem: 64 << 10, VectorWidth: 1, ArgBytes: 1024, MaxAlloc: 10 << 30},
		platform.Caps{FP64: true}, platform.Caps{FP64: true, DotAMD: true}),
	classOf("intel", "64 KiB of local memory, sub-groups of 8 or 16, no double", platform.FMAFused, platform.GPU,
		platform.Device{Units: 96, MaxWorkGroup: 512, LocalMem: 64 << 10, VectorWidth: 1, ArgBytes: 2048, MaxAlloc: 4 << 30},
		platform.Caps{SubgroupLanes: 8, IntDot: true, IntDotOptions: "-cl-std=CL3.0", RegisterOptions: platform.LargeGRF},
		platform.Caps{SubgroupLanes: 16, RegisterOptions: platform.LargeGRF}, platform.Caps{RegisterOptions: platform.LargeGRF}),
	classOf("cpu", "a CPU driver with vectors of 16 floats", platform.FMAPlain, platform.CPU,
		platform.Device{Units: 2, MaxWorkGroup: 4096, LocalMem: 512 << 10, VectorWidth: 16, ArgBytes: 1024, MaxAlloc: 1 << 30,
			CacheBytes: 32 << 20},
		platform.Caps{FP64: true}),
}

// Check says why no device of the class can run t.
func (c *Class) Check(t *engine.Task) error { return variant.Check(c.facts[0], t) }

// Draft is one program that devices of a class may be given.
type Draft struct {
	Variants []string `json:"variants"` // that launch it, as EnvVariant takes them
	Chosen   bool     `json:"chosen"`   // by rule, and not only where it is forced
	File     string   `json:"file"`     // of kernels
	Kernels  []string `json:"kernels"`  // that are launched
	Options  string   `json:"options"`
	Head     string   `json:"head"` // see program
	Library  []string `json:"library"`
	Body     string   `json:"body"`
}

// Print is equal for drafts of the same text and options.
func (d *Draft) Print() string {
	h := sha256.New()
	for _, s := range append([]string{d.Options, d.Head, d.Body}, d.Library...) {
		codegen.HashText(h, s)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Alike is equal for drafts of the same kernel files, types and flags, whatever their sizes and hooks are.
func (d *Draft) Alike() string {
	h := sha256.New()
	for _, s := range slices.Concat([]string{d.Options, d.File}, d.Kernels, d.Library, plainMacro.FindAllString(d.Body, -1)) {
		codegen.HashText(h, s)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// plainMacro is a flag or a type.
var plainMacro = regexp.MustCompile(`(?m)^#define \w+ (?:[01]|[a-z]\w*)$`)

// Has reports whether a feature's kernel file is part of d: "contract/gpu_dot4_amd.cl", or
// "contract/gpu_subgroup_intel.cl:LANES=16" where a macro must have a value, too.
func (d *Draft) Has(feature string) bool {
	file, macro, more := strings.Cut(feature, ":")
	name, value, _ := strings.Cut(macro, "=")
	return (slices.Contains(d.Library, file) || strings.Contains(d.Body, "// ---- "+file+" ----\n")) &&
		(!more || strings.Contains(d.Body, "#define "+name+" "+value+"\n"))
}

// Merge adds to d where another of the same Print comes from.
func (d *Draft) Merge(o *Draft) {
	union := func(a, b []string) []string {
		all := slices.Concat(a, b)
		slices.Sort(all)
		return slices.Compact(all)
	}
	d.Variants, d.Kernels, d.Chosen = union(d.Variants, o.Variants), union(d.Kernels, o.Kernels), d.Chosen || o.Chosen
}

// Draft writes every program that a device of the class may run t by: that of the rule, and of
// each variant that could be forced. Errors: a variant that claims t cannot be planned.
func (c *Class) Draft(t *engine.Task) ([]*Draft, error) {
	var drafts []*Draft
	for _, d := range c.facts {
		collapsed, variants, err := variant.Of(d, t)
		if err != nil {
			return nil, err
		}
		family := variant.FamilyOf(collapsed)
		for i, v := range variants {
			p, err := variant.Complete(v.Plan())
			if err != nil {
				return nil, fmt.Errorf("ocl: draft %s as %s: %w", t, v.Name, err)
			}
			for _, l := range p.Launches {
				drafts = append(drafts, draftOf(l, family+"="+v.Name, i == 0))
			}
		}
	}
	return drafts, nil
}

func draftOf(l variant.Launch, variantName string, chosen bool) *Draft {
	p := l.Program
	d := &Draft{
		Variants: []string{variantName}, Chosen: chosen, File: p.Name, Kernels: []string{l.Kernel}, Options: p.Options,
		Head: p.Head, Library: p.Library, Body: p.Body,
	}
	if p.Head == "" { // a caller's own
		d.Body = p.Source
	}
	return d
}

// Joins reports whether both can be parts of one program.
func (d *Draft) Joins(o *Draft) bool {
	return d.Head != "" && d.Head == o.Head && d.Options == o.Options
}

// Text is the compiled source of drafts that are joined, as a device of the class gets it. Kernels
// of part i end in the i-th of the suffixes.
func (c *Class) Text(parts []*Draft) (source string, suffixes []string) {
	var programs []*codegen.Program
	for i, d := range parts {
		p := &codegen.Program{Name: d.File, Head: d.Head, Library: d.Library, Body: d.Body}
		programs = append(programs, p)
		suffixes = append(suffixes, codegen.Suffix(i))
	}
	first := "#define FMA(a, b, c) " + c.FMA.Expression() + "\n"
	if len(parts) == 1 {
		return first + programs[0].Text(), []string{""}
	}
	return first + codegen.Join(programs), suffixes
}
