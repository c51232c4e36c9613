package offline

import (
	"context"
	"errors"
	"fmt"
)

// Compiler compiles for one target. It is safe for concurrent use.
type Compiler interface {
	// Version names the compiler and its target.
	Version() string
	// Compile compiles a program and tells the resources that each of its kernels needs. Errors:
	// *Refusal, where the compiler takes the program for wrong.
	Compile(ctx context.Context, source, options string) (map[string]Usage, error)
	Close() error
}

// Usage lists the resources of a device that one kernel needs, as far as its compiler tells; others are 0.
type Usage struct {
	Registers int   `json:"registers,omitempty"` // of a work-item; vector registers where there are others
	Scalars   int   `json:"scalars,omitempty"`   // registers that a wave shares
	Spill     int   `json:"spill,omitempty"`     // values kept in memory for want of registers: bytes of a work-item, or registers on AMD
	Private   int64 `json:"private,omitempty"`   // bytes of memory of a work-item, spills among them
	Local     int64 `json:"local,omitempty"`     // bytes of a work-group
	Lanes     int   `json:"lanes,omitempty"`     // that run together
}

// Refusal is a compiler's no.
type Refusal struct {
	By   string // a tool
	Log  string
	Died bool // it ended its process instead of saying no
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.By, r.Log) }

func refused(err error) bool { return errors.As(err, new(*Refusal)) }

func died(err error) bool {
	no := (*Refusal)(nil)
	return errors.As(err, &no) && no.Died
}
