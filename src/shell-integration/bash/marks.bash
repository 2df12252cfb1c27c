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
__at_a=$'\e]133;A'${__at_key%?}
# Where prompts are expanded, B has the number of the prompt: one that is drawn again has that of before.
__at_b=$'\e]133;B' __at_prompts=0
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

# No exclamation mark may stand in these: in POSIX mode a prompt has the number of the command in its place.
__at_ps0_head='${__at_d+$__at_d$?$__at_key}'
__at_ps0_tail='$({ { builtin trap - DEBUG RETURN ERR; } >/dev/null; __at_line; } 2>/dev/null)'
__at_ps0_tail+='${__at_nil+${__at_nil:$((__at_lost=__at_seen==0,__at_seen=0,__at_asks=0,__at_number=HISTCMD,0)):0}}${__at_c-}'
__at_ps1_tail='\[${__at_nil+${__at_nil:$((__at_asks=1,__at_prompts++,__at_number=HISTCMD,0)):0}}${__at_b+$__at_b;n=$__at_prompts$__at_key}\]'

# Calls the function $1 with the options off that would stop it, export what it sets or trace it.
__at_quietly() {
  builtin local __at_options=${-//[!aeuT]/}
  builtin set +aeuT
  "$1"
  if [[ $__at_options ]]; then builtin set "-$__at_options"; fi
}

# Reads into __at_user what the user has in PROMPT_COMMAND. An empty element keeps its place.
__at_read() {
  builtin local __at_element
  __at_user=()
  for __at_element in "${PROMPT_COMMAND[@]-}"; do
    if [[ $__at_element == "$__at_guard" ]]; then builtin continue; fi
    __at_element=${__at_element/"$__at_first"/}
    __at_element=${__at_element/"$__at_other"/}
    __at_element=${__at_element/"$__at_foot"/}
    __at_element=${__at_element/"$__at_guard"/}
    __at_element=${__at_element/"$__at_alone"/}
    __at_user+=("$__at_element")
  done
}

# Puts the texts around what is in __at_user. Before 5.1 bash runs the first element only.
__at_write() {
  builtin local __at_i __at_begin="$__at_alone"
  if [[ ${PROMPT_COMMAND@a} == *r* ]]; then builtin return; fi
  if [[ ${__at_user-} ]]; then __at_begin=$__at_first$__at_user$__at_foot; fi
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    PROMPT_COMMAND=$__at_begin
    builtin return
  fi
  builtin unset PROMPT_COMMAND
  PROMPT_COMMAND=("$__at_begin")
  for ((__at_i = 1; __at_i < ${#__at_user[@]}; __at_i++)); do
    PROMPT_COMMAND+=("$__at_other${__at_user[__at_i]}$__at_foot")
  done
  PROMPT_COMMAND+=("$__at_guard")
}

# While the user's commands run, they find in PROMPT_COMMAND what they would find without us.
__at_show() {
  if [[ ${PROMPT_COMMAND@a} == *r* ]]; then builtin return; fi
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
  builtin local __at_before='__at_back "$__at_last"' __at_line='' __at_one __at_natural=0
  for __at_one in "${__at_pipe[@]}"; do
    __at_line+="${__at_line:+|}(exit $__at_one)"
    if [[ ! -o pipefail ]] || ((__at_one)); then __at_natural=$__at_one; fi
  done
  if ((__at_natural != __at_status && !__at_natural == __at_status)); then
    __at_before=": \"\$__at_last\"; ! $__at_line"
  elif ((__at_natural == __at_status && ${#__at_pipe[@]} > 1)); then
    __at_before=": \"\$__at_last\"; $__at_line"
  fi
  builtin eval "{ $__at_before; } 2>/dev/null"$'\n'"$1" 2>&93 93>&-
}

# What is to be done when the shell is about to ask for a command; $1 is the $_ of the one before.
__at_prompt() {
  __at_status=$? __at_pipe=("${PIPESTATUS[@]}") __at_last=$1
  if [[ ${__at_busy-} ]]; then builtin return 1; fi
  builtin local __at_busy=1 __at_hook __at_left=
  __at_quietly __at_begin
  # What stands in PROMPT_COMMAND runs by itself, now that bash-preexec is there.
  if [[ $__at_left ]]; then builtin return "$__at_left"; fi
  for __at_hook in "${__at_user[@]}"; do
    if [[ $__at_hook ]]; then __at_run "$__at_hook"; fi
  done
  __at_quietly __at_settle
}

__at_begin() {
  __at_tell
  if __at_is_preexec; then
    # Behind `||` they run where we fail; where nothing stands there, we leave the status as it was.
    __at_left=$__at_status
    if [[ "${PROMPT_COMMAND[*]-}" == *"$__at_first"* ]]; then __at_left=1; fi
    __at_is_told=1
    __at_settle
  else
    __at_read
    __at_show
  fi
}

# The same where the user's commands have already run by themselves.
__at_late() {
  if ((!__at_seen)); then __at_quietly __at_tell; fi
  __at_quietly __at_settle
}

__at_tell() {
  builtin local __at_text __at_works=$'\a'
  if [[ $__at_is_armed ]]; then __at_bind_end '""'; fi
  if __at_has_keys; then __at_works=$';r=1\a'; fi
  __at_escape "${PWD-}"
  builtin printf '%s' "${__at_d+$__at_d$__at_status$__at_key}$__at_a$__at_works" $'\e]633;P;Cwd='"$__at_text$__at_end" >&93
  __at_carry_back
}

# Takes our places again.
__at_settle() {
  __at_take
  __at_mark_prompts
  __at_d=$'\e]133;D;' __at_seen=1
}

__at_take() {
  if __at_is_preexec; then
    __at_join
  else
    __at_read
    __at_write
  fi
}

# Marks PS0 and PS1 unless they are. References would be shown as they are where prompts are not expanded.
__at_mark_prompts() {
  builtin local __at_head="$__at_ps0_head" __at_tail="$__at_ps0_tail" __at_close="$__at_ps1_tail"
  if [[ :$BASHOPTS: != *:promptvars:* ]]; then __at_head='' __at_tail=$__at_c __at_close="\[$__at_b$__at_key\]"; fi
  __at_ps1_end=$__at_close
  if [[ ${PS0-} != "$__at_head"*"$__at_tail" && ${PS0@a} != *r* ]]; then
    PS0=${PS0-}
    PS0=${PS0/"$__at_ps0_head"/}
    PS0=${PS0/"$__at_ps0_tail"/}
    PS0=$__at_head${PS0/"$__at_c"/}$__at_tail
  fi
  if [[ ${PS1-} != *"$__at_close" && ${PS1@a} != *r* ]]; then
    PS1=${PS1-}
    PS1=${PS1/"$__at_ps1_tail"/}
    PS1=${PS1/"\[$__at_b$__at_key\]"/}$__at_close
  fi
  __at_mark_ps2
}

# Makes $1 fit to stand in a mark, in __at_text.
__at_escape() {
  builtin local LC_ALL=C __at_code __at_char __at_i
  __at_text=${1//\\/"\\\\"}
  __at_text=${__at_text//;/"\\x3b"}
  if [[ $__at_text == *[$'\x01'-$'\x1f\x7f\xc2']* ]]; then
    for __at_i in {1..31} 127; do
      builtin printf -v __at_code '\\x%02x' "$__at_i"
      builtin printf -v __at_char "$__at_code"
      __at_text=${__at_text//"$__at_char"/"$__at_code"}
    done
    # C1 controls in UTF-8: some of them end a mark.
    for __at_i in {128..159}; do
      builtin printf -v __at_code '\\xc2\\x%02x' "$__at_i"
      builtin printf -v __at_char "$__at_code"
      __at_text=${__at_text//"$__at_char"/"$__at_code"}
    done
  fi
}

# Reads the last command line into __at_typed, as the history has it.
__at_read_typed() {
  __at_typed=$(HISTTIMEFORMAT='' builtin history 1)
  __at_typed=${__at_typed#"${__at_typed%%[![:space:]]*}"}
  __at_typed=${__at_typed#"${__at_typed%%[!0-9]*}"}
  # A `*` stands in front of a line that was edited.
  __at_typed=${__at_typed:2}
}

# Prints the E mark of the command that begins, in a subshell of PS0. Of one that the history did not take, the
# terminal tells only what was typed.
__at_line() {
  builtin local __at_text __at_typed
  if ((!__at_seen)); then builtin kill -URG $$; fi
  if ((HISTCMD == __at_number)); then builtin return; fi
  __at_read_typed
  __at_escape "${__at_typed:0:16384}"
  if __at_names_shell; then builtin kill -URG $$; fi
  builtin printf '\e]633;E;%s%s' "$__at_text" "$__at_end"
}

# Called once, after the user's startup files.
__at_install() {
  builtin unset -f __at_install
  builtin unset __at_file __at_files
  __at_quietly __at_take_places
}

__at_take_places() {
  # What is readonly cannot be followed.
  if [[ ${PROMPT_COMMAND@a}${PS0@a}${PS1@a} == *r* ]]; then builtin return; fi
  __at_take
  __at_mark_prompts
  __at_bind_keys 2>/dev/null
  # Programs use this signal for what concerns them alone, and by itself it does nothing.
  if [[ ! $(builtin trap -p URG) ]]; then builtin trap '{ __at_urgent; } 2>/dev/null' URG; fi
}
