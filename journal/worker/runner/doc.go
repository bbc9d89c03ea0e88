// Package runner runs tasks of workers, each a command in its own process group, several at once,
// and retries those that reached the limit of their context (S4.7). Options.Record appends every step
// as an event, and a step counts when its event is durable. An interrupted run is resumed from its
// events: see Progress.
//
// A worker writes directly into a file of the run's folder, so that nothing is lost if this process
// dies. A worker begins only after its event is durable: until then it waits at a gate (Gate). A
// second process (Guard) reads a pipe from this one, and ends every worker within two seconds of this
// process's death.
//
// Workers need process groups and signals: on Windows Run returns an error.
package runner
