# Marks of fish: A and B before the prompt, E and C before a command, D after it. The prompt itself is the user's
# function, which is shown, saved and defined anew, so it prints no marks.

set -g __at_key ";k=$__at_nonce;s=$fish_pid"\a
# The same for A, which also reports that the keys work.
set -g __at_key_ready (string replace \a '' -- $__at_key)(test -n "$__at_lines"; and echo ';r=1')\a
set -g __at_end ";$__at_nonce;$fish_pid"\a

# Prints a text escaped for a mark. A text with control characters, or with other characters than ASCII, is escaped
# byte by byte, and cut where the mark could become too long.
function __at_escape
    if string match -qr '[^ -~]' -- $argv[1]
        string escape --style=url -- (string sub -l 8000 -- $argv[1] | string collect) | string replace -a % '\\x'
    else
        string sub -l 16384 -- $argv[1] | string replace -a '\\' '\\\\' | string replace -a ';' '\\x3b'
    end
end

# Prints D before other handlers print anything.
function __at_ended --on-event fish_postexec
    builtin printf '\e]133;D;%s%s' $status $__at_key
end

# The other handlers are defined at the first prompt, after config.fish: what other handlers print before a command is
# not part of its output.
function __at_install --on-event fish_prompt
    builtin functions -e __at_install

    function __at_begun --on-event fish_preexec
        # fish also calls this for a line of blanks and comments, which runs nothing and leaves the status as it was.
        string match -qr '^(?:[ \t\n;]|\\\\\n|#[^\n]*+)*+$' -- "$argv[1]"; and return
        set -g __at_runs 1
        builtin printf '\e]633;E;%s%s\e]133;C%s' (__at_escape $argv[1]) $__at_end $__at_key
        __at_carry_to $argv[1]
    end

    function __at_prompt --on-event fish_prompt --on-event fish_cancel --on-event fish_posterror
        set -g __at_runs 0
        set -g __at_searched 0
        __at_carry_back
        builtin printf '\e]133;A%s\e]633;P;Cwd=%s%s\e]133;B%s' $__at_key_ready (__at_escape $PWD) $__at_end $__at_key
    end
    test -n "$__at_lines"; and __at_bind_keys
    __at_prompt
end
