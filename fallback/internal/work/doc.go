// Package work is what the tasks of the CPU engine run on: workers, the memory that they have, and how work is cut among them.
package work
