# What a fish of auto-terminal reads before config.fish: XDG_DATA_DIRS begins with the folder two levels above.
# It gives the user's XDG_DATA_DIRS back at once, and lets the shell tell of its prompts and commands.
#
#   AUTO_TERMINAL_NONCE            secret that marks carry
#   AUTO_TERMINAL_XDG_DATA_DIRS    the user's XDG_DATA_DIRS; absent when there is none

set -g __at_nonce $AUTO_TERMINAL_NONCE
set -e AUTO_TERMINAL_NONCE
if set -q AUTO_TERMINAL_XDG_DATA_DIRS
    set -gx XDG_DATA_DIRS $AUTO_TERMINAL_XDG_DATA_DIRS
    set -e AUTO_TERMINAL_XDG_DATA_DIRS
else
    set -e XDG_DATA_DIRS
end

if status is-interactive; and test -n "$__at_nonce"
    set -g __at_folder (string replace -r '/fish/fish/vendor_conf\.d$' '' -- (path resolve (status dirname)))
    source $__at_folder/fish/marks.fish
    source $__at_folder/fish/nested.fish
else
    set -e __at_nonce
end
