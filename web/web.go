// Package web holds the templates and static files of the pages, embedded in the binary: nothing is fetched
// from elsewhere when a page is shown.
package web

import _ "embed"

// ReferenceScript is the API reference reader (Scalar 1.72.1, MIT licence, see reference/LICENSE), gzipped.
//
//go:embed reference/scalar.js.gz
var ReferenceScript []byte

// ReferencePage shows the reference of /openapi.json.
//
//go:embed reference/page.html
var ReferencePage []byte

// ReferenceBoot starts the reader; it is a file of its own so that the page needs no inline script.
//
//go:embed reference/boot.js
var ReferenceBoot []byte
