import { describe, expect, it } from 'vitest';
import type { ShellSession } from '../support/shell-session.js';
import { only, useShells } from '../support/use-shells.js';

const start = useShells();

/**
 * How bash-preexec works: a DEBUG trap calls preexec for the first command after the last element of
 * PROMPT_COMMAND has run, unless that command is in PROMPT_COMMAND; it installs itself at the first prompt.
 * From 0.6 on, both ends of PROMPT_COMMAND do nothing unless they run at the top level.
 */
const preexec = (isTopLevelOnly: boolean) => `
bash_preexec_imported=defined __bp_imported=defined __bp_mode= __bp_inside=0
__bp_is_nested() { ((${isTopLevelOnly ? 1 : 0} && \${#FUNCNAME[*]} > 2)); }
__bp_interactive_mode() {
    if [[ \${1-} != force ]] && __bp_is_nested; then return 0; fi
    __bp_mode=on
}
__bp_set() { return \${1:+"$1"}; }
__bp_precmd_invoke_cmd() {
    __bp_last_ret_value="$?" __bp_last="$_" BP_PIPESTATUS=("\${PIPESTATUS[@]}")
    if [[ \${1-} != force ]] && __bp_is_nested; then return "$__bp_last_ret_value"; fi
    local hook
    for hook in "\${precmd_functions[@]}"; do
        if type -t "$hook" 1>/dev/null; then __bp_set "$__bp_last_ret_value" "$__bp_last"; "$hook"; fi
    done
    __bp_set "$__bp_last_ret_value" "$__bp_last"
}
__bp_debug() {
    if ((__bp_inside > 0)); then return; fi
    local __bp_inside=1 hook line element IFS=$'\\n;'
    if [[ ! -t 1 || -z $__bp_mode ]]; then return; fi
    if ((BASH_SUBSHELL == 0)); then __bp_mode=; fi
    for element in \${PROMPT_COMMAND[*]-}; do if [[ $element == "$BASH_COMMAND" ]]; then return; fi; done
    line=$(LC_ALL=C HISTTIMEFORMAT='' builtin history 1)
    line=\${line#*[[:digit:]][* ] }
    for hook in "\${preexec_functions[@]}"; do
        if type -t "$hook" 1>/dev/null; then __bp_set "$__bp_last_ret_value"; "$hook" "$line"; fi
    done
    __bp_set 0 "$1"
}
__bp_install() {
    if [[ "\${PROMPT_COMMAND[*]-}" == *__bp_precmd_invoke_cmd* ]]; then return 1; fi
    local theirs=\${PROMPT_COMMAND//"$__bp_install_string"}
    trap '__bp_debug "$_"' DEBUG
    PROMPT_COMMAND=$'__bp_precmd_invoke_cmd\\n'$theirs
    PROMPT_COMMAND+=('__bp_interactive_mode')
    precmd_functions+=(precmd)
    preexec_functions+=(preexec)
    __bp_precmd_invoke_cmd force
    __bp_interactive_mode force
}
__bp_install_string=$'trap - DEBUG\\n__bp_install'
PROMPT_COMMAND=\${PROMPT_COMMAND:+$PROMPT_COMMAND$'\\n'}$__bp_install_string
`;

const HOOKS = `
PS1='$ '
preexec() { printf 'PRE<%s>%s\\n' "$1" "$?"; }
precmd() { echo "PCMD<$? \${BP_PIPESTATUS[*]}>"; }
`;

/** Runs lines of each kind, and checks the hooks' output, the user's PROMPT_COMMAND and the reported commands. */
async function check(session: ShellSession, own: string[]) {
  for (const [line, output, status, statuses] of [
    ['echo one; false', 'one\r\n', '1', '1'],
    ['echo "rc=$? $_"', 'rc=1 false\r\n', '0', '0'],
    ['true | sh -c "exit 3"', '', '3', '0 3'],
  ] as const) {
    const before = /rc=1/.test(output) ? '1' : '0';
    const ran = await session.run(line);
    expect(only(ran)).toEqual({ line, status, output: `PRE<${line}>${before}\r\n${output}` });
    const hooks = ran.text.match(/(PCMD|own)<.*?>/g);
    expect(hooks).toEqual([`PCMD<${status} ${statuses}>`, ...own.map((name) => `${name}<${status}>`)]);
    expect(ran.order).toBe(`D${before} E C D${status} A P B`);
  }
}

describe.each([
  ['that may run anywhere', preexec(false)],
  ['that runs at the top level only', preexec(true)],
])('bash-preexec %s', (_which, text) => {
  const files = { 'preexec.sh': text };

  it.each([
    ['', []],
    [`PROMPT_COMMAND='echo "own<$?>"'`, ['own']],
  ])('read in ~/.bashrc, with %j: hooks and marks are exact from the first command on', async (rc, own) => {
    const session = await start('bash', {
      files: { ...files, '.bashrc': `${rc}\n. ~/preexec.sh\n${HOOKS}` },
    });
    await check(session, own);
    const shown = only(await session.run('declare -p PROMPT_COMMAND')).output;
    expect(shown).toContain('__bp_interactive_mode');
    expect(shown).not.toMatch(/__at_/);
  });

  it.each([
    ['', []],
    [`PROMPT_COMMAND='echo "own<$?>"'`, ['own']],
  ])('read at the prompt, with %j: the same', async (rc, own) => {
    const session = await start('bash', { files: { ...files, '.bashrc': `${rc}\n${HOOKS}` } });
    const ran = await session.run('. ~/preexec.sh');
    expect(only(ran).status).toBe('0');
    expect(ran.order).toMatch(/C D0 A P B$/);
    expect(ran.text.match(/PCMD<.*?>/g)).toEqual(['PCMD<0 0>']);
    await check(session, own);
  });

  it('may be followed by code that sets PS1, and its functions be replaced', async () => {
    const rc = `. ~/preexec.sh\n${HOOKS}\nPROMPT_COMMAND+=$'\\nPS1="[$?] > "'`;
    const session = await start('bash', { files: { ...files, '.bashrc': rc } });
    for (const status of ['3', '4']) {
      const ran = await session.run(`sh -c 'exit ${status}'`);
      expect([only(ran).status, ran.text.endsWith(`[${status}] > `)]).toEqual([status, true]);
    }
    expect(only(await session.run('precmd_functions=(x); x() { echo "X<$?>"; }')).status).toBe('0');
    const ran = await session.run(`sh -c 'exit 5'`);
    expect([only(ran).status, ran.text.match(/X<.*>/g)]).toEqual(['5', ['X<5>']]);
    expect(only(await session.run('PROMPT_COMMAND=; trap - DEBUG')).status).toBe('0');
    expect(only(await session.run('(exit 6)'))).toMatchObject({ status: '6', output: '' });
  });
});
