package optest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// TestKernels checks n random launches of own kernels on e, see [KernelError].
func TestKernels(t *testing.T, e engine.Engine, n int) {
	for seed := range uint64(n) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if err := KernelError(t.Context(), e, seed); errors.Is(err, engine.ErrUnsupported) {
				t.Skip(err)
			} else if err != nil {
				t.Fatalf("%v\n%s", err, again(t))
			}
		})
	}
}

// KernelError says where a kernel of [ops.Kernel] gets other values of its launch than
// OpenCL C specifies: every work-item function, in one to three dimensions, with and without a
// work-group, for dimensions that the launch has and others, called in the ways that programs call
// functions. The right values are computed from the geometry alone. The seed chooses all of these.
// It is engine.ErrUnsupported where e runs no kernels, or lacks sub-groups and the seed is about these.
func KernelError(ctx context.Context, e engine.Engine, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 31))
	l := newKernelLaunch(r)
	how := calls[int(seed)%len(calls)]
	std := kernelLevels[int(seed/uint64(len(calls)))%2:]
	if seed%16 == 15 {
		return l.checkSubGroups(ctx, e)
	}
	var err error
	for _, std := range std {
		var rows [][]int64
		columns := kernelColumns(std)
		rows, err = l.run(ctx, e, how.source(columns), std, len(columns))
		if err == nil {
			if err = l.check(columns, rows); err != nil {
				return fmt.Errorf("own kernel, global %v local %v, %s, %s: %w", l.global, l.local, how.name, std, err)
			}
			return nil
		}
		if errors.Is(err, engine.ErrUnsupported) {
			return err
		}
	}
	return err
}

// kernelLevels are language levels: one that has every work-item function, for engines that take it, and one that all take.
var kernelLevels = []string{"-cl-std=CL3.0", "-cl-std=CL1.2"}

// kernelLaunch is a geometry.
type kernelLaunch struct {
	dims          int
	global, local [3]int // as ops.KernelOptions has them
	size          [3]int // global with 1 for dimensions that are not there
}

func newKernelLaunch(r *rand.Rand) *kernelLaunch {
	l := &kernelLaunch{dims: 1 + r.IntN(3), size: [3]int{1, 1, 1}}
	sizes := [][]int{{1, 7, 64, 251, 1000, 4096}, {1, 2, 5, 13, 32, 48}, {1, 2, 3, 7, 8, 12}}[l.dims-1]
	grouped, room := r.IntN(2) == 0, 64
	for d := range l.dims {
		n := sizes[r.IntN(len(sizes))]
		l.global[d], l.size[d] = n, n
		if grouped {
			w := 1 + r.IntN(min(n, room))
			for n%w != 0 {
				w--
			}
			l.local[d] = w
			room /= w
		}
	}
	return l
}

// item is the i-th work-item: its place in the launch.
func (l *kernelLaunch) item(i int) (id [3]int) {
	return [3]int{i % l.size[0], i / l.size[0] % l.size[1], i / l.size[0] / l.size[1]}
}

// run launches source three times and returns columns numbers of each work-item.
func (l *kernelLaunch) run(ctx context.Context, e engine.Engine, source, std string, columns int) (rows [][]int64, err error) {
	items := l.size[0] * l.size[1] * l.size[2]
	g := ops.NewGraph("own kernel")
	base := g.Input("base", tensor.Int32, 1)
	y := ops.Kernel(g, ops.KernelOptions{
		Source: source, Entry: "ask", Options: std, Global: l.global, Local: l.local,
		Results: []ops.Result{{DType: tensor.Int64, Shape: []int{items, columns}}},
	}, base)
	exe, err := g.Compile(ctx, ops.NewRuntime(e), ops.Target{Outputs: y})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, exe.Close()) }()
	var out []*tensor.Tensor
	for range 3 { // a launch that is divided is not at first
		if out, err = exe.Run(ctx, ops.Feeds{base: tensor.Must(tensor.New(tensor.Int32, 1))}); err != nil {
			return nil, err
		}
	}
	all, err := tensor.ToSlice[int64](out[0])
	if err != nil {
		return nil, err
	}
	for i := range items {
		rows = append(rows, all[i*columns:(i+1)*columns])
	}
	return rows, nil
}

