package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// probeTime bounds each probe of /readyz.
const probeTime = 2 * time.Second

// health serves /healthz (the process is up) and /readyz (each part, by name). Neither needs
// authentication, and neither tells more than ok or unavailable.
func (s *Server) health() {
	s.router.GET("/healthz", func(c *gin.Context) {
		c.JSON(http.StatusOK, gin.H{"status": "ok"})
	})
	s.router.GET("/readyz", func(c *gin.Context) {
		status, parts := http.StatusOK, map[string]string{}
		for _, check := range s.cfg.Ready {
			parts[check.Name] = "ok"
			if err := probe(c.Request.Context(), check); err != nil {
				s.cfg.Log.Debug("a part is not ready", "part", check.Name, "cause", err.Error())
				parts[check.Name], status = "unavailable", http.StatusServiceUnavailable
			}
		}
		overall := "ok"
		if status != http.StatusOK {
			overall = "unavailable"
		}
		c.JSON(status, gin.H{"status": overall, "parts": parts})
	})
}

func probe(ctx context.Context, check Check) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return check.Probe(ctx)
}
