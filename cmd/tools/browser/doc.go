// Package browser drives the pages of journal ui in a real browser, with the real program and
// its hooks: make e2e-ui. Only its tests do anything, so that no program links a browser's
// protocol.
package browser
