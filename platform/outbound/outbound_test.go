package outbound_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/errs"
	"idplatform/platform/outbound"
)

// names is a resolver with fixed answers; several answers to a name are given in turn, the last one for ever.
type names struct {
	answers map[string][]string
	asked   atomic.Int64
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	answers, ok := n.answers[host]
	if !ok {
		return nil, errors.New("no such host")
	}
	turn := min(int(n.asked.Add(1)), len(answers)) - 1
	var all []netip.Addr
	for text := range strings.FieldsSeq(answers[turn]) {
		all = append(all, netip.MustParseAddr(text))
	}
	return all, nil
}

func guard(t *testing.T, resolver outbound.Resolver, loopback ...string) *outbound.Guard {
	t.Helper()
	g, err := outbound.New(outbound.Options{Resolver: resolver, AllowLoopback: loopback})
	require.NoError(t, err)
	return g
}

func problem(t *testing.T, err error) string {
	t.Helper()
	var refused *errs.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, errs.InvalidRequest, refused.Code)
	require.Len(t, refused.Fields, 1)
	require.Equal(t, "url", refused.Fields[0].Field)
	return refused.Fields[0].Problem
}

func TestCheckURL_OK(t *testing.T) {
	t.Parallel()
	resolver := &names{answers: map[string][]string{
		"hooks.example.cd": {"41.243.1.1"}, "six.example.cd": {"2a00:1450:4001:81b::200e 41.243.1.1"}, "xn--bcher-kva.example": {"41.243.1.1"},
	}}
	g := guard(t, resolver, "127.0.0.1:9000", "localhost:9001", "[::1]:9002")
	for _, u := range []string{
		"https://hooks.example.cd/", "https://hooks.example.cd", "https://HOOKS.example.cd:8443/a?b=c", "https://hooks.example.cd./x",
		"https://six.example.cd/", "https://xn--bcher-kva.example/", "https://41.243.1.1/", "https://[2a00:1450:4001:81b::200e]/",
		"https://[64:ff9b::29f3:101]/", "https://[2002:29f3:101::1]/", "https://[::ffff:41.243.1.1]/",
		"http://127.0.0.1:9000/hook", "https://127.0.0.1:9000/hook", "http://localhost:9001", "http://[::1]:9002/",
	} {
		require.NoError(t, g.CheckURL(t.Context(), u), u)
	}
}