// kernelColumn is a function, of a dimension unless that is -1.
type kernelColumn struct {
	function string
	dim      int64
}

// kernelColumns are all functions of a language level, for every dimension there is and for two that are not.
func kernelColumns(std string) (all []kernelColumn) {
	perDim := []string{"global_size", "global_id", "local_size", "local_id", "num_groups", "group_id", "global_offset"}
	alone := []string{"work_dim"}
	if std != "-cl-std=CL1.2" {
		perDim = append(perDim, "enqueued_local_size")
		alone = append(alone, "global_linear_id", "local_linear_id")
	}
	for _, f := range perDim {
		for _, d := range []int64{0, 1, 2, 3, 1 << 31} {
			all = append(all, kernelColumn{f, d})
		}
	}
	for _, f := range alone {
		all = append(all, kernelColumn{f, -1})
	}
	return all
}

// call is a way to call functions.
type call struct {
	name string
	head func(function string) string // for each function, may be empty
	expr func(function, d string) string
}

var calls = []call{
	{"calls with numbers", nil, func(f, d string) string { return "get_" + f + "(" + d + ")" }},
	{"calls with what is computed", nil, func(f, d string) string { return "get_" + f + "(" + computed(d) + ")" }},
	{"macros", func(f string) string { return "#define ASK_" + f + "(d...) get_" + f + "(d)\n" },
		func(f, d string) string { return "ASK_" + f + "(" + computed(d) + ")" }},
	{"names that are macros", func(f string) string { return "#define ASK_" + f + " get_" + f + "\n" },
		func(f, d string) string { return "ASK_" + f + "(" + computed(d) + ")" }},
	{"pasted names", func(f string) string { return "#define ASK_" + f + "(d...) get_ ## " + f + "(d)\n" },
		func(f, d string) string { return "ASK_" + f + "(" + d + ")" }},
	{
		"functions", func(f string) string {
			if strings.HasPrefix(f, "work") || strings.HasSuffix(f, "linear_id") {
				return "ulong ask_" + f + "(void) { return get_" + f + "(); }\n"
			}
			return "ulong ask_" + f + "(uint d) { return get_" + f + "(d); }\n"
		},
		func(f, d string) string { return "ask_" + f + "(" + computed(d) + ")" },
	},
	{
		"comments and joined lines", func(f string) string { return "// get_sub_group_id() get_ ## " + f + " \\\n get_sub_group_size()\n" },
		func(f, d string) string {
			return "get_\\\n" + f + "/* get_sub_group_id(), #include */(" + d + ") /* ??/\" */ + 0 * sizeof(\"get_sub_group_id ##\")"
		},
	},
	{"changing arguments", nil, func(f, d string) string {
		if d == "" {
			return "get_" + f + "()"
		}
		return "get_" + f + "(q++)"
	}},
}

// computed is a dimension that the compiler does not know; base[0] is 0.
func computed(d string) string {
	if d == "" {
		return ""
	}
	return "(uint)base[0] + " + d
}

// source is a kernel that writes a row of columns for each work-item.
func (c call) source(columns []kernelColumn) string {
	var head, body strings.Builder
	seen := map[string]bool{}
	for i, k := range columns {
		if c.head != nil && !seen[k.function] {
			seen[k.function] = true
			head.WriteString(c.head(k.function))
		}
		d := ""
		if k.dim >= 0 {
			d = fmt.Sprintf("%du", k.dim)
		}
		fmt.Fprintf(&body, "    q = %s; row[%d] = %s; if (%t && q != %s + 1) row[%d] = -1;\n",
			max(d, "0"), i, c.expr(k.function, d), c.name == "changing arguments" && d != "", max(d, "0"), i)
	}
	return head.String() + "kernel void ask(global const int *base, global long *y) {\n" +
		"    uint q; global long *row = y + ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)) * " +
		fmt.Sprint(len(columns)) + ";\n" + body.String() + "}\n"
}

