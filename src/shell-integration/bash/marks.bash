# Marks of bash: D and A before anything of the user's runs at the prompt, B at the end of PS1, E and C at the
# end of PS0. Sourced before ~/.bashrc, so that none of its aliases get into these functions.
#
# The user's PROMPT_COMMAND stays where it is; each of its elements is led by a text of ours. So whoever reads
# it, adds to it or sets it anew does what it would do without us. What runs is __at_prompt alone: it prints the
# marks, runs the user's commands with the $?, $_ and PIPESTATUS that they would have had, and then has the last
# word on PS1. Run by a function they do not set off a DEBUG trap: one that goes off between the last of them
# and the prompt makes timers and bash-preexec take our command for the user's.
#
# Fd 93 is the terminal while ours runs; fd 2 is not, so that `set -x` shows nothing of it.

__at_key=";k=$AUTO_TERMINAL_NONCE;s=$$"$'\a'
__at_end=";$AUTO_TERMINAL_NONCE;$$"$'\a'
__at_a=$'\e]133;A'$__at_key
__at_b=$'\e]133;B'$__at_key
__at_c=$'\e]133;C'$__at_key
# The beginning of a D; none is told before the first prompt, where nothing ends.
builtin unset __at_d
# Is 1 from a prompt of ours up to the next command; a prompt that has come without us is found by it.
__at_seen=0 __at_lost=0
# Where the history stood before the command.
__at_number=0
# Its substring of length 0 evaluates the arithmetic of the offset, in the shell itself.
__at_nil=-

# The texts around the user's elements of PROMPT_COMMAND. The first calls us; what stands behind `||` runs where
# the call fails: within a hook that runs the PROMPT_COMMAND it has found, or in a shell that has inherited the
# text only. The call is a line of its own, by which bash-preexec knows it.
__at_first=$'{\n__at_prompt "$_"\n} 93>&2 2>/dev/null || {\n__at_back 2>/dev/null\n'
__at_other=$'{ __at_nothing() { :; }\n} || {\n'
__at_foot=$'\n: __at_foot\n}'
__at_alone=$'{\n__at_prompt "$_"\n} 93>&2 2>/dev/null'
# The last element: calls us when the first has been replaced, or something has set PS1 after us. Unless one of
# them is so it runs no command at all, so that no DEBUG trap goes off: a redirection fails, from a file whose
# name has the rest of PS1 after our mark. That would cost the exit status, which is kept on the way.
__at_paths=(/dev/null/none /dev/null)
__at_guard=$'{ { __at_nothing() { :; }
} <"${__at_paths[__at_seen]}${PS1##*"$__at_ps1_end"}${__at_nil:$((__at_status=$?)):0}"; } 2>/dev/null || {
__at_late\n} 93>&2 2>/dev/null'

__at_ps0_head='${__at_d+$__at_d$?$__at_key}'
__at_ps0_tail='$({ __at_line; } 2>/dev/null)${__at_nil+${__at_nil:$((__at_lost=!__at_seen,__at_seen=0,__at_number=HISTCMD,0)):0}}${__at_c-}'
__at_ps1_tail='\[${__at_nil+${__at_nil:$((__at_number=HISTCMD,0)):0}}${__at_b-}\]'

# Reads into __at_user what the user has in PROMPT_COMMAND. An empty element keeps its place.
__at_read() {
  builtin local text
  __at_user=()
  for text in "${PROMPT_COMMAND[@]-}"; do
    if [[ $text == "$__at_guard" ]]; then builtin continue; fi
    text=${text/"$__at_first"/}
    text=${text/"$__at_other"/}
    text=${text/"$__at_foot"/}
    text=${text/"$__at_guard"/}
    text=${text/"$__at_alone"/}
    __at_user+=("$text")
  done
}

