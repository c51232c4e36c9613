package serve

// waitPolicy tells whether to wait for more requests to batch: of waits that brought nothing, as with one client that sends its next
// request when it has the answer, most are left out.
type waitPolicy struct {
	fruitless float64 // how often waits brought nothing, of late: the last one counts a quarter
	left      int     // waits left out since one was tried
}

const (
	givenUp  = 7.0 / 8 // from there on waits are left out
	tryAgain = 128     // but one in so many
)

// worth reports whether the next batch shall wait.
func (p *waitPolicy) worth() bool {
	if p.fruitless < givenUp {
		return true
	}
	if p.left++; p.left < tryAgain {
		return false
	}
	p.left = 0
	return true
}

// note learns from a wait.
func (p *waitPolicy) note(brought bool) {
	p.fruitless *= 0.75
	if !brought {
		p.fruitless += 0.25
	}
}
