package webhooks_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/models"
	"idplatform/platform/access"
)

// counting shows files with another address each time.
type counting struct{ shown atomic.Int64 }

func (c *counting) Show(_ context.Context, stored []byte) ([]byte, error) {
	return []byte(strings.ReplaceAll(string(stored), `"$file":"x"`, `"url":"https://files/`+strconv.FormatInt(c.shown.Add(1), 10)+`"`)), nil
}

func TestAttempt_FilesAreShownAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, database.SQLite)
	w.files = &counting{}
	tn := w.tenant(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(500) })
	p := w.process()
	id, err := p.recorder.Record(t.Context(), tn.ID, models.EventJobCompleted, json.RawMessage(`{"image":{"$file":"x"}}`), nil)
	require.NoError(t, err)
	tn.await(id, attempted)
	w.clock.advance(time.Minute)
	tn.attempt(p, id)
	for i, h := range tn.receiver.hooks() {
		require.Contains(t, string(h.body), `"url":"https://files/`+strconv.Itoa(i+1)+`"`)
		tn.verify(t, h, tn.creds.EncryptionKey)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(nil)
		p := w.process()
		send := func() hook {
			tn.await(tn.record(p.recorder), delivered)
			hooks := tn.receiver.hooks()
			return hooks[len(hooks)-1]
		}
		signedWith := func(h hook, counts access.Credentials, standard ...access.Credentials) {
			t.Helper()
			tn.verify(t, h, counts.EncryptionKey)
			signatures := strings.Fields(h.header.Get("webhook-signature"))
			require.Len(t, signatures, len(standard))
			for _, c := range standard {
				require.NoError(t, standardVerify(c.EncryptionKey, h.header, h.body, w.clock.Now()))
			}
		}
		first := tn.creds
		signedWith(send(), first, first)

		second, err := w.admin.Rotate(t.Context(), tn.Application, time.Hour)
		require.NoError(t, err)
		signedWith(send(), first, first, second) // nobody has used the new one

		pairs, err := w.store.Applications.KeyPairs(t.Context(), tn.ID)
		require.NoError(t, err)
		meter := access.NewMeter(w.store.Applications, nil)
		require.NoError(t, meter.Spend(t.Context(), tn.ID, &access.Pair{ID: pairs[0].ID}, 1)) // a verified request
		signedWith(send(), second, first, second)
		w.clock.advance(61 * time.Minute)
		signedWith(send(), second, second)

		third, err := w.admin.Rotate(t.Context(), tn.Application, time.Hour)
		require.NoError(t, err)
		signedWith(send(), second, second, third)
		w.clock.advance(61 * time.Minute) // never used, but the overlap has ended
		signedWith(send(), third, third)
	})
}
