# What every rendered script starts with: how one file, one line and one command are read and framed.
# POSIX sh, for dash, bash and busybox ash. Each process costs about 1 ms, so one reads all small files, the shell
# itself lists names, and tools run beside each other, without a shell of their own. One frame:
#   LF @NONCE>c COMMAND LF  stdout  LF @NONCE! LF  stderr  LF @NONCE<EXIT CAP LIMIT START END LF
# (`f PATH` in place of `c COMMAND` for a file). The nonce is drawn anew for every script, so no output can
# hold it. Times are seconds of /proc/uptime.
NL='
'
SLOW=5  # hundredths of a second: a call that takes so long does not only compute
T='' n=0 L=main y='' all=''

now() { IFS=' ' read -r t _ </proc/uptime || t=0; }

# LINE STATE: a command that was not run, and why.
unrun() { printf '\n%s>c %s\n\n%s<%s\n' "$N" "$1" "$N" "$2" || lost; }

# Something is missing, as it did not fit or no process could be started: the end mark must say so.
lost() { [ -z "$T" ] || rm -f "$T/whole"; }

# PATH: a file that cannot be seen: absent, or behind a folder that we may not enter.
unseen() {
  why_unseen "$1"
  printf '\n%s>f %s\n\n%s<%s\n' "$N" "$1" "$N" "$d" || lost
}

# PATH: the word for it, into `d`.
why_unseen() {
  d=${1%/*}
  while [ -n "$d" ] && [ ! -d "$d" ]; do d=${d%/*}; done
  if [ -x "${d:-/}" ]; then d=absent; else d=denied; fi
}

unreadable() {
  if [ ! -e "$1" ]; then unseen "$1"
  elif [ -r "$1" ]; then printf '\n%s>f %s\n\n%s!\nnot a regular file\n%s<failed\n' "$N" "$1" "$N" "$N"
  else printf '\n%s>f %s\n\n%s<denied\n' "$N" "$1" "$N"; fi
}

# head|tail CAP PATH...: files, byte for byte.
file() {
  k=$1 c=$2; shift 2
  for p do
    case $p in *"$NL"*) continue ;; esac
    if [ -f "$p" ] && [ -r "$p" ]; then
      printf '\n%s>f %s\n' "$N" "$p"
      "$k" -c "$((c + 1))" <"$p"
      printf '\n%s<%s %s\n' "$N" "$?" "$c" || lost
    else unreadable "$p"; fi
  done
}

# PATH...: small text files; `read_lines` reads all that are noted so far.
line() {
  for p do
    if [ -f "$p" ] && [ -r "$p" ]; then
      case $p in *"$NL"*) ;; *:*) file head 65536 "$p" ;; *) y=$y$p$NL ;; esac
    else unreadable "$p"; fi
  done
}

# PATH...: the names in folders, as `ls` prints them.
names() {
  for p do
    case $p in *"$NL"*) continue ;; esac
    printf '\n%s>c ls %s\n' "$N" "$p"
    d=0
    if [ -d "$p" ] && [ -r "$p" ]; then
      for f in "$p"/*; do [ "$f" = "$p/*" ] && [ ! -e "$f" ] || printf '%s\n' "${f##*/}"; done
    elif [ -d "$p" ]; then d=denied
    elif [ -e "$p" ]; then printf '%s\n' "$p"
    else why_unseen "$p"; fi
    if [ "$d" = absent ]; then
      printf "\n%s!\nls: cannot access '%s': No such file or directory\n" "$N" "$p"
      d=2
    fi
    case $d in [0-9]) d="$d 262144" ;; esac
    printf '\n%s<%s\n' "$N" "$d" || lost
  done
}

