package api

import (
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"

	"idplatform/web"
)

// contentPolicy lets the reference page load from this server only. The reader sets styles at run time.
const contentPolicy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"

// reference serves /openapi.json and the page that shows it at /docs.
func (s *Server) reference() error {
	document, err := json.MarshalIndent(document(s.cfg.Catalog), "", "  ")
	if err != nil {
		return err
	}
	s.router.GET("/openapi.json", static("application/json", document, ""))
	s.router.GET("/docs", static("text/html; charset=utf-8", web.ReferencePage, ""))
	s.router.GET("/docs/boot.js", static("text/javascript; charset=utf-8", web.ReferenceBoot, ""))
	s.router.GET("/docs/scalar.js", static("text/javascript; charset=utf-8", web.ReferenceScript, "gzip"))
	return nil
}

func static(contentType string, data []byte, encoding string) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Header("Cache-Control", "public, max-age=300")
		c.Header("Content-Security-Policy", contentPolicy)
		c.Header("X-Content-Type-Options", "nosniff")
		if encoding != "" {
			c.Header("Content-Encoding", encoding)
		}
		c.Data(http.StatusOK, contentType, data)
	}
}
