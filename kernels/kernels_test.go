package kernels

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// allFiles are the kernel files, as "reduce/cpu_block.cl".
func allFiles(t *testing.T) []string {
	names, err := fs.Glob(files, "*/*.cl")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	return names
}

func TestEveryFileSaysWhatItIs(t *testing.T) {
	names := allFiles(t)
	for _, name := range names {
		text := Text(name)
		require.True(t, strings.HasPrefix(text, "// "+name+": "), name)
		for i, line := range strings.Split(text, "\n") {
			require.LessOrEqual(t, len(line), 140, "%s:%d", name, i+1)
			require.NotContains(t, line, "\t", "%s:%d", name, i+1)
			require.Equal(t, strings.TrimRight(line, " "), line, "%s:%d", name, i+1)
		}
	}
}

// A header has its parts in this order, as far as there are such: what it computes comes first.
func TestHeadersHaveOneForm(t *testing.T) {
	order := []string{"hooks", "macros", "sizes", "launch", "scratch", "note", "for", "source"}
	part := regexp.MustCompile(`(?m)^// (scratch|(?:` + strings.Join(order, "|") + `) ) +\S`)
	for _, name := range allFiles(t) {
		header, _, _ := strings.Cut(Text(name), "\n\n")
		first, _, _ := strings.Cut(header, "\n")
		require.NotRegexp(t, `\.$`, first, "%s: its first line is a title", name)
		at := -1
		for _, m := range part.FindAllStringSubmatch(header, -1) {
			i := slices.Index(order, strings.TrimSpace(m[1]))
			require.Greater(t, i, at, "%s: %s", name, m[1])
			at = i
		}
	}
	for _, v := range Variants() {
		header, _, _ := strings.Cut(Text(v.File), "\n\n")
		require.Contains(t, header, "\n// launch  ", v.File)
	}
}

// n0, p0 and y0 are what the code generator calls sizes and operands: a kernel's own
// variable of that name hides one of them, or does not compile.
func TestKernelsLeaveTheNamesOfArgumentsAlone(t *testing.T) {
	names := allFiles(t)
	taken := regexp.MustCompile(`\b(o_)?[npy]\d+_?\b`)
	for _, name := range names {
		for i, line := range strings.Split(Text(name), "\n") {
			code, _, _ := strings.Cut(line, "//")
			require.Empty(t, taken.FindString(code), "%s:%d", name, i+1)
		}
	}
}

// Compilers warn of a macro that is defined anew, and some write that to standard error.
func TestKernelsDefineNoMacroOfThePrelude(t *testing.T) {
	names := allFiles(t)
	define := regexp.MustCompile(`(?m)^ *# *(define|undef) +(\w+)`)
	own := map[string]bool{}
	for _, m := range define.FindAllStringSubmatch(Text("lib/prelude.cl"), -1) {
		own[m[2]] = true
	}
	require.NotEmpty(t, own)
	for _, name := range names {
		if name == "lib/prelude.cl" {
			continue
		}
		without := map[string]bool{}
		for _, m := range define.FindAllStringSubmatch(Text(name), -1) {
			without[m[2]] = without[m[2]] || m[1] == "undef"
			require.False(t, own[m[2]] && !without[m[2]], "%s defines %s", name, m[2])
		}
	}
}

func TestVariantsAgreeWithTheirFiles(t *testing.T) {
	for _, v := range Variants() {
		t.Run(v.Family+"/"+v.Name, func(t *testing.T) {
			text := Text(v.File)
			all := text
			for _, n := range slices.Concat(v.Needs, v.Optional) {
				all += Text(n)
			}
			header, _, _ := strings.Cut(text, "\n\n")
			for _, k := range v.Kernels {
				require.Regexp(t, `(?m)^(?:(?:__)?kernel )?void `+k+`\((?:PARAMS|__global)`, text)
				require.Regexp(t, `\b`+k+`\b`, header, "the header gives its launch")
			}
			for _, h := range v.Hooks {
				require.Regexp(t, `\b`+h+`\(`, header, "the header explains the hook")
				require.Regexp(t, `\b`+h+`\(`, strings.TrimPrefix(all, header), "the hook is used")
			}
			for _, m := range v.Macros {
				require.Regexp(t, `\b`+m.Name+`\b`, header)
				require.NotEmpty(t, m.Doc)
			}
		})
	}
}

