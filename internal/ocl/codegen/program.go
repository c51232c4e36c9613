package codegen

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/anycl/anycl/kernels"
)

// Key is the hash of options and source.
type Key [sha256.Size]byte

// Key identifies a program: programs of equal keys are compiled once.
func (p *Program) Key() Key {
	h := sha256.New()
	b := bufio.NewWriter(h) // without a copy of the text
	fmt.Fprintf(b, "%d %d", p.Dims, p.Depth)
	for _, text := range [...]string{p.Options, p.Source, p.Head, strings.Join(p.Library, "\x00"), p.Body} { // library files are constant
		fmt.Fprintf(b, "\x00%d\x00", len(text))
		_, _ = b.WriteString(text)
	}
	_ = b.Flush() // a hash takes all
	return Key(h.Sum(nil))
}

// Text is the source that is compiled where p is not joined with others.
func (p *Program) Text() string {
	if p.Head == "" {
		return p.Source
	}
	return p.Head + libraryText(p.Library) + p.Body
}

// ArgKind says what a kernel argument is.
type ArgKind uint8

const (
	ArgBuffer  ArgKind = iota // memory of input or output number index
	ArgOffset                 // where in that memory it starts, in elements: ulong
	ArgStart                  // where scratch starts: 0, as ulong
	ArgScratch                // scratch buffer number index of the plan
	ArgKept                   // kept buffer number index of the plan
	ArgInt                    // value, as IDX
	ArgTable                  // all of ArgInt of the program in one buffer
	ArgRun                    // the number of the run: uint
	ArgPointer                // custom: memory of input or output number index, from its offset on
	ArgScalar                 // a number: of a custom kernel, or set by every launch
)

// Arg is one argument of every kernel of a program.
type Arg struct {
	Kind   ArgKind
	Name   string
	Index  int // ArgBuffer, ArgOffset, ArgPointer: inputs first, then outputs; ArgScratch, ArgKept: of the plan
	Value  int64
	Scalar any
}

// Program is the text of one OpenCL program and its uniform argument list.
type Program struct {
	Name    string   // of the kernel file, for errors
	Source  string   // of a caller's kernel, which has no other parts
	Head    string   // the text that parts of one program share; empty for a caller's kernel
	Library []string // kernel files that some parts need, which come after head once
	Body    string
	Options string
	Args    []Arg
	Ints    []Arg // the values in ArgTable
	Wide    bool  // IDX is long
	Dims    int   // of the launch of a caller's own kernel, see hostrun.CustomHead; 0: it is none
	Depth   int   // how many work-items that has in its third dimension
	Err     error // why it is none
}

// libraryText are kernel files, one after the other.
func libraryText(files []string) string {
	var b strings.Builder
	for _, f := range files {
		b.WriteString(kernels.LibraryText(f))
	}
	return b.String()
}

// options are the compiler's. A literal without a suffix is a double, which
// devices without double refuse, so it is read as float where no double is meant.
func options(fast, double, unoptimized bool) string {
	var o []string
	if !double {
		o = append(o, "-cl-single-precision-constant")
	}
	if fast {
		o = append(o, "-cl-fast-relaxed-math")
	}
	if unoptimized {
		o = append(o, "-cl-opt-disable")
	}
	return strings.Join(o, " ")
}
