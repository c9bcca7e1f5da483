package e2e_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
	"idplatform/models"
)

// Many at once, over two instances: one is executed, the others get its answer or are told to wait for it.
func TestOnce_ManyAtOnce(t *testing.T) {
	t.Parallel()
	for name, batch := range map[string]bool{"Single": false, "Batch": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
				const callers, rounds = 32, 4
				target, body, made := validations, any(kyc(0, nil)), 1
				if batch {
					target, body, made = validations+"/batches", object{"items": []any{kyc(0, object{"reference": "1"}), kyc(1, object{"reference": "2"})}}, 2
				}
				instances := []*e2etest.Platform{p, p.Beside()}
				a := p.NewApplication()
				for round := range rounds {
					key := uuid.NewString()
					answers := make([]*e2etest.Answer, callers)
					var all sync.WaitGroup
					for i := range callers {
						at := instances[i%2]
						all.Go(func() { answers[i] = once(t, at, a.At(at), key, target, body) })
					}
					all.Wait()
					requireOneExecuted(t, answers)
					requireRows(t, p, a, (round+1)*made)
				}
			})
		})
	}
}

func requireOneExecuted(t *testing.T, answers []*e2etest.Answer) {
	t.Helper()
	var first *e2etest.Answer
	for _, answer := range answers {
		if answer.Status == http.StatusOK && answer.First("Idempotent-Replayed") == "" {
			require.Nil(t, first, "two were executed")
			first = answer
		}
	}
	require.NotNil(t, first, "one is executed")
	for _, answer := range answers {
		switch {
		case answer == first:
		case answer.Status == http.StatusOK:
			requireReplay(t, first, answer)
		default:
			problem := requireRefused(t, answer, http.StatusConflict, "idempotency_conflict", true)
			wait, err := time.ParseDuration(problem.RetryAfter)
			require.NoError(t, err)
			require.Positive(t, wait)
			require.NotEmpty(t, answer.First("Retry-After"))
		}
	}
}

// A caller who leaves before the answer, at any moment, comes back to an answer, and one only.
func TestOnce_CallerGoneBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	eachWithEcho(t, func(t *testing.T, p *e2etest.Platform, e *echo) {
		a := p.NewApplication()

		t.Run("BeforeTheCommit", func(t *testing.T) {
			key := uuid.NewString()
			conn := leave(t, p, keyed(t, a, key, echoes, say("wait")))
			<-e.waiting
			requireRefused(t, once(t, p, a, key, echoes, say("wait")), http.StatusConflict, "idempotency_conflict", true)
			conn.Close()
			e.goOn <- struct{}{}
			requireComesBack(t, p, a, e, key)
			requireRows(t, p, a, 1)
		})
		t.Run("AfterTheCommit", func(t *testing.T) {
			key := uuid.NewString()
			conn := leave(t, p, keyed(t, a, key, echoes, say("wait")))
			<-e.waiting
			e.goOn <- struct{}{}
			require.Eventually(t, func() bool { n, _ := rows(t, p, a); return n == 2 }, 10*time.Second, fastPoll)
			conn.Close()
			require.Equal(t, "true", requireComesBack(t, p, a, e, key).First("Idempotent-Replayed"))
			requireRows(t, p, a, 2)
		})
	})
}

// leave sends a request on a connection that nobody will read.
func leave(t *testing.T, p *e2etest.Platform, r *e2etest.Request) *e2etest.Conn {
	t.Helper()
	conn := p.Connect("")
	require.NoError(t, conn.Write(append(r.Head("Content-Length: "+strconv.Itoa(len(r.Body))+"\r\n"), r.Body...)))
	return conn
}

// requireComesBack repeats a request that waits until it is answered, and lets it go on when it is executed again.
func requireComesBack(t *testing.T, p *e2etest.Platform, a *e2etest.Application, e *echo, key string) (answer *e2etest.Answer) {
	t.Helper()
	stop, stopped := make(chan struct{}), make(chan struct{})
	defer func() { close(stop); <-stopped }()
	go func() {
		defer close(stopped)
		for {
			select {
			case <-e.waiting:
				e.goOn <- struct{}{}
			case <-stop:
				return
			}
		}
	}()
	require.Eventually(t, func() bool {
		answer = once(t, p, a, key, echoes, say("wait"))
		return answer.Status != http.StatusConflict
	}, 10*time.Second, fastPoll)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	return answer
}

