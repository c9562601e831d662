# Makes the Python environment .venv of this checkout; bin/npudoctor and bin/test source it. POSIX sh.
# shellcheck shell=sh
#
# ready LEVEL:     whether .venv holds what LEVEL (run or dev) needs, for this pyproject.toml
# make_ready LEVEL: makes it so; one process at a time, and an interrupted one is made good by the next

venv=$root/.venv

say() { printf 'npudoctor: %s\n' "$*" >&2; }
stop() { say "$*"; exit 2; }

ready() {
    [ -x "$venv/bin/python" ] && cmp -s "$root/pyproject.toml" "$venv/.ready-$1"
}

make_ready() {
    mkdir -p "$venv" 2>/dev/null && [ -w "$venv" ] ||
        stop "cannot write $venv; clone the repository to a folder of your own, or run this once as its owner"
    exec 9<"$root/bin/environment.sh" # the lock is on this file: it is there, and --clear leaves it alone
    command -v flock >/dev/null && { flock -n 9 || { say "waiting for another set-up to end"; flock 9; }; }
    ready "$1" || set_up "$1"
    exec 9>&-
}

set_up() {
    python=$(find_python)
    [ -n "$python" ] || stop "Python 3.10 or newer is needed; type: apt-get install python3"
    say "setting up $venv (once; needs a package index)"
    whole || make_venv "$python"
    : >"$venv/.half-made"
    rm -f "$venv/.ready-run" "$venv/.ready-dev"
    cp "$root/pyproject.toml" "$venv/.pyproject"
    install_packages "$1"
    # An editable install leaves this out, and where PYTHONDONTWRITEBYTECODE is set no start would make it up.
    "$venv/bin/python" -m compileall -q "$root/npudoctor" >>"$venv/set-up.log" 2>&1
    cp "$venv/.pyproject" "$venv/.ready-run"
    [ "$1" = run ] || cp "$venv/.pyproject" "$venv/.ready-dev"
    rm -f "$venv/.half-made"
}

# Whether .venv is an environment that was not left half-way.
whole() {
    [ ! -e "$venv/.half-made" ] && "$venv/bin/python" -m pip --version >/dev/null 2>&1
}

find_python() {
    for name in ${NPUDOCTOR_PYTHON:-python3 python3.13 python3.12 python3.11 python3.10}; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
}

make_venv() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null || add_venv_module "$1"
    told=$("$1" -m venv --clear "$venv" 2>&1) || stop "$1 -m venv failed: $told"
}

# Debian and Ubuntu ship venv apart from python3.
add_venv_module() {
    package=python3-venv
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
        stop "Python's venv module is missing; type: sudo apt-get install $package"
    say "installing $package with apt-get (once)"
    told=$(apt_install "$package" 2>&1) || stop "apt-get install $package failed: ${told##*
}"
    "$1" -c 'import ensurepip, venv' 2>/dev/null ||
        stop "$1 still lacks venv; set NPUDOCTOR_PYTHON to a Python 3.10 or newer that has it"
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    apt-get install -y --no-install-recommends "$@" ||
        { apt-get update && apt-get install -y --no-install-recommends "$@"; }
}

install_packages() {
    if [ "$1" = run ]; then
        pip_install -e "$root[gate]" # small, and the gate is a command that a checkout should have
    else
        pip_install --upgrade 'pip>=25.1' # the first that knows dependency groups
        (cd "$root" && pip_install -e . --group dev) || exit
    fi
}

pip_install() {
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input "$@" \
        >>"$venv/set-up.log" 2>&1 9>&- ||
        stop "pip install failed: $(tail -n 1 "$venv/set-up.log") (all of it: $venv/set-up.log)"
}
