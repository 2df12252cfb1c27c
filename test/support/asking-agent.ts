import { CLAUDE } from './drawn-agents.js';

/** What {@link askingAgent} is about to do when it asks: the first of several agents in one folder, and the others. */
export const DANGEROUS = 'rm -rf dist';
export const HARMLESS = 'npm test';

/**
 * Code of a program for Node that behaves like Claude Code with a task: it works for a moment, asks whether it may run a
 * command, takes Enter or Escape for the answer, and works again. Agents with an even number then end, the others become
 * idle. Each notes its pid, its task and whatever was typed into it in a file of the folder, named by its number.
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
