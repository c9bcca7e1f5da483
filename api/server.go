// Package api is the HTTP face of the platform. Requests to /v1 are signed and encrypted (authenticate.go),
// handled by one generic handler a mode for every operation of the catalog (operations.go), and answered
// in one place (exchange.go), where errors become HTTP statuses (errors.go).
package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/pipeline"
	"idplatform/platform/access"
	"idplatform/platform/wire"
)

// Callers finds who bears a key id; strangers are callers too, whom no signature fits.
type Callers interface {
	Find(ctx context.Context, keyID string, now models.Timestamp) (*access.Caller, error)
}

// Nonces remembers a nonce and reports whether it was fresh.
type Nonces interface {
	Spend(ctx context.Context, app models.ApplicationID, nonce []byte, until models.Timestamp) (fresh bool, err error)
}

// Meter counts messages under an encryption key; access.ErrKeyWornOut when it has had all it may.
type Meter interface {
	Spend(ctx context.Context, app models.ApplicationID, pair *access.Pair, n int64) error
}

// Check is one part of the platform that must answer for the platform to be ready.
type Check struct {
	Name  string
	Probe func(context.Context) error
}

// Config is what the API works with.
type Config struct {
	Catalog  *catalog.Catalog
	Pipeline *pipeline.Pipeline
	Jobs     Jobs
	Files    Files
	Events   Events
	Callers  Callers
	Nonces   Nonces
	Meter    Meter
	// Ready lists the parts that /readyz asks.
	Ready []Check
	// Livemode is true in production: no canonical string in errors.
	Livemode bool
	// Limits is false only for load tests (dev --no-limits).
	Limits bool
	// SpoolDir is where large bodies are spooled; empty means the system's temporary folder.
	SpoolDir string
	// TrustedProxies are addresses or networks whose X-Forwarded-For is believed.
	TrustedProxies []string
	Now            func() time.Time
	Log            *slog.Logger
}

// Server serves the API.
type Server struct {
	cfg    Config
	guard  *guard
	spools *places
	router *gin.Engine
}

// New builds the routes.
func New(cfg Config) (*Server, error) {
	gin.SetMode(gin.ReleaseMode)
	s := &Server{cfg: cfg, guard: newGuard(), spools: newPlaces(placeTime), router: gin.New()}
	s.router.HandleMethodNotAllowed = true
	s.router.RedirectTrailingSlash = false
	if err := s.router.SetTrustedProxies(cfg.TrustedProxies); err != nil {
		return nil, err
	}
	s.router.Use(s.requestID, s.logRequest, s.recoverPlain)
	s.health()
	s.files()
	s.operations()
	s.asynchronous()
	s.events()
	if err := s.reference(); err != nil {
		return nil, err
	}
	s.router.NoRoute(s.unknown(errs.New(errs.NotFound)))
	s.router.NoMethod(s.unknown(errs.New(errs.MethodNotAllowed)))
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.router.ServeHTTP(w, r) }

const requestIDKey = "request_id"

func (s *Server) requestID(c *gin.Context) {
	id := models.NewID("req_", s.cfg.Now())
	c.Set(requestIDKey, id)
	c.Header(wire.HeaderRequestID, id)
}

// logRequest writes a line a request: the route's pattern, never the address as sent, which may hold a token.
func (s *Server) logRequest(c *gin.Context) {
	start := s.cfg.Now()
	c.Next()
	s.cfg.Log.Debug("request", "request_id", c.GetString(requestIDKey), "method", c.Request.Method,
		"route", c.FullPath(), "status", c.Writer.Status(), "took", s.cfg.Now().Sub(start))
}

// recoverPlain answers a panic outside a signed exchange.
func (s *Server) recoverPlain(c *gin.Context) {
	defer s.newExchange(c).recover()
	c.Next()
}

const (
	headerAllow = "Allow"
	allowKey    = "allow"
)

// unknown answers what no route serves. Under /v1 the request is authenticated first, so that a stranger
// learns nothing of the routes there, nor of their methods: the Allow that the router sets waits as well.
func (s *Server) unknown(refusal *errs.Error) gin.HandlerFunc {
	signed := s.signed(singleLimit, func(x *exchange) (answer, error) {
		x.gin.Header(headerAllow, x.gin.GetString(allowKey)) // an empty one is none
		return answer{}, refusal
	})
	return func(c *gin.Context) {
		if path := c.Request.URL.Path; path == "/v1" || len(path) > 3 && path[:4] == "/v1/" {
			c.Set(allowKey, c.Writer.Header().Get(headerAllow))
			c.Writer.Header().Del(headerAllow)
			signed(c)
			return
		}
		s.newExchange(c).fail(refusal)
	}
}
