package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/app/devtemporal/devtemporaltest"
	"idplatform/client"
)

const (
	population = "200"
	// On a busy machine a first start takes longer than the 3 s that it takes alone.
	startTime = 40 * time.Second
	stopTime  = 10 * time.Second
)

// program is the built platform with a temporal beside it.
type program struct{ platform string }

// TestDev runs the platform as its users do: as a process.
func TestDev(t *testing.T) {
	p := build(t)
	for name, test := range map[string]func(*testing.T){
		"StartStopStartAgain":        p.startStopStartAgain,
		"SideBySide":                 p.sideBySide,
		"Killed":                     p.killed,
		"StoppedDuringItsFirstStart": p.stoppedDuringItsFirstStart,
		"Applications":               p.applications,
		"Refusals":                   p.refusals,
		"Identities":                 p.identities,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func build(t *testing.T) program {
	dir := t.TempDir()
	p := program{filepath.Join(dir, "platform")}
	out, err := exec.Command("go", "build", "-o", p.platform, "../cmd/platform").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Symlink(devtemporaltest.Binary(t), filepath.Join(dir, "temporal")))
	return p
}

// startStopStartAgain lives through two runs in one folder.
func (p program) startStopStartAgain(t *testing.T) {
	data := filepath.Join(t.TempDir(), "deep", "data")
	first := p.start(t, data)
	creds := first.credentials(t)
	require.Equal(t, first.baseURL, creds["base_url"])
	require.Regexp(t, `^http://127\.0\.0\.1:\d+$`, creds["base_url"])
	require.Regexp(t, `^pk_sandbox_[A-Za-z0-9]{24}$`, creds["key_id"])
	require.Regexp(t, `^[A-Za-z0-9+/]{43}=$`, creds["api_secret"])
	require.Regexp(t, `^[A-Za-z0-9+/]{43}=$`, creds["encryption_key"])
	require.NotEqual(t, creds["api_secret"], creds["encryption_key"])
	require.Equal(t, http.StatusOK, get(t, creds["temporal_ui"]))
	require.Equal(t, http.StatusOK, get(t, first.baseURL+"/healthz"))
	require.Equal(t, http.StatusOK, get(t, first.baseURL+"/readyz"))
	info, err := os.Stat(filepath.Join(data, "credentials.json"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())

	person := p.firstPerson(t)
	validation, err := first.client(t).ValidateKYC(t.Context(), client.KYCRequest{
		Identifier: client.Identifier{Type: "platform_id", Value: person},
		Purpose:    client.CustomerOnboarding, Scopes: []string{"kyc.phone_numbers"}}) // no files: their URLs are signed anew at every read
	require.NoError(t, err)
	require.Equal(t, client.KYCVerified, validation.Result)
	path := "/v1/kyc/validations/" + validation.ID
	before, err := first.client(t).Do(t.Context(), http.MethodGet, path, nil)
	require.NoError(t, err)

	require.Zero(t, first.stop(t, syscall.SIGTERM), "SIGTERM is a clean end")
	require.Empty(t, first.stderr.String())

	began := time.Now()
	second := p.start(t, data)
	took := time.Since(began)
	t.Logf("second start: %s", took.Round(time.Millisecond))
	require.Less(t, took, 5*time.Second)
	again := second.credentials(t)
	for _, name := range []string{"key_id", "api_secret", "encryption_key"} {
		require.Equal(t, creds[name], again[name])
	}
	require.Equal(t, second.baseURL, again["base_url"], "the addresses are those of this run")
	after, err := second.client(t).Do(t.Context(), http.MethodGet, path, nil)
	require.NoError(t, err)
	require.JSONEq(t, string(before.Body), string(after.Body))
	require.Zero(t, second.stop(t, os.Interrupt), "Ctrl-C, which reaches the whole process group, is a clean end")
	require.Empty(t, second.stderr.String())
}

// sideBySide runs two platforms on one machine, each with a folder of its own.
func (p program) sideBySide(t *testing.T) {
	one, two := p.start(t, filepath.Join(t.TempDir(), "one")), p.start(t, filepath.Join(t.TempDir(), "two"))
	require.NotEqual(t, one.credentials(t)["key_id"], two.credentials(t)["key_id"])

	creds := two.credentials(t)
	require.NoError(t, errorOf(one.client(t).Do(t.Context(), http.MethodPost, kycPath, p.request(t))))
	foreign, err := client.New(client.Credentials{BaseURL: one.baseURL, KeyID: creds["key_id"], APISecret: creds["api_secret"], EncryptionKey: creds["encryption_key"]})
	require.NoError(t, err)
	require.True(t, client.IsCode(errorOf(foreign.Do(t.Context(), http.MethodPost, kycPath, p.request(t))), "invalid_signature"),
		"what one creates the other does not know")

	refused := p.run(t, nil, "dev", "--data", one.data, "--listen", "127.0.0.1:0", "--temporal-port", "0", "--temporal-ui-port", "0")
	refused.says(t, "data folder "+one.data+" is in use by process "+strconv.Itoa(one.cmd.Process.Pid))
	require.Equal(t, http.StatusOK, get(t, one.baseURL+"/readyz"), "the first goes on")
	require.Zero(t, one.stop(t, syscall.SIGTERM))
	require.Equal(t, http.StatusOK, get(t, two.baseURL+"/readyz"), "the other goes on")
	require.Zero(t, two.stop(t, syscall.SIGTERM))
}

// killed shows that Temporal goes with a platform that has no time to stop it, and that the folder is usable.
func (p program) killed(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	r := p.start(t, data)
	require.Len(t, processes(t, data), 2, "the platform and its Temporal")
	creds := r.credentials(t)
	require.Equal(t, -1, r.stop(t, syscall.SIGKILL))
	r = p.start(t, data)
	require.Equal(t, creds["api_secret"], r.credentials(t)["api_secret"])
	require.Zero(t, r.stop(t, syscall.SIGTERM))
}

// stoppedDuringItsFirstStart leaves nothing.
func (p program) stoppedDuringItsFirstStart(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	r := p.launch(t, data, "--population", "2000000")
	require.Eventually(t, func() bool {
		info, err := os.Stat(filepath.Join(data, "register.db"))
		return err == nil && info.Size() > 1<<20
	}, startTime, 10*time.Millisecond)
	require.Equal(t, 1, r.stop(t, syscall.SIGTERM))
	r.answer().says(t, "stopped before everything was created")
	require.NoDirExists(t, data)
}

// applications are administered beside a running platform, and every change counts from the next request on.
func (p program) applications(t *testing.T) {
	r := p.start(t, filepath.Join(t.TempDir(), "data"))
	data := []string{"--data", r.data, "--json"}
	admin := func(args ...string) answer {
		return p.run(t, nil, append(append([]string{"app"}, args...), data...)...)
	}

	var creds client.Credentials
	admin("create", "--name", "Bank", "--services", "kyc_validation", "--scopes", "kyc.emails", "--purposes", "customer_onboarding").into(t, &creds)
	require.Equal(t, r.baseURL, creds.BaseURL)
	bank, err := client.New(creds)
	require.NoError(t, err)
	ask := func(c *client.Client) error {
		_, err := c.ValidateKYC(t.Context(), client.KYCRequest{Identifier: client.Identifier{Type: "platform_id", Value: p.firstPerson(t)},
			Purpose: client.CustomerOnboarding, Scopes: []string{"kyc.addresses"}})
		return err
	}
	require.True(t, client.IsCode(ask(bank), "scope_not_granted"), "the credentials work at once, and may no more than was granted")

	var view struct {
		ID       string   `json:"id"`
		Name     string   `json:"name"`
		KeyID    string   `json:"key_id"`
		Services []string `json:"services"`
		Scopes   []string `json:"scopes"`
		Purposes []string `json:"purposes"`
	}
	admin("grant", "Bank", "--scopes", "kyc.addresses").into(t, &view)
	require.Equal(t, []string{"kyc.emails", "kyc.addresses"}, view.Scopes)
	require.NoError(t, ask(bank))
	admin("revoke", creds.KeyID, "--scopes", "kyc.addresses").into(t, &view)
	require.True(t, client.IsCode(ask(bank), "scope_not_granted"))
	admin("grant", view.ID, "--scopes", "kyc.addresses").into(t, &view)

	shown := admin("show", "Bank")
	shown.into(t, &view)
	require.Equal(t, creds.KeyID, view.KeyID)
	require.Equal(t, []string{"kyc_validation"}, view.Services)
	require.Equal(t, []string{"customer_onboarding"}, view.Purposes)
	require.NotContains(t, shown.stdout, creds.APISecret)
	var list []map[string]any
	admin("list").into(t, &list)
	require.Len(t, list, 2)
	require.Equal(t, []any{"Sandbox application", "Bank"}, []any{list[0]["name"], list[1]["name"]})

	var rotated client.Credentials
	admin("rotate-key", "Bank").into(t, &rotated)
	require.Equal(t, creds.KeyID, rotated.KeyID)
	require.NotEqual(t, creds.APISecret, rotated.APISecret)
	renewed, err := client.New(rotated)
	require.NoError(t, err)
	require.NoError(t, ask(bank), "the old pair overlaps")
	require.NoError(t, ask(renewed))
	admin("rotate-key", "Bank", "--overlap", "0s").into(t, &rotated)
	require.True(t, client.IsCode(ask(renewed), "invalid_signature"), "an overlap of nothing ends the old pair at once")

	admin("show", "Nobody").says(t, `there is no application with the id, key id or name "Nobody"`)
	admin("grant", "Bank", "--scopes", "kyc.nothing").says(t, `unknown scope "kyc.nothing"`)
	p.run(t, nil, "app", "list", "--data", filepath.Join(r.data, "absent")).says(t, "is not a data folder of `platform dev`")
	require.NoDirExists(t, filepath.Join(r.data, "absent"))

	p.calls(t, r)
	require.Zero(t, r.stop(t, syscall.SIGTERM))
}

// calls shows what `platform call` prints and how it exits.
func (p program) calls(t *testing.T, r *running) {
	call := func(stdin io.Reader, args ...string) answer {
		return p.run(t, stdin, append([]string{"call", "--data", r.data}, args...)...)
	}
	request := p.request(t)
	file := filepath.Join(t.TempDir(), "request.json")
	require.NoError(t, os.WriteFile(file, request, 0o600))
	var result struct{ ID, Result string }
	for _, given := range []struct {
		stdin io.Reader
		body  string
	}{{nil, string(request)}, {nil, "@" + file}, {bytes.NewReader(request), "@-"}} {
		call(given.stdin, "POST", kycPath, given.body).into(t, &result)
		require.Equal(t, client.KYCVerified, result.Result)
	}
	read := call(nil, "get", kycPath+"/"+result.ID)
	read.into(t, &result)

	refused := call(nil, "POST", kycPath, `{"purpos":"customer_onboarding"}`)
	refused.says(t, "invalid_request: ")
	var said struct {
		Error  string
		Fields []client.Field
	}
	require.NoError(t, json.Unmarshal([]byte(refused.stdout), &said), "the refusal itself is printed too")
	require.Equal(t, "invalid_request", said.Error)
	require.NotEmpty(t, said.Fields)

	p.run(t, nil, "call", "GET", "/v1/x", "--data", filepath.Join(r.data, "absent")).says(t, "there are no credentials at")
	call(nil, "POST", kycPath, "@/nowhere").says(t, "no such file")
}

// refusals are one sentence each, and leave nothing behind.
func (p program) refusals(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	require.NoError(t, err)
	alone := filepath.Join(t.TempDir(), "platform")
	require.NoError(t, os.Link(p.platform, alone))
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("log: {levle: debug}\n"), 0o600))

	for name, tc := range map[string]struct {
		program program
		args    []string
		says    string
	}{
		"ErrPortOfAPI":        {p, []string{"--listen", "127.0.0.1:" + port}, "the API cannot listen on 127.0.0.1:" + port + " (address already in use): choose another"},
		"ErrPortOfTemporal":   {p, []string{"--temporal-port", port}, "port " + port + ", which Temporal wants, is in use by another program"},
		"ErrPortOfTemporalUI": {p, []string{"--temporal-ui-port", port}, "port " + port + ", which Temporal's UI wants, is in use by another program"},
		"ErrNoAddress":        {p, []string{"--listen", "8080"}, "the API cannot listen on 8080"},
		"ErrFileInTheWay":     {p, []string{"--data", filepath.Join(file, "data")}, "because a file is in its place"},
		"ErrUnwritable":       {p, []string{"--data", "/sys/platform-data"}, "data folder /sys/platform-data cannot be written to"},
		"ErrNoTemporal":       {program{alone}, nil, "the Temporal server is missing"},
		"ErrPopulation":       {p, []string{"--population", "-1"}, "a population of -1 is not possible"},
		"ErrConfiguration":    {p, []string{"--config", config}, "log.levle is no key of the configuration"},
		"ErrFlag":             {p, []string{"--prot", "1"}, "unknown flag: --prot"},
		"ErrArgument":         {p, []string{"now"}, `unknown command "now"`},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			args := append([]string{"dev", "--data", filepath.Join(parent, "data"), "--listen", "127.0.0.1:0",
				"--temporal-port", "0", "--temporal-ui-port", "0", "--population", population}, tc.args...)
			answer := tc.program.run(t, nil, args...)
			answer.says(t, tc.says)
			require.Empty(t, answer.stdout)
			left, err := os.ReadDir(parent)
			require.NoError(t, err)
			require.Empty(t, left, "nothing half-created")
			require.Empty(t, processes(t, parent))
		})
	}
	require.NoDirExists(t, "/sys/platform-data")
}

