package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"idplatform/engines/registry"
	"idplatform/models"
)

// serveBare serves a gin engine with one handler and nothing around it on a loopback address.
func serveBare(at *place, handle gin.HandlerFunc) (address string, err error) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.POST(kycPath, handle)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: engine}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	at.onClose(func() error {
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	})
	return listener.Addr().String(), nil
}

// constant answers with as many bytes as the platform does, and nothing else.
func constant(size int) gin.HandlerFunc {
	body := []byte(strings.Repeat("x", size))
	return func(c *gin.Context) {
		if _, err := io.Copy(io.Discard, c.Request.Body); err != nil {
			c.Status(http.StatusBadRequest)
			return
		}
		c.Data(http.StatusOK, "application/json", body)
	}
}

// queries is constant with the look-up in the register that the platform makes for a call.
func queries(p *platform, blocks registry.Blocks, size int) gin.HandlerFunc {
	answer := constant(size)
	var calls atomic.Int64
	return func(c *gin.Context) {
		id := p.people[int(calls.Add(1))%len(p.people)]
		found, err := p.app.Register.People(c.Request.Context(), []models.Identifier{id}, blocks)
		if err != nil || found[0] == nil {
			c.Status(http.StatusInternalServerError)
			return
		}
		answer(c)
	}
}
