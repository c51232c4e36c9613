package offline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Tools are the programs that compile a source file step by step.
type Tools struct {
	Clang     string // of LLVM, "clang-19"
	Libclc    string // PTX: libclc's built-in functions as bitcode
	Ptxas     string // PTX
	Arch      string // PTX: "sm_80"
	Translate string // SPIR-V: llvm-spirv
	Validate  string // SPIR-V: spirv-val

	version string
}

// ptx and spirv are the two ways.
type (
	ptx   struct{ Tools }
	spirv struct{ Tools }
)

// NewPTX compiles for NVIDIA's GPUs with Clang's back end and NVIDIA's assembler.
func NewPTX(ctx context.Context, t Tools) (Compiler, error) {
	err := t.ask(ctx, t.Clang, t.Ptxas)
	t.version += " for " + t.Arch
	return &ptx{t}, err
}

// NewSPIRV makes SPIR-V with Clang and Khronos' translator, and validates it.
func NewSPIRV(ctx context.Context, t Tools) (Compiler, error) {
	err := t.ask(ctx, t.Clang, t.Translate, t.Validate)
	return &spirv{t}, err
}

// ask remembers the versions of tools.
func (t *Tools) ask(ctx context.Context, tools ...string) error {
	var all []string
	for _, name := range tools {
		out, err := exec.CommandContext(ctx, name, "--version").Output()
		if err != nil {
			return fmt.Errorf("offline: %s: %w", name, err)
		}
		v := toolVersion.FindString(string(out))
		if v == "" {
			return fmt.Errorf("offline: %s does not tell its version: %s", name, out)
		}
		all = append(all, filepath.Base(name)+" "+v)
	}
	t.version = strings.Join(all, ", ")
	return nil
}

var toolVersion = regexp.MustCompile(`V?\d+\.\d+(\.\d+)*`)

func (t *Tools) Version() string { return t.version }

// Close does nothing.
func (t *Tools) Close() error { return nil }

// in writes the source in a folder of its own and runs the steps there.
func (t *Tools) in(ctx context.Context, source string, steps ...[]string) (out string, err error) {
	dir, err := os.MkdirTemp("", "anycl-offline-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, "k.cl"), []byte(source), 0o644); err != nil {
		return "", err
	}
	for _, s := range steps {
		c := exec.CommandContext(ctx, s[0], s[1:]...)
		c.Dir = dir
		text, err := c.CombinedOutput()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
			return "", &Refusal{By: filepath.Base(s[0]), Log: strings.TrimSpace(string(text))}
		} else if err != nil {
			return "", err
		}
		out = string(text)
	}
	return out, nil
}

// frontend is the command line by which Clang reads OpenCL C as drivers do, without the options that only
// Intel's compiler knows.
func (t *Tools) frontend(options, target string, more ...string) []string {
	args := []string{t.Clang, "-target", target, "-x", "cl", "-w", "-fgnu-keywords"}
	if !strings.Contains(options, "-cl-std=") {
		args = append(args, "-cl-std=CL1.2")
	}
	for o := range strings.FieldsSeq(options) {
		if !strings.HasPrefix(o, "-cl-intel-") {
			args = append(args, o)
		}
	}
	return append(args, more...)
}

func (p *ptx) Compile(ctx context.Context, source, options string) (map[string]Usage, error) {
	out, err := p.in(ctx, source,
		p.frontend(options, "nvptx64-nvidia-nvcl", "-march="+p.Arch, "-O3", "-S", "-Xclang", "-target-feature", "-Xclang", "+ptx78",
			"-Xclang", "-mlink-builtin-bitcode", "-Xclang", p.Libclc, "k.cl", "-o", "k.ptx"),
		[]string{p.Ptxas, "-v", "-arch=" + p.Arch, "k.ptx", "-o", "k.cubin"})
	if err != nil {
		return nil, err
	}
	return readPtxas(out), nil
}

var (
	entryLine = regexp.MustCompile(`Compiling entry function '(\w+)'`)
	stackLine = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores`)
	usedLine  = regexp.MustCompile(`Used (\d+) registers`)
	smemPart  = regexp.MustCompile(`(\d+) bytes smem`)
)

// readPtxas reads the output of ptxas -v: the name of an entry, then its resources. Functions that
// are called stand between.
func readPtxas(out string) map[string]Usage {
	all := map[string]Usage{}
	name := ""
	number := func(re *regexp.Regexp, line string, group int) int {
		if m := re.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[group])
			return n
		}
		return 0
	}
	for line := range strings.Lines(out) {
		if m := entryLine.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
		u := all[name]
		u.Private = max(u.Private, int64(number(stackLine, line, 1)))
		u.Spill = max(u.Spill, number(stackLine, line, 2))
		if usedLine.MatchString(line) {
			u.Registers, u.Local, u.Lanes = number(usedLine, line, 1), int64(number(smemPart, line, 1)), 32
		}
		if name != "" {
			all[name] = u
		}
	}
	return all
}

// Compile leaves out metadata about pointers that do not alias: the validator of 2025.1 wants them in a block, and
// the extension has them outside.
func (s *spirv) Compile(ctx context.Context, source, options string) (map[string]Usage, error) {
	_, err := s.in(ctx, source, // which says nothing of registers
		s.frontend(options, "spir64", "-O0", "-Xclang", "-cl-ext=+all", "-emit-llvm", "-c", "k.cl", "-o", "k.bc"),
		[]string{s.Translate, "--spirv-ext=+all,-SPV_INTEL_memory_access_aliasing", "k.bc", "-o", "k.spv"},
		[]string{s.Validate, "--target-env", "spv1.4", "k.spv"})
	return nil, err
}