# One grep for all of them: the shell would take a call of the system for each byte, and a sysctl gives all to the
# first read only. Its memory is bounded, as a line may be as long as a disk. The frame: PATH:LINE lines, `:` and
# the exit code, then in the place of stderr the paths, as files may be empty.
read_lines() {
  [ -n "$y" ] || return 0
  if command -v grep >/dev/null; then
    printf '\n%s>g grep\n' "$N"
    { ulimit -v 262144; grep -a '' $y /dev/null; echo ":$?"; } | head -c 4194305
    printf '\n%s!\n%s\n%s<0 4194304\n' "$N" "$y" "$N" || lost
  else file head 4194304 $y; fi
  y=''
}

# Whether the next item of the pool is for this worker: for who makes its frame file, `F`.
mine() {
  n=$((n + 1)) F=$T/o.$POOL.$n
  set -C
  true >"$F" && set +C && return
  set +C
  return 1
}

# LINE STATE: as `unrun`, in a pool.
q_unrun() { if [ -z "$T" ]; then unrun "$@"; elif mine; then unrun "$@" >"$F"; fi; }

# HOW CAP LIMIT TITLE COMMAND...: one command in a pool, into a file of limited size. HOW: `plain`; `shell`, for
# a function of ours; `roomy`, for tools that may write logs of their own: the limit would end those, so it is
# wide, and who meets it runs once more, through a pipe; `tail`, through a pipe, for what is best cut at its start.
q() {
  if [ -z "$T" ]; then bare "$@"; return; fi
  mine || return 0
  k=$1 c=$2 l=$3 a=$4; shift 4
  case $a in *"$NL"*) return 0 ;; esac
  command -v "$1" >/dev/null || { unrun "$a" absent >"$F"; return 0; }
  now; s=$t E=$T/e.$POOL.$n r=137
  printf '\n%s>c %s\n' "$N" "$a" >"$F"
  if [ "$k" = tail ]; then piped tail "$@"; else into_file "$@"; fi
  if [ "$k" = roomy ] && [ "$r" -eq 153 ]; then
    printf '\n%s>c %s\n' "$N" "$a" >"$F"
    piped head "$@"
  fi
  : >"$T/run.$L"
  if [ -s "$E" ]; then
    {
      printf '\n%s!\n' "$N"; i=0
      while IFS= read -r x && [ "$i" -lt 500 ]; do printf '%s\n' "$x"; i=$((i + 1)); done <"$E"
    } >>"$F"
  fi
  now
  [ "$k" != tail ] || c=-$c
  printf '\n%s<%s %s %s %s %s\n' "$N" "${r:-137}" "$c" "$l" "$s" "$t" >>"$F" || lost
  [ "$((${t%.*}${t#*.} - ${s%.*}${s#*.}))" -lt "$SLOW" ] || call_for_help
}

# Once for each worker: its calls take their time, so that more of them side by side are quicker.
call_for_help() {
  [ -n "$P" ] && IFS=' ' read -r p <"$T/pid.$P" && kill -USR1 "$p"
  P=''
}

# COMMAND...: of `q`, whose variables it takes; leaves the exit code in `r`. A tool runs right below its worker, as a
# shell between them would cost as much as the tool itself. What the worker then says of one that was ended may not
# fit into a file at its limit, and must not end the worker.
into_file() {
  u=$((c / 512 + 2))
  case $k in
  shell) apart "$@"; return ;;
  roomy) u=32768 ;;
  esac
  echo "- $l $s $n" >"$T/run.$L"
  ulimit -S -f "$u"
  "$@" </dev/null >>"$F" 2>"$E"
  r=$?
  ulimit -S -f "$SIZE"
}

# COMMAND...: likewise, for a function of ours.
apart() {
  { IFS=" $NL"; ulimit -f "$u"; "$@"; } </dev/null >>"$F" 2>"$E" &
  echo "$! $l $s" >"$T/run.$L"
  join $! "$L"; r=$?
}

# head|tail COMMAND...: likewise, without a limit that the command could feel.
piped() {
  z=$1; shift
  { {
    IFS=' '
    "$@" </dev/null 4>&- &
    echo "$! $l $s" >"$T/run.$L"
    wait $!; echo "$?" >"$T/rc.$L"
  } 2>&1 >&4 | head -c 65536 >"$E"; } 4>&1 | "$z" -c "$((c + 1))" >>"$F" &
  join $! "$L"
  IFS=' ' read -r r <"$T/rc.$L"
  : >"$T/rc.$L"
}

