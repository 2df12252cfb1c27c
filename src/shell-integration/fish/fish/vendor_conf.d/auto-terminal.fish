# Startup file that a fish of auto-terminal reads before config.fish: XDG_DATA_DIRS begins with the folder two levels
# above. It restores the user's XDG_DATA_DIRS at once, and makes the shell report its prompts and commands.
#
#   AUTO_TERMINAL_NONCE            secret that marks carry
#   AUTO_TERMINAL_LINES            folder in which the shell finds the commands of runs
#   AUTO_TERMINAL_PLAIN            name of a shell that must be started unchanged
#   AUTO_TERMINAL_XDG_DATA_DIRS    the user's XDG_DATA_DIRS; absent when there is none

set -g __at_nonce $AUTO_TERMINAL_NONCE
set -g __at_lines $AUTO_TERMINAL_LINES
set -g __at_plain $AUTO_TERMINAL_PLAIN
set -e AUTO_TERMINAL_NONCE
set -e AUTO_TERMINAL_LINES
set -e AUTO_TERMINAL_PLAIN

begin
    set -l own (string replace -r '/fish/vendor_conf\.d$' '' -- (status dirname))
    set -l given "$AUTO_TERMINAL_XDG_DATA_DIRS"
    test -n "$given"; or set given /usr/local/share:/usr/share
    # The user's own files in conf.d have already been read, and may have set it.
    if test "$XDG_DATA_DIRS" = "$own:$given"
        if set -q AUTO_TERMINAL_XDG_DATA_DIRS
            set -gx XDG_DATA_DIRS $AUTO_TERMINAL_XDG_DATA_DIRS
        else
            set -e XDG_DATA_DIRS
        end
    else if set -l at (contains -i -- $own $XDG_DATA_DIRS)
        set -e XDG_DATA_DIRS[$at]
    else if test -n "$XDG_DATA_DIRS"; and set -l rest (string replace -- "$own:" '' $XDG_DATA_DIRS)
        set XDG_DATA_DIRS $rest
    end
    set -e AUTO_TERMINAL_XDG_DATA_DIRS
end

if status is-interactive; and test -n "$__at_nonce"
    set -g __at_folder (string replace -r '/fish/fish/vendor_conf\.d$' '' -- (path resolve (status dirname)))
    source $__at_folder/fish/marks.fish
    source $__at_folder/fish/nested.fish
    source $__at_folder/fish/keys.fish
else
    set -e __at_nonce
    set -e __at_lines
    set -e __at_plain
end
