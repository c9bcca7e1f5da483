package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
	"idplatform/errs"
)

// seedVariable names the environment variable that repeats a run; without it each run is another.
const seedVariable = "PLATFORM_TEST_SEED"

const hostileWorkers = 8

// Twenty thousand bad requests over every endpoint: none is our fault, each has a code of the catalogue, and none is told
// anything of the inside.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	for driver, n := range map[string]int{"sqlite": 20_000, "postgres": 4_000} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			seed := uint64(time.Now().UnixNano())
			if named := os.Getenv(seedVariable); named != "" {
				var err error
				seed, err = strconv.ParseUint(named, 10, 64)
				require.NoError(t, err)
			}
			t.Logf("%s=%d repeats this run", seedVariable, seed)
			p := e2etest.Start(t, e2etest.Options{Driver: databaseDriver(driver)})
			newAttack(p, seed).run(t, n)
			for line := range strings.Lines(p.Logs()) {
				if strings.Contains(line, "level=ERROR") && !strings.Contains(line, "code="+string(errs.AsyncUnavailable)) {
					t.Fatalf("the platform blames itself: %s", line)
				}
			}
		})
	}
}

// attack is a run of bad requests.
type attack struct {
	platform *e2etest.Platform
	seed     uint64
	routes   []e2etest.Route
	apps     []*e2etest.Application
	next     atomic.Int64
	mu       sync.Mutex
	answers  map[string]int
}

func newAttack(p *e2etest.Platform, seed uint64) *attack {
	return &attack{platform: p, seed: seed, routes: p.Document().Routes(), answers: map[string]int{},
		apps: []*e2etest.Application{p.NewApplicationWith(granted(p, fileScopes...)), p.NewApplicationWith(granted(p, append(fileScopes, "kyc.emails")...))}}
}

func (a *attack) run(t *testing.T, n int) {
	t.Helper()
	start := time.Now()
	var all sync.WaitGroup
	for range hostileWorkers {
		all.Go(func() {
			connection := a.platform.Connect("")
			for i := a.next.Add(1); i <= int64(n) && !t.Failed(); i = a.next.Add(1) {
				a.one(t, connection, i)
			}
		})
	}
	all.Wait()
	t.Logf("%d requests in %s: %v", n, time.Since(start).Round(time.Millisecond), a.answers)
	require.Greater(t, a.answers["invalid_request"], n/50, "the bodies reach the checks")
	require.Greater(t, a.answers["invalid_signature"], n/200)
}

func (a *attack) one(t *testing.T, connection *e2etest.Conn, i int64) {
	r := rand.New(rand.NewPCG(a.seed, uint64(i)))
	request := a.request(r)
	answer, err := connection.Send(request)
	if err != nil {
		t.Errorf("request %d: %v\n%s", i, err, shown(request))
		return
	}
	code, fault := judged(request, answer)
	if fault != "" {
		t.Errorf("request %d: %s\n%s\n%d %.2000s", i, fault, shown(request), answer.Status, answer.Body)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[code]++
}

// request makes a request from chance alone.
func (a *attack) request(r *rand.Rand) *e2etest.Request {
	route := a.routes[r.IntN(len(a.routes))]
	for range 2 { // those with a body have the most to get wrong
		if !route.TakesBody() {
			route = a.routes[r.IntN(len(a.routes))]
		}
	}
	app := a.apps[r.IntN(len(a.apps))]
	target := identified.ReplaceAllStringFunc(route.Path, func(string) string {
		return []string{"kyc_", "job_", "bat_", "x"}[r.IntN(4)] + "01m7yn9wxcex64wgtmc71f2v0w"[r.IntN(2):]
	})
	method := route.Method
	if r.IntN(20) == 0 {
		method = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "post", "X"}[r.IntN(9)]
	}
	if r.IntN(8) == 0 {
		target = e2etest.MutateTarget(r, target)
	}
	request := app.Request(method, target, a.body(r, route))
	if r.IntN(3) == 0 {
		request.Set("Idempotency-Key", uuid.NewString())
	}
	if r.IntN(5) == 0 {
		request.Set("Prefer", []string{"respond-async", "wait=1, Respond-Async;x=y", "return=minimal"}[r.IntN(3)])
	}
	envelopes(r, request)
	return request
}

var identified = regexp.MustCompile(`\{[^}]+\}`)

func (a *attack) body(r *rand.Rand, route e2etest.Route) []byte {
	if !route.TakesBody() {
		if r.IntN(10) == 0 {
			return []byte(`{}`)
		}
		return nil
	}
	value := a.platform.Document().Sample(r, route)
	for range r.IntN(4) {
		value = e2etest.MutateValue(r, value)
	}
	body, err := json.Marshal(value)
	if err != nil {
		body = []byte(`{"unmarshalable":1e999}`)
	}
	for r.IntN(4) == 0 {
		body = e2etest.MutateBytes(r, body)
	}
	return body
}

// envelopes alters what is around the body, before the signature or after it.
func envelopes(r *rand.Rand, request *e2etest.Request) {
	if r.IntN(12) == 0 {
		request.Body = e2etest.MutateBytes(r, request.Body)
	}
	if r.IntN(12) == 0 {
		request.MutateHeader(r)
	}
	request.Sign()
	if r.IntN(12) == 0 {
		request.MutateHeader(r)
	}
	if r.IntN(40) == 0 {
		request.Body = e2etest.MutateBytes(r, request.Body)
	}
}

// inside are names that only the inside of the platform knows.
var inside = regexp.MustCompile(`(?i)\b(gorm|sqlite|postgres|pgx|sqlstate|panic|goroutine|huma|temporal|strconv|unmarshal|reflect|select .* from|insert into|runtime error|json: (cannot|unsupported|invalid|unknown))|\.go:|/tmp/|/work/|interface \{\}`)

func judged(request *e2etest.Request, answer *e2etest.Answer) (code, fault string) {
	if answer.First("X-Platform-Request-Id") == "" {
		// What is no HTTP does not get past the library that reads it.
		if answer.Status == 400 && strings.HasPrefix(answer.First("Content-Type"), "text/plain") && strings.HasPrefix(string(answer.Body), "400 Bad Request") {
			return "no HTTP", ""
		}
		return "", "there is no request id"
	}
	if answer.Status < 300 {
		return "accepted", ""
	}
	if request.Method == http.MethodHead {
		return "HEAD", ""
	}
	problem := answer.Problem()
	switch found := inside.Find(answer.Body); {
	case answer.Status >= 500 && problem.Code != string(errs.AsyncUnavailable):
		return problem.Code, "is our fault"
	case !slices.Contains(errs.Codes(), errs.Code(problem.Code)):
		return problem.Code, "is no code of the catalogue"
	case found != nil && !strings.Contains(strings.ToLower(string(request.Plain)+request.Target+request.Canonical()), strings.ToLower(string(found))):
		return problem.Code, fmt.Sprintf("tells of the inside: %q", found)
	case strings.HasPrefix(request.Target, "/v1/") && answer.Encrypted == (answer.Status == 401 || problem.Code == "payload_too_large"):
		return problem.Code, "is encrypted where it must be plain, or the other way"
	}
	return problem.Code, ""
}

func shown(request *e2etest.Request) string {
	return fmt.Sprintf("%.3000s\nplain: %.3000q", request.Head(""), request.Plain)
}