func TestOnce_OverARestart(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a, key := p.NewApplication(), uuid.NewString()
		first := once(t, p, a, key, validations, kyc(0, nil))
		require.Equal(t, http.StatusOK, first.Status)
		p = p.Restart()
		a = a.At(p)
		requireReplay(t, first, once(t, p, a, key, validations, kyc(0, nil)))
		requireRows(t, p, a, 1)
	})
}

// The lock of a process that died ends by itself, for the same request.
func TestOnce_HolderDied(t *testing.T) {
	t.Parallel()
	eachWithEcho(t, func(t *testing.T, p *e2etest.Platform, e *echo) {
		a, key := p.NewApplication(), uuid.NewString()
		// A request that breaks off between lock and answer leaves what this one leaves, made into a lock again.
		first := once(t, p, a, key, echoes, say("yes"))
		require.Equal(t, http.StatusOK, first.Status)
		until := models.At(p.Clock.Now().Add(time.Minute))
		n, err := p.Store().DB().Exec(t.Context(), "UPDATE idempotency_keys SET answer = NULL, holder = 'req_dead', locked_until = ?", until)
		require.NoError(t, err)
		require.Equal(t, int64(1), n)

		requireRefused(t, once(t, p, a, key, echoes, say("yes")), http.StatusConflict, "idempotency_conflict", true)
		p.Clock.Advance(55 * time.Second)
		requireRefused(t, once(t, p, a, key, echoes, say("yes")), http.StatusConflict, "idempotency_conflict", true)
		p.Clock.Advance(6 * time.Second)
		requireRefused(t, once(t, p, a, key, echoes, say("invalid")), http.StatusUnprocessableEntity, "idempotency_key_reused", true)
		second := once(t, p, a, key, echoes, say("yes"))
		require.Equal(t, http.StatusOK, second.Status)
		require.Empty(t, second.First("Idempotent-Replayed"))
		requireReplay(t, second, once(t, p, a, key, echoes, say("yes")))
		require.Equal(t, int64(2), e.asked.Load())
	})
}

// A holder that was only slow, and comes to its commit when somebody else has its lock, undoes what it did.
func TestOnce_LateHolderIsUndone(t *testing.T) {
	t.Parallel()
	eachWithEcho(t, func(t *testing.T, p *e2etest.Platform, e *echo) {
		a, key := p.NewApplication(), uuid.NewString()
		late, next := make(chan *e2etest.Answer, 1), make(chan *e2etest.Answer, 1)
		go func() { late <- once(t, p, a, key, echoes, say("wait")) }()
		<-e.waiting
		p.Clock.Advance(61 * time.Second)
		go func() { next <- once(t, p, a, key, echoes, say("wait")) }()
		<-e.waiting
		e.goOn <- struct{}{} // one of the two
		e.goOn <- struct{}{} // and the other
		requireRefused(t, <-late, http.StatusConflict, "idempotency_conflict", true)
		kept := <-next
		require.Equal(t, http.StatusOK, kept.Status, "%s", kept.Body)
		requireRows(t, p, a, 1)
		requireReplay(t, kept, once(t, p, a, key, echoes, say("wait")))
	})
}

// What is remembered of a request tells nobody what it was about, and opens in no other place.
func TestOnce_SealedAtRest(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a, b, key, other := p.NewApplication(), p.NewApplication(), uuid.NewString(), uuid.NewString()
		first := once(t, p, a, key, validations, kyc(0, nil))
		require.Equal(t, http.StatusOK, first.Status)
		require.Equal(t, http.StatusOK, once(t, p, a, other, validations, kyc(1, nil)).Status)
		require.Equal(t, http.StatusOK, once(t, p, b, key, validations, kyc(0, nil)).Status)
		db := p.Store().DB()
		name := func(key string) string { return "'" + string(a.ID) + "' AND key = " + blob(db.Driver, key) }
		for what, from := range map[string]string{
			"OtherKey":         name(other),
			"OtherApplication": "'" + string(b.ID) + "' AND key = " + blob(db.Driver, key),
		} {
			_, err := db.Exec(t.Context(), "UPDATE idempotency_keys SET answer = (SELECT answer FROM idempotency_keys WHERE application_id = "+
				from+") WHERE application_id = "+name(key))
			require.NoError(t, err, what)
			requireRefused(t, once(t, p, a, key, validations, kyc(0, nil)), http.StatusInternalServerError, "internal_error", true)
		}
	})
}

// blob is a UUID as the databases write the bytes of one.
func blob(driver any, key string) string {
	digits := strings.ReplaceAll(key, "-", "")
	if driver == databaseDriver("postgres") {
		return `'\x` + digits + `'`
	}
	return "x'" + digits + "'"
}
