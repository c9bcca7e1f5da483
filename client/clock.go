package client

import (
	"net/http"
	"time"
)

// mostSkew is the widest clock error that a Client corrects. A clock that is further out needs mending.
const mostSkew = 24 * time.Hour

// correctClock sets the call's clock by the Date header of an answer that refused the request's timestamp, and
// reports whether the call is to be sent again. It does so once a call.
//
// That answer comes before authentication and is not encrypted, so anyone on the way could have written its
// date. The correction therefore holds for this call alone until an encrypted answer has confirmed it.
func (c *Client) correctClock(call *call, resp *Response, err error) bool {
	if call.corrected || !IsCode(err, TimestampOutOfWindow) {
		return false
	}
	date, parseErr := http.ParseTime(resp.Header.Get("Date"))
	if parseErr != nil {
		return false
	}
	skew := date.Sub(c.now())
	if skew.Abs() > mostSkew {
		return false
	}
	call.skew, call.corrected = skew, true
	return true
}

// learnClock keeps a correction that the platform has accepted, for the calls to come.
func (c *Client) learnClock(call *call, resp *Response) {
	if call.corrected && resp != nil && resp.Encrypted {
		c.skew.Store(int64(call.skew))
	}
}
