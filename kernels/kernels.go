// Package kernels holds the OpenCL C of every kernel family and what is to be
// known to launch it: text and data, nothing that runs.
//
// A kernel file is written against a few small hooks, macros that its header names. The host fills
// them for a task and compiles the result; lib/prelude.cl stands before every file. Each family has a
// folder, and the name of a file says which devices it is for: cpu_, gpu_ or any_ (see [Class]).
// README.md lists them all.
//
// Convolution and pooling have no families of their own: a sliding window is an index map, so they
// are a contraction and a reduction whose loads go through one. See
// docs/design/tasks.md.
package kernels

import (
	"embed"
	"strings"
	"sync"
)

//go:embed */*.cl
var files embed.FS

// texts are the files that were asked for, by name.
var texts sync.Map

// Text is the content of a kernel file, such as "reduce/cpu_block.cl".
func Text(name string) string {
	if text, ok := texts.Load(name); ok {
		return text.(string)
	}
	b, err := files.ReadFile(name)
	if err != nil {
		panic("kernels: no file " + name) // a misspelt constant of this module
	}
	text, _ := texts.LoadOrStore(name, strings.ReplaceAll(string(b), "\r\n", "\n"))
	return text.(string)
}
