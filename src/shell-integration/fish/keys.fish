# Keys of the service. They run a command whatever the line editor holds, and no byte that others type meanwhile gets
# into that command:
#
#   RUN    ESC [ 9008 ~   keeps the present line as the draft, and executes the text of the file `line` in its place
#   PROBE  ESC [ 9007 ~   prints a mark
#   BACK   ESC [ 9006 ~   restores the draft

# Is 1 while a command runs, which may itself edit a line.
set -g __at_runs 0
set -g __at_kept 0
set -g __at_draft
set -g __at_cursor 0
set -g __at_refused
# 1 after a key opened a search in the history, until the next prompt or until our key closed the search.
set -g __at_searched 0

# Called once, after config.fish. Bindings of ours survive a change between those of Emacs and vi.
function __at_bind_keys
    for mode in default insert visual replace replace_one
        bind -M $mode \e\[9008~ __at_key_run
        bind -M $mode \e\[9007~ "__at_say L"
        bind -M $mode \e\[9006~ __at_key_back
    end
    __at_bind_vi
    __at_bind_search
end

# A vi command that waits for a character takes the ESC, so what follows it is bound, too. Elsewhere `[` is text.
function __at_bind_vi --on-variable fish_key_bindings
    if test "$fish_key_bindings" = fish_vi_key_bindings
        bind -M default '[9008~' __at_key_run
        bind -M default '[9007~' "__at_say L"
        bind -M default '[9006~' __at_key_back
    else
        bind -M default -e '[9008~' '[9007~' '[9006~' 2>/dev/null
    end
end

# fish does not report that a search has begun, so the keys that begin a search note it first.
function __at_bind_search --on-variable fish_key_bindings
    for binding in (bind | string match -r '^bind .*\shistory-pager$')
        set -l words (string split ' ' -- (string replace -r '^bind (--preset )?' '' -- $binding))
        set words[-1] __at_search
        eval bind $words
    end
end

function __at_search
    set -g __at_searched 1
    commandline -f history-pager
end

function __at_say
    builtin printf '\e]633;%s;1%s' $argv[1] $__at_end
end

# Prints $argv without the keys themselves, which a draft may contain as text after a quoted insert.
function __at_without_keys
    string replace -ar '\e?\[900[678]~' '' -- "$argv"
end

function __at_key_run
    set -l before $status
    test $__at_runs = 1; or not test -r $__at_lines/line; and return
    # A search in the history runs in the background and puts what it finds into the line, even after it was closed and
    # while fish is about to execute a line. The next try comes when the search has ended.
    if test $__at_searched = 1; or commandline --paging-mode
        set -g __at_searched 0
        commandline -f cancel
        return
    end
    set -l token
    set -l text
    begin
        read -z text <$__at_lines/line
        # `read` does not distinguish an empty text from none.
        and string match -qr '^[0-9A-Za-z_-]+\n' -- "$text"
        and begin
            read token
            set text
            read -z text
            true
        end <$__at_lines/line
    end 2>/dev/null; or return
    string match -qr '^[0-9A-Za-z_-]+$' -- "$token"; or return
    # A failing redirection prints a message whatever fd 2 is.
    test -e $__at_lines/$token; and return
    begin
        builtin printf '' >?$__at_lines/$token
    end 2>/dev/null; or return
    # A draft that no BACK has restored.
    test $__at_kept = 1; and __at_put_back
    set -l line (commandline -b | string collect)
    set -g __at_cursor (math (string length -- (__at_without_keys (string sub -l (commandline -C) -- "$line" | string collect -N) | string collect -N)) - 2)
    set -g __at_draft (__at_without_keys "$line" | string collect)
    set -g __at_kept 1
    builtin printf '\e]633;R;%s;%s;%s%s' $token $before (string length -- "$__at_draft") $__at_end
    # `execute` waits for the remainder of a line that ends in a backslash, unless in a comment. `commandline` calls such
    # a line wrong, not incomplete. The text appended here opens a quote, except in a comment.
    set -l open
    string match -qr '(?<!\\\\)(?:\\\\\\\\)*\\\\\z' -- "$text"; and set open 'a"'
    commandline -r -- "$text$open"
    commandline --is-valid
    set -l validity $status
    # A wrong line gets a space behind its backslash, so that `execute` refuses it.
    test $validity = 1; and test -n "$open"; and set text "$text "
    commandline -r -- "$text"
    # `execute` expands an abbreviation in front of the cursor, and only there: a blank keeps it from that.
    if __at_may_expand (commandline -t) 2>/dev/null
        set text "$text "
        commandline -r -- "$text"
    end
    switch $validity
        case 2
            commandline -r -- "$__at_draft"
            commandline -C $__at_cursor
            set -g __at_kept 0
            builtin printf '\e]633;I;%s%s' $token $__at_end
            return
        case 1
            set -g __at_refused "$text"
    end
    # The mode replace_one, which waits for a character, has got it.
    test "$fish_bind_mode" = replace_one; and set fish_bind_mode default
    commandline -f execute
end

# Succeeds if a word is an abbreviation, or may match the pattern of one.
function __at_may_expand
    abbr -q -- "$argv[1]"; or string match -qr '^abbr .*--regex' -- (abbr --show)
end

function __at_key_back
    test $__at_kept = 1; and test $__at_runs = 0; and __at_put_back
    __at_say Q
end

# Restores the draft, with what was typed at the new prompt inserted at the draft's cursor. fish leaves a text that it
# refuses in the line, so this removes it.
function __at_put_back
    set -l typed (commandline -b | string collect)
    set -l at (commandline -C)
    if test -n "$__at_refused"
        set typed (string replace -- "$__at_refused" '' "$typed" | string collect)
        set at (string length -- "$typed")
    end
    commandline -r -- "$__at_draft"
    commandline -C $__at_cursor
    commandline -i -- "$typed"
    commandline -C (math $__at_cursor + $at)
    set -g __at_kept 0
    set -g __at_refused
end