# The same with no folder to write to: one after the other, straight into the stream.
bare() {
  k=$1 c=$2 l=$3 a=$4; shift 4
  command -v "$1" >/dev/null || { unrun "$a" absent; return 0; }
  [ "$k" = tail ] || k=head
  now; s=$t
  printf '\n%s>c %s\n' "$N" "$a"
  x=$( { {
    IFS=" $NL"
    "$@" </dev/null 2>&4 3>&- 4>&- &
    p=$!
    ( i=0
      while sleep 1 && kill -0 "$p"; do
        i=$((i + 1)); [ "$i" -lt "$l" ] || slay KILL "$p"
      done ) </dev/null >/dev/null 2>&1 3>&- 4>&- &
    wait "$p"; r=$?
    kill $!
    printf '\n%s' "$r" >&4
  } | "$k" -c "$((c + 1))" >&3; } 4>&1 | tail -c 65536)
  r=${x##*"$NL"} x=${x%"$NL"*}
  [ -z "$x" ] || printf '\n%s!\n%s' "$N" "$x"
  now
  [ "$k" != tail ] || c=-$c
  printf '\n%s<%s %s %s %s %s\n' "$N" "${r:-137}" "$c" "$l" "$s" "$t"
}

# SIGNAL PIDS: to them and to all that they have started. Held first: a parent would go on after a child that failed,
# and whoever waits for the parent must not see it end before the children do.
slay() {
  family='' next=$2$NL
  while [ -n "$next" ]; do
    family=$next$family
    children "$next"
  done
  kill -STOP $family
  kill "-$1" $family
  kill -CONT $family
}

# PIDS: their children, into `next`. Not every kernel lists them.
children() {
  next=''
  if [ -e "/proc/$$/task/$$/children" ]; then
    for p in $1; do
      for f in "/proc/$p/task/"*/children; do
        x=''; read -r x <"$f"
        [ -z "$x" ] || next=$next${x% }' '
      done
    done
    IFS=' '; set -- $next; IFS=$NL
    next=''; for p do next=$next$p$NL; done
    return
  fi
  for f in /proc/[0-9]*/stat; do
    IFS= read -r x <"$f" || continue
    x=${x##*) ? } f=${f#/proc/}
    case $NL$1$NL in *"$NL${x%% *}$NL"*) next=$next${f%/stat}$NL ;; esac
  done
}

# PID LANE: wait for it; give up where the watch says that not even SIGKILL ends it.
join() {
  j=138
  while [ "$j" -eq 138 ] && [ ! -e "$T/stuck.$2" ]; do wait "$1"; j=$?; done
  [ ! -e "$T/stuck.$2" ] || { : >"$T/run.$2"; rm -f "$T/stuck.$2"; }
  return "$j"
}

# The one clock of a run: ends commands that are over their time, and the run that is over its own.
watch() {
  trap 'kill -TERM "$$" || sweep' EXIT  # no clock, no run: it could not fork
  now; begin=${t%.*}
  while sleep 1; do
    ! over || { sweep; rm -rf "$T"; exit; }
    now
    [ "$((${t%.*} - begin))" -lt "$DEADLINE" ] || kill -TERM "$$"
    [ -z "$NPUDOCTOR_PARENT" ] || kill -0 "$NPUDOCTOR_PARENT" || kill -TERM "$$"  # nobody reads any more
    for j in "$T"/run.*; do
      p=; IFS=' ' read -r p l s i <"$j"; [ -n "$p" ] || continue
      o=$((${t%.*}${t#*.} - ${s%.*}${s#*.} - 100 * l)) j=${j##*/run.}  # in hundredths
      if [ "$o" -lt 0 ]; then :
      elif [ "$o" -lt 100 ]; then overdue TERM
      elif [ "$o" -lt 300 ]; then overdue KILL
      else give_up; fi
    done
  done
}

# Whether the run has ended. Where nobody waits for orphans, as in many containers, its number stays taken.
over() {
  x=''
  IFS= read -r x <"/proc/$$/stat"
  case ${x##*) } in Z*) return ;; esac
  ! kill -0 "$$"
}

# SIGNAL: to what runs in the lane `j`: a process of its own, or all below its worker.
overdue() {
  [ "$p" = - ] || { slay "$1" "$p"; return; }
  was="- $l $s $i"
  IFS=' ' read -r p <"$T/lane.$j" || return
  children "$p"
  IFS= read -r x <"$T/run.$j"
  [ -z "$next" ] || [ "$x" != "$was" ] || slay "$1" "${next%"$NL"}"  # not what came after it
}

# Not even SIGKILL ends what runs in the lane `j`: its worker goes on without it, or another one does.
give_up() {
  k=$p
  IFS=' ' read -r p <"$T/lane.$j" || return
  if [ "$k" = - ]; then
    echo "$i $l $s $t" >"$T/stuck.$j"
    : >"$T/run.$j"
    kill -KILL "$p"
  else
    : >"$T/stuck.$j"
    kill -USR1 "$p"
  fi
}

# NAME FEW MANY ITEMS: run the items of a function, a FEW at a time, or as MANY where one took long, and wait for
# all. Each worker is a process.
pool() {
  POOL=$1 w=0 workers='' t=''
  hire "$2" "$4"
  while [ -n "$workers" ]; do
    x=${workers%%"$NL"*}
    wait "${x#* }"; j=$?
    case $j in 138 | -1) hire "$3" "$4" ;; esac  # somebody called; it may have ended at that very moment
    [ "$j" -eq 0 ] || ! kill -0 "${x#* }" || continue
    workers=${workers#*"$NL"} x=$1.${x%% *}
    if [ -s "$T/stuck.$x" ]; then relieve "$x" "$4"; elif [ ! -e "$T/end.$x" ]; then lost; fi
  done
}

# NUMBER ITEMS: so many workers in all.
hire() {
  while [ "$w" -lt "$1" ]; do
    w=$((w + 1))
    ( P=$L L=$POOL.$w n=0; trap : USR1 XFSZ; "$2"; : >"$T/end.$L"; exit 0 ) &  # XFSZ: see `into_file`
    workers="$workers$w $!$NL"
    echo $! >"$T/lane.$POOL.$w"
    echo $! >"$T/pid.$POOL.$w"
  done
}

# WORKER ITEMS: another one goes on without the item that nothing could end.
relieve() {
  IFS=' ' read -r n l s t <"$T/stuck.$1"
  rm -f "$T/stuck.$1"
  printf '\n%s<138 0 %s %s %s\n' "$N" "$l" "$s" "$t" >>"$T/o.$POOL.$n"
  hire "$((w + 1))" "$2"
}

# FRAMES: the NPU ids in `npu-smi info -l` and in the table; those that are not well; the first A3.
npu_ids() {
  all_npu='' table='' all_sick='' all_a3='' m=''
  set -f; IFS=$NL
  for x in $1; do
    case $x in
    "$N>c npu-smi info") m=t ;;
    "$N>c npu-smi info -l") m=l ;;
    "$N"*) m='' ;;
    *"NPU ID"*:*) [ "$m" = l ] && { IFS=" 	"; npu_id ${x##*:}; } ;;
    *'|'*) [ "$m" = t ] && { IFS='|'; npu_row $x; } ;;
    esac
    IFS=$NL
  done
  set +f
  all_npu=${all_npu:-$table}
}

# ID: one of `npu-smi info -l`, if it is a number.
npu_id() { case $1 in '' | *[!0-9]*) ;; *) all_npu="$all_npu$1$NL" ;; esac; }

