import type { Command } from 'commander';
import { type VerbPage, verbPages } from './verb-page.js';

const HEAD = `# The command

\`auto-terminal\` and its verbs. This page is made from the program itself: \`npm run pages\` writes it anew.
Why it is as it is: [decisions](decisions/command.md).
`;

/** Returns the page of all verbs in Markdown, as their helps say it. */
export function markdownPage(program: Command): string {
  return [HEAD, ...verbPages(program).flatMap(section)].join('\n');
}

function section({ name, usage, description, aliases, ...page }: VerbPage): string[] {
  const rows = [...page.arguments, ...page.options].filter(([, text]) => text !== '');
  return [
    `## ${name}\n`,
    `${description}.\n`,
    '```sh',
    `auto-terminal ${name} ${usage}`.trim(),
    '```\n',
    ...aliases.map((alias) => `Also called \`${alias}\`.\n`),
    '| | |',
    '|---|---|',
    ...rows.map(([word, text]) => `| \`${word}\` | ${text.replaceAll('|', '\\|')} |`),
    '',
  ];
}
