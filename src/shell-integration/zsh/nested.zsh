# Shells within this one: a command that is a shell, and nothing else, finds in its environment what our script needs
# there. No other program ever sees it.

typeset -ga __at_carried=()

# Exports the variable $1 with the value $2 until the next prompt.
__at_carry() {
  if ((${(P)+1})); then
    __at_carried+=("builtin typeset -g $1=${(qq)${(P)1}}")
    if [[ ${(Pt)1} != *export* ]]; then __at_carried+=("builtin typeset -g +x $1"); fi
  else
    __at_carried+=("builtin unset $1")
  fi
  export $1=$2
}

__at_carry_back() {
  local command
  for command in $__at_carried; do builtin eval $command; done
  __at_carried=()
}

# If the command line $1 starts a shell, gives that shell what our script needs, and the exported values of the
# variables that we change for it, as it would have found them without us.
__at_carry_to() {
  local word='[^][:space:]"'\''\\$`;&|<>(){}*?[]*' line=$1 shell
  line=${line//(\"\$SHELL\"|\$\{SHELL\}|\$SHELL)/$SHELL}
  local pattern="^[[:space:]]*((exec|command|env|exec[[:space:]]+-l|[A-Za-z_][A-Za-z0-9_]*=$word)[[:space:]]+)*"
  pattern+="($word/)?(bash|zsh|fish)([[:space:]]+(-[il]+|--login|--interactive))*[[:space:]]*\$"
  if [[ $line != *(bash|zsh|fish)* || ! $line =~ $pattern ]]; then builtin return 0; fi
  shell=$match[4]
  __at_carry AUTO_TERMINAL_NONCE $__at_nonce
  if [[ -n $__at_lines ]]; then __at_carry AUTO_TERMINAL_LINES $__at_lines; fi
  case $shell in
    bash)
      if [[ ${(t)ENV} == *export* ]]; then __at_carry AUTO_TERMINAL_ENV $ENV; fi
      __at_carry AUTO_TERMINAL_BASH posix
      __at_carry ENV $__at_folder/bash/start.bash
      __at_carry POSIXLY_CORRECT y ;;
    zsh)
      if [[ ${(t)ZDOTDIR} == *export* ]]; then __at_carry AUTO_TERMINAL_ZDOTDIR "$ZDOTDIR"; fi
      __at_carry ZDOTDIR $__at_folder/zsh ;;
    fish)
      if [[ ${(t)XDG_DATA_DIRS} == *export* ]]; then __at_carry AUTO_TERMINAL_XDG_DATA_DIRS "$XDG_DATA_DIRS"; fi
      __at_carry XDG_DATA_DIRS $__at_folder/fish:${AUTO_TERMINAL_XDG_DATA_DIRS-/usr/local/share:/usr/share} ;;
  esac
}
