# Shells within this one: a command that is a shell, and nothing else, finds in its environment what our script
# needs in there. No other program ever sees it.
#
# PS0 is expanded in the shell itself but can run commands in a subshell only; that one sends this shell SIGURG,
# whose trap runs before the command does.

__at_folder=${BASH_SOURCE[0]%/*/*}
__at_nonce=$AUTO_TERMINAL_NONCE
__at_plain=${AUTO_TERMINAL_PLAIN-}
__at_carried=

__at_word='[^][:space:]"'\''\\$`;&|<>(){}*?[]*'
__at_shells="^[[:space:]]*((exec|command|env|exec[[:space:]]+-l|[A-Za-z_][A-Za-z0-9_]*=$__at_word)[[:space:]]+)*"
__at_shells+="($__at_word/)?(bash|zsh|fish)([[:space:]]+(-[il]+|--login|--interactive))*[[:space:]]*\$"

# Prints the name of the shell that the last command line starts; nothing if it starts none.
__at_shell_of_line() {
  builtin local line
  line=$(HISTTIMEFORMAT='' builtin history 1)
  line=${line#"${line%%[![:space:]]*}"}
  line=${line#"${line%%[!0-9]*}"}
  line=${line:2}
  line=${line/'"$SHELL"'/"${SHELL-}"}
  line=${line/'${SHELL}'/"${SHELL-}"}
  line=${line/'$SHELL'/"${SHELL-}"}
  if [[ $line =~ $__at_shells ]]; then builtin printf '%s' "${BASH_REMATCH[4]}"; fi
}

# Exports the variable $1 with the value $2 up to the next prompt.
__at_carry() {
  builtin local quoted
  if [[ ${!1+x} ]]; then
    builtin printf -v quoted '%q' "${!1}"
    __at_carried+="$1=$quoted;"
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
  builtin local shell
  if ((__at_lost)); then
    __at_read
    __at_write
    builtin return
  fi
  shell=$(__at_shell_of_line)
  if [[ ! $shell || $shell == "$__at_plain" ]]; then builtin return; fi
  __at_carry AUTO_TERMINAL_NONCE "$__at_nonce"
  if [[ $__at_plain ]]; then __at_carry AUTO_TERMINAL_PLAIN "$__at_plain"; fi
  case $shell in
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
