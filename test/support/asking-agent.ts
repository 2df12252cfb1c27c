import { CLAUDE } from './drawn-agents.js';

/**
 * Commands that {@link askingAgent} asks to run: the first for agent 1 of a folder, the second for all later agents.
 */
export const DANGEROUS = 'rm -rf dist';
export const HARMLESS = 'npm test';

/**
 * Code of a program for Node that behaves like Claude Code with a task: it works for a moment, asks whether it may run
 * a command, takes Enter or Escape for the answer, and works again. Then agents with an even number end, and the others
 * become idle. Each agent notes its pid, its task and all its input in a file of the folder, named by its number.
 */
export function askingAgent(folder: string): string {
  const { i: idle, w: working, p: asking } = CLAUDE.drawings;
  return `
const { appendFileSync, mkdirSync } = require('node:fs');
const note = (line) => appendFileSync('${folder}/' + number, line + '\\n');
const isFree = (name) => {
  try {
    mkdirSync(name);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
};
let number = 1;
while (!isFree('${folder}/claimed-' + number)) number++;
note('pid ' + process.pid);
note('task ' + process.argv[2]);
const draw = ({ text, title }) =>
  process.stdout.write('\\x1b]0;' + title + '\\x07\\x1b[2J\\x1b[H' + text.replaceAll('\\n', '\\r\\n'));
const question = ${JSON.stringify(asking)};
if (number > 1) question.text = question.text.replace('${DANGEROUS}', '${HARMLESS}');
let isAsking = false;
function work(next) {
  isAsking = false;
  draw(${JSON.stringify(working)});
  setTimeout(next, 500);
}
process.stdin.setRawMode(true);
process.stdin.on('data', (keys) => {
  note((isAsking ? 'answer ' : 'unasked ') + JSON.stringify(String(keys)));
  if (!isAsking) return;
  work(() => {
    if (number % 2 === 0) process.exit(0);
    draw(${JSON.stringify(idle)});
  });
});
work(() => {
  isAsking = true;
  draw(question);
});
`;
}
