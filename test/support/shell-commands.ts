import { Random } from './random.js';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A command, and its expected result. */
export interface Sample {
  command: string;
  /** null if the exit code is unknown, since the shell was replaced. */
  exitCode: number | null;
  /** The output, or a pattern for it. */
  output: string | RegExp;
}

const WORDS = [
  'alpha',
  'beta',
  'gamma',
  'delta',
  'Grüße',
  '日本語',
  '🎉🎊',
  "it's",
  'a;b',
  'x\\y',
  '$HOME',
  '-n',
];

/** Returns the text in single quotes, escaped for the shell. */
function quote(text: string, shell: Shell): string {
  if (shell === 'fish') return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

type Kind = (random: Random, shell: Shell, index: number) => Sample;

/** Returns a command that ends with this status, in any shell. */
function ending(status: number, shell: Shell): string {
  return shell === 'fish' ? `sh -c 'exit ${status}'` : `(exit ${status})`;
}

const words: Kind = (random, shell, index) => {
  const exitCode = random.below(256);
  const text = `${index} ${random.of(WORDS)} ${random.of(WORDS)}`;
  return {
    command: `printf '%s\\n' ${quote(text, shell)}; ${ending(exitCode, shell)}`,
    exitCode,
    output: `${text}\n`,
  };
};

const unfinishedLine: Kind = (random, shell, index) => {
  const exitCode = random.below(4);
  return {
    command: `printf 'first\\n\\n  last ${index}'; ${ending(exitCode, shell)}`,
    exitCode,
    output: `first\n\n  last ${index}`,
  };
};

const silent: Kind = (random, shell) => {
  const exitCode = random.below(256);
  return { command: ending(exitCode, shell), exitCode, output: '' };
};

const whiteSpace: Kind = (_random, _shell, index) => ({
  command: `printf 'a\\tb\\t${index}  \\n\\n\\n \\n'`,
  exitCode: 0,
  output: `a\tb\t${index}  \n\n\n \n`,
});

const colours: Kind = (random) => {
  const lines = 1 + random.below(40);
  return {
    command: `for i in $(seq ${lines})`.concat(
      '; do printf "\\033[3%dmline %d\\033[0m\\n" $((i % 8)) $i; done',
    ),
    exitCode: 0,
    output: Array.from({ length: lines }, (_, line) => `line ${line + 1}\n`).join(''),
  };
};

const coloursOfFish: Kind = (random) => {
  const lines = 1 + random.below(40);
  return {
    command: `for i in (seq ${lines}); printf '\\033[3%dmline %d\\033[0m\\n' (math $i % 8) $i; end`,
    exitCode: 0,
    output: Array.from({ length: lines }, (_, line) => `line ${line + 1}\n`).join(''),
  };
};

const longLine: Kind = (random) => {
  const width = 1 + random.below(400);
  return { command: `printf '%0${width}d\\n' 7`, exitCode: 0, output: `${'7'.padStart(width, '0')}\n` };
};

const manyLines: Kind = (random) => {
  const lines = random.below(1_500);
  return {
    command: `seq ${lines}`,
    exitCode: 0,
    output: Array.from({ length: lines }, (_, line) => `${line + 1}\n`).join(''),
  };
};

const progress: Kind = () => ({
  command: `printf ' 10%%\\r 50%%\\r100%%\\nready\\n'`,
  exitCode: 0,
  output: '100%\nready\n',
});

const cleared: Kind = (_random, _shell, index) => ({
  command: `printf '\\033[H\\033[2J\\033[3J'; echo fresh ${index}`,
  exitCode: 0,
  output: `fresh ${index}\n`,
});

const multiLine: Kind = (random, _shell, index) => {
  const exitCode = random.below(256);
  return {
    command: `{ echo one ${index}\n  echo 'two\nthree'\n  (exit ${exitCode})\n}`,
    exitCode,
    output: `one ${index}\ntwo\nthree\n`,
  };
};

const multiLineOfFish: Kind = (random, _shell, index) => {
  const exitCode = random.below(256);
  return {
    command: `begin\n  echo one ${index}\n  echo 'two\nthree'\n  sh -c 'exit ${exitCode}'\nend`,
    exitCode,
    output: `one ${index}\ntwo\nthree\n`,
  };
};

const hereDocument: Kind = (random, _shell, index) => {
  const exitCode = random.below(3);
  return {
    command: `{ cat <<'END'; (exit ${exitCode}); }\nhere ${index} $x \`y\`\n\nEND`,
    exitCode,
    output: `here ${index} $x \`y\`\n\n`,
  };
};

const background: Kind = (random, shell, index) => {
  const exitCode = random.below(256);
  return {
    command: `sleep 0.0${random.below(5)} & echo front ${index}; wait; ${ending(exitCode, shell)}`,
    exitCode,
    output: `front ${index}\n`,
  };
};

const leftRunning: Kind = (random, shell, index) => {
  const exitCode = random.below(256);
  return {
    command: `sleep 0.0${random.below(5)} & echo front ${index}; ${ending(exitCode, shell)}`,
    exitCode,
    output: `front ${index}\n`,
  };
};

const pipe: Kind = (random) =>
  random.of([
    { command: 'true | false', exitCode: 1, output: '' },
    { command: 'false | true', exitCode: 0, output: '' },
    { command: 'seq 12 | grep 1', exitCode: 0, output: '1\n10\n11\n12\n' },
  ]);

const killed: Kind = () => ({
  command: `sh -c 'kill -KILL $$'`,
  exitCode: 137,
  output: /^(|[^\n]*Kill[\s\S]*)$/i,
});

const unknown: Kind = (_random, _shell, index) => ({
  command: `no-such-command-${index}`,
  exitCode: 127,
  output: new RegExp(`no-such-command-${index}`),
});

const COMMON: Kind[] = [
  ...[words, words, words, unfinishedLine, silent, whiteSpace, longLine, manyLines],
  ...[progress, cleared, background, leftRunning, pipe, killed, unknown],
];

/** Yields random commands for a shell. Every 50th replaces the shell. */
export function* samples(shell: Shell, count: number, seed: number): Generator<Sample> {
  const random = new Random(seed);
  const kinds =
    shell === 'fish'
      ? [...COMMON, coloursOfFish, multiLineOfFish]
      : [...COMMON, colours, multiLine, multiLine, hereDocument];
  for (let index = 1; index <= count; index++) {
    if (index % 50 === 0) yield { command: `exec ${shell}`, exitCode: null, output: '' };
    // fish refuses to replace itself while jobs run.
    else if (index % 50 === 49) yield { command: 'wait', exitCode: 0, output: '' };
    else yield random.of(kinds)(random, shell, index);
  }
}
