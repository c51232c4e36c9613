// Package work has the workers that run the tasks of the CPU engine, their memory, and the rules by which work is cut among them.
package work