// identities are listed without a running platform, with every form of outcome to try.
func (p program) identities(t *testing.T) {
	var list []struct {
		Kind        string
		Identifiers []struct{ Type, Value string }
		Name        string
		Traits      []string
	}
	p.run(t, nil, "sandbox", "identities", "--data", filepath.Join(t.TempDir(), "absent"), "--json").into(t, &list)
	require.Equal(t, "person", list[0].Kind)
	require.Subset(t, list[0].Traits, []string{"certified", "account_active", "all_scopes", "middle_name"})
	borne := map[string]bool{}
	for _, identity := range list {
		require.NotEmpty(t, identity.Identifiers)
		require.NotEmpty(t, identity.Name)
		require.NotNil(t, identity.Traits)
		for _, trait := range identity.Traits {
			borne[trait] = true
		}
		var types []string
		for _, identifier := range identity.Identifiers {
			require.NotEmpty(t, identifier.Value)
			types = append(types, identifier.Type)
		}
		slices.Sort(types)
		switch identity.Kind {
		case "person":
			require.Equal(t, []string{"ceni", "driving_licence", "national_id", "passport", "platform_id"}, types)
		case "unknown":
			require.Len(t, types, 8)
		}
	}
	for _, trait := range []string{"not_certified", "account_suspended", "account_paused", "account_deleted", "basic_only", "minor", "accented_name", "unaccented_twin"} {
		require.True(t, borne[trait], "nobody is %s", trait)
	}
	require.Equal(t, "unknown", list[len(list)-1].Kind)
}

