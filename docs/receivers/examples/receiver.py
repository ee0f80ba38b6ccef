"""A receiver that needs only Python's standard library. Run: SIGNING_SECRETS=whsec_... PORT=9000 python3 receiver.py"""

import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# During a rotation there are two secrets. Ignore empty ones, because anyone can compute a signature with an empty key.
SECRETS = [secret.encode() for secret in os.environ.get("SIGNING_SECRETS", "").split(",") if secret.strip()]
if not SECRETS:
    sys.exit("SIGNING_SECRETS contains no secret: set it to the secret of your destination.")
MAX_BODY_BYTES = 64 * 1024
seen: set[str] = set()  # change_ids; use a unique column in your database instead
lock = threading.Lock()


def is_genuine(header: str, body: bytes, now: int) -> bool:
    parts = [part.strip().partition("=") for part in header.split(",")]
    timestamps = [value for name, _, value in parts if name == "t"]
    signatures = [value for name, _, value in parts if name == "v1"]
    if len(timestamps) != 1 or not re.fullmatch(r"[0-9]{1,12}", timestamps[0]):
        return False
    if abs(now - int(timestamps[0])) >= 300:
        return False
    signed = timestamps[0].encode() + b"." + body
    expected = [hmac.new(secret, signed, hashlib.sha256).hexdigest() for secret in SECRETS]
    return any(
        re.fullmatch(r"[0-9a-f]{64}", signature) and hmac.compare_digest(signature, digest)
        for signature in signatures
        for digest in expected
    )


def read_change(body: bytes) -> dict | None:
    try:
        change = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return change if isinstance(change, dict) and isinstance(change.get("change_id"), str) else None


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            return self.answer(400)
        body = self.rfile.read(int(length))  # raw bytes, because the signature covers the received bytes
        if not is_genuine(self.headers.get("X-Service-Signature", ""), body, int(time.time())):
            return self.answer(400)
        change = read_change(body)
        if change is None:
            return self.answer(400)
        # Use the signed change_id, because an attacker can repeat a signed body with another X-Service-Delivery.
        with lock:
            new = change["change_id"] not in seen
            seen.add(change["change_id"])
        if new:
            print(f"received {change['change_id']} {change.get('change_type')}", flush=True)  # put the change into your queue here
        return self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
