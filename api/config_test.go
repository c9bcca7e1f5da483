package api_test

import (
	"time"

	"idplatform/api"
	"idplatform/catalog"
	"idplatform/pipeline"
)

func config(caller *nobody, now time.Time) api.Config {
	empty, err := catalog.New()
	if err != nil {
		panic(err) // no operations share nothing
	}
	// What a stranger never reaches is not there at all: to reach it would be a panic.
	return api.Config{Catalog: empty, Pipeline: pipeline.New(pipeline.Config{}), Jobs: struct{ api.Jobs }{}, Files: struct{ api.Files }{},
		Callers: caller, Nonces: caller, Meter: unmetered{}, Now: func() time.Time { return now }, Log: discard()}
}
