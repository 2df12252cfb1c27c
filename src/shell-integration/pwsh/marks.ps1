# Marks of PowerShell: D, A and P before the user's prompt function is called, B before a line is read, E and C once
# the line has been read and before it runs. `pwsh -NoExit -Command` reads this script after the user's profile: what
# the profile starts finds the secret in its environment, but what is typed does not.
#
#   AUTO_TERMINAL_NONCE     secret that marks carry
#
# Written after the documentation and the sources of PowerShell 7 and PSReadLine. The tests run it only where there is
# a pwsh in PATH; where there is none, it has not been run.
#
# Functions of ours take the places of PSReadLine's PSConsoleHostReadLine and of the user's prompt. They call these
# with the $? that they would find, and pass on their results unchanged; errors of ours are swallowed. Without
# PSReadLine nothing of ours runs between the prompt and the command: the command is reported when it has ended, as it
# is in the history and without its output.

if (-not $env:AUTO_TERMINAL_NONCE -or $ExecutionContext.SessionState.LanguageMode -ne 'FullLanguage') {
    $env:AUTO_TERMINAL_NONCE = $null
    return
}

# Commands see nothing of what is in closures, or in a module that exports nothing.
$null = Microsoft.PowerShell.Core\New-Module -ErrorAction Ignore -ArgumentList $env:AUTO_TERMINAL_NONCE -ScriptBlock {
    param([string] $nonce)

    $key = ";k=$nonce;s=$PID`a"
    $end = ";$nonce;$PID`a"
    # $told: a prompt has been reported, and no line has been read since. $reading: a line is being read. $open: a
    # command runs.
    $told = $reading = $open = $false
    # $seen: number of the last history entry at the last prompt. $failure and $code: the newest error, and the exit
    # code of the last program, before the command.
    $seen = $failure = $code = $null

    # Escapes a text for a mark. C1 controls, which are two bytes in UTF-8, may end a mark, too.
    function __at_escape([string] $text) {
        if ($text.Length -gt 16384) { $text = $text.Substring(0, 16384) }
        [regex]::Replace($text, '[\\;\x00-\x1f\x7f-\x9f]', [System.Text.RegularExpressions.MatchEvaluator] {
            param($found)
            $bytes = [System.Text.Encoding]::UTF8.GetBytes($found.Value)
            '\x' + [System.BitConverter]::ToString($bytes).Replace('-', '\x')
        })
    }

    function __at_is_ours($body) {
        "$body".Contains('$__at_theirs')
    }

    function __at_save {
        $script:failure = $global:Error[0]
        $script:code = $global:LASTEXITCODE
    }

    # $LASTEXITCODE may be left over from an earlier program. A command that fails after that program leaves an error,
    # which programs leave only where $PSNativeCommandUseErrorActionPreference is set.
    function __at_status([bool] $ok) {
        if ($ok) { return 0 }
        $new = $global:Error[0]
        $isCommand = $null -ne $new -and $new -ne $script:failure -and
            $new.CategoryInfo.Reason -ne 'NativeCommandExitException'
        $last = $global:LASTEXITCODE
        if ($last -is [int] -and $last -ne 0 -and ($last -ne $script:code -or -not $isCommand)) { return $last }
        return 1
    }

    function __at_show([bool] $ok) {
        $last = Microsoft.PowerShell.Core\Get-History -Count 1
        $isRead = $null -ne ${function:global:PSConsoleHostReadLine}
        $text = ''
        if ($script:open) {
            $text = "`e]133;D;$(__at_status $ok)$key"
        } elseif ($null -eq $script:seen) {
            # The command that has read this script is not the user's.
            if ("$($last.CommandLine)".Contains('/pwsh/marks.ps1')) {
                Microsoft.PowerShell.Core\Clear-History -Id $last.Id
            }
        } elseif (-not $isRead -and $last -and $last.Id -ne $script:seen) {
            $text = "`e]633;E;$(__at_escape $last.CommandLine)$end`e]133;C$key`e]133;D;$(__at_status $ok)$key"
        }
        $text += "`e]133;A$key"
        if ($PWD.Provider.Name -eq 'FileSystem') {
            $text += "`e]633;P;Cwd=$(__at_escape $PWD.ProviderPath)$end"
        }
        if (-not $isRead) { $text += "`e]133;B$key" }
        [System.Console]::Write($text)
        $script:open = $false
        $script:told = $isRead
        $script:seen = [long] $last.Id
        __at_save
        __at_wrap_reader
    }

    # Ignores a prompt that is drawn again while a line is read, and that of a nested shell, such as the debugger,
    # which belongs to the command. Where another prompt function calls ours, $? is no longer that of the command.
    function __at_prompt([bool] $ok) {
        if ($script:reading -or $global:NestedPromptLevel) { return }
        if ($script:told -and (__at_is_ours ${function:global:PSConsoleHostReadLine})) { return }
        if (__at_is_ours ${function:global:prompt}) { __at_show $ok }
    }

    # Returns whether the line that is about to be read is reported.
    function __at_begin([bool] $ok) {
        if ($script:reading -or $global:NestedPromptLevel) { return $false }
        if (-not $script:told) {
            # A further line of a command, or a line for another machine.
            if (__at_is_ours ${function:global:prompt}) { return $false }
            # Another prompt function has been set, and has been drawn without us.
            __at_show $ok
        }
        # When PSReadLine first reads a line, it finds out from a simple prompt function which part of the prompt to
        # colour after an error. Our function is not simple, so the user's takes its place.
        if ($script:plain -and (__at_is_ours ${function:global:prompt})) { ${function:global:prompt} = $script:plain }
        $script:plain = $null
        [System.Console]::Write("`e]133;B$key")
        $script:reading = $true
        return $true
    }

    function __at_typed([object[]] $lines) {
        $script:told = $script:reading = $false
        __at_wrap_prompt
        $line = [string] $lines[0]
        $errors = $null
        $null = [System.Management.Automation.Language.Parser]::ParseInput($line, [ref] $null, [ref] $errors)
        # Neither a faulty line nor a blank one runs anything.
        if ($errors -or [string]::IsNullOrWhiteSpace($line)) { return }
        __at_save
        [System.Console]::Write("`e]633;E;$(__at_escape $line)$end`e]133;C$key")
        $script:open = $true
    }

    # Takes the place of the user's prompt function, also after it has been defined anew.
    function __at_wrap_prompt {
        $__at_theirs = ${function:global:prompt}
        if ($null -eq $__at_theirs -or (__at_is_ours $__at_theirs)) { return }
        $__at_enter = ${function:__at_prompt}
        ${function:global:prompt} = {
            $__at_ok = $?
            try {
                $null = & $__at_enter $__at_ok
                # These leave the $? that the user's function finds.
                if ($__at_ok) { $null = 0 } else { Microsoft.PowerShell.Utility\Write-Error failed -ErrorAction Ignore }
            } catch { }
            & $__at_theirs
        }.GetNewClosure()
    }

    # Takes the place of the function that reads a line.
    function __at_wrap_reader {
        $__at_theirs = ${function:global:PSConsoleHostReadLine}
        if ($null -eq $__at_theirs -or (__at_is_ours $__at_theirs)) { return }
        $__at_enter = ${function:__at_begin}
        $__at_exit = ${function:__at_typed}
        ${function:global:PSConsoleHostReadLine} = {
            $__at_ok = $?
            $__at_mine = $false
            $__at_lines = @()
            try {
                $__at_mine = & $__at_enter $__at_ok
                if ($__at_ok) { $null = 0 } else { Microsoft.PowerShell.Utility\Write-Error failed -ErrorAction Ignore }
            } catch { }
            try {
                $__at_lines = @(& $__at_theirs)
            } finally {
                if ($__at_mine) { try { $null = & $__at_exit $__at_lines } catch { } }
            }
            $__at_lines
        }.GetNewClosure()
    }

    Microsoft.PowerShell.Core\Export-ModuleMember
    $plain = ${function:global:prompt}
    __at_wrap_prompt
    __at_wrap_reader
}
$env:AUTO_TERMINAL_NONCE = $null
