package ops

// HoldRun makes x as busy as a run does, until release is called.
func HoldRun(x *Executable) (release func()) {
	y := <-x.twins.free
	return func() { x.twins.free <- y }
}
