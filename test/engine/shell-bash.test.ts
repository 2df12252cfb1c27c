import { describe, expect, it } from 'vitest';
import { only, printedBy, useShells } from '../support/use-shells.js';

const start = useShells();

/** Starts bash with this ~/.bashrc. */
const bash = (rc: string, args: string[] = []) => start('bash', { args, files: { '.bashrc': rc } });

describe("the user's PROMPT_COMMAND", () => {
  it.each([
    ['a string', `PROMPT_COMMAND='echo "<$? \${PIPESTATUS[*]} $_>"'`, 1],
    ['an array', `PROMPT_COMMAND=('echo "<$? \${PIPESTATUS[*]} $_>"' 'echo "<$? \${PIPESTATUS[*]} $_>"')`, 2],
  ])('that is %s finds its usual state, and its output belongs to no command', async (_what, rc, times) => {
    const session = await bash(rc);
    const cases = [
      ['true first', '<0 0 first>'],
      ['false | true', '<0 1 0 first>'],
      ['true last; (exit 3)', '<3 3 last>'],
      ['(exit 4) | (exit 0) | (exit 5)', '<5 4 0 5 last>'],
      ['! true again', '<1 0 again>'],
      ['! (exit 2) | true', '<1 2 0 again>'],
      ['set -o pipefail', '<0 0 pipefail>'],
      ['(exit 3) | true', '<3 3 0 pipefail>'],
      ['! (exit 3) | true', '<0 3 0 pipefail>'],
    ] as const;
    for (const [line, expected] of cases) {
      const ran = await session.run(line);
      expect(printedBy(only(ran))).toBe('');
      expect(ran.text.match(/<.*>/g)).toEqual(Array(times).fill(expected));
    }
  });

  it('sets PS1 each time and reads $? as starship does', async () => {
    const session = await bash(`
      START=0
      starship_precmd() { STATUS=$? PIPE=(\${PIPESTATUS[@]}); PS1="\${PIPE[*]} took \${START:+a while}\\n> "; }
      PS0='\${START:$((START="7",READY=0,0)):0}'"\${PS0-}"
      PROMPT_COMMAND=starship_precmd`);
    const ran = await session.run('(exit 3) | (exit 4)');
    expect(only(ran)).toMatchObject({ status: '4', output: '' });
    expect(ran.text).toMatch(/3 4 took a while\r+\n> $/);
    expect(
      printedBy(only(await session.run('echo "$START $READY"; echo "$PROMPT_COMMAND" | tail -3'))),
    ).toMatch(/^7 0\n(.*\n)*starship_precmd\n/);
  });

  it('is read, extended and replaced like any other', async () => {
    const session = await bash(`PROMPT_COMMAND='echo "<one>"'`);
    const hooks = async (line: string) => {
      // An element that is added while a command runs takes effect from the next command on.
      expect(only(await session.run(line)).status).toBe('0');
      const ran = await session.run('(exit 6)');
      expect(only(ran)).toMatchObject({ status: '6', output: '' });
      return ran.text.match(/<\w+>/g);
    };
    expect(await hooks('[[ $PROMPT_COMMAND == *"<one>"* ]]')).toEqual(['<one>']);
    expect(await hooks(`PROMPT_COMMAND="$PROMPT_COMMAND; echo '<two>'"`)).toEqual(['<one>', '<two>']);
    expect(await hooks(`PROMPT_COMMAND="echo '<zero>'; $PROMPT_COMMAND"`)).toEqual([
      '<zero>',
      '<one>',
      '<two>',
    ]);
    expect(await hooks(`PROMPT_COMMAND='echo "<three>"'`)).toEqual(['<three>']);
    expect(await hooks(`PROMPT_COMMAND+=('echo "<four>"')`)).toEqual(['<three>', '<four>']);
    expect(await hooks(`PROMPT_COMMAND=('echo "<zero>"' "\${PROMPT_COMMAND[@]}")`)).toEqual([
      ...['<zero>', '<three>', '<four>'],
    ]);
    expect(await hooks(`PROMPT_COMMAND=`)).toEqual(['<three>', '<four>']);
    for (const again of [1, 2, 3])
      expect([again, await hooks('. ~/.bashrc')]).toEqual([again, ['<one>', '<three>', '<four>']]);
  });

  it('may be replaced with all of ours: the next command restores it', async () => {
    const session = await bash('');
    session.type(`PROMPT_COMMAND=('PS1="> "') PS0=\${PS0}\r`);
    await session.until('the prompt', (_marks, text) => text.endsWith('> '));
    session.type('echo next\r');
    const { commands } = await session.prompt();
    expect(commands.map(({ status, output }) => [status, output])).toEqual([
      ['0', expect.anything()],
      ['0', 'next\r\n'],
    ]);
    expect(only(await session.run('(exit 3)')).status).toBe('3');
  });

  it('may run the elements that it found in PROMPT_COMMAND', async () => {
    const session = await bash(`PROMPT_COMMAND='echo "<one $?>"'`);
    const rc = `if [[ $PROMPT_COMMAND != *outer* ]]; then THEIRS=$PROMPT_COMMAND; PROMPT_COMMAND=outer; fi`;
    await session.run(
      `outer() { local s=$?; echo "<outer $s>"; (exit $s); eval "$THEIRS"; PS1='new> '; }; ${rc}`,
    );
    for (const status of ['3', '4']) {
      const ran = await session.run(`(exit ${status})`);
      expect(only(ran)).toMatchObject({ status, output: '' });
      expect(ran.text.match(/<[^>]*>/g)).toEqual([`<outer ${status}>`, `<one ${status}>`]);
      expect(ran.text).toMatch(/new> $/);
    }
  });
});
