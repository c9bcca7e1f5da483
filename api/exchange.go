package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"idplatform/errs"
	"idplatform/platform/access"
	"idplatform/platform/wire"
)

// exchange is one request on its way to its answer. Once pair is set the request is authenticated, and
// everything that is answered is encrypted.
type exchange struct {
	server *Server
	gin    *gin.Context
	id     string
	nonce  string
	caller *access.Caller
	pair   *access.Pair
	// body is the plaintext; nil when the request had none.
	body []byte
	// leave gives back the place of a large body; nil when there is none.
	leave func()
	// unread tells that a part of the body was left on the connection.
	unread bool
}

// answer is what a handler gives back: a status and a JSON body.
type answer struct {
	status int
	body   []byte
	header http.Header
}

// handler serves an authenticated request: it binds, calls and gives back the answer or an error, which is
// rendered in one place.
type handler func(x *exchange) (answer, error)

// signed makes a gin handler of one that wants a signed request with a body of at most limit bytes.
func (s *Server) signed(limit int64, h handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		x := s.newExchange(c)
		defer x.done()
		defer x.recover()
		if err := x.authenticate(limit); err != nil {
			x.fail(err)
			return
		}
		out, err := h(x)
		if err != nil {
			x.fail(err)
			return
		}
		x.write(out)
	}
}

// done gives back what the exchange held until its answer was written.
func (x *exchange) done() {
	if x.leave != nil {
		x.leave()
	}
}

func (s *Server) newExchange(c *gin.Context) *exchange {
	return &exchange{server: s, gin: c, id: c.GetString(requestIDKey)}
}

// log names the request, and the caller once it is known. It is made when it is needed: most requests have
// nothing to log.
func (x *exchange) log() *slog.Logger {
	log := x.server.cfg.Log.With("request_id", x.id)
	if x.caller != nil {
		log = log.With("application", string(x.caller.ApplicationID))
	}
	return log
}

// fail renders an error.
func (x *exchange) fail(err error) {
	log := x.log()
	if ctx := x.gin.Request.Context(); errors.Is(err, context.Canceled) && ctx.Err() != nil {
		// A caller who hung up is no fault of ours, and nobody reads the answer.
		log.Debug("the caller left before the answer", "cause", err.Error())
		log = slog.New(slog.DiscardHandler)
	}
	status, body, header := x.server.errorBody(err, x.id, log)
	if x.unread || status == http.StatusRequestEntityTooLarge && x.pair == nil {
		header.Set("Connection", "close") // the rest of the body is not read
	}
	x.write(answer{status: status, body: body, header: header})
}

// write sends an answer: encrypted when the request was authenticated, else in plain.
func (x *exchange) write(out answer) {
	header := x.gin.Writer.Header()
	for name, values := range out.header {
		header[name] = values
	}
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	body := out.body
	if x.pair != nil {
		var iv string
		iv, body = x.pair.Key.Seal(out.body, wire.ResponseAAD(x.nonce, out.status))
		header.Set(wire.HeaderIV, iv)
	}
	header.Set("Content-Length", strconv.Itoa(len(body))) // or a long one would go out in chunks
	x.gin.Writer.WriteHeader(out.status)
	if _, err := x.gin.Writer.Write(body); err != nil {
		x.log().Debug("the caller left before the answer", "cause", err.Error())
	}
}

// recover turns a panic into internal_error. The panic's value is not logged, for it may hold personal data.
func (x *exchange) recover() {
	r := recover()
	if r == nil {
		return
	}
	x.log().Error("a handler panicked", "route", x.gin.FullPath(), "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
	if !x.gin.Writer.Written() {
		x.fail(errs.New(errs.InternalError))
	}
}

// keyed wants an Idempotency-Key to be a UUID on a POST that is no operation; for operations the pipeline does,
// after it has looked whether the service is enabled.
func keyed(h handler) handler {
	return func(x *exchange) (answer, error) {
		key := strings.TrimSpace(x.gin.Request.Header.Get(wire.HeaderIdempotencyKey))
		if key != "" && !wire.IsUUID(key) {
			return answer{}, errs.Invalid(errs.Field{Field: wire.HeaderIdempotencyKey, Problem: "must be a UUID"})
		}
		return h(x)
	}
}

// noBody refuses a body on a request that takes none.
func (x *exchange) noBody() error {
	if len(x.body) > 0 {
		return errs.Invalid(errs.Field{Field: "body", Problem: "is not taken by this request: send none"})
	}
	return nil
}
