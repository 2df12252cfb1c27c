# Keys of the service. They run a command whatever the line editor holds, and no byte that others type meanwhile gets
# into that command:
#
#   RUN    ESC [ 9008 ~   keeps the present line as the draft, and accepts the text of the file `line` in its place
#   PROBE  ESC [ 9007 ~   prints a mark
#   BACK   ESC [ 9006 ~   restores the draft

typeset -g __at_s=$'%{\e]633;S;2'$__at_end'%}'
typeset -g __at_left= __at_right= __at_bound=
typeset -gi __at_kept=0

# Binds the keys in each keymap. Called at each prompt, since some keymaps come into being when they are needed.
__at_bind_keys() {
  if [[ -z $__at_lines || ! -o zle ]] || ! builtin zmodload -F zsh/system b:sysread; then builtin return 1; fi
  builtin zmodload -F zsh/parameter p:keymaps
  if [[ $__at_bound == "$keymaps" ]]; then builtin return 0; fi
  local map
  builtin zle -N __at_key_run
  builtin zle -N __at_key_probe
  builtin zle -N __at_key_back
  builtin zle -N __at_key_again
  for map in ${keymaps:#(.safe|main|visual)}; do
    if [[ $map == viopp ]]; then
      builtin bindkey -M $map $'\e[9008~' __at_key_again $'\e[9007~' __at_key_again $'\e[9006~' __at_key_again
    else
      builtin bindkey -M $map $'\e[9008~' __at_key_run $'\e[9007~' __at_key_probe $'\e[9006~' __at_key_back
    fi
  done
  # A vi command that waits for a character takes the ESC, so what follows it is bound, too.
  builtin bindkey -M vicmd '[9008~' __at_key_run '[9007~' __at_key_probe '[9006~' __at_key_back
  __at_bound="$keymaps"
}

# Runs in place of a vi motion, where what a key does to the line would be undone. The key is read again after the vi
# command.
__at_key_again() {
  builtin zle -U -- "$KEYS"
}

__at_key_run() {
  {
    local -i __at_status=$?
    local __at_verify=$options[histverify]
    builtin emulate -L zsh -o no_aliases -o no_err_exit -o no_err_return -o no_xtrace
    builtin trap - DEBUG ZERR
    local text token key
    if [[ $CONTEXT != start ]] || ! __at_claim; then builtin return 0; fi
    # A draft that no BACK has restored stays around the line.
    __at_left+=$LBUFFER __at_right=$RBUFFER$__at_right __at_kept=1
    # After a quoted insert, the draft may contain the keys themselves as text.
    for key in {$'\e',}'[900'{8,7,6}'~'; do
      __at_left=${__at_left//$key} __at_right=${__at_right//$key}
    done
    __at_hook
    __at_print $'\e]633;R;'"$token;$__at_status;$((${#__at_left} + ${#__at_right}))$__at_end"
    POSTDISPLAY= region_highlight=() REGION_ACTIVE=0
    BUFFER=$text
    CURSOR=$#BUFFER
    # With histverify, a line that refers to the history would only be expanded and not run.
    if [[ $__at_verify == on ]]; then builtin zle .expand-history; fi
    builtin zle .accept-line
  } 2>/dev/null
}

__at_key_probe() {
  {
    builtin emulate -L zsh -o no_aliases -o no_err_exit -o no_err_return -o no_xtrace
    builtin trap - DEBUG ZERR
    __at_print $'\e]633;L;1'$__at_end
  } 2>/dev/null
}

# Restores the draft, with what was typed at the new prompt inserted at the draft's cursor.
__at_key_back() {
  {
    builtin emulate -L zsh -o no_aliases -o no_err_exit -o no_err_return -o no_xtrace
    builtin trap - DEBUG ZERR
    if ((__at_kept)) && [[ $CONTEXT == start ]]; then
      LBUFFER=$__at_left$LBUFFER
      RBUFFER=$RBUFFER$__at_right
      __at_left= __at_right= __at_kept=0
    fi
    __at_print $'\e]633;Q;1'$__at_end
  } 2>/dev/null
}

# Reads the command into `text` and claims it. Fails if there is none, or if another shell has claimed it.
__at_claim() {
  local chunk
  while builtin sysread -s 65536 chunk; do text+=$chunk; done <$__at_lines/line
  token=${text%%$'\n'*}
  if [[ $text != *$'\n'* || -z $token || $token == *[^0-9A-Za-z_-]* ]]; then builtin return 1; fi
  text=${text#*$'\n'}
  builtin setopt local_options no_clobber
  { builtin : } >$__at_lines/$token
}
