# Keys of the service. They run a command whatever the line editor holds, and no byte that others type meanwhile gets
# into that command:
#
#   RUN    ESC [ 9008 ~   keeps the present line as the draft, and accepts the text of the file `line` in its place
#   PROBE  ESC [ 9007 ~   prints a mark
#   BACK   ESC [ 9006 ~   restores the draft
#
# `bind -x` cannot accept a line. So RUN is a macro of two sequences: the first calls us, and we bind the second to
# accept-line or to nothing. A macro's keys are read before what is typed.

__at_lines=$AUTO_TERMINAL_LINES
__at_keys=($'\e[9008~' $'\e[9007~' $'\e[9006~' '[9008~' '[9007~' '[9006~')
__at_draft_left= __at_draft_right=
__at_token= __at_again=
builtin unset __at_command
# Is 1 when BACK has a draft to restore.
__at_kept=0
# Is 1 at PS1, 2 at PS2, and 0 while a command runs, which may itself edit a line.
__at_asks=0

# Begins with a line feed, since at PS2 bash takes what follows for the remainder of the user's line.
__at_call_run=$'\n! { __at_key_run "$_"; } 93>&2 >/dev/null 2>&1'
# BACK without a draft, and PROBE, run no command at all, since a DEBUG trap would notice it: a redirection fails,
# from a file in whose name a subshell prints the mark.
__at_call_back=$'\n! { ! { __at_key_back "$_"; } <"${__at_paths[__at_kept]}$(
{ builtin trap - DEBUG RETURN ERR; } >/dev/null; ((__at_kept)) || __at_say Q)"; } 93>&2 >/dev/null 2>&1'
__at_call_probe=$'\n! { { __at_nothing() { :; }
} <"${__at_paths}$({ builtin trap - DEBUG RETURN ERR; } >/dev/null; __at_say L)"; } 93>&2 >/dev/null 2>&1'

__at_ps2_tail='\[${__at_nil+${__at_nil:$((__at_asks=2,0)):0}}${__at_s-}\]'
__at_s=$'\e]633;S;2'$__at_end

# Prints the mark with the letter $1.
__at_say() {
  builtin printf '\e]633;%s;1%s' "$1" "$__at_end" >&93
}

# Succeeds if the keys work. Where prompts are not expanded, nothing shows whether the shell is at PS1.
__at_has_keys() {
  [[ $__at_lines && :$BASHOPTS: == *:promptvars:* && ( -o emacs || -o vi ) ]]
}

# Makes PS2 report that the shell wants the remainder of a command.
__at_mark_ps2() {
  builtin local __at_tail="$__at_ps2_tail"
  if [[ :$BASHOPTS: != *:promptvars:* ]]; then __at_tail="\[$__at_s\]"; fi
  if [[ ${PS2-} == *"$__at_tail" || ${PS2@a} == *r* ]]; then builtin return; fi
  PS2=${PS2-}
  PS2=${PS2/"$__at_ps2_tail"/}
  PS2=${PS2/"\[$__at_s\]"/}$__at_tail
}

# Called once, after the user's startup files.
__at_bind_keys() {
  builtin local __at_map
  if [[ ! $__at_lines ]]; then builtin return; fi
  for __at_map in emacs-standard vi-insert vi-command; do
    builtin bind -m "$__at_map" '"\e[9029~": accept-line'
    builtin bind -m "$__at_map" '"\e[9008~": "\e[9018~\e[9019~"'
    builtin bind -m "$__at_map" -x '"\e[9018~": '"$__at_call_run"
    builtin bind -m "$__at_map" -x '"\e[9007~": '"$__at_call_probe"
    builtin bind -m "$__at_map" -x '"\e[9006~": '"$__at_call_back"
  done
  # A vi command that waits for a character takes the ESC, so what follows it is bound, too.
  builtin bind -m vi-command '"[9008~": "\e[9018~\e[9019~"'
  builtin bind -m vi-command -x '"[9007~": '"$__at_call_probe"
  builtin bind -m vi-command -x '"[9006~": '"$__at_call_back"
  __at_bind_end '""'
}

