package platform

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/units"
)

func BenchmarkOpenWithAWarmCache(b *testing.B) {
	d := device(b)
	_, err := d.Caps(b.Context())
	require.NoError(b, err)
	for b.Loop() {
		o, err := d.Open(context.Background(), nil)
		require.NoError(b, err)
		require.NoError(b, o.Close())
	}
}

func BenchmarkAllocFromThePool(b *testing.B) {
	o := fresh(b, nil, nil)
	b.ReportAllocs()
	for b.Loop() {
		m, err := o.Alloc(1 << 16)
		require.NoError(b, err)
		require.NoError(b, m.Close())
	}
}

func BenchmarkWait(b *testing.B) {
	o := fresh(b, nil, nil)
	for name, ctx := range map[string]context.Context{"direct": context.Background(), "context": b.Context()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, o.Wait(ctx))
			}
		})
	}
}

func BenchmarkTransfer(b *testing.B) {
	o := fresh(b, nil, nil)
	for _, n := range []int{4 << 10, 1 << 20, 64 << 20} {
		m, err := o.Alloc(int64(n))
		require.NoError(b, err)
		host := randomBytes(n)
		for _, write := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/%s", map[bool]string{true: "write", false: "read"}[write], units.Bytes(int64(n))), func(b *testing.B) {
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					if write {
						err = o.Write(context.Background(), m, 0, host)
					} else {
						err = o.Read(context.Background(), host, m, 0)
					}
					require.NoError(b, err)
				}
			})
		}
		require.NoError(b, m.Close())
	}
}

func BenchmarkProgramFromMemory(b *testing.B) {
	o := fresh(b, nil, nil)
	src := scale(50)
	b.ReportAllocs()
	for b.Loop() {
		_, err := o.Program(context.Background(), "scale.cl", src, "")
		require.NoError(b, err)
	}
}
