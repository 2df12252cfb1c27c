import type { Command } from 'commander';

const HEAD = `# The command

\`auto-terminal\` and its verbs. This page is made from the program itself: \`npm run pages\` writes it anew.
Why it is as it is: [decisions](decisions/command.md).
`;

/** Returns the page of all verbs, as their helps say it. */
export function commandPage(program: Command): string {
  return [HEAD, ...program.commands.filter((verb) => verb.name() !== 'help').flatMap(sectionsOf)].join('\n');
}

function sectionsOf(verb: Command): string[] {
  if (verb.commands.length > 0)
    return verb.commands.filter((inner) => inner.name() !== 'help').flatMap(sectionsOf);
  const path = verb.parent && verb.parent.name() !== 'auto-terminal' ? `${verb.parent.name()} ` : '';
  const usage = verb.usage().replace('[options] ', '').replace('[options]', '').trim();
  const lines = [
    `## ${path}${verb.name()}\n`,
    `${verb.description()}.\n`,
    '```sh',
    `auto-terminal ${path}${verb.name()} ${usage}`.trim(),
    '```\n',
  ];
  const rows = [
    ...verb.registeredArguments.map((argument) => [`\`${argument.name()}\``, argument.description]),
    ...verb.options.map((option) => [`\`${option.flags}\``, option.description]),
  ].filter(([, description]) => description !== '');
  const alias = verb.alias() ? [`Also called \`${verb.alias()}\`.\n`] : [];
  return [
    ...lines,
    ...alias,
    '| | |',
    '|---|---|',
    ...rows.map(([name, text]) => `| ${name} | ${text?.replaceAll('|', '\\|')} |`),
    '',
  ];
}