const kycPath = "/v1/kyc/validations"

// running is a platform that runs.
type running struct {
	cmd     *exec.Cmd
	data    string
	baseURL string
	stdout  io.ReadCloser
	stderr  *bytes.Buffer
	ended   bool
}

// launch starts a platform in a process group of its own, as a shell does.
func (p program) launch(t *testing.T, data string, flags ...string) *running {
	t.Helper()
	args := append([]string{"dev", "--data", data, "--listen", "127.0.0.1:0", "--temporal-port", "0", "--temporal-ui-port", "0",
		"--population", population}, flags...)
	r := &running{cmd: exec.Command(p.platform, args...), data: data, stderr: &bytes.Buffer{}}
	r.cmd.Stderr = r.stderr
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var err error
	r.stdout, err = r.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, r.cmd.Start())
	t.Cleanup(func() {
		if !r.ended {
			_ = r.cmd.Process.Kill()
			_ = r.cmd.Wait()
		}
	})
	return r
}

// start launches a platform and waits for its line that says ready.
func (p program) start(t *testing.T, data string) *running {
	t.Helper()
	r := p.launch(t, data)
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(r.stdout).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		require.Regexp(t, `^ready http://127\.0\.0\.1:\d+\n$`, text)
		r.baseURL = strings.TrimSpace(strings.TrimPrefix(text, "ready "))
	case <-time.After(startTime):
		require.Fail(t, "it did not get ready")
	}
	return r
}

