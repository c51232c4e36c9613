// Package testleak checks that the goroutines that a test started have ended.
package testleak

import (
	"runtime"
	"testing"
	"time"
)

// timeout is how long goroutines have to end: Close may return while the last of them is still on its way out.
const timeout = 10 * time.Second

// RequireGoroutines fails the test unless at most n goroutines are left. It waits for goroutines that are ending.
// Tests that run in parallel with the caller would be counted too.
func RequireGoroutines(t testing.TB, n int) {
	t.Helper()
	now := runtime.NumGoroutine()
	for end := time.Now().Add(timeout); now > n && time.Now().Before(end); now = runtime.NumGoroutine() {
		time.Sleep(time.Millisecond)
	}
	if now <= n {
		return
	}
	stacks := make([]byte, 64<<10)
	t.Fatalf("%d goroutines are left where there were %d:\n%s", now, n, stacks[:runtime.Stack(stacks, true)])
}
