package engine

import "context"

// Streamer lets the host work ahead of an engine: its writes are ordered behind all work submitted before.
type Streamer interface {
	// Idle reports whether nothing that was submitted can still be at work.
	Idle() bool
	// Send is Write that does not wait for its turn. src may be reused on return.
	Send(ctx context.Context, dst Memory, offset int64, src []byte) error
	// Fetch asks for pieces of memory as they are once all that was submitted
	// is done, and does not wait. Close the ticket; again is nil or one that was
	// closed, whose memory the new one takes over.
	Fetch(pieces []Piece, again Ticket) (Ticket, error)
}

// Piece is a part of a memory.
type Piece struct {
	Slot
	Bytes int64
}

// Ticket is a read that Fetch started.
type Ticket interface {
	// Wait returns when all that was submitted before Fetch is done, and copies
	// the pieces to dst, in the order of Fetch. When ctx ends first, a part of dst
	// may have been written, and Wait can be called again, with the same dst.
	Wait(ctx context.Context, dst [][]byte) error
	// Close gives up values that Wait has not taken. It does not wait.
	Close() error
}
