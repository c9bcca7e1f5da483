package e2e_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
	"idplatform/models"
)

func TestWire_TimestampWindow(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	for _, c := range []struct {
		offset int64
		ok     bool
	}{{0, true}, {-299, true}, {299, true}, {-302, false}, {302, false}, {-86400, false}, {86400, false}} {
		t.Run(fmt.Sprint(c.offset), func(t *testing.T) {
			request := app.Request(http.MethodPost, validations, text(t, kyc(0, nil)))
			request.Set("X-Platform-Timestamp", strconv.FormatInt(p.Clock.Now().Unix()+c.offset, 10)).Seal().Sign()
			if answer := p.Send(request); c.ok {
				require.Equal(t, 200, answer.Status)
			} else {
				unauthenticated(t, answer, "timestamp_out_of_window")
			}
		})
	}
}

func TestWire_NonceReused(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		app := p.NewApplication()
		beside := p.Beside()

		t.Run("SameInstance", func(t *testing.T) {
			request := signed(t, app)
			require.Equal(t, 200, p.Send(request).Status)
			unauthenticated(t, p.Send(request), "nonce_reused")
		})
		t.Run("OtherInstance", func(t *testing.T) {
			request := signed(t, app)
			require.Equal(t, 200, p.Send(request).Status)
			unauthenticated(t, beside.Send(request), "nonce_reused")
		})
		t.Run("OtherRequest", func(t *testing.T) {
			request, other := signed(t, app), app.Request(http.MethodGet, validations+"/kyc_x", nil)
			require.Equal(t, 200, p.Send(request).Status)
			unauthenticated(t, p.Send(other.Set("X-Platform-Nonce", request.Nonce).Sign()), "nonce_reused")
		})
		t.Run("OtherCase", func(t *testing.T) {
			request, other := signed(t, app), app.Request(http.MethodGet, validations+"/kyc_x", nil)
			require.Equal(t, 200, p.Send(request).Status)
			unauthenticated(t, p.Send(other.Set("X-Platform-Nonce", strings.ToUpper(request.Nonce)).Sign()), "nonce_reused")
		})
		t.Run("OfARefusedRequest", func(t *testing.T) {
			request := app.Signed(http.MethodPost, validations, []byte(`{}`))
			requireRefused(t, p.Send(request), http.StatusBadRequest, "invalid_request", true)
			unauthenticated(t, p.Send(request), "nonce_reused")
		})
		t.Run("FreshForOtherApplication", func(t *testing.T) {
			request, other := signed(t, app), p.NewApplication().Request(http.MethodGet, validations+"/kyc_x", nil)
			require.Equal(t, 200, p.Send(request).Status)
			requireRefused(t, p.Send(other.Set("X-Platform-Nonce", request.Nonce).Sign()), http.StatusNotFound, "not_found", true)
		})
		t.Run("NotSpentByBadSignature", func(t *testing.T) {
			request := signed(t, app)
			right := request.Get("X-Platform-Signature")
			unauthenticated(t, p.Send(request.Set("X-Platform-Signature", flipped(right))), "invalid_signature")
			require.Equal(t, 200, p.Send(request.Set("X-Platform-Signature", right)).Status)
		})
		t.Run("OnceOfManyAtOnce", func(t *testing.T) {
			request := signed(t, app)
			var accepted sync.Map
			var all sync.WaitGroup
			for i := range 12 {
				all.Go(func() {
					instance := p
					if i%2 == 1 {
						instance = beside
					}
					if answer, err := instance.Connect("").Send(request); err == nil && answer.Status == 200 {
						accepted.Store(i, true)
					}
				})
			}
			all.Wait()
			n := 0
			accepted.Range(func(any, any) bool { n++; return true })
			require.Equal(t, 1, n)
		})
	})
}

func TestWire_NonceRememberedOverRestarts(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		app := p.NewApplication()
		// The longest that a request can be replayed: stamped ahead as far as allowed.
		request := app.Request(http.MethodPost, validations, text(t, kyc(0, nil)))
		request.Set("X-Platform-Timestamp", strconv.FormatInt(p.Clock.Now().Unix()+299, 10)).Seal().Sign()
		require.Equal(t, 200, p.Send(request).Status)
		p = p.Restart()
		unauthenticated(t, p.Send(request), "nonce_reused")

		p.Clock.Advance(597 * time.Second)
		_, err := p.Store().Nonces.Purge(t.Context(), models.At(p.Clock.Now()), 1000)
		require.NoError(t, err)
		unauthenticated(t, p.Send(request), "nonce_reused")

		p.Clock.Advance(10 * time.Second)
		unauthenticated(t, p.Send(request), "timestamp_out_of_window")
		purged, err := p.Store().Nonces.Purge(t.Context(), models.At(p.Clock.Now().Add(10*time.Minute)), 1000)
		require.NoError(t, err)
		require.EqualValues(t, 1, purged)
	})
}
