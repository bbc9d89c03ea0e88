// Package hub writes what a team's hub needs: the configuration that nats-server takes, with an
// account for each member, and the invitations. Nothing of ours runs at a hub.
//
// A hub is a directory of whoever runs it: hub.json is what is known, with the keys of the hub
// itself; NODE.conf is for each server; accounts.conf is for all of them, and written again with
// every change. A server takes a change with "nats-server --signal reload".
//
// The accounts: M_NAME is a member's, holds the copies of their journals, and lets TEAM look at
// them; ROSTER holds who is in the team, and lets TEAM ask that; TEAM is where members read, and holds
// nothing; SYS is the servers' own. No member can name another's account, whatever they are permitted
// in their own.
package hub
