# First startup file of an interactive bash of auto-terminal, in place of ~/.bashrc (--init-file), or, if started in
# POSIX mode, as $ENV: a login shell takes no --init-file, and a shell within another shell takes no argument of ours
# at all. It removes the secret from the environment, runs what bash would have run, and then makes the shell report
# its prompts and commands.
#
#   AUTO_TERMINAL_NONCE     secret that marks carry
#   AUTO_TERMINAL_LINES     folder in which the shell finds the commands of runs
#   AUTO_TERMINAL_PLAIN     name of a shell that must be started unchanged
#   AUTO_TERMINAL_BASH      words: `posix` (this script reads all startup files), `norc`, `noprofile`
#   AUTO_TERMINAL_BASH_RC   file to read in place of ~/.bashrc
#   AUTO_TERMINAL_ENV       the ENV that the user has set

__at_start=" ${AUTO_TERMINAL_BASH-} "
__at_rc=${AUTO_TERMINAL_BASH_RC-~/.bashrc}

case $__at_start in *' posix '*)
  builtin set +o posix
  # Leaving POSIX mode does not reset this option.
  builtin shopt -u inherit_errexit 2>/dev/null
  # bash has chosen its history file while in POSIX mode. It exports no choice of its own, so an exported one is the
  # user's.
  if [[ ${HISTFILE-} == ~/.sh_history && ! $(builtin declare -p HISTFILE 2>/dev/null) =~ ^declare\ -[A-Za-z]*x ]]; then
    HISTFILE=~/.bash_history
  fi
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

# Older versions (macOS has 3.2) start as ever and are not tracked, since they have no PS0.
if [[ ${AUTO_TERMINAL_NONCE-} && $- == *i* ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
  builtin source "${BASH_SOURCE[0]%/*}/marks.bash"
  builtin source "${BASH_SOURCE[0]%/*}/nested.bash"
  builtin source "${BASH_SOURCE[0]%/*}/preexec.bash"
  builtin source "${BASH_SOURCE[0]%/*}/keys.bash"
fi
builtin unset AUTO_TERMINAL_NONCE AUTO_TERMINAL_LINES AUTO_TERMINAL_PLAIN AUTO_TERMINAL_BASH AUTO_TERMINAL_BASH_RC AUTO_TERMINAL_ENV

# Only bash knows the path of the system-wide file: it is among the strings of the program.
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

# The braces make bash read all of this before it runs any of it: after `set -v` in a startup file, bash shows each
# line that it reads. The argument keeps $_ as it is.
{
  for __at_file in "${__at_files[@]}"; do
    if [[ -f $__at_file && -r $__at_file ]]; then builtin source "$__at_file"; fi
  done
  { __at_install "$_"; } 2>/dev/null
}
