// Package projections defines the meaning of a sequence of events. A projection is a pure fold: no clock, no
// randomness, no I/O, no environment, no error. The same events in the same order always produce the same state.
//
// Each projection has a file of its own, with a state type, its transitions as methods, and one Declare.
package projections
