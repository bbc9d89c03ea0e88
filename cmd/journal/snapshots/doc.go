// Package snapshots keeps snapshots of lanes as files beside a store. They are a
// cache: with all of them deleted, cut or changed, every answer is the same and
// comes later.
package snapshots
