// Package runner runs tasks of workers, each a command in its own process group, several at once,
// and retries those that ran into the limit of their context (S4.7). Every step is an event that
// Options.Record takes; a step counts when it is acknowledged. A run that was interrupted goes on
// from its events: see Progress.
//
// A worker writes directly into a file of the run's folder, so nothing is lost when this process
// dies. A worker starts working only after its event was acknowledged: it waits at a gate (Gate),
// which opens or ends it. A second process (Guard) holds a pipe from this one and ends every worker
// within two seconds of its death.
//
// Workers need process groups and signals: on Windows Run returns an error.
package runner
