// Package runner runs tasks of workers, each a command in a process group of its own, some at once,
// and tries those again that ran into the limit of their context (S4.7). Every step is an event that
// Options.Record takes; a step counts when it was acknowledged. A run that ended in the middle goes
// on from its events: see Progress.
//
// What a worker writes goes into a file of the run's folder and not through this process, so that
// nothing of it is lost when this process dies. A worker does nothing before the event that tells of
// it was acknowledged: it waits at a gate (Gate), which opens for it or ends it. A second process
// (Guard) holds a pipe from this one and ends every worker within two seconds of its death.
//
// Workers need process groups and signals: on Windows Run gives an error.
package runner
