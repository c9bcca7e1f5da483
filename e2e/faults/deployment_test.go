package faults_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	temporal "go.temporal.io/sdk/client"

	"idplatform/app/devtemporal"
	"idplatform/app/devtemporal/devtemporaltest"
	"idplatform/client"
	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/e2e/e2etest"
)

const namespace = "platform-sandbox"

// deployment is what an operator runs: PostgreSQL, a Temporal server, an API process and a worker process.
type deployment struct {
	t        *testing.T
	binary   string
	config   string
	baseURL  string
	dsn      string
	temporal *devtemporal.Server
	inside   temporal.Client
	api      *process
	worker   *process
}

func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "platform")
	out, err := exec.Command("go", "build", "-o", binary, "../../cmd/platform").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Symlink(devtemporaltest.Binary(t), filepath.Join(filepath.Dir(binary), "temporal")))
	return binary
}

func deploy(t *testing.T) *deployment {
	t.Helper()
	dir := t.TempDir()
	d := &deployment{t: t, binary: build(t), config: filepath.Join(dir, "config.yaml"), dsn: databasetest.Postgres(t)}
	register := databasetest.Postgres(t)
	e2etest.Populate(t, database.Postgres, register)
	var err error
	d.temporal, err = devtemporal.Start(t.Context(), devtemporal.Options{Binary: devtemporaltest.Binary(t), DBFile: filepath.Join(dir, "temporal.db"),
		Namespace:        namespace,
		SearchAttributes: map[string]string{"PlatformApplication": "Keyword", "PlatformService": "Keyword", "PlatformStatus": "Keyword"}})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		require.NoError(t, d.temporal.Stop(ctx))
	})
	d.inside, err = temporal.Dial(temporal.Options{HostPort: d.temporal.Address(), Namespace: namespace})
	require.NoError(t, err)
	t.Cleanup(d.inside.Close)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	d.baseURL = "http://" + address
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "master.key"), []byte(base64.StdEncoding.EncodeToString(key)), 0o600))
	require.NoError(t, os.WriteFile(d.config, fmt.Appendf(nil, `
public_url: %s
master_key_file: %s/master.key
api: {listen: %q, limits: false}
database: {driver: postgres, dsn: %q, max_connections: 12}
register: {driver: postgres, dsn: %q}
files: {store: "file://%s/files"}
temporal: {address: %q}
log: {level: warn}
`, d.baseURL, dir, address, d.dsn, register, dir, d.temporal.Address()), 0o600))
	d.run("migrate")
	d.api, d.worker = d.start("api"), d.start("worker")
	d.awaitReady()
	return d
}

// run runs a command of the platform to its end and gives its output.
func (d *deployment) run(arguments ...string) []byte {
	d.t.Helper()
	out, err := exec.Command(d.binary, append(arguments, "--config", d.config)...).Output()
	require.NoError(d.t, err)
	return out
}

// application makes an application and gives its client.
func (d *deployment) application(name string) *client.Client {
	d.t.Helper()
	var credentials client.Credentials
	require.NoError(d.t, json.Unmarshal(d.run("app", "create", "--name", name, "--json"), &credentials))
	return sdk(d.t, credentials)
}

func sdk(t *testing.T, credentials client.Credentials) *client.Client {
	t.Helper()
	c, err := client.New(credentials, client.WithRetry(client.NoRetry()), client.WithPolling(200*time.Millisecond, time.Second))
	require.NoError(t, err)
	return c
}

func (d *deployment) awaitReady() {
	d.t.Helper()
	require.Eventually(d.t, func() bool {
		answer, err := http.Get(d.baseURL + "/readyz")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, time.Minute, 100*time.Millisecond, "every part answers")
}

// process is a process of the platform, which is killed and started again.
type process struct {
	command func() *exec.Cmd
	log     *transcript
	mu      sync.Mutex
	running *child
}

func (d *deployment) start(part string) *process {
	d.t.Helper()
	p := &process{log: &transcript{}}
	p.command = func() *exec.Cmd {
		cmd := exec.Command(d.binary, part, "--config", d.config)
		cmd.Stderr = p.log
		return cmd
	}
	p.running = launch(d.t, p.command())
	d.t.Cleanup(func() {
		p.kill()
		if d.t.Failed() {
			d.t.Logf("the last words of the %s:\n%s", part, p.log.last(6_000))
		}
	})
	return p
}

// kill ends the process without a chance to clean up.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running.kill()
}

func (p *process) restart(t *testing.T) {
	p.kill()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = launch(t, p.command())
}

// child is a process that does not outlive the test's.
type child struct {
	cmd    *exec.Cmd
	exited chan struct{}
}

func launch(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c := &child{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// Pdeathsig comes when the thread that forked ends: it is kept for the child's whole life.
		runtime.LockOSThread()
		defer close(c.exited)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // killed, as a rule
		}
	}()
	require.NoError(t, <-started)
	return c
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill() // fails only when it has ended
	<-c.exited
}

// transcript keeps what a process writes.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *transcript) last(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.text.String()
	return text[max(0, len(text)-n):]
}
