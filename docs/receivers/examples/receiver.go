// A receiver that needs only Go's standard library. Run: SIGNING_SECRETS=whsec_… PORT=9000 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxBodyBytes = 64 * 1024

var secrets = readSecrets(os.Getenv("SIGNING_SECRETS")) // two during a rotation

// Ignores empty secrets, because anyone can compute a signature with an empty key.
func readSecrets(list string) (found []string) {
	for _, secret := range strings.Split(list, ",") {
		if strings.TrimSpace(secret) != "" {
			found = append(found, secret)
		}
	}
	return found
}

func isGenuine(header string, body []byte, now int64) bool {
	var timestamps, signatures []string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			timestamps = append(timestamps, value)
		case "v1":
			signatures = append(signatures, value)
		}
	}
	if len(timestamps) != 1 {
		return false
	}
	sent, err := strconv.ParseUint(timestamps[0], 10, 40) // digits only: no sign
	if err != nil || now-int64(sent) >= 300 || int64(sent)-now >= 300 {
		return false
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(timestamps[0] + "."))
		mac.Write(body)
		expected := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, signature := range signatures {
			if hmac.Equal([]byte(signature), expected) { // constant time
				return true
			}
		}
	}
	return false
}

func main() {
	if len(secrets) == 0 {
		fmt.Fprintln(os.Stderr, "SIGNING_SECRETS contains no secret: set it to the secret of your destination.")
		os.Exit(1)
	}
	var seen sync.Map // change_ids; use a unique column in your database instead
	http.HandleFunc("/", func(answer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(answer, request.Body, maxBodyBytes))
		if err != nil || !isGenuine(request.Header.Get("X-Service-Signature"), body, time.Now().Unix()) {
			answer.WriteHeader(http.StatusBadRequest)
			return
		}
		var change struct {
			ID   string `json:"change_id"`
			Type string `json:"change_type"`
		} // unknown fields are ignored
		if json.Unmarshal(body, &change) != nil || change.ID == "" {
			answer.WriteHeader(http.StatusBadRequest)
			return
		}
		// Use the signed change_id, because an attacker can repeat a signed body with another X-Service-Delivery.
		if _, known := seen.LoadOrStore(change.ID, true); !known {
			fmt.Println("received", change.ID, change.Type) // put the change into your queue here
		}
		answer.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	server := http.Server{ReadTimeout: 10 * time.Second}
	panic(server.Serve(listener))
}