func TestCheckURL_Refused(t *testing.T) {
	t.Parallel()
	resolver := &names{answers: map[string][]string{
		"hooks.example.cd": {"41.243.1.1"}, "inside.example.cd": {"10.1.2.3"}, "mixed.example.cd": {"41.243.1.1 127.0.0.1"},
		"six.example.cd": {"fd12::1"}, "localhost": {"127.0.0.1"}, "app.localhost": {"127.0.0.1"}, "none.example.cd": {""},
		"metadata.google.internal": {"169.254.169.254"}, "nat64.example.cd": {"64:ff9b::7f00:1"},
	}}
	g := guard(t, resolver, "127.0.0.1:9000")
	address := "must lead to the public internet"
	for u, want := range map[string]string{
		"":                                       "1 to 2048",
		"https://h/" + strings.Repeat("a", 2048): "1 to 2048",
		"hooks.example.cd":                       "such as https://example.cd/hooks",
		"https://":                               "such as",
		"https:///path":                          "such as",
		"https:hooks.example.cd":                 "such as",
		"https://hooks.example.cd/é":             "ASCII",
		"https://hooks.example.cd/a b":           "ASCII",
		" https://hooks.example.cd/":             "ASCII",
		"https://hooks.example.cd\\@evil/":       "ASCII",
		"https://hooks.example.cd/\r\nX: y":      "ASCII",
		"http://hooks.example.cd/":               "begin with https://",
		"ftp://hooks.example.cd/":                "begin with https://",
		"file:///etc/passwd":                     "such as",
		"javascript:alert(1)":                    "such as",
		"gopher://41.243.1.1/":                   "begin with https://",
		"https://user@hooks.example.cd/":         "user name",
		"https://user:pass@hooks.example.cd/":    "user name",
		"https://@hooks.example.cd/":             "user name",
		"https://hooks.example.cd/#":             "fragment",
		"https://hooks.example.cd/#x":            "fragment",
		"https://hooks.example.cd:0/":            "port",
		"https://hooks.example.cd:65536/":        "port",
		"https://hooks.example.cd:443x/":         "such as",
		"https://hooks.example.cd:/":             "port",
		"https://hooks.example.cd:0443/":         "port",
		"https://[fe80::1%25eth0]/":              "zone",
		"https://-a.example.cd/":                 "plainly",
		"https://a..example.cd/":                 "plainly",
		"https://hooks.example.cd%00.evil/":      "such as",
		"https://127.1/":                         "plainly",
		"https://2130706433/":                    "plainly",
		"https://0x7f000001/":                    "plainly",
		"https://0177.0.0.1/":                    "plainly",
		"https://0x7f.0.0.0x1/":                  "plainly",
		"https://nobody.example.cd/":             "cannot be found",
		"https://none.example.cd/":               "cannot be found",
		"https://inside.example.cd/":             address + "; its host has an address that is private",
		"https://mixed.example.cd/":              "loopback",
		"https://six.example.cd/":                "private",
		"https://localhost/":                     "loopback",
		"https://LOCALHOST./":                    "loopback",
		"https://app.localhost/":                 "loopback",
		"https://metadata.google.internal/":      "metadata",
		"https://nat64.example.cd/":              "loopback",
		"https://127.0.0.1/":                     "loopback",
		"https://127.0.0.1:9001/":                "loopback",
		"http://127.0.0.1:9001/":                 "begin with https://",
		"http://127.0.0.2:9000/":                 "begin with https://",
		"http://localhost:9000/":                 "begin with https://",
		"https://0.0.0.0/":                       "unspecified",
		"https://0.1.2.3/":                       "unspecified",
		"https://10.0.0.1/":                      "private",
		"https://172.16.0.1/":                    "private",
		"https://172.31.255.255/":                "private",
		"https://192.168.1.1/":                   "private",
		"https://100.64.0.1/":                    "carrier",
		"https://100.100.100.200/":               "metadata",
		"https://168.63.129.16/":                 "metadata",
		"https://169.254.169.254/latest/":        "metadata",
		"https://169.254.1.1/":                   "link-local",
		"https://224.0.0.1/":                     "multicast",
		"https://239.255.255.255/":               "multicast",
		"https://255.255.255.255/":               "reserved",
		"https://240.0.0.1/":                     "reserved",
		"https://198.18.0.1/":                    "reserved",
		"https://192.0.2.1/":                     "reserved",
		"https://[::]/":                          "unspecified",
		"https://[::1]/":                         "loopback",
		"https://[::ffff:127.0.0.1]/":            "loopback",
		"https://[::ffff:10.0.0.1]/":             "private",
		"https://[::ffff:0:127.0.0.1]/":          "reserved",
		"https://[::127.0.0.1]/":                 "reserved",
		"https://[fe80::1]/":                     "link-local",
		"https://[fec0::1]/":                     "private",
		"https://[fc00::1]/":                     "private",
		"https://[fd00:ec2::254]/":               "metadata",
		"https://[ff02::1]/":                     "multicast",
		"https://[64:ff9b::a9fe:a9fe]/":          "metadata",
		"https://[64:ff9b::10.0.0.1]/":           "private",
		"https://[64:ff9b:1::a00:1]/":            "reserved",
		"https://[2002:7f00:1::]/":               "loopback",
		"https://[2002:c0a8:101::1]/":            "private",
		"https://[2001:0:1::1]/":                 "reserved",
		"https://[2001:db8::1]/":                 "reserved",
		"https://[100::1]/":                      "reserved",
		"https://[5f00::1]/":                     "reserved",
	} {
		require.Contains(t, problem(t, g.CheckURL(t.Context(), u)), want, u)
	}
	var refused *errs.Error
	require.ErrorAs(t, g.CheckField(t.Context(), "image.url", "ftp://x"), &refused)
	require.Equal(t, "image.url", refused.Fields[0].Field)
}

func TestNew_OnlyThisMachineMayBeOpened(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"10.0.0.1:80", "example.cd:80", "127.0.0.1", "127.0.0.1:0", "localhost:http", ":80", ""} {
		_, err := outbound.New(outbound.Options{AllowLoopback: []string{address}})
		require.ErrorContains(t, err, "no address of this machine", address)
	}
	address, ok := outbound.LoopbackOf("http://LocalHost/x")
	require.True(t, ok)
	require.Equal(t, "localhost:80", address)
	_, ok = outbound.LoopbackOf("https://example.cd/")
	require.False(t, ok)
}

// target counts what reaches a listener on this machine.
func target(t *testing.T, handler http.HandlerFunc) (address string, hits *atomic.Int64) {
	t.Helper()
	hits = &atomic.Int64{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler(w, r) }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			hits.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), hits
}

