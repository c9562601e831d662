"""Whether a line may hold a secret, without a pattern: compiling one takes longer than judging a host."""

from __future__ import annotations

_WORDS = (
    *(
        "token",
        "secret",
        "passw",
        "passphrase",
        "credential",
        "signature",
        "webhook",
        "requirepass",
        "bearer",
    ),
    *("cookie", "authorization", "curl", "redis-cli", "ipmitool", "mysql", "mariadb", "login", "masterauth"),
    *(
        "bindpw",
        "bind_password",
        "rootpw",
        "private",
        "sshpass",
        "key",
        "://",
        "grub.pbkdf2",
        "eyj",
        "$1$",
        "$2",
    ),
    *(
        "$5$",
        "$6$",
        "$7$",
        "$y$",
        "$gy$",
        "gho_",
        "ghp_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "hf_",
    ),
    *("sk-", "akia", "asia", "aksia", "xox"),
)
_NAMES = ("pass", "pw", "psk", "jwt", "pat", "ak", "sk", "auth", "sig", "pwd")
_ASSIGNED = tuple(name + sign for name in _NAMES for sign in "=:")
_NO_BLANKS = str.maketrans("", "", "\"'\\ \t")


def may_hold_secret(text: str) -> bool:
    """False where `redact_text` would surely change nothing."""
    low = text.lower()
    if any(word in low for word in _WORDS):
        return True
    if "=" not in low and ":" not in low:
        return False
    packed = low.translate(_NO_BLANKS)
    return "pwd_" in packed or any(word in packed for word in _ASSIGNED)
