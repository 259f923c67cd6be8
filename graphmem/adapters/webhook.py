"""Notices as HTTP requests, in the form of Standard Webhooks (id, timestamp, signature), over the standard library."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from binascii import Error as NotBase64
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from graphmem._version import __version__
from graphmem.domain.errors import UnavailableError
from graphmem.domain.notices import Notice

TIMEOUT_S = 10.0
"""Seconds that the receiver has for each step: being reached, taking the request, answering."""
ENCODED = "whsec_"
"""Before a secret that is given in base64."""


class Webhook:
    """Posts notices to one address. A redirect is not followed: it counts as not taken."""

    def __init__(self, url: str, secret: str = "", timeout_s: float = TIMEOUT_S) -> None:
        """url: http or https, checked by the settings. secret: what requests are signed with, '' = unsigned."""
        self._address = urlsplit(url)
        self._key = _key(secret)
        self._timeout_s = timeout_s

    def __call__(self, notice: Notice) -> None:
        """Send a notice. Raises UnavailableError unless it is answered with a status from 200 to 299."""
        body = json.dumps(notice.content, ensure_ascii=True, allow_nan=False).encode()
        try:
            status = self._post(body, self._headers(notice, body))
        except (OSError, HTTPException) as error:
            raise UnavailableError(f"the webhook did not answer: {type(error).__name__}") from error
        if not 200 <= status < 300:
            raise UnavailableError(f"the webhook answered {status}")

    def _post(self, body: bytes, headers: dict[str, str]) -> int:
        secure = self._address.scheme == "https"
        kind = HTTPSConnection if secure else HTTPConnection
        connection = kind(self._address.hostname or "", self._address.port, timeout=self._timeout_s)
        try:
            query = f"?{self._address.query}" if self._address.query else ""
            connection.request("POST", f"{self._address.path or '/'}{query}", body, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def _headers(self, notice: Notice, body: bytes) -> dict[str, str]:
        sent_at = str(int(notice.at.timestamp()))
        headers = {
            "content-type": "application/json",
            "user-agent": f"graphmem/{__version__}",
            "webhook-id": notice.id,
            "webhook-timestamp": sent_at,
        }
        if self._key:
            signed = b".".join((notice.id.encode(), sent_at.encode(), body))
            seal = hmac.new(self._key, signed, hashlib.sha256).digest()
            headers["webhook-signature"] = f"v1,{base64.b64encode(seal).decode()}"
        return headers


def _key(secret: str) -> bytes:
    """The bytes of a secret; one that only looks encoded is taken as it is."""
    if secret.startswith(ENCODED):
        try:
            return base64.b64decode(secret.removeprefix(ENCODED), validate=True)
        except NotBase64:
            pass
    return secret.encode()