// check compares the values that every work-item was given with those of the geometry.
func (l *kernelLaunch) check(columns []kernelColumn, rows [][]int64) error {
	group := l.local
	if group == [3]int{} { // the driver's choice
		for i, k := range columns {
			if k.function == "local_size" && k.dim < 3 {
				group[k.dim] = int(rows[0][i])
			}
		}
	}
	for d := range group {
		if group[d] = max(group[d], 1); group[d] > l.size[d] || l.size[d]%group[d] != 0 {
			return fmt.Errorf("work-groups of %v", group)
		}
	}
	for n, row := range rows {
		for i, k := range columns {
			if want := l.want(k, group, l.item(n)); row[i] != want {
				what := "get_" + k.function + "()"
				if k.dim >= 0 {
					what = fmt.Sprintf("get_%s(%d)", k.function, k.dim)
				}
				return fmt.Errorf("%s of work-item %v is %d, not %d", what, l.item(n), row[i], want)
			}
		}
	}
	return nil
}

// want is the value that OpenCL C 3.0, section 6.15.1, specifies for k.
func (l *kernelLaunch) want(k kernelColumn, group, id [3]int) int64 {
	linear := func(at, size [3]int) int64 { return int64((at[2]*size[1]+at[1])*size[0] + at[0]) }
	within := func(of [3]int, else_ int64) int64 {
		if k.dim < int64(l.dims) {
			return int64(of[k.dim])
		}
		return else_
	}
	var at, number, groups [3]int
	for d := range id {
		at[d], number[d], groups[d] = id[d]%group[d], id[d]/group[d], l.size[d]/group[d]
	}
	switch k.function {
	case "work_dim":
		return int64(l.dims)
	case "global_size":
		return within(l.size, 1)
	case "global_id":
		return within(id, 0)
	case "local_size", "enqueued_local_size":
		return within(group, 1)
	case "local_id":
		return within(at, 0)
	case "num_groups":
		return within(groups, 1)
	case "group_id":
		return within(number, 0)
	case "global_linear_id":
		return linear(id, l.size)
	case "local_linear_id":
		return linear(at, group)
	}
	return 0 // global_offset
}

// checkSubGroups checks a kernel that asks about sub-groups for properties of any division of a
// work-group: the sub-groups' sizes sum up to it, and each work-item has a place of its own.
func (l *kernelLaunch) checkSubGroups(ctx context.Context, e engine.Engine) error {
	const source = `#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
kernel void ask(global const int *base, global long *y) {
    global long *row = y + ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)) * 7;
#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups)
    row[0] = get_sub_group_id(); row[1] = get_sub_group_local_id(); row[2] = get_sub_group_size(); row[3] = get_max_sub_group_size();
    row[4] = get_num_sub_groups(); row[5] = get_enqueued_num_sub_groups();
#else
    row[3] = 0;
#endif
    row[6] = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
}`
	rows, err := l.run(ctx, e, source, kernelLevels[0], 7)
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrUnsupported, err)
	}
	if rows[0][3] == 0 {
		return fmt.Errorf("%w: sub-groups", engine.ErrUnsupported)
	}
	seen, size := map[[3]int64]bool{}, map[int64]int64{}
	for _, r := range rows {
		size[r[6]]++
		at := [3]int64{r[6], r[0], r[1]}
		if seen[at] || r[0] >= r[4] || r[1] >= r[2] || r[2] > r[3] || r[5] != r[4] {
			return fmt.Errorf("sub-groups of global %v local %v: work-item %d of sub-group %d of %d (enqueued %d), of size %d, at most %d",
				l.global, l.local, r[1], r[0], r[4], r[5], r[2], r[3])
		}
		seen[at] = true
	}
	for _, r := range rows {
		if n := size[r[6]]; r[4] < (n+r[3]-1)/r[3] || r[4] > n {
			return fmt.Errorf("a work-group of %d has %d sub-groups of at most %d", n, r[4], r[3])
		}
	}
	return nil
}
