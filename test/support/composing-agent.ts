/**
 * Code of a program for Node that behaves like Claude Code: it echoes text that is pasted into its composer, works for
 * a while on each prompt that Enter submits, and is idle then. It appends a line to a file for each prompt, and for
 * each answer to its question. A prompt that begins with `ask` makes it ask before it goes on; a prompt that begins
 * with `swallow` makes it ignore Enter; `quit` ends it. Enter in an empty composer does nothing.
 *
 * @param workMs - milliseconds of work; must exceed the time between two looks at the agent on a busy machine, or no
 * look sees the work
 * @param startMs - milliseconds for which it starts and reads no keys; it prints a line half way
 */
export function composingAgent(file: string, { workMs = 5_000, startMs = 0 } = {}): string {
  return `
const { appendFileSync } = require('node:fs');
const start = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
if (${startMs} > 0) {
  start(${startMs} / 2);
  process.stdout.write('Loading\\r\\n');
  start(${startMs} / 2);
}
const note = (text) => appendFileSync(${JSON.stringify(file)}, text.replaceAll('\\n', '|') + '\\n');
const write = (text) => process.stdout.write(text);
let state = 'idle';
let composer = '';
let timer;
function draw() {
  const line = '────────────────';
  const box = [line, '❯ ' + composer.replaceAll('\\n', ' '), line];
  const screens = {
    idle: ['● Done.', '', ...box, '  ? for shortcuts'],
    working: ['● Reading', '', '✻ Pondering… (4s · esc to interrupt)', '', ...box],
    asking: ['  Do you want to proceed?', '  ❯ 1. Yes', '    2. No', '', '  Esc to cancel · Tab to amend'],
  };
  write('\\x1b]0;' + (state === 'working' ? '⠐ Work' : '✳ Claude Code') + '\\x07');
  write('\\x1b[2J\\x1b[H' + screens[state].join('\\r\\n'));
}
function become(next) {
  state = next;
  clearTimeout(timer);
  if (next === 'working') timer = setTimeout(() => become('idle'), ${workMs});
  draw();
}
function enter() {
  if (state === 'asking') {
    note('answered');
    become('working');
    return;
  }
  const text = composer;
  if (text === '' || text.startsWith('swallow')) return;
  composer = '';
  note(text);
  if (text === 'quit') process.exit();
  become(text.startsWith('ask') ? 'asking' : 'working');
}
let pasting = false;
let pending = '';
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  pending += bytes.toString('utf8');
  for (;;) {
    if (pending.startsWith('\\x1b[200~')) { pasting = true; pending = pending.slice(6); continue; }
    if (pending.startsWith('\\x1b[201~')) { pasting = false; pending = pending.slice(6); continue; }
    if (pending === '' || (pending.startsWith('\\x1b') && pending.length < 6)) break;
    const key = pending[0];
    pending = pending.slice(1);
    if (key === '\\r' && !pasting) enter();
    else if (key === '\\x15') composer = '';
    else composer += key === '\\r' ? '\\n' : key;
  }
  draw();
});
write('\\x1b[?2004h');
draw();
`;
}
