"""HAProxy's configuration. It names no service: all of them come and go in its maps, and their replicas as servers."""

import json
import re
import secrets

from tidemill.kernel import i18n

BACKENDS = 192
PATIENT_BACKENDS = 64
SLOTS = 16
"""Tracks that can be carried at a time, and replicas of each; what is more goes through the gateway. The servers are
there from the start, and get addresses later: to one that is added, HAProxy 2.6 opens a connection for each call."""
BODY_MAX_BYTES = 12 << 10
"""Larger bodies cannot be sent again by HAProxy, and go through the gateway, which can."""
INNER = "inner.sock"
CALLS = "calls.sock"
ALLOWED, CANARIES, SHARES, TIMEOUTS, POSTS, VERSIONS, REPLICAS = MAPS = (
    "allowed", "canaries", "shares", "timeouts", "posts", "versions", "replicas",
)  # fmt: skip
USED = "used"
"""What opened something since somebody looked: HAProxy itself writes this map."""
TIMEOUT_S = 60
"""What holds where the map says nothing."""
WORDS = "words"
"""What HAProxy says itself, by status and language; up to the time-out, and with `+` after it."""
LINE = "%b %s %ST %Ta %rc %ts"
"""What it tells of a call: backend, server, status, milliseconds, further attempts, how it ended."""
SELDOM_PER_S, OFTEN_PER_S = 50, 1000
TOLD_OF, TOLD_OF_OFTEN = 16, 64
"""Of backends that are called seldom each call is told, of others one of so many, and fewer where calls come often."""

_OURS = {400: "gateway_bad_request", 408: "gateway_slow_request"}
_OF_REPLICAS = {502: "gateway_replica_lost", 503: "gateway_no_replica", 504: "gateway_timeout"}
_LANGUAGES: tuple[tuple[str, i18n.Language], ...] = (("", "en"), ("zh", "zh-CN"))
_GAP = "\x00"

_SPECIAL = (
    "transfer-encoding", "upgrade", "expect", "origin", "cookie", "te", "trailer", "keep-alive", "forwarded",
    "proxy-.*", "x-tidemill.*", "x-forwarded-.*", "x-real-ip",
)  # fmt: skip
"""Headers with which a request is the gateway's."""
_NOT_FOR_CALLERS = (
    "alt-svc", "clear-site-data", "nel", "public-key-pins", "report-to", "reporting-endpoints",
    "service-worker-allowed", "strict-transport-security", "x-request-id", "x-tidemill-version", "x-tidemill-replica",
    "access-control-.*",
)  # fmt: skip


def configuration(listeners: list[int], *, admin: str, threads: int) -> str:
    """The configuration for these open sockets. All files are in the folder that HAProxy is started in."""
    binds = "\n".join(f"  bind fd@{number}" for number in listeners)
    hidden = "|".join(_NOT_FOR_CALLERS)
    backends = "\n".join(
        _BACKEND.format(
            name=name,
            slots=SLOTS,
            hidden=hidden,
            patience=_PATIENCE if are_patient else "",
            seldom=SELDOM_PER_S,
            told_of=TOLD_OF,
            often=OFTEN_PER_S,
            told_of_often=TOLD_OF_OFTEN,
        )
        for are_patient in (False, True)
        for name in backend_names(are_patient=are_patient)
    )
    begin = _GLOBAL.format(admin=admin, threads=threads, calls=CALLS)
    return begin + _FRONTEND.format(
        binds=binds,
        line=LINE,
        errors=_errors(),
        prefix=secrets.token_hex(4),
        special="|".join(_SPECIAL),
        body_max_bytes=BODY_MAX_BYTES,
        inner=INNER,
    ) + backends + "\n"  # fmt: skip


def backend_names(*, are_patient: bool) -> list[str]:
    """The backends whose replicas have the usual time to answer, or (`are_patient`) a time that the map says."""
    return [f"p{number}" for number in range(PATIENT_BACKENDS)] if are_patient else [f"t{n}" for n in range(BACKENDS)]


