"""Auth references of a landscape: only where a secret is kept, never the secret. No message repeats a value."""

import re
from urllib.parse import urlsplit

from clew.domain.landscape import Auth, Secret
from clew.sources.landscape_shapes import AUTH, AUTH_KEYS
from clew.sources.yaml_fields import FieldValues, Notes, read_fields
from clew.sources.yaml_text import Fields, Scalar, YamlNode

_REFERENCE = re.compile(r"(env):([A-Za-z_][A-Za-z0-9_]{0,127})|(keyring):(\S{1,200}/\S{1,200})|(file):(\S.{0,400})")
_SECRETS = {"token": "token", "user": "user", "password": "password", "client_id": "user", "client_secret": "password"}
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")


def read_auth(node: YamlNode, notes: Notes) -> Auth | None:
    """Reads an `auth` key: one reference to a bearer token, or a mapping with a `type`."""
    if isinstance(node, Scalar):
        token = _secret("auth", node.text, node.line, notes)
        return Auth(token=token, line=node.line) if token else None
    values = read_fields(node, AUTH, notes)
    if values is None or not isinstance(node, Fields):
        return None
    kind = values["type"]
    for name in AUTH_KEYS[kind]:
        if name not in values:
            notes.error("missing-key", f"An auth of type {kind} needs the key {name!r}.", node.line)
    found: FieldValues = {"kind": kind, "line": node.line}
    for name, value in values.items():
        line = node.key_lines[name]
        if name != "type" and name not in AUTH_KEYS[kind]:
            notes.error("unknown-key", f"{name!r} is no key of an auth of type {kind}.", line)
        elif name in _SECRETS:
            found[_SECRETS[name]] = _secret(name, value, line, notes)
        elif name == "token_url":
            check_url(name, value, line, notes)
            found[name] = value
        elif name == "header":
            _check_header(value, line, notes)
            found[name] = value
    return Auth(**found)


def check_url(name: str, url: str, line: int, notes: Notes) -> None:
    """Reports a URL that is not http or https with a host, and one that carries a user or a password."""
    try:
        parts = urlsplit(url)
        host, user = parts.hostname, parts.username
        _ = parts.port
    except ValueError:
        host, user, parts = None, None, None
    if user is not None:
        message = f"{name!r} carries a user or password; write them under `auth` as env:NAME, keyring:… or file:…"
        notes.error("plain-secret", message, line)
    elif parts is None or parts.scheme not in ("http", "https") or not host or any(c.isspace() for c in url):
        notes.error("wrong-url", f"{name!r} is a URL with http or https and a host, e.g. https://host/path/.", line)


def _secret(name: str, text: str, line: int, notes: Notes) -> Secret | None:
    match = _REFERENCE.fullmatch(text)
    if match is None:
        message = (
            f"{name!r} holds a secret in plain text or no reference; write env:NAME, keyring:SERVICE/USER or file:PATH."
        )
        notes.error("plain-secret", message, line)
        return None
    scheme, kept = (part for part in match.groups() if part is not None)
    if scheme == "env":
        return Secret(scheme="env", name=kept)
    return Secret(scheme="keyring", name=kept) if scheme == "keyring" else Secret(scheme="file", name=kept)


def _check_header(name: str, line: int, notes: Notes) -> None:
    if not _HEADER.fullmatch(name):
        notes.error("wrong-header", "'header' is the name of an HTTP header, e.g. X-API-Key.", line)