// A kernel that no variant names is dead, or missing from the list.
func TestEveryKernelBelongsToAVariant(t *testing.T) {
	listed := map[string]bool{}
	for _, v := range Variants() {
		for _, k := range v.Kernels {
			listed[k] = true
		}
	}
	names := allFiles(t)
	for _, name := range names {
		for _, m := range regexp.MustCompile(`(?m)^(?:(?:__)?kernel )?void (\w+)\(`).FindAllStringSubmatch(Text(name), -1) {
			require.True(t, listed[m[1]], "%s in %s", m[1], name)
		}
	}
}

func TestRangesCoverEverythingInWholeGroups(t *testing.T) {
	sizes := []int64{1, 2, 7, 63, 64, 65, 1000, 4097, 1 << 17, 1 << 20}
	whole := func(g Grid, dims int) {
		for i := range dims {
			require.Positive(t, g.Local[i])
			require.Positive(t, g.Global[i])
			require.Zero(t, g.Global[i]%g.Local[i])
		}
		require.LessOrEqual(t, g.Local[0], 256)
	}
	for _, rows := range sizes {
		for _, cols := range sizes {
			for _, wg := range []int{1, 16, 100, 256} {
				for _, most := range []int64{1, 8} {
					m := MapItem(rows, cols, most, 2, wg)
					whole(m.Grid, 2)
					across := int64(m.Global[0])
					if !m.Down {
						across *= m.Items
					}
					require.GreaterOrEqual(t, across, cols)
					require.LessOrEqual(t, m.Local[0]*m.Local[1], wg)
					require.LessOrEqual(t, m.Items, most)
					require.LessOrEqual(t, m.Global[1], max(rowItems, m.Local[1]))
				}
				s := ScatterAdd(rows, cols, 100, false, 20, wg)
				whole(s.Grid, 2)
				require.GreaterOrEqual(t, int64(s.Global[0]), cols)
				require.GreaterOrEqual(t, int64(s.Global[1])*s.Rows, rows)
				whole(ReduceItem(rows, Parts{3, cols}, wg), 2)
				g := ReduceGroupSize(cols, wg)
				require.Zero(t, g&(g-1), "a power of two")
			}
			for _, near := range []bool{false, true} {
				b := MapBlock(rows, cols, 2, near)
				whole(b.Grid, 2)
				require.GreaterOrEqual(t, int64(b.Global[0])*b.Columns, cols)
				require.GreaterOrEqual(t, int64(b.Global[1])*b.Rows, rows)
				require.LessOrEqual(t, b.Global[1], rowItems)
			}
			r := ReduceBlock(rows, Parts{2, cols}, 2)
			require.GreaterOrEqual(t, int64(r.Global[1])*r.Rows, rows)
			require.LessOrEqual(t, r.Global[1], rowItems)
			for _, count := range sizes {
				s := ScatterAdd(rows, cols, count, true, 2, 256)
				require.GreaterOrEqual(t, int64(s.Global[0])*s.Columns, cols)
				require.GreaterOrEqual(t, int64(s.Global[1])*s.Rows, rows)
				p, _ := ScatterInParts(rows, cols, count, 2)
				require.GreaterOrEqual(t, p.Parts*p.Span, count)
				require.Positive(t, p.Rows)
			}
		}
	}
}

// A launch may be a part of another, whose third dimension nothing tells (internal/ocl/hostrun/range.go).
func TestKernelsDoNotAskForTheSizeOfTheThirdDimension(t *testing.T) {
	names := allFiles(t)
	for _, name := range names {
		for _, call := range []string{"get_num_groups(2)", "get_global_size(2)", "get_global_offset"} {
			require.NotContains(t, Text(name), call, name)
		}
	}
}

// What a driver does not make part of the kernel is given no memory of it: PoCL 3.1 lost what was in local memory.
func TestBodiesAreGivenNoMemoryOfTheirKernel(t *testing.T) {
	t.Parallel()
	body := regexp.MustCompile(`^BODY void \w+\((const IDX \w+, )*PARAMS\) \{$`)
	bodies := 0
	for _, file := range allFiles(t) {
		for line := range strings.Lines(Text(file)) {
			if strings.HasPrefix(line, "BODY ") {
				bodies++
				require.Regexp(t, body, strings.TrimSpace(line), file)
			}
		}
	}
	require.Positive(t, bodies)
}
