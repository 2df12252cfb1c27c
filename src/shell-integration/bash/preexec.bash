# bash-preexec (https://github.com/rcaloras/bash-preexec), on which other tools build. It recognizes the prompt by
# what runs in PROMPT_COMMAND at the top level. So where it is present, PROMPT_COMMAND stays as it is, and we are the
# first of its precmd_functions. The last function that it runs, __bp_interactive_mode, gets a call of ours at its
# beginning, since PS1 may have been set after our first one.

# Succeeds if bash-preexec runs at the prompt; it may have been read and then given up.
__at_is_preexec() {
  [[ ${bash_preexec_imported-}${__bp_imported-} &&
    "${PROMPT_COMMAND[*]-}" == *__bp_@(install|precmd_invoke_cmd)* ]]
}

# Takes our place in bash-preexec, and leaves everything else there to the user.
__at_join() {
  builtin local __at_one __at_others
  __at_others=()
  if [[ "${PROMPT_COMMAND[*]-}" == *__at_* ]]; then
    __at_read
    __at_show
  fi
  # Something runs after bash-preexec, or it has yet to install itself.
  if [[ "${PROMPT_COMMAND[*]-}" != *__bp_interactive_mode && ${PROMPT_COMMAND@a} != *r* ]] &&
    ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
    PROMPT_COMMAND+=("$__at_guard")
  fi
  if [[ ${precmd_functions[0]-} != __at_precmd ]]; then
    for __at_one in "${precmd_functions[@]}"; do
      if [[ $__at_one != __at_precmd ]]; then __at_others+=("$__at_one"); fi
    done
    precmd_functions=(__at_precmd "${__at_others[@]}")
  fi
  if [[ ! ${__at_is_joined-} ]]; then
    __at_is_joined=1
    __at_one=$(builtin declare -f __bp_interactive_mode)
    if [[ $__at_one ]]; then builtin eval "${__at_one/'{'/'{ __at_last_word;'}"; fi
  fi
}

# Finds in $? the status of the command that has ended.
__at_precmd() {
  __at_status=$?
  __at_quietly __at_precmd_place
} 93>&2 2>/dev/null

__at_precmd_place() {
  if [[ ! ${__at_is_told-} ]]; then __at_tell; fi
  __at_settle
}

__at_last_word() {
  builtin local __at_now=$?
  __at_quietly __at_last_place
} 93>&2 2>/dev/null

__at_last_place() {
  # A call that is left over after PROMPT_COMMAND was set anew runs among the user's commands, within __at_prompt.
  if [[ ${__at_busy-} ]]; then builtin return; fi
  if ((!__at_seen)); then
    __at_status=$__at_now
    if __at_is_preexec; then __at_status=${__bp_last_ret_value:-0}; fi
    __at_tell
  fi
  __at_settle
  __at_is_told=
}