# The cells of one table row: `| 0 910B3 | OK | ...`, on 950 `| 0 | Ascend950PR | OK | ...`.
npu_row() {
  IFS=' '; set -- "$3" "$4" $2
  case $3 in '' | *[!0-9]*) return ;; esac
  for h in $1 $2; do
    case $h in
    OK) ;;
    Warning | Alarm | Critical | UNKNOWN) case $NL$all_sick in *"$NL$3$NL"*) ;; *) all_sick="$all_sick$3$NL" ;; esac ;;
    *) continue ;;
    esac
    [ "$4" != Ascend910 ] || all_a3=${all_a3:-$3}
    case $NL$table in *"$NL$3$NL"*) ;; *) table="$table$3$NL" ;; esac
    return
  done
}

# PATTERNS NAMES-TO-KEEP are given by the functions `prefixes`, `wanted` and `inside` of the rendered part.
python_packages() {
  printf '\n%s>p python-packages\n' "$N"
  seen=$NL IFS=: sites=''
  for d in $OLDPATH; do
    IFS=$NL
    for p in "$d"/python3 "$d"/python "$d"/python3.[0-9] "$d"/python3.[0-9][0-9]; do
      [ -x "$p" ] && [ -f "$p" ] && python_on_path "$d" "$p"
    done
    IFS=:
  done
  IFS=$NL
  prefixes
  [ "$seen" != "$NL" ] || echo '# none'
  printf '\n%s<0\n' "$N"
  seen=$NL
  for site in $sites; do ! once "$site" || inside "$site"; done
}

