# Shells within this one: a command that is a shell, and nothing else, finds in its environment what our script needs
# there. No other program ever sees it.

set -g __at_carried

# Exports the variable $argv[1] with the value $argv[2] until the next prompt.
function __at_carry
    if set -gq $argv[1]
        set -a __at_carried "set -g"(set -gqx $argv[1]; and echo x; or echo u)" $argv[1] "(string escape -- $$argv[1] | string join ' ')
    else
        set -a __at_carried "set -eg $argv[1]"
    end
    set -gx $argv[1] $argv[2]
end

function __at_carry_back
    for command in $__at_carried
        eval $command
    end
    set -g __at_carried
end

# If a command line starts a shell, gives that shell what our script needs, and the exported values of the variables
# that we change for it, as it would have found them without us.
function __at_carry_to
    set -l word '[^]\s"\'\\\\$`;&|<>(){}*?[]*'
    set -l line (string replace -r '"\$SHELL"|\$SHELL' "$SHELL" -- $argv[1])
    set -l match (string match -r "^\s*(?:(?:exec|command|env|exec\s+-l|\w+=$word)\s+)*(?:$word/)?(bash|zsh|fish)(?:\s+(?:-[il]+|--login|--interactive))*\s*\$" -- "$line")
    or return
    test "$match[2]" = "$__at_plain"; and return
    __at_carry AUTO_TERMINAL_NONCE $__at_nonce
    test -n "$__at_lines"; and __at_carry AUTO_TERMINAL_LINES $__at_lines
    test -n "$__at_plain"; and __at_carry AUTO_TERMINAL_PLAIN $__at_plain
    switch $match[2]
        case bash
            set -qx ENV; and __at_carry AUTO_TERMINAL_ENV $ENV
            __at_carry AUTO_TERMINAL_BASH posix
            __at_carry ENV $__at_folder/bash/start.bash
            __at_carry POSIXLY_CORRECT y
        case zsh
            set -qx ZDOTDIR; and __at_carry AUTO_TERMINAL_ZDOTDIR "$ZDOTDIR"
            __at_carry ZDOTDIR $__at_folder/zsh
        case fish
            set -l folders /usr/local/share:/usr/share
            if set -qx XDG_DATA_DIRS
                set folders "$XDG_DATA_DIRS"
                __at_carry AUTO_TERMINAL_XDG_DATA_DIRS $folders
            end
            __at_carry XDG_DATA_DIRS "$__at_folder/fish:$folders"
    end
end
