# First startup file of a zsh of auto-terminal, in place of the user's .zshenv, because ZDOTDIR points here. It
# restores the user's ZDOTDIR at once, so that zsh reads all other startup files, and whatever they derive from
# ZDOTDIR, where they are. Aliases of the system's zshenv may be in force, hence the quotes.
#
#   AUTO_TERMINAL_NONCE      secret that marks carry
#   AUTO_TERMINAL_LINES      folder in which the shell finds the commands of runs
#   AUTO_TERMINAL_ZDOTDIR    the user's ZDOTDIR; absent when there is none

'builtin' 'typeset' -g __at_nonce="${AUTO_TERMINAL_NONCE-}"
'builtin' 'typeset' -g __at_lines="${AUTO_TERMINAL_LINES-}"
'builtin' 'typeset' -g __at_folder="${${(%):-%x}:A:h:h}"
'builtin' 'unset' AUTO_TERMINAL_NONCE AUTO_TERMINAL_LINES
if [[ -n "${AUTO_TERMINAL_ZDOTDIR+x}" ]]; then
  'builtin' 'export' ZDOTDIR="$AUTO_TERMINAL_ZDOTDIR"
  'builtin' 'unset' AUTO_TERMINAL_ZDOTDIR
else
  'builtin' 'unset' ZDOTDIR
  # The system's zshenv may set ZDOTDIR where it is unset, but has seen ours.
  if [[ -r '/etc/zsh/zshenv' && "$(</etc/zsh/zshenv)" == *'ZDOTDIR'* ]] ||
    [[ -r '/etc/zshenv' && "$(</etc/zshenv)" == *'ZDOTDIR'* ]]; then
    'builtin' 'source' -- "$__at_folder/zsh/zdotdir.zsh"
  fi
fi

if [[ -o 'interactive' && -n "$__at_nonce" ]]; then
  'builtin' 'source' -- "$__at_folder/zsh/marks.zsh"
  'builtin' 'source' -- "$__at_folder/zsh/nested.zsh"
  'builtin' 'source' -- "$__at_folder/zsh/keys.zsh"
else
  'builtin' 'unset' __at_nonce __at_lines __at_folder
fi

# zsh takes an empty ZDOTDIR for the root folder.
if [[ -r "${ZDOTDIR-$HOME}/.zshenv" ]]; then
  'builtin' 'source' -- "${ZDOTDIR-$HOME}/.zshenv"
fi
