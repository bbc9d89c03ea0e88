// Package hubcopy joins a laptop to its team's hub: it keeps the copy of the log that the hub may have
// (team.Copy), and has the hub mirror it.
//
// The log and its server have no part in it. The copy is a stream of a second server in the same
// process, with a store of its own, which derives from the log and is thrown away whenever in doubt.
// Only that server is joined to the hub, as a leaf node whose account LINK sees nothing of it but
// what its copy's consumer needs (fence). Nothing here is waited for by anybody: what goes wrong is
// logged and told by [team.Status].
//
// The parts: linkServer is the server and its connections; copier derives the copy from the log;
// hub asks for what is to be done at the hub; Run brings them together.
package hubcopy