# FOLDER PROGRAM: pyenv's shims are scripts that stand for the version in pyenv's own file.
python_on_path() {
  case $1 in
  */shims)
    v=$PYENV_VERSION
    [ -n "$v" ] || { [ -r "${1%/shims}/version" ] && IFS= read -r v <"${1%/shims}/version"; }
    set -- "${1%/shims}/versions/${v%%:*}/bin" "${1%/shims}/versions/${v%%:*}/bin/python3" ;;
  esac
  [ "$1" != /bin ] || [ ! -L /bin ] || return 0
  case $1 in */bin) python_at "${1%/bin}" "$2" ;; esac
}

# PREFIX PROGRAM: one interpreter with its packages, if it was not seen before.
python_at() {
  [ -x "$2" ] && [ -f "$2" ] || return
  for lib in "$1"/lib/python3.[0-9]*; do
    [ -d "$lib" ] || continue
    minor=${lib##*/python}
    case $2 in *python3.*) [ "${2##*/python}" = "$minor" ] || continue ;; esac
    case $seen in *"$NL$1 $minor$NL"*) continue ;; esac
    [ -d "$lib/site-packages" ] || [ -d "$1/lib/python3/dist-packages" ] || [ -e "$lib/os.py" ] || continue
    python_version "$1" "$2" "$minor" || continue
    seen="$seen$1 $minor$NL"
    printf '# %s %s\n' "$2" "$version"
    packages_of "$1" "$minor"
  done
}

# PREFIX PROGRAM MINOR: its full version, from files where they say it; a program of another minor fails.
python_version() {
  version='' real=''
  if [ -r "$1/pyvenv.cfg" ]; then
    while IFS=' =' read -r key x _; do
      case $key in version | version_info) version=${x%.final*} ;; home) home=$x ;; esac
    done <"$1/pyvenv.cfg"
  else
    for x in "$1"/conda-meta/python-"$3".*.json; do
      [ -e "$x" ] && { x=${x##*/python-}; version=${x%%-*}; }
    done
    case $1 in */[0-9]*.[0-9]*.[0-9]* | */python[0-9]*.[0-9]*.[0-9]*) version=${1##*/} version=${version#python} ;; esac
    [ -n "$version" ] || python_header "$1/include/python$3/patchlevel.h"
  fi
  if [ -z "$version" ]; then
    IFS= read -r x <"$2"
    case $x in '#!'*) return 1 ;; esac
    version=$("$2" -V 2>&1 </dev/null) version=${version#Python }
  fi
  case $version in "$3"*) ;; *) return 1 ;; esac
}

