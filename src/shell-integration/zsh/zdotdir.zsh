# Sets ZDOTDIR as the system's zshenv would have set it without us, by asking a zsh that reads that file and no other.
# Nothing of ours is in its environment.

'builtin' 'typeset' __at_answer="/proc/$$/exe"
[[ -x "$__at_answer" ]] || __at_answer='zsh'
# That file may print something, so the answer comes on a descriptor of its own.
__at_answer="$("$__at_answer" -fc '\builtin \print -rnu3 -- "${(t)ZDOTDIR}=${ZDOTDIR-}"' \
  3>&1 >'/dev/null' 2>&1 <'/dev/null')"
case "${__at_answer%%=*}" in
  (*'export'*) 'builtin' 'export' ZDOTDIR="${__at_answer#*=}" ;;
  ('scalar'*) 'builtin' 'typeset' -g +x ZDOTDIR="${__at_answer#*=}" ;;
esac
'builtin' 'unset' __at_answer