// stop sends a signal, Ctrl-C to the whole group, and gives the exit code (-1: killed). It fails when that takes
// longer than it may, or leaves a process.
func (r *running) stop(t *testing.T, signal os.Signal) int {
	t.Helper()
	number := signal.(syscall.Signal)
	pid := r.cmd.Process.Pid
	if number == syscall.SIGINT {
		pid = -pid
	}
	began := time.Now()
	require.NoError(t, syscall.Kill(pid, number))
	done := make(chan error, 1)
	go func() { done <- r.cmd.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		require.True(t, err == nil || errors.As(err, &exit), "%v", err)
	case <-time.After(stopTime):
		require.Fail(t, "it did not stop")
	}
	r.ended = true
	t.Logf("%s: ended after %s", signal, time.Since(began).Round(time.Millisecond))
	if number == syscall.SIGKILL { // the kernel takes Temporal along, a moment later
		require.Eventually(t, func() bool { return len(processes(t, r.data)) == 0 }, 5*time.Second, 10*time.Millisecond)
	}
	require.Empty(t, processes(t, r.data), "no process is left")
	return r.cmd.ProcessState.ExitCode()
}

func (r *running) credentials(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.data, "credentials.json"))
	require.NoError(t, err)
	var creds map[string]string
	require.NoError(t, json.Unmarshal(text, &creds))
	return creds
}

