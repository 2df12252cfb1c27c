# Shells within this one: a command that is a shell, and nothing else, finds in its environment what our script needs
# there. No other program ever sees it.
#
# PS0 is expanded in the shell itself, but can run commands only in a subshell. That subshell sends this shell SIGURG,
# whose trap runs before the command does.

__at_folder=${BASH_SOURCE[0]%/*/*}
__at_nonce=$AUTO_TERMINAL_NONCE
__at_plain=${AUTO_TERMINAL_PLAIN-}
__at_carried=

__at_word='[^][:space:]"'\''\\$`;&|<>(){}*?[]*'
__at_shells="^[[:space:]]*((exec|command|env|exec[[:space:]]+-l|[A-Za-z_][A-Za-z0-9_]*=$__at_word)[[:space:]]+)*"
__at_shells+="($__at_word/)?(bash|zsh|fish)([[:space:]]+(-[il]+|--login|--interactive))*[[:space:]]*\$"

# Resolves an alias in the command line __at_typed, and succeeds if the line contains the name of a shell. Called
# before each command, so it must be fast.
__at_names_shell() {
  builtin local __at_name
  if ((${#__at_typed} > 1000)); then builtin return 1; fi
  __at_typed=${__at_typed#"${__at_typed%%[![:space:]]*}"}
  __at_name=${__at_typed%%[[:space:]]*}
  if [[ $__at_name && $__at_name != *[!A-Za-z0-9_.-]* && ${BASH_ALIASES[$__at_name]-} ]]; then
    __at_typed=${BASH_ALIASES[$__at_name]}${__at_typed#"$__at_name"}
  fi
  [[ $__at_typed == *bash* || $__at_typed == *zsh* || $__at_typed == *fish* || $__at_typed == *SHELL* ]]
}

# Prints the name of the shell that the last command line starts; nothing if it starts none.
__at_shell_of_line() {
  builtin local __at_typed
  __at_read_typed
  if ! __at_names_shell; then builtin return; fi
  __at_typed=${__at_typed/'"$SHELL"'/"${SHELL-}"}
  __at_typed=${__at_typed/'${SHELL}'/"${SHELL-}"}
  __at_typed=${__at_typed/'$SHELL'/"${SHELL-}"}
  if [[ $__at_typed =~ $__at_shells ]]; then builtin printf '%s' "${BASH_REMATCH[4]}"; fi
}

# Exports the variable $1 with the value $2 until the next prompt.
__at_carry() {
  builtin local __at_quoted
  if [[ ${!1+x} ]]; then
    builtin printf -v __at_quoted '%q' "${!1}"
    __at_carried+="$1=$__at_quoted;"
    [[ ${!1@a} == *x* ]] || __at_carried+="builtin export -n $1;"
  else
    __at_carried+="builtin unset $1;"
  fi
  builtin export "$1=$2"
}

__at_carry_back() {
  if [[ $__at_carried ]]; then
    builtin eval "$__at_carried"
    __at_carried=
  fi
}

__at_urgent() {
  __at_quietly __at_help
}

# Does what PS0 cannot do in its subshell.
__at_help() {
  builtin local __at_shell
  if ((__at_lost)); then
    __at_take
    builtin return
  fi
  __at_shell=$(__at_shell_of_line)
  if [[ ! $__at_shell || $__at_shell == "$__at_plain" ]]; then builtin return; fi
  if [[ $__at_shell == bash ]]; then
    # A bash that the user starts in POSIX mode reads none of bash's startup files.
    if [[ -o posix && ${POSIXLY_CORRECT@a}${SHELLOPTS@a} == *x* ]]; then builtin return; fi
    if [[ ${ENV@a}${POSIXLY_CORRECT@a} == *r* ]]; then builtin return; fi
  fi
  __at_carry AUTO_TERMINAL_NONCE "$__at_nonce"
  if [[ $__at_lines ]]; then __at_carry AUTO_TERMINAL_LINES "$__at_lines"; fi
  if [[ $__at_plain ]]; then __at_carry AUTO_TERMINAL_PLAIN "$__at_plain"; fi
  case $__at_shell in
    bash)
      [[ :$BASHOPTS: == *:inherit_errexit:* ]] || __at_carried+='builtin shopt -u inherit_errexit;'
      if [[ ${ENV+x} ]]; then __at_carry AUTO_TERMINAL_ENV "$ENV"; fi
      __at_carry AUTO_TERMINAL_BASH posix
      __at_carry ENV "$__at_folder/bash/start.bash"
      __at_carry POSIXLY_CORRECT y ;;
    zsh)
      if [[ ${ZDOTDIR+x} ]]; then __at_carry AUTO_TERMINAL_ZDOTDIR "$ZDOTDIR"; fi
      __at_carry ZDOTDIR "$__at_folder/zsh" ;;
    fish)
      if [[ ${XDG_DATA_DIRS+x} ]]; then __at_carry AUTO_TERMINAL_XDG_DATA_DIRS "$XDG_DATA_DIRS"; fi
      __at_carry XDG_DATA_DIRS "$__at_folder/fish:${XDG_DATA_DIRS-/usr/local/share:/usr/share}" ;;
  esac
}
