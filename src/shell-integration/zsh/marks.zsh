# Marks of zsh: D in front of PROMPT_EOL_MARK, which zsh prints before it runs any hook, A in precmd, B at the
# end of PS1, E and C in preexec. Each function that runs at the prompt begins with a redirection of fd 2, so
# that `setopt xtrace` shows nothing of it, and without the user's traps, and prints on the terminal itself: fd 1 may
# be somebody's file. The user's functions may be called as builtins are; reserved words are what they were here.

typeset -g __at_key=";k=$__at_nonce;s=$$"$'\a'
typeset -g __at_end=";$__at_nonce;$$"$'\a'
typeset -g __at_d=$'%{\e]133;D;%?'$__at_key'%}'
typeset -g __at_b=$'%{\e]133;B'$__at_key'%}'
# Is 1 while a command runs.
typeset -gi __at_open=0

# Makes $1 fit to stand in a mark, in REPLY.
__at_escape() {
  REPLY=${1//\\/\\\\}
  REPLY=${REPLY//;/\\x3b}
  if [[ $REPLY == *[[:cntrl:]]* ]]; then
    local -i i
    for i in {1..31} 127; do REPLY=${REPLY//${(#)i}/\\x${(l:2::0:)$(([##16]i))}}; done
    # C1 controls, which are two bytes in UTF-8: some of them end a mark.
    for i in {128..159}; do REPLY=${REPLY//${(#)i}/\\xc2\\x$(([##16]i))}; done
  fi
}

__at_print() {
  { builtin print -rn -- "$1" >|$TTY } 2>/dev/null || builtin print -rn -- "$1"
}

# First of all hooks, at the prompt and before a command: tells of an end that PROMPT_EOL_MARK has not told of.
# Between the lines of a paste there is no prompt.
__at_ended() {
  {
    local -i __at_status=$?
    builtin emulate -L zsh -o no_aliases -o no_err_exit -o no_err_return -o no_xtrace
    builtin trap - DEBUG ZERR
    __at_end $__at_status
  } 2>/dev/null
}

__at_end() {
  if ((__at_open)); then __at_print $'\e]133;D;'"$1$__at_key"; fi
  __at_open=0
}

# Last of the hooks at the prompt, so that its word on PS1 is the last, too.
__at_precmd() {
  {
    local __at_percent=$options[promptpercent]
    builtin emulate -L zsh -o no_aliases -o no_err_exit -o no_err_return -o no_xtrace
    builtin trap - DEBUG ZERR
    local REPLY
    __at_carry_back
    __at_escape "$PWD"
    local works=
    if __at_bind_keys; then works=';r=1'; fi
    REPLY=$'\e]133;A'${__at_key%?}$works$'\a\e]633;P;Cwd='$REPLY$__at_end
    # Without percent sequences a prompt can hold nothing that takes no room.
    if [[ $__at_percent == off ]]; then
      REPLY+=$'\e]133;B'$__at_key
    elif [[ $PS1 != *$__at_b ]]; then
      PS1=${PS1//$__at_b}$__at_b
    fi
    if [[ $__at_percent == on && $PS2 != *$__at_s ]]; then PS2=${PS2//$__at_s}$__at_s; fi
    __at_print $REPLY
    if [[ ${PROMPT_EOL_MARK-} != $__at_d* ]]; then
      typeset -g +x PROMPT_EOL_MARK=$__at_d${${PROMPT_EOL_MARK-'%B%S%#%s%b'}//$__at_d}
    fi
    __at_hook
    local -i scheduled=${zsh_scheduled_events[(I)*:$__at_heal]}
    if ((scheduled)); then builtin sched -$scheduled; fi
  } 2>/dev/null
}

# Last of the hooks before a command.
__at_preexec() {
  {
    builtin emulate -L zsh -o no_aliases -o no_err_exit -o no_err_return -o no_xtrace
    builtin trap - DEBUG ZERR
    local REPLY
    # What is exported of PS1, or shown of it, is the user's.
    PS1=${PS1//$__at_b} PS2=${PS2//$__at_s}
    # Without history there is only what zsh makes of the line.
    local line=${1:-$3}
    __at_escape ${line[1,16384]}
    __at_print $'\e]633;E;'$REPLY$__at_end$'\e]133;C'$__at_key
    __at_open=1
    __at_hook
    # The text with its aliases expanded.
    __at_carry_to $3
    # Who asks what is scheduled is to see nothing of ours.
    if [[ $3 != *sched* ]]; then builtin sched +0 $__at_heal; fi
  } 2>/dev/null
}

# Takes our places among the hooks; others may have come, or have set the arrays anew.
__at_hook() {
  if [[ ${precmd_functions[1]-}:${precmd_functions[-1]-} != __at_ended:__at_precmd ]]; then
    typeset -ga precmd_functions
    precmd_functions=(__at_ended ${precmd_functions:#(__at_ended|__at_precmd)} __at_precmd)
  fi
  if [[ ${preexec_functions[1]-}:${preexec_functions[-1]-} != __at_ended:__at_preexec ]]; then
    typeset -ga preexec_functions
    preexec_functions=(__at_ended ${preexec_functions:#(__at_ended|__at_preexec)} __at_preexec)
  fi
}

# For a .zshrc that sets the arrays and thereby drops us, at the start or when a command reads it again: comes after the
# hooks of a prompt among which we were not, and leaves the status as it is without setting off a trap.
__at_check() {
  local -i __at_status=$?
  if [[ -z ${precmd_functions[(r)__at_precmd]-} ]]; then
    __at_end $__at_status
    __at_precmd
  fi
  builtin return $__at_status
}

typeset -g __at_heal='{ __at_check && : } 2>/dev/null'
builtin sched +0 $__at_heal
__at_hook
