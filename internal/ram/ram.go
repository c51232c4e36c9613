// Package ram knows how much memory the machine has. Go ends the process when an allocation cannot
// be met, so one that can never be met has to be refused before.
package ram

import (
	"fmt"
	"sync"
)

// memory is the memory and swap of the machine in bytes, 0 where it is unknown.
var memory = sync.OnceValue(total)

// Check refuses n bytes that the machine does not have at all.
func Check(n int64) error {
	if all := memory(); n < 0 || all > 0 && n > all || int64(int(n)) != n {
		return fmt.Errorf("%d bytes are more than the %d of this machine", n, all)
	}
	return nil
}
