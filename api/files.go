package api

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// Files serves signed URLs of files; what goes wrong is left to fail.
type Files interface {
	Handler(fail func(w http.ResponseWriter, r *http.Request, err error)) http.Handler
}

// filesPath is where signed URLs point. The token that follows is the authentication: such a URL is fetched
// by a plain GET, without signature or encryption.
const filesPath = "/files/*token"

func (s *Server) files() {
	serve := func(c *gin.Context) {
		handler := s.cfg.Files.Handler(func(_ http.ResponseWriter, _ *http.Request, err error) { s.newExchange(c).fail(err) })
		handler.ServeHTTP(c.Writer, c.Request)
	}
	s.router.GET(filesPath, serve)
	s.router.HEAD(filesPath, serve)
}
