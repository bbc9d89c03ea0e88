// Package all links the projections that stand in packages of their own, so that
// projections.All lists every one.
package all

import (
	_ "journal/projections/compilation"
	_ "journal/projections/workers"
)
