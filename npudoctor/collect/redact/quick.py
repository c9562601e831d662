"""Whether a line may hold a secret or an address, without a pattern.

To compile one takes longer than to judge a host, and without RE2 it is slow on a log.
"""

from __future__ import annotations

_WORDS = (
    *(
        "secret",
        "passw",
        "pass_w",
        "pass-w",
        "pwd ",
        "-pass",
        "passphrase",
        "credential",
        "signature",
        "webhook",
        "requirepass",
        "bearer",
        "cookie",
    ),
    *("authorization", "curl", "redis-cli", "ipmitool", "mysql", "mariadb", "login", "masterauth", "bindpw"),
    *(
        "bind_password",
        "rootpw",
        "private",
        "sshpass",
        "sudo",
        "://",
        "grub.pbkdf2",
        "eyj",
        "$1$",
        "$2",
        "$5$",
        "$6$",
    ),
    *("$7$", "$y$", "$gy$", "gho_", "ghp_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "hf_", "sk-"),
    *("akia", "asia", "ltai", "xox"),
    *(
        "ldap",
        "obsutil",
        "ossutil",
        "mc alias",
        "mc config",
        "zip",
        "7z",
        "useradd",
        "usermod",
        "skopeo",
        "openssl",
        "smb",
    ),
    *("proxy", "密码", "口令", "密钥", "令牌"),
)
_KEYS = tuple(
    word + sign + "key"
    for word in ("api", "access", "private", "account", "signing", "encryption", "luks")
    for sign in ("", "-", "_", ".")
)
_NAMES = ("pass", "pw", "psk", "jwt", "pat", "ak", "sk", "auth", "sig", "pwd", "_key")
_ASSIGNED = tuple(name + sign for name in _NAMES for sign in "=:")
_NO_BLANKS = str.maketrans("", "", "\"'\\ \t")
_DIGITS = str.maketrans("123456789abcdef", "000000000000000")
_QUADS = tuple(f".{'0' * second}.{'0' * third}." for second in (1, 2, 3) for third in (1, 2, 3))
_OCTETS = (":00:00:00:00:", "-00-00-00-00-")
_GROUPS = 7


def may_hold_secret(text: str) -> bool:
    """False where `redact_text` would surely change nothing."""
    low = text.lower()
    if holds(low, _WORDS) or ("token" in low and _speaks_of_token(low)):
        return True
    if "key" in low and ("key-data" in low or holds(low, _KEYS)):
        return True
    if "=" not in low and ":" not in low:
        return False
    packed = low.translate(_NO_BLANKS)
    if ("name:" in packed or "key:" in packed) and holds(packed, _NAMES):
        return True
    return "pwd_" in packed or holds(packed, _ASSIGNED)


def may_hold_address(low: str) -> bool:
    """False where a line in small letters surely holds none of IPv4, IPv6, nor a MAC."""
    packed = low.translate(_DIGITS)
    if "::" in low and any(_ends_in_group(left) for left in low.split("::")[:-1]):
        return True
    if "ip-0" in packed or holds(packed, _QUADS) or holds(packed, _OCTETS):
        return True
    return packed.count("0:") >= _GROUPS


def holds(text: str, words: tuple[str, ...]) -> bool:
    """Whether a text holds one of the words."""
    for word in words:  # noqa: SIM110 - `any` takes twice as long, and this is all that this module is for
        if word in text:
            return True
    return False


def _ends_in_group(left: str) -> bool:
    """Whether what stands before `::` may be part of an address, unlike the name of a namespace."""
    rest = left[-5:].rstrip("0123456789abcdef")
    return not (rest and (rest[-1].isalnum() or rest[-1] == "_"))


def _speaks_of_token(low: str) -> bool:
    """Of one, or of some that are given: logs of models count `tokens` and set `max_tokens`."""
    rest = low.replace("_tokens", "")
    return "token" in rest.replace("tokens", "") or any(f"tokens{sign}" in rest for sign in "=:\"'\\ \t")