python_header() {
  [ -r "$1" ] || return 0
  while IFS=' 	"' read -r _ key x _; do
    [ "$key" != PY_VERSION ] || { version=$x; return; }
  done <"$1"
}

# PREFIX MINOR: NAME==VERSION of what is wanted among the packages that this interpreter sees.
packages_of() {
  packages_in "$1/lib/python$2/site-packages"
  [ "$1/lib" -ef "$1/lib64" ] || packages_in "$1/lib64/python$2/site-packages"
  packages_in "$HOME/.local/lib/python$2/site-packages"
  case $1 in
  /usr)
    packages_in "/usr/local/lib/python$2/dist-packages" "/usr/local/lib/python$2/site-packages" /usr/lib/python3/dist-packages ;;
  *)
    if [ -r "$1/pyvenv.cfg" ] && shares_system "$1/pyvenv.cfg"; then packages_of "${home%/bin}" "$2"; fi ;;
  esac
}

shares_system() {
  while IFS=' =' read -r key x _; do
    [ "$key" != include-system-site-packages ] || { [ "$x" = true ]; return; }
  done <"$1"
  return 1
}

packages_in() {
  for site do
    [ ! -d "$site" ] || sites=$sites$site$NL
    for x in "$site"/*.dist-info "$site"/*.egg-info; do
      [ -e "$x" ] || continue
      x=${x##*/}; name=${x%%-*}
      case $x in
      *.egg-info) [ "$name" != "$x" ] || { egg_version "$site/$x"; continue; } ;;
      esac
      wanted "$name" || continue
      x=${x#"$name"-}; x=${x%.dist-info}; x=${x%.egg-info}; x=${x%-py[0-9]*}
      printf '%s==%s\n' "$name" "$x"
    done
  done
}

# FOLDER: `NAME.egg-info` has its version inside.
egg_version() {
  name=${1##*/} name=${name%.egg-info}
  wanted "$name" && [ -r "$1/PKG-INFO" ] || return 0
  while IFS=' ' read -r key x _; do
    [ "$key" != Version: ] || { printf '%s==%s\n' "$name" "$x"; return; }
  done <"$1/PKG-INFO"
}

# LETTER LABEL UNIT: `ulimit -LETTER` of this shell, or of the process PID out of its limits file.
limit() {
  [ -n "$all" ] || while IFS= read -r x; do all=$all$NL$x; done <"/proc/${PID:-self}/limits"
  printf '\n%s>c ulimit -%s\n' "$N" "$1"
  r=failed
  case $all in
  *"$NL$2"*)
    x=${all#*"$NL$2"}
    IFS=' '; set -- "$1" "$2" "$3" ${x%%"$NL"*}; IFS=$NL
    case $1 in H*) x=$5 ;; *) x=$4 ;; esac
    case $x in unlimited) ;; *) x=$((x / $3)) ;; esac
    printf '%s\n' "$x"
    r=0 ;;
  esac
  printf '\n%s<%s\n' "$N" "$r"
}

# The variables of this shell, or of the process PID, as the kernel holds them (NUL between them).
environment() {
  printf '\n%s>e environment\n' "$N"
  if [ ! -e "/proc/${PID:-self}/environ" ]; then printf '\n%s<absent\n' "$N"; return; fi
  if [ ! -r "/proc/${PID:-self}/environ" ]; then printf '\n%s<denied\n' "$N"; return; fi
  head -c 1048577 "/proc/${PID:-self}/environ"
  printf '\n%s<%s 1048576\n' "$N" "$?"
}