# Puts the texts around what is in __at_user. Before 5.1 bash runs the first element only.
__at_write() {
  builtin local i first="$__at_alone"
  if [[ ${__at_user-} ]]; then first=$__at_first$__at_user$__at_foot; fi
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    PROMPT_COMMAND=$first
    builtin return
  fi
  builtin unset PROMPT_COMMAND
  PROMPT_COMMAND=("$first")
  for ((i = 1; i < ${#__at_user[@]}; i++)); do
    PROMPT_COMMAND+=("$__at_other${__at_user[i]}$__at_foot")
  done
  PROMPT_COMMAND+=("$__at_guard")
}

# While the user's commands run, they find in PROMPT_COMMAND what they would find without us.
__at_show() {
  builtin unset PROMPT_COMMAND
  if ((${#__at_user[@]} > 1)); then
    PROMPT_COMMAND=("${__at_user[@]}")
  elif [[ ${__at_user-} ]]; then
    PROMPT_COMMAND=$__at_user
  fi
}

__at_back() {
  builtin return "$__at_status"
}

# Runs a command of the user's as if it came right after the command that has ended.
__at_run() {
  builtin local before='__at_back "$__at_last"' pipe='' status natural=0
  for status in "${__at_pipe[@]}"; do
    pipe+="${pipe:+|}(exit $status)"
    if [[ ! -o pipefail ]] || ((status)); then natural=$status; fi
  done
  if ((natural != __at_status && !natural == __at_status)); then
    before=": \"\$__at_last\"; ! $pipe"
  elif ((natural == __at_status && ${#__at_pipe[@]} > 1)); then
    before=": \"\$__at_last\"; $pipe"
  fi
  builtin eval "{ $before; } 2>/dev/null"$'\n'"$1" 2>&93 93>&-
}

# What is to be done when the shell is about to ask for a command; $1 is the $_ of the one before.
__at_prompt() {
  __at_status=$? __at_pipe=("${PIPESTATUS[@]}") __at_last=$1
  if [[ ${__at_busy-} ]]; then builtin return 1; fi
  builtin local __at_busy=1 __at_hook
  __at_tell
  __at_read
  __at_show
  for __at_hook in "${__at_user[@]}"; do
    if [[ $__at_hook ]]; then __at_run "$__at_hook"; fi
  done
  __at_settle
}

# The same where the user's commands have already run by themselves.
__at_late() {
  if ((!__at_seen)); then __at_tell; fi
  __at_settle
}

__at_tell() {
  builtin local __at_text
  __at_escape "${PWD-}"
  builtin printf '%s' "${__at_d+$__at_d$__at_status$__at_key}$__at_a" $'\e]633;P;Cwd='"$__at_text$__at_end" >&93
  __at_carry_back
}

# Takes our places again.
__at_settle() {
  __at_read
  __at_write
  __at_mark_prompts
  __at_d=$'\e]133;D;' __at_seen=1
}

# Marks PS0 and PS1 unless they are. References would be shown as they are where prompts are not expanded.
__at_mark_prompts() {
  builtin local head="$__at_ps0_head" tail="$__at_ps0_tail" end="$__at_ps1_tail"
  if [[ :$BASHOPTS: != *:promptvars:* ]]; then head='' tail=$__at_c end="\[$__at_b\]"; fi
  __at_ps1_end=$end
  if [[ ${PS0-} != "$head"*"$tail" ]]; then
    PS0=${PS0/"$__at_ps0_head"/}
    PS0=${PS0/"$__at_ps0_tail"/}
    PS0=$head${PS0/"$__at_c"/}$tail
  fi
  if [[ ${PS1-} != *"$end" ]]; then
    PS1=${PS1/"$__at_ps1_tail"/}
    PS1=${PS1/"\[$__at_b\]"/}$end
  fi
}

# Makes $1 fit to stand in a mark, in __at_text.
__at_escape() {
  builtin local LC_ALL=C code char i
  __at_text=${1//\\/"\\\\"}
  __at_text=${__at_text//;/"\\x3b"}
  if [[ $__at_text == *[$'\x01'-$'\x1f\x7f\xc2']* ]]; then
    for i in {1..31} 127; do
      builtin printf -v code '\\x%02x' "$i"
      builtin printf -v char "$code"
      __at_text=${__at_text//"$char"/"$code"}
    done
    # C1 controls in UTF-8: some of them end a mark.
    for i in {128..159}; do
      builtin printf -v code '\\xc2\\x%02x' "$i"
      builtin printf -v char "$code"
      __at_text=${__at_text//"$char"/"$code"}
    done
  fi
}

# Prints the E mark of the command that begins, in a subshell of PS0: as the history has it. Of one that the
# history did not take, the terminal tells only what was typed.
__at_line() {
  builtin local line __at_text
  if ((!__at_seen)); then builtin kill -URG $$; fi
  if ((HISTCMD == __at_number)); then builtin return; fi
  line=$(HISTTIMEFORMAT='' builtin history 1)
  line=${line#"${line%%[![:space:]]*}"}
  line=${line#"${line%%[!0-9]*}"}
  # A `*` stands in front of a line that was edited.
  line=${line:2}
  if [[ $line == *@(bash|zsh|fish|SHELL)* ]]; then builtin kill -URG $$; fi
  __at_escape "${line:0:16384}"
  builtin printf '\e]633;E;%s%s' "$__at_text" "$__at_end"
}

# Called once, after the user's startup files.
__at_install() {
  __at_read
  __at_write
  __at_mark_prompts
  # Programs use this signal for what concerns them alone, and by itself it does nothing.
  if [[ ! $(builtin trap -p URG) ]]; then builtin trap '{ __at_urgent; } 2>/dev/null' URG; fi
  builtin unset -f __at_install
}
