# What an interactive bash of auto-terminal reads first, in place of ~/.bashrc (--init-file), or, started in
# POSIX mode, as $ENV: a login shell takes no --init-file, and a shell within another shell takes no argument
# of ours at all. It takes the secret out of the environment, runs what bash would have run, and then lets
# the shell tell of its prompts and commands.
#
#   AUTO_TERMINAL_NONCE     secret that marks carry
#   AUTO_TERMINAL_LINES     folder of the terminal's files for commands
#   AUTO_TERMINAL_PLAIN     name of a shell that is to be started as it is
#   AUTO_TERMINAL_BASH      words: `posix` (all startup files are left to this script), `norc`, `noprofile`
#   AUTO_TERMINAL_BASH_RC   file to read in place of ~/.bashrc
#   AUTO_TERMINAL_ENV       the ENV that the user has set

__at_start=" ${AUTO_TERMINAL_BASH-} "
__at_rc=${AUTO_TERMINAL_BASH_RC-~/.bashrc}

case $__at_start in *' posix '*)
  builtin set +o posix
  # Leaving POSIX mode does not undo this.
  builtin shopt -u inherit_errexit 2>/dev/null
  # bash has chosen its file for history while in POSIX mode; one of the user's own is exported or elsewhere.
  if [[ ${HISTFILE-} == ~/.sh_history ]]; then HISTFILE=~/.bash_history; fi
  if [[ ${AUTO_TERMINAL_ENV+x} ]]; then
    builtin export ENV=$AUTO_TERMINAL_ENV
  else
    builtin unset ENV
  fi ;;
esac

__at_install() {
  builtin unset -f __at_install
  builtin unset __at_file __at_files
}

# Older ones (macOS has 3.2) start as ever and are not followed: they know no PS0.
if [[ ${AUTO_TERMINAL_NONCE-} && $- == *i* ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
  builtin source "${BASH_SOURCE[0]%/*}/marks.bash"
  builtin source "${BASH_SOURCE[0]%/*}/nested.bash"
  builtin source "${BASH_SOURCE[0]%/*}/preexec.bash"
  builtin source "${BASH_SOURCE[0]%/*}/keys.bash"
fi
builtin unset AUTO_TERMINAL_NONCE AUTO_TERMINAL_LINES AUTO_TERMINAL_PLAIN AUTO_TERMINAL_BASH AUTO_TERMINAL_BASH_RC AUTO_TERMINAL_ENV

# The file of the whole system is known to bash alone: it stands among the strings of the program.
__at_system_rc() {
  LC_ALL=C builtin command grep -aoE '(/[A-Za-z0-9_.-]+)*/etc/[A-Za-z0-9_./-]*bashrc' "$BASH" 2>/dev/null
}

__at_files=()
case $__at_start in *' posix '*)
  if builtin shopt -q login_shell; then
    if [[ $__at_start != *' noprofile '* ]]; then
      __at_files=(/etc/profile)
      for __at_file in ~/.bash_profile ~/.bash_login ~/.profile; do
        if [[ -r $__at_file ]]; then
          __at_files+=("$__at_file")
          builtin break
        fi
      done
    fi
    __at_start+=' norc '
  elif [[ $__at_start != *' norc '* ]]; then
    __at_file=$(__at_system_rc)
    __at_files=("${__at_file%%$'\n'*}")
  fi ;;
esac
[[ $__at_start == *' norc '* ]] || __at_files+=("$__at_rc")
builtin unset -f __at_system_rc
builtin unset __at_start __at_rc

# All of this is read before any of it runs, for `set -v` shows each line that is read.
# The argument keeps $_ as it is.
{
  for __at_file in "${__at_files[@]}"; do
    if [[ -f $__at_file && -r $__at_file ]]; then builtin source "$__at_file"; fi
  done
  { __at_install "$_"; } 2>/dev/null
}
