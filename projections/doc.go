// Package projections defines the meaning of a sequence of events. A projection is a pure fold: no clock, no
// randomness, no I/O, no environment, no error. The same events in the same order always have the same state.
//
// A projection is a file: a state type, its transitions as methods, one Declare.
package projections