func (r *running) client(t *testing.T) *client.Client {
	t.Helper()
	creds, err := client.LoadCredentials(filepath.Join(r.data, "credentials.json"))
	require.NoError(t, err)
	c, err := client.New(creds)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func (r *running) answer() answer {
	return answer{stderr: r.stderr.String(), code: r.cmd.ProcessState.ExitCode()}
}

// answer is what a command printed and how it exited.
type answer struct {
	stdout, stderr string
	code           int
}

// run runs a command to its end, without anything on PATH.
func (p program) run(t *testing.T, stdin io.Reader, args ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, p.platform, args...)
	cmd.Env = []string{"PATH=/nowhere"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	var exit *exec.ExitError
	require.True(t, err == nil || errors.As(err, &exit), "%v", err)
	require.NoError(t, ctx.Err(), "%v did not end", args)
	return answer{stdout: stdout.String(), stderr: stderr.String(), code: cmd.ProcessState.ExitCode()}
}

// says checks that a command failed with one sentence on standard error.
func (a answer) says(t *testing.T, part string) {
	t.Helper()
	require.NotZero(t, a.code)
	require.Contains(t, a.stderr, part)
	require.Equal(t, 1, strings.Count(a.stderr, "\n"), "one sentence: %s", a.stderr)
	require.True(t, strings.HasPrefix(a.stderr, "platform: "), a.stderr)
}

// into reads the JSON that a command printed, which succeeded and had nothing else to say.
func (a answer) into(t *testing.T, target any) {
	t.Helper()
	require.Zero(t, a.code, a.stderr)
	require.Empty(t, a.stderr)
	require.NoError(t, json.Unmarshal([]byte(a.stdout), target), a.stdout)
}

// firstPerson is the platform id of the first test identity.
func (p program) firstPerson(t *testing.T) string {
	t.Helper()
	var list []struct {
		Identifiers []struct{ Type, Value string }
	}
	p.run(t, nil, "sandbox", "identities", "--json").into(t, &list)
	require.Equal(t, "platform_id", list[0].Identifiers[0].Type)
	return list[0].Identifiers[0].Value
}

func (p program) request(t *testing.T) []byte {
	t.Helper()
	body, err := json.Marshal(client.KYCRequest{
		Identifier: client.Identifier{Type: "platform_id", Value: p.firstPerson(t)}, Purpose: client.CustomerOnboarding})
	require.NoError(t, err)
	return body
}

// processes are the ids of the processes with this folder on their command line.
func processes(t *testing.T, dir string) (found []int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range lines {
		line, err := os.ReadFile(path) // gone meanwhile, or a zombie: empty
		if err != nil || !bytes.Contains(line, []byte(dir)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		require.NoError(t, err)
		found = append(found, pid)
	}
	return found
}

func get(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

func errorOf[T any](_ T, err error) error { return err }
