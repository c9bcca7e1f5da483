package api

import (
	"context"
	"time"
)

// Statuses is the one map from kinds of errors to HTTP.
var Statuses = statuses

// The bounds on large bodies.
const (
	PlacesPerKey = placesPerKey
	PlacesInAll  = placesInAll
)

// Places are those of large bodies, to be waited for as long as told.
func Places(wait time.Duration) (enter func(ctx context.Context, key string) (func(), error)) {
	return newPlaces(wait).enter
}
