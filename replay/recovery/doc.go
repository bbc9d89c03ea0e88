// Package recovery says what an agent is told: what it has to know again after its context was
// compacted, as an agent, a person or a program reads it, and the short texts at a start, at the end
// of a turn and when the context fills up.
//
// It is pure: what it tells follows from folds and from the facts that it is handed, within limits
// that its caller knows. It reads no clock and does no I/O.
package recovery
