package databasetest_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/database/databasetest"
)

func TestEachDatabaseIsFreshAndItsOwn(t *testing.T) {
	t.Parallel()
	for range 2 {
		db, err := database.Open(t.Context(), database.Config{Driver: database.Postgres, DSN: databasetest.Postgres(t)})
		require.NoError(t, err)
		require.NoError(t, db.Write(t.Context()).Exec("CREATE TABLE things (id BIGINT PRIMARY KEY)").Error)
		require.NoError(t, db.Close())
	}
}

// childVariable makes this test binary the child of TestAKilledTestProcessLeavesNoServer.
const childVariable = "DATABASETEST_CHILD"

func TestAKilledTestProcessLeavesNoServer(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		fmt.Println(databasetest.Postgres(t))
		time.Sleep(time.Minute) // killed before
		return
	}
	t.Parallel()
	child := exec.Command(os.Args[0], "-test.run=^TestAKilledTestProcessLeavesNoServer$")
	child.Env = append(os.Environ(), childVariable+"=1", databasetest.Variable+"=") // it starts a server of its own
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	folder, _, ok := strings.Cut(strings.TrimPrefix(line, "host="), " ")
	require.True(t, ok, line)
	require.DirExists(t, folder)

	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	require.Eventually(t, func() bool {
		_, err := os.Stat(folder)
		return os.IsNotExist(err)
	}, 20*time.Second, 50*time.Millisecond, "the server has stopped and its folder is gone")
}
