// Package blocks reads the message blocks of a JetStream file store without the
// server, and changes nothing.
//
// Scan exists because the server, opening a store whose index is stale, truncates a
// block at its first bad record, and removes a whole stream when it cannot open one of
// its files: a store has to be looked at before the server gets it.
// Reader reads beside the running server, because that is faster than asking it.
//
// The format is that of nats-server 2.12 to 2.15; testdata/stores holds a store of
// each version that was checked. A store of another format is called unknown, never
// damaged.
package blocks
