// Package client appends events from any process except the owner of the log: hooks, scripts, Go programs. Its Appender hands
// events to the owner, or to the spool if there is no owner, and returns when they are durable in the log or the spool (J.1).
//
// It does not link the NATS client: a hook runs at every tool call, and makes one request.
package client

import "errors"

var (
	// ErrUndelivered is returned if events could not be spooled, and no owner confirmed that it stored them. They are lost unless the
	// caller retries, or an owner stored them without answering in time.
	ErrUndelivered = errors.New("events are neither in the log nor in the spool")

	// ErrRefused is returned for an event that the owner will never store: it is malformed, too large, or of a type that only the
	// owner itself appends.
	ErrRefused = errors.New("the log refuses the event")

	// ErrPaused is returned while a person has paused the recording. No event of the report is stored.
	ErrPaused = errors.New("recording is paused")

	// ErrBusy is returned if another process owns the log.
	ErrBusy = errors.New("another process owns the log")

	// ErrNoResponders is returned if the server runs but the owner takes no requests.
	ErrNoResponders = errors.New("the owner takes no requests")
)
