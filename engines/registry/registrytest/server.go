package registrytest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"idplatform/engines/registry"
	"idplatform/models"
)

// maxRequest bounds what the reference server reads: 500 identifiers are far less.
const maxRequest = 4 << 20

// Handler serves any register over the wire contract of docs/registry-adapter.md. It has request types of its
// own, written from that document, so that the adapter and the document cannot drift apart unseen.
func Handler(r registry.Register) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, req *http.Request) {
		if err := r.Ping(req.Context()); err != nil {
			refuse(w, http.StatusServiceUnavailable, "unavailable")
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /v1/citizens/lookup", func(w http.ResponseWriter, req *http.Request) { lookup(r, w, req) })
	mux.HandleFunc("POST /v1/citizens/changes", func(w http.ResponseWriter, req *http.Request) { changes(r, w, req) })
	mux.HandleFunc("POST /v1/files/read", func(w http.ResponseWriter, req *http.Request) { file(r, w, req) })
	return mux
}

func lookup(r registry.Register, w http.ResponseWriter, req *http.Request) {
	var asked struct {
		Identifiers []struct{ Type, Value string } `json:"identifiers"`
		Scopes      []string                       `json:"scopes"`
	}
	if !read(w, req, &asked) {
		return
	}
	ids := make([]models.Identifier, len(asked.Identifiers))
	for i, id := range asked.Identifiers {
		ids[i] = models.Identifier{Type: models.IdentifierType(id.Type), Value: id.Value}
	}
	people, err := r.People(req.Context(), ids, registry.BlocksOf(asked.Scopes...))
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "unavailable")
		return
	}
	answer(w, map[string]any{"citizens": people})
}

func changes(r registry.Register, w http.ResponseWriter, req *http.Request) {
	var asked struct {
		Since string `json:"since"`
		Limit int    `json:"limit"`
	}
	if !read(w, req, &asked) {
		return
	}
	page, err := r.Changes(req.Context(), registry.Cursor(asked.Since), asked.Limit)
	switch {
	case errors.Is(err, registry.ErrUnknownCursor):
		refuse(w, http.StatusBadRequest, "unknown_cursor")
	case err != nil:
		refuse(w, http.StatusServiceUnavailable, "unavailable")
	default:
		answer(w, map[string]any{"platform_ids": page.PlatformIDs, "next": page.Next, "more": page.More})
	}
}

func file(r registry.Register, w http.ResponseWriter, req *http.Request) {
	var asked struct {
		Ref string `json:"ref"`
	}
	if !read(w, req, &asked) {
		return
	}
	content, err := r.Open(req.Context(), asked.Ref)
	switch {
	case errors.Is(err, registry.ErrNoFile):
		refuse(w, http.StatusNotFound, "no_such_file")
	case err != nil:
		refuse(w, http.StatusServiceUnavailable, "unavailable")
	default:
		w.Header().Set("Content-Type", content.Type)
		w.Header().Set("Content-Length", strconv.Itoa(len(content.Bytes)))
		_, _ = w.Write(content.Bytes) // a caller who went away
	}
}

func read(w http.ResponseWriter, req *http.Request, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, req.Body, maxRequest)).Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request")
		return false
	}
	return true
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // a caller who went away
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"code": code}}) // a caller who went away
}