# Where --pid names a process, its variables say where to look, not ours.
adopt() {
  [ -n "$PID" ] && [ -r "/proc/$PID/environ" ] || return 0
  unset ASCEND_HOME_PATH ASCEND_TOOLKIT_HOME VIRTUAL_ENV CONDA_PREFIX
  unset ASCEND_PROCESS_LOG_PATH ASCEND_WORK_PATH MINDIE_LOG_PATH
  set -f
  for x in $(tr '\000' '\n' <"/proc/$PID/environ"); do
    case $x in
    HOME=*) HOME=${x#*=} ;;
    PATH=*) OLDPATH=${x#*=} ;;
    ASCEND_HOME_PATH=*) ASCEND_HOME_PATH=${x#*=} ;;
    ASCEND_PROCESS_LOG_PATH=*) ASCEND_PROCESS_LOG_PATH=${x#*=} ;;
    ASCEND_WORK_PATH=*) ASCEND_WORK_PATH=${x#*=} ;;
    MINDIE_LOG_PATH=*) MINDIE_LOG_PATH=${x#*=} ;;
    ASCEND_TOOLKIT_HOME=*) ASCEND_TOOLKIT_HOME=${x#*=} ;;
    VIRTUAL_ENV=*) VIRTUAL_ENV=${x#*=} ;;
    CONDA_PREFIX=*) CONDA_PREFIX=${x#*=} ;;
    esac
  done
  set +f
}

# Kill what still runs.
sweep() {
  for j in "$T"/pid.* "$T"/run.*; do
    p=; IFS=' ' read -r p _ <"$j"
    case $p in '' | -) ;; *) slay KILL "$p" ;; esac
  done
}

# WORD: all frames that are there, the end mark, and no trace left.
finish() {
  exec >&3
  if [ -n "$T" ]; then
    if [ "$1" != "done" ]; then sweep
    elif [ ! -e "$T/whole" ]; then set -- lost; fi
    cat "$T"/o.*
  fi
  printf '\n%s.%s\n' "$N" "$1"
  exec >/dev/null 3>&1
  if [ -n "$T" ]; then kill -9 "$K"; rm -rf "$T"; fi
}

# NAME: a folder that only we can see, where there is a place to write to, and room. In it `whole` says that
# all that was to be written was.
scratch() {
  for d in /dev/shm "$TMPDIR" /tmp /var/tmp; do
    [ -n "$d" ] && [ -d "$d" ] && [ -w "$d" ] && mkdir -m 700 "$d/$1" || continue
    ( printf '%262144s' '' >"$d/$1/whole" ) && : >"$d/$1/whole" && { T=$d/$1; return; }
    rm -rf "${d:?}/$1"
  done
}

main() {
  exec 2>/dev/null 3>&1
  umask 077
  printf 'npudoctor-stream/1 %s\n' "$N"
  environment
  OLDPATH=$PATH IFS=$NL
  adopt
  unset LANGUAGE
  export LC_ALL=C PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
  scratch "npudoctor.$$.${N#@}"
  if [ -n "$T" ]; then side_by_side; else one_by_one; fi
  finish "done"
}

side_by_side() {
  SIZE=$(ulimit -S -f)
  trap 'trap "" TERM INT HUP; finish interrupted; exit 0' TERM INT HUP
  trap : USR1
  # `exec`, as a redirected function keeps copies of what it had, and the stream must end where we end.
  ( exec </dev/null >/dev/null 3>&-; watch ) & K=$!
  JOIN=''
  lanes
  read_here >"$T/o.0"  # not line by line into the stream: each would be a packet
  for f in $JOIN; do
    join "${f#* }" "${f%% *}"
    case $? in 0 | 137 | 138 | 143) ;; *) lost ;; esac  # the watch ended it, or it could not fork
  done
  [ -z "$LOGS" ] || logs_for_a_while
}

# NAME FUNCTION: a lane beside the others; its own frames go to a file of its own.
lane() {
  ( L=$1; trap - TERM INT HUP; trap : USR1; exec >"$T/o.$1"; "$2"; exit 0 ) </dev/null 3>&- &
  echo "$!" >"$T/pid.$1"
  JOIN="$JOIN$1 $!$NL"
}

# The same for what may look into the homes of people: a dead file server costs this lane alone.
lane_for_a_while() {
  lane "$@"
  now
  echo "$$" >"$T/lane.$1"
  echo "$! 30 $t" >"$T/run.$1"
}

