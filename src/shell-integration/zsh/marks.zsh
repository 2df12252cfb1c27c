# Marks of zsh: D in front of PROMPT_EOL_MARK, which zsh prints before it runs any hook, A in precmd, B at the end of
# PS1, E and C in preexec. Each function that runs at the prompt begins with a redirection of fd 2, so that
# `setopt xtrace` shows nothing of it; it runs without the user's traps, and prints on the terminal itself, since fd 1
# may be somebody's file. The user may have functions with the names of builtins, hence `builtin`; reserved words keep
# the meaning that they have when this file is read.
#
# C also has the status before the line (`z=`), and `f=1` if the line may call a function: zsh keeps a status for some
# lines that it gives up, and the service needs both to recognize these lines.

typeset -g __at_key=";k=$__at_nonce;s=$$"$'\a'
typeset -g __at_end=";$__at_nonce;$$"$'\a'
typeset -g __at_d=$'%{\e]133;D;%?'$__at_key'%}'
typeset -g __at_b=$'%{\e]133;B'$__at_key'%}'
# Is 1 while a command runs.
typeset -gi __at_open=0
# The status before the present command.
typeset -gi __at_before=0

# Escapes $1 for a mark, into REPLY.
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

# First of all hooks, at the prompt and before a command: reports an end that PROMPT_EOL_MARK has not reported, since
# there is no prompt between the lines of a paste.
__at_ended() {
  {
    local -i __at_status=$?
    builtin emulate -L zsh -o no_aliases -o no_err_exit -o no_err_return -o no_xtrace
    builtin trap - DEBUG ZERR
    __at_before=$__at_status
    __at_end $__at_status
  } 2>/dev/null
}

__at_end() {
  if ((__at_open)); then __at_print $'\e]133;D;'"$1$__at_key"; fi
  __at_open=0
}

# Last of the hooks at the prompt, so that no hook changes PS1 after it.
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
    # Without percent sequences, a prompt can hold nothing that takes no room.
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
    # Commands that export or show PS1 must find the user's own.
    PS1=${PS1//$__at_b} PS2=${PS2//$__at_s}
    # Without history, $1 is empty, and only zsh's own version of the line is available.
    local line=${1:-$3}
    __at_escape ${line[1,16384]}
    local given=";z=$__at_before"
    if __at_calls_function $3; then given+=';f=1'; fi
    __at_print $'\e]633;E;'$REPLY$__at_end$'\e]133;C'${__at_key%?}$given$'\a'
    __at_open=1
    __at_hook
    # $3 is the text with its aliases expanded.
    __at_carry_to $3
    # A command that lists scheduled events must not show ours.
    if [[ $3 != *sched* ]]; then builtin sched +0 $__at_heal; fi
  } 2>/dev/null
}

# Succeeds if the line $1, whose aliases are expanded, may call a function.
__at_calls_function() {
  builtin zmodload -F zsh/parameter p:functions || builtin return 0
  local word before=';'
  for word in ${(Q)${(z)1}}; do
    if ((${+functions[$word]})); then builtin return 0; fi
    if [[ $before == ([\;\&\|\!\{\(]*|do|then|else|elif|if|while|until|[A-Za-z_]*=*) && $word == (eval|[\$\`]*) ]]; then
      builtin return 0
    fi
    before=$word
  done
  builtin return 1
}

# Puts our hooks into their places; others may have come, or may have set the arrays anew.
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

# Repairs the hooks after a .zshrc that sets the arrays and thereby drops ours, at the start or when a command reads
# it again. Runs after the hooks of a prompt that lacked ours. Keeps the status, and triggers no trap.
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