func get(t *testing.T, g *outbound.Guard, u string, l outbound.Limits) (*http.Response, []byte, error) {
	t.Helper()
	if l.Time == 0 {
		l.Time = 5 * time.Second
	}
	client := g.Client(l)
	t.Cleanup(client.CloseIdleConnections)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	require.NoError(t, err)
	answer, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer, body, err
}

func TestClient_ReachesAnOpenedAddress(t *testing.T) {
	t.Parallel()
	address, _ := target(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	answer, body, err := get(t, guard(t, nil, address), "http://"+address+"/", outbound.Limits{Body: 5})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, "hello", string(body))
}

func TestClient_RefusesWhatWasNotOpened(t *testing.T) {
	t.Parallel()
	address, hits := target(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	resolver := &names{answers: map[string][]string{"inside.example.cd": {"127.0.0.1"}, "localhost": {"127.0.0.1"}, "both.example.cd": {"41.243.1.1 127.0.0.1"}}}
	g := guard(t, resolver, "127.0.0.1:1")
	for _, u := range []string{
		"http://" + address + "/", "https://" + address + "/", "https://inside.example.cd:" + port + "/", "https://both.example.cd:" + port + "/",
		"https://localhost:" + port + "/", "https://[::ffff:127.0.0.1]:" + port + "/",
	} {
		_, _, err := get(t, g, u, outbound.Limits{Body: 1})
		var refused *outbound.RefusedError
		require.ErrorAs(t, err, &refused, u)
	}
	require.Zero(t, hits.Load(), "nothing was dialled")
}

func TestClient_AnOpenedNameThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	resolver := &names{answers: map[string][]string{"localhost": {"10.0.0.1"}}}
	_, _, err := get(t, guard(t, resolver, "localhost:9000"), "http://localhost:9000/", outbound.Limits{})
	var refused *outbound.RefusedError
	require.ErrorAs(t, err, &refused)
}

func TestClient_RebindingIsFoundAtTheDial(t *testing.T) {
	t.Parallel()
	address, hits := target(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	resolver := &names{answers: map[string][]string{"rebind.example.cd": {"41.243.1.1", "127.0.0.1"}}}
	g := guard(t, resolver)
	u := "https://rebind.example.cd:" + port + "/"
	require.NoError(t, g.CheckURL(t.Context(), u), "it is public when it is saved")
	_, _, err = get(t, g, u, outbound.Limits{})
	var refused *outbound.RefusedError
	require.ErrorAs(t, err, &refused)
	require.Zero(t, hits.Load())
}

func TestClient_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	inside, hits := target(t, func(http.ResponseWriter, *http.Request) {})
	address, _ := target(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+inside+"/", http.StatusFound)
	})
	answer, _, err := get(t, guard(t, nil, address, inside), "http://"+address+"/", outbound.Limits{Body: 1 << 10})
	require.NoError(t, err)
	require.Equal(t, http.StatusFound, answer.StatusCode)
	require.Zero(t, hits.Load())
}

func TestClient_IgnoresProxies(t *testing.T) {
	proxy, hits := target(t, func(http.ResponseWriter, *http.Request) {})
	t.Setenv("HTTP_PROXY", "http://"+proxy)
	t.Setenv("HTTPS_PROXY", "http://"+proxy)
	address, _ := target(t, func(http.ResponseWriter, *http.Request) {})
	_, _, err := get(t, guard(t, nil, address), "http://"+address+"/", outbound.Limits{})
	require.NoError(t, err)
	_, _, err = get(t, guard(t, &names{}), "https://away.example.cd/", outbound.Limits{})
	require.Error(t, err)
	require.Zero(t, hits.Load())
}

func TestClient_Limits(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	address, _ := target(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/body":
			_, _ = io.WriteString(w, strings.Repeat("x", 1000))
		case "/headers":
			w.Header().Set("X-Large", strings.Repeat("x", 64<<10))
		case "/hang":
			<-hang
		}
	})
	t.Cleanup(func() { close(hang) })
	g := guard(t, nil, address)
	_, body, err := get(t, g, "http://"+address+"/body", outbound.Limits{Body: 999})
	require.ErrorIs(t, err, outbound.ErrBodyTooLarge)
	require.Len(t, body, 999)
	_, body, err = get(t, g, "http://"+address+"/body", outbound.Limits{Body: 1000})
	require.NoError(t, err)
	require.Len(t, body, 1000)
	_, _, err = get(t, g, "http://"+address+"/headers", outbound.Limits{})
	require.Error(t, err)
	start := time.Now()
	_, _, err = get(t, g, "http://"+address+"/hang", outbound.Limits{Time: 50 * time.Millisecond})
	require.Error(t, err)
	require.Less(t, time.Since(start), 2*time.Second)
}
