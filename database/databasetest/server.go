package databasetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Durability says what a server does for its rows to outlive a crash.
type Durability string

const (
	// Durable is a server as in use: a commit is on the disk.
	Durable Durability = ""
	// Careless is a server for tests: nothing of it is to outlive them.
	Careless Durability = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"
)

// serverScript makes and runs a server in the folder $1 with the programs in $2 and the settings in $3, until its
// standard input ends.
// The other end of that pipe is held by the test process alone, so that the server stops and its folder goes
// however the test process ends: done, failed, timed out or killed.
const serverScript = `
cd "$1" || exit 1
"$2/initdb" -D data -A trust -U postgres -E UTF8 --locale=C --no-sync >log 2>&1 || { touch failed; cat >/dev/null; cd /; rm -rf "$1"; exit 1; }
"$2/postgres" -D data -k "$1" -c listen_addresses= -c max_connections=200 $3 >>log 2>&1 &
server=$!
cat >/dev/null
kill -INT $server
wait $server
cd /
rm -rf "$1"
`

// startupTime bounds how long a server may take to answer.
const startupTime = 60 * time.Second

// Start starts a server that listens on a socket in a folder of its own and ends with this process, and gives
// its DSN.
func Start(durability Durability) (dsn string, err error) {
	programs, err := serverPrograms()
	if err != nil {
		return "", err
	}
	owner, err := serverUser()
	if err != nil {
		return "", err
	}
	// Straight below the temporary folder: the path of a socket has little room.
	folder, err := os.MkdirTemp("", "pg")
	if err != nil {
		return "", err
	}
	if owner != nil {
		if err := os.Chown(folder, int(owner.Uid), int(owner.Gid)); err != nil {
			return "", err
		}
	}
	if err := runServer(folder, programs, durability, owner); err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	if err := awaitServer(folder); err != nil {
		return "", err
	}
	return "host=" + folder + " user=postgres dbname=postgres sslmode=disable", nil
}

// heldOpen keeps the pipes to the servers' scripts from being closed by the garbage collector.
var heldOpen sync.Map // folder → io.Closer

func runServer(folder, programs string, durability Durability, owner *syscall.Credential) error {
	cmd := exec.Command("/bin/sh", "-c", serverScript, "postgres-for-tests", folder, programs, string(durability))
	// A process group of its own: an interrupt at the terminal is for the tests, which then end the server.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: owner}
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	heldOpen.Store(folder, stdin)
	return cmd.Start()
}

// awaitServer waits for the server's socket to take connections.
func awaitServer(folder string) error {
	for deadline := time.Now().Add(startupTime); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(folder, "failed")); err == nil {
			break
		}
		// The last line of this file says "ready" once the server takes connections.
		pid, err := os.ReadFile(filepath.Join(folder, "data", "postmaster.pid"))
		if err == nil && strings.HasSuffix(strings.TrimSpace(string(pid)), "ready") {
			return nil
		}
	}
	log, _ := os.ReadFile(filepath.Join(folder, "log"))
	return fmt.Errorf("the PostgreSQL server started for the tests does not answer: %s", log)
}

// serverPrograms is the folder with initdb and postgres: Debian's, of the newest version, else that on PATH.
func serverPrograms() (string, error) {
	var newest string
	best := -1
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	for _, initdb := range found {
		bin := filepath.Dir(initdb)
		version, err := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
		if err == nil && version > best {
			newest, best = bin, version
		}
	}
	if newest != "" {
		return newest, nil
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(initdb), nil
	}
	return "", errors.New("install the PostgreSQL server (Debian: apt-get install postgresql) " +
		"or set " + Variable + " to the DSN of one on which databases may be created")
}

// serverUser is who the server runs as when we are root, which it refuses to be; nil: as ourselves.
func serverUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, errors.New("tests run as root need a user named postgres to run the PostgreSQL server as: install " +
			"the PostgreSQL server (Debian: apt-get install postgresql) or set " + Variable + " to the DSN of one")
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
