# Marks of bash: D and A before anything of the user's runs at the prompt, B at the end of PS1, E and C at the end of
# PS0. Sourced before ~/.bashrc, so that none of its aliases get into these functions.
#
# The user's PROMPT_COMMAND stays where it is; each of its elements is preceded by a text of ours. So code that reads
# it, adds to it or sets it anew works as it would without us. Only __at_prompt does anything: it prints the marks,
# runs the user's commands with the $?, $_ and PIPESTATUS that they would have had, and is the last to change PS1.
# Commands that a function runs do not trigger a DEBUG trap: one that runs between the last of them and the prompt
# makes timers and bash-preexec take our command for the user's.
#
# Fd 93 is the terminal while our code runs; fd 2 is not, so that `set -x` shows nothing of it.

__at_key=";k=$AUTO_TERMINAL_NONCE;s=$$"$'\a'
__at_end=";$AUTO_TERMINAL_NONCE;$$"$'\a'
__at_a=$'\e]133;A'${__at_key%?}
# Where prompts are expanded, B has the number of the prompt; a prompt that is drawn again keeps its number.
__at_b=$'\e]133;B' __at_prompts=0
__at_c=$'\e]133;C'$__at_key
# The beginning of a D; unset until the first prompt, at which no command ends.
builtin unset __at_d
# __at_seen is 1 from a prompt of ours until the next command: if it is 0, a prompt has come without us.
__at_seen=0 __at_lost=0
# The history number before the command.
__at_number=0
# Its substring of length 0 evaluates the arithmetic of the offset, in the shell itself.
__at_nil=-

# The texts around the user's elements of PROMPT_COMMAND. The first calls us; what follows `||` runs if the call
# fails: within a hook that runs the PROMPT_COMMAND it has found, or in a shell that has inherited the text only. The
# call is a line of its own, by which bash-preexec recognizes it.
__at_first=$'{\n__at_prompt "$_"\n} 93>&2 2>/dev/null || {\n__at_back 2>/dev/null\n'
__at_other=$'{ __at_nothing() { :; }\n} || {\n'
__at_foot=$'\n: __at_foot\n}'
__at_alone=$'{\n__at_prompt "$_"\n} 93>&2 2>/dev/null'
# The last element: calls us if the first was replaced, or if PS1 was set after us. Otherwise it runs no command, so
# that no DEBUG trap runs: its test is a redirection from /dev/null, which fails if __at_seen is 0, or if text follows
# our mark in PS1 and so in the name of the file. The test costs the exit status, which is kept.
__at_paths=(/dev/null/none /dev/null)
__at_guard=$'{ { __at_nothing() { :; }
} <"${__at_paths[__at_seen]}${PS1##*"$__at_ps1_end"}${__at_nil:$((__at_status=$?)):0}"; } 2>/dev/null || {
__at_late\n} 93>&2 2>/dev/null'

# These must not contain an exclamation mark: in POSIX mode a prompt has the history number in its place.
__at_ps0_head='${__at_d+$__at_d$?$__at_key}'
__at_ps0_tail='$({ { builtin trap - DEBUG RETURN ERR; } >/dev/null; __at_line; } 2>/dev/null)'
__at_ps0_tail+='${__at_nil+${__at_nil:$((__at_lost=__at_seen==0,__at_seen=0,__at_asks=0,__at_number=HISTCMD,0)):0}}${__at_c-}'
__at_ps1_tail='\[${__at_nil+${__at_nil:$((__at_asks=1,__at_prompts++,__at_number=HISTCMD,0)):0}}${__at_b+$__at_b;n=$__at_prompts$__at_key}\]'

# Calls the function $1 without the options that would stop it, export what it sets, or trace it.
__at_quietly() {
  builtin local __at_options=${-//[!aeuT]/}
  builtin set +aeuT
  "$1"
  if [[ $__at_options ]]; then builtin set "-$__at_options"; fi
}

# Reads the user's elements of PROMPT_COMMAND into __at_user. An empty element keeps its place.
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

# Puts the texts around the elements of __at_user. Before 5.1, bash runs only the first element.
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

# Runs a command of the user's as if it followed directly upon the command that has ended.
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

# Does everything that is due before the shell asks for a command; $1 is the $_ of the command before.
__at_prompt() {
  __at_status=$? __at_pipe=("${PIPESTATUS[@]}") __at_last=$1
  if [[ ${__at_busy-} ]]; then builtin return 1; fi
  builtin local __at_busy=1 __at_hook __at_left=
  __at_quietly __at_begin
  # With bash-preexec present, what is in PROMPT_COMMAND runs by itself.
  if [[ $__at_left ]]; then builtin return "$__at_left"; fi
  for __at_hook in "${__at_user[@]}"; do
    if [[ $__at_hook ]]; then __at_run "$__at_hook"; fi
  done
  __at_quietly __at_settle
}

__at_begin() {
  __at_tell
  if __at_is_preexec; then
    # What follows `||` runs if we fail; where nothing follows, we keep the status.
    __at_left=$__at_status
    if [[ "${PROMPT_COMMAND[*]-}" == *"$__at_first"* ]]; then __at_left=1; fi
    __at_is_told=1
    __at_settle
  else
    __at_read
    __at_show
  fi
}

# Does the same after the user's commands have already run by themselves.
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

# Takes our places in PROMPT_COMMAND and in the prompts again.
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

# Marks PS0 and PS1 unless they are marked. Without promptvars, references would be shown as they are.
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

# Escapes $1 for a mark, into __at_text.
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

# Reads the last command line into __at_typed, as it is in the history.
__at_read_typed() {
  __at_typed=$(HISTTIMEFORMAT='' builtin history 1)
  __at_typed=${__at_typed#"${__at_typed%%[![:space:]]*}"}
  __at_typed=${__at_typed#"${__at_typed%%[!0-9]*}"}
  # Two characters precede the line: blanks, or `*` and a blank if the entry was edited.
  __at_typed=${__at_typed:2}
}

# Prints the E mark of the command that begins; runs in a subshell of PS0. For a command that is not in the history,
# only the terminal shows what was typed.
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
  # Readonly variables cannot be marked, so such a shell is not tracked.
  if [[ ${PROMPT_COMMAND@a}${PS0@a}${PS1@a} == *r* ]]; then builtin return; fi
  __at_take
  __at_mark_prompts
  __at_bind_keys 2>/dev/null
  # Programs use this signal only for purposes of their own, and by default it does nothing.
  if [[ ! $(builtin trap -p URG) ]]; then builtin trap '{ __at_urgent; } 2>/dev/null' URG; fi
}