def is_patient(backend: str) -> bool:
    return backend.startswith("p")


def slots_of(backend: str) -> list[str]:
    """The names of a backend's servers; each is the only one of its name."""
    return [f"{backend}s{number}" for number in range(1, SLOTS + 1)]


def backend_of(slot: str) -> str:
    return slot.partition("s")[0]


def map_file(name: str) -> str:
    return f"{name}.map"


def words() -> str:
    """The file of HAProxy's own words."""
    lines = []
    for status, code in (_OURS | _OF_REPLICAS).items():
        for suffix, language in _LANGUAGES:
            error = {"code": code, "message": i18n.message(code, language, timeout_s=_GAP)}
            if hint := i18n.find_hint(code, language):
                error["hint"] = hint
            text = json.dumps({"error": error | {"request_id": ""}}, ensure_ascii=False)
            before, _, after = text.removesuffix('"}}').partition(json.dumps(_GAP)[1:-1])
            lines.append(f"{status}{suffix} {_with_edges(before)}")
            if after:
                lines.append(f"{status}{suffix}+ {_with_edges(after)}")
    return "\n".join(lines) + "\n"


def _with_edges(text: str) -> str:
    """Blanks at the ends of a line would be lost; in JSON there is another way to write them."""
    if text.endswith(" "):
        text = text[:-1] + "\\u0020"
    return "\\u0020" + text[1:] if text.startswith(" ") else text


def _errors() -> str:
    lines = []
    for status in _OURS | _OF_REPLICAS:
        language = "concat(,txn.language)," if status in _OF_REPLICAS else ""
        said = f"%[str({status}),{language}map({map_file(WORDS)})]"
        if status == 504:
            said += f"%[var(txn.backend),map_str_int({map_file(TIMEOUTS)},{TIMEOUT_S * 1000}),div(1000)]"
            said += f"%[str({status}),{language}concat(+),map({map_file(WORDS)})]"
        # A quoting of HAProxy's own: inside of "…", a quote is \".
        lines.append(
            f'  http-error status {status} content-type application/json lf-string "{said}%[unique-id]\\"}}}}" '
            f"hdr X-Request-Id %[unique-id]"
        )
    return "\n".join(lines)


_GLOBAL = """\
global
  stats socket unix@{admin} mode 600 level admin
  nbthread {threads}
  hard-stop-after 60s
ring calls
  format raw
  maxlen 400
  size 4194304
  timeout connect 5s
  timeout server 10s
  server gateway unix@{calls} log-proto legacy
defaults
  mode http
  backlog 2048
  timeout connect 3s
  timeout client 60s
  timeout server 60s
  timeout http-request 15s
  timeout http-keep-alive 60s
  timeout tunnel 1d
  option idle-close-on-response
  option redispatch 1
  retries 4
  retry-on conn-failure empty-response junk-response
  http-reuse always
"""

