"""Secrets that must not get out, one for every place that a secret can stand in, and the ways in which they could be
written. Standard library only: the application that is given the secrets imports this as well."""

from __future__ import annotations

import base64
import hashlib
import json
from urllib.parse import quote

EXOTIC = 'ключ "π" & <τ>/\\~'
"""Ends the secrets that stand in text: it looks different in a URL, and in JSON, from what it is."""

IN_TEXT = "prompt argument result exception refusal baggage_value crash"
IN_TOKENS = """
    request_header response_header url_path url_query url_user url_password authorization cookie
    key_header key_attribute key_baggage key_argument answer_body location hash_key
"""


def _token(place: str) -> str:
    return "canary" + place.replace("_", "") + hashlib.sha256(place.encode()).hexdigest()[:12]


TOKENS = {place: _token(place) for place in (IN_TEXT + IN_TOKENS).split()}
"""By place, letters and digits: no encoding but base64 and hex changes them."""

SECRETS = {place: token + EXOTIC if place in IN_TEXT.split() else token for place, token in TOKENS.items()}
"""By place, what the application is given."""


def forms(secret: str) -> set[bytes]:
    """The secret as it is, escaped for JSON and for a URL, in hex, and in base64 wherever in a text it stands."""
    raw = secret.encode()
    written = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    written |= {quote(secret, safe=""), quote(secret), raw.hex(), raw.hex().upper(), raw.hex(" "), raw.hex(":")}
    found = {one.encode() for one in written}
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + raw).rstrip(b"=")
        inner = encoded[(0, 2, 3)[before] : len(encoded) - ((before + len(raw)) % 3 > 0)]
        found |= {inner, inner.translate(bytes.maketrans(b"+/", b"-_"))}
    return found


FORMS = {
    form: place for place, secret in SECRETS.items() for one in (secret, TOKENS[place], EXOTIC) for form in forms(one)
}


def found_in(content: bytes) -> set[str]:
    """The places whose secrets can be found in here, however written."""
    lower = content.lower()
    return {place for form, place in FORMS.items() if form in content or form.lower() in lower}