one_by_one() {
  OUT=$(exec 3>&1; npu_smi_info)
  printf '%s\n' "$OUT"
  npu_ids "$OUT"
  npu_smi_each
  read_here
  read_homes
  hccn_tool_calls
  host_calls
  [ -z "$LOGS" ] || read_logs
}

npu_smi_lane() {
  now; s=$t few=2
  pool npu-smi.1 "$NPU_SMI_FIRST" "$NPU_SMI_FIRST" npu_smi_info
  now
  [ "$((${t%.*}${t#*.} - ${s%.*}${s#*.}))" -lt "$((4 * SLOW))" ] || few=$NPU_SMI_WIDTH
  npu_ids "$(cat "$T"/o.npu-smi.1.*)"
  [ -z "$all_npu" ] || pool npu-smi.2 "$few" "$NPU_SMI_WIDTH" npu_smi_each
}
hccn_tool_lane() { pool hccn_tool 2 "$HCCN_TOOL_WIDTH" hccn_tool_calls; }
host_lane() { pool host 2 4 host_calls; }

# Lanes cost processes: none for a tool that is not there.
lanes() {
  if command -v npu-smi >/dev/null; then lane npu-smi npu_smi_lane; else in_line npu_smi_info; fi
  if ! command -v hccn_tool >/dev/null; then in_line hccn_tool_calls
  elif [ -e /dev/davinci_manager ]; then lane hccn_tool hccn_tool_lane; fi
  lane host host_lane
  lane_for_a_while homes read_homes
}

# Logs go straight into the stream, as they may be larger than a folder in memory; a dead file server costs
# them alone.
logs_for_a_while() {
  ( L=logs; trap - TERM INT HUP; trap : USR1; read_logs; exit 0 ) </dev/null 3>&- &
  echo "$!" >"$T/pid.logs"
  now
  echo "$$" >"$T/lane.logs"
  echo "$! $LOGS $t" >"$T/run.logs"
  join $! logs
  : >"$T/run.logs"
}

# CAP CAP-IN-ALL FOLDER...: the files in them that changed in the last SINCE minutes, the newest first, of each
# its end. What does not fit any more is said to be cut off. Packed files are left out: nobody could redact them.
log_files() {
  c=$1 left=$2; shift 2
  [ "$#" -gt 0 ] || return 0
  find "$@" -type f -mmin "-$SINCE" ! -name '*.gz' ! -name '*.tgz' ! -name '*.xz' ! -name '*.bz2' ! -name '*.zst' \
    ! -name '*.zip' ! -name '*.tar' ! -name '*.bin' ! -name '*.core' -exec ls -ltn {} + |
    while IFS=' ' read -r x x x x size x x x p; do
      case $p in /*) ;; *) continue ;; esac
      [ "$size" -le "$c" ] || size=$c
      printf '\n%s>l %s\n' "$N" "$p"
      if [ ! -r "$p" ]; then printf '\n%s<denied\n' "$N"
      elif [ "$size" -gt "$left" ]; then printf '\n%s<cut\n' "$N"
      else
        left=$((left - size))
        tail -c "$((c + 1))" <"$p"
        printf '\n%s<%s -%s\n' "$N" "$?" "$c"
      fi
    done
}

# busybox knows no -T.
kernel_log() { dmesg -T || dmesg; }

# CAP TITLE COMMAND...: the end of a log that a command prints.
log_command() {
  c=$1 a=$2; shift 2
  printf '\n%s>l %s\n' "$N" "$a"
  if command -v "$1" >/dev/null; then
    "$@" </dev/null | tail -c "$((c + 1))"
    printf '\n%s<0 -%s\n' "$N" "$c"
  else printf '\n%s<absent\n' "$N"; fi
}

# FUNCTION: its items are known to be absent; say so without a process.
in_line() { hidden=$T T=; "$1"; T=$hidden; }

# FOLDER: whether a loop of this row has not had it yet.
once() {
  case $seen in *"$NL$1$NL"*) return 1 ;; esac
  seen=$seen$1$NL
}
