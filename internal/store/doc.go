// Package store keeps the state of variables: tensors that outlive a run, and that are
// in the memory of several engines at once.
package store