__at_bind_end() {
  builtin local __at_map
  for __at_map in emacs-standard vi-insert vi-command; do
    builtin bind -m "$__at_map" '"\e[9019~": '"$1"
  done
  __at_is_armed=
  if [[ $1 == accept-line ]]; then __at_is_armed=1; fi
}

# Succeeds if bash asks for a command: not for the remainder of one, and not for what a command reads. After our marks
# were lost, only the history number shows it, which is one less while a command runs.
__at_asks_command() {
  if ! __at_has_keys; then builtin return 1; fi
  ((__at_asks == 1)) || { ((__at_asks == 0 && HISTCMD >= __at_number)) && [[ ${PS1-} != *"$__at_ps1_tail" ]]; }
}

__at_key_run() {
  builtin local __at_before=$?
  __at_quietly __at_stage
}

__at_stage() {
  if [[ $__at_is_armed ]]; then __at_bind_end '""'; fi
  if [[ ! $__at_again ]]; then
    if ! __at_asks_command || ! __at_claim; then builtin return; fi
    __at_keep_draft
  fi
  # bash takes PS0 as it is when it prints a prompt. If that prompt came without us, an empty line brings another.
  if [[ ! $__at_again ]] && ((!__at_seen)); then
    __at_again=1
    __at_take
    READLINE_LINE= READLINE_POINT=0
    __at_bind_end '"\e[9029~\e[9018~\e[9019~"'
    builtin return
  fi
  __at_again=
  builtin printf '\e]633;R;%s;%s;%s%s' "$__at_token" "$__at_before" \
    "$((${#__at_draft_left} + ${#__at_draft_right}))" "$__at_end" >&93
  READLINE_LINE=${__at_command-}
  READLINE_POINT=${#READLINE_LINE}
  __at_command=
  __at_without_edit histverify
  __at_without_edit histreedit
  __at_bind_end accept-line
}

# Reads the command into __at_command and claims it. Fails if there is none, or if another shell has claimed it.
__at_claim() {
  builtin local - IFS=
  { builtin read -r __at_token && builtin mapfile -d '' __at_command; } <"$__at_lines/line" || builtin return
  if [[ ! $__at_token || $__at_token == *[!A-Za-z0-9_-]* ]]; then builtin return 1; fi
  builtin set -C
  { builtin :; } >"$__at_lines/$__at_token"
}

# Keeps the line as the draft, without the keys themselves, which it may contain as text after a quoted insert. A draft
# that no BACK has restored stays around it.
__at_keep_draft() {
  builtin local __at_key
  __at_draft_left+=${READLINE_LINE:0:READLINE_POINT}
  __at_draft_right=${READLINE_LINE:READLINE_POINT}$__at_draft_right
  for __at_key in "${__at_keys[@]}"; do
    __at_draft_left=${__at_draft_left//"$__at_key"/}
    __at_draft_right=${__at_draft_right//"$__at_key"/}
  done
  __at_kept=1
}

# Turns the option $1 off until the next prompt: with it, a line that refers to the history would not be run.
__at_without_edit() {
  if [[ $READLINE_LINE == *["${histchars:-!^}"]* ]] && builtin shopt -q "$1"; then
    builtin shopt -u "$1"
    __at_carried+="builtin shopt -s $1;"
  fi
}

__at_key_back() {
  __at_quietly __at_restore
}

# Restores the draft, with what was typed at the new prompt inserted at the draft's cursor.
__at_restore() {
  builtin local __at_typed_left __at_typed_right
  if __at_asks_command; then
    __at_carry_back
    __at_bind_end '""'
    __at_typed_left=${READLINE_LINE:0:READLINE_POINT}
    __at_typed_right=${READLINE_LINE:READLINE_POINT}
    READLINE_LINE=$__at_draft_left$__at_typed_left$__at_typed_right$__at_draft_right
    __at_typed_left=$__at_draft_left$__at_typed_left
    READLINE_POINT=${#__at_typed_left}
    __at_draft_left= __at_draft_right= __at_kept=0
  fi
  __at_say Q
}