_FRONTEND = """\
{errors}
frontend calls
{binds}
  # What is told has the level "notice", or "err" where something was out of the ordinary.
  log ring@calls local0 notice
  option log-separate-errors
  log-format "{line}"
  unique-id-format {prefix}%{{+X}}o%Ts%rt

  http-request set-var(txn.address) path,field(2,/,2)
  acl is_known var(txn.backend) -m found
  acl has_key req.fhdr(x-api-key) -m found
  acl has_authorization req.fhdr(authorization) -m found
  acl is_opened var(txn.opened) -m found
  # A connection's calls mostly come with one key: its digest is worked out once.
  acl is_same_key req.fhdr(x-api-key),strcmp(sess.secret) eq 0
  http-request set-var(sess.digest) req.fhdr(x-api-key),sha2(256),hex unless is_same_key
  http-request set-var(sess.secret) req.fhdr(x-api-key) unless is_same_key
  http-request set-var(txn.opened) var(sess.digest),concat(/,txn.address),map(allowed.map) if has_key
  http-request set-var(txn.bearer) http_auth_bearer,sha2(256),hex if !is_opened !has_key
  http-request set-var(txn.opened) var(txn.bearer),concat(/,txn.address),map(allowed.map) if !is_opened !has_key
  http-request set-var(txn.opened) var(txn.address),map(allowed.map) if !is_opened !has_key !has_authorization
  acl is_noted var(txn.opened),map(used.map) -m found
  http-request set-map(used.map) %[var(txn.opened)] 1 if is_opened !is_noted
  http-request set-var(txn.backend) var(txn.opened),field(1,/)

  acl is_ordinary path_reg ^/[^/]+/[^/]+/
  acl is_special req.hdr_names -m reg -i (?:^|,)(?:{special})(?:,|$)
  acl is_large req.hdr_val(content-length) gt {body_max_bytes}
  acl is_repeatable method GET HEAD PUT DELETE OPTIONS
  acl is_repeatable var(txn.backend),map(posts.map) -m found
  http-request set-var(txn.share) var(txn.backend),map_str_int(shares.map) if is_known
  http-request set-var(txn.point) rand(10000),sub(txn.share) if {{ var(txn.share) -m found }}
  http-request set-var(txn.backend) var(txn.backend),map(canaries.map) if {{ var(txn.point) -m int lt 0 }}
  use_backend %[var(txn.backend)] if is_known is_ordinary !is_special !is_large is_repeatable
  default_backend inner

backend inner
  http-request set-log-level silent
  retries 20
  retry-on conn-failure
  timeout server 1d
  server gateway unix@{inner} send-proxy
"""

_PATIENCE = "  http-request set-timeout server var(txn.backend),map_str_int(timeouts.map)\n"

_BACKEND = """\
backend {name}
  balance leastconn
  option forwardfor
  default-server pool-purge-delay 4s
  server-template {name}s 1-{slots} 127.0.0.1:1 disabled
  acl is_seldom be_sess_rate lt {seldom}
  acl is_often be_sess_rate ge {often}
  http-request set-log-level notice if {{ rand({told_of_often}) 0 }} || !is_often {{ rand({told_of}) 0 }} || is_seldom
{patience}  http-request set-var(txn.language) str(zh) if {{ req.fhdr(accept-language) -m beg -i zh }}
  http-request wait-for-body time 60s unless {{ method GET HEAD }}
  acl is_sane_id req.fhdr(x-request-id) -m reg ^[A-Za-z0-9._-]{{1,128}}$
  acl has_id var(txn.id) -m found
  http-request set-var(txn.id) req.fhdr(x-request-id) if is_sane_id
  http-request set-header X-Request-Id %[unique-id] if !has_id
  http-request del-header authorization
  http-request del-header x-api-key
  http-request add-header X-Forwarded-Proto http
  http-request add-header X-Forwarded-Prefix /%[var(txn.address)]
  http-request replace-path /[^/]+/[^/]+(/.*) \\1
  http-response del-header ^(?:{hidden})$ -m reg
  acl has_cookies res.fhdr(set-cookie) -m found
  acl has_our_cookies res.fhdr(set-cookie) -m reg -i ^\\s*(?:tidemill|__host-|__secure-)
  http-response replace-header Set-Cookie (?i)(.*?);\\s*domain=[^;]*(.*) \\1\\2 if has_cookies
  http-response del-header set-cookie if has_our_cookies
  http-response add-header X-Request-Id %[unique-id] if !has_id
  http-response add-header X-Request-Id %[var(txn.id)] if has_id
  http-response add-header X-Tidemill-Version %[var(txn.backend),map(versions.map)]
  http-response add-header X-Tidemill-Replica %[srv_name,map(replicas.map)]
"""


def is_sayable(word: str) -> bool:
    """Whether a word can be said to HAProxy as it is."""
    return re.fullmatch(r"[A-Za-z0-9%._~/:-]{1,400}", word) is not None
