import { Command } from 'commander';
import { VERSION } from '../../contract/version.js';
import { verb } from '../verb.js';
import { EXAMPLES, EXIT_STATUS, SERVING, TARGETS } from './texts.js';
import { type VerbPage, verbPages } from './verb-page.js';

const ENVIRONMENT: readonly [name: string, description: string][] = [
  [
    'AUTO_TERMINAL_API_URL',
    'Origin of the API of another service than the one of this user; --url stands over it.',
  ],
  ['AUTO_TERMINAL_TOKEN', 'Token of an exposed or guarded service; --token-file stands over it.'],
  ['AUTO_TERMINAL_HOME', 'Folder of configuration, data and runtime files, in place of the usual folders.'],
  ['AUTO_TERMINAL_NO_AUTOSTART', 'If set, new, run and attach -A start no service.'],
  ['AUTO_TERMINAL_DETACH_KEYS', 'Keys that detach, as --detach-keys of attach.'],
  ['SERVICE_TERMINAL_ID', 'Set in each terminal of the service: the terminal that "me" names.'],
  ['NO_COLOR, FORCE_COLOR', 'Turn colours off, or on where the output is no terminal.'],
];

/** Options of every verb, which are listed once. */
const COMMON = verbPages(new Command().addCommand(verb('any', ''))).flatMap(({ options }) => options);

/** Returns the manual page auto-terminal(1) in roff, with the macros of man(7). */
export function manPage(program: Command): string {
  const lines = [
    '.\\" Made from the program itself: npm run pages writes it anew.',
    `.TH AUTO\\-TERMINAL 1 "" "auto\\-terminal ${VERSION}" "User Commands"`,
    '.SH NAME',
    `auto\\-terminal \\- ${lowered(text(program.description()))}`,
    '.SH SYNOPSIS',
    '.nf',
    '\\fBauto\\-terminal\\fR \\fIverb\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]',
    '\\fBauto\\-terminal serve\\fR',
    '.fi',
    '.SH DESCRIPTION',
    text(SERVING),
    '.PP',
    text(TARGETS),
    '.PP',
    'Standard output is data, standard error is talk. Each failure says there what to do; with \\fB\\-o json\\fR it is an object',
    text('with the fields error, code, fix and transient.'),
    '.SH COMMON OPTIONS',
    'Every verb takes these:',
    ...optionsOf(COMMON),
    '.SH VERBS',
    ...verbPages(program).flatMap(section),
    '.SH EXIT STATUS',
    text(EXIT_STATUS),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, description]) => tagged(`\\fB${text(name)}\\fR`, description)),
    '.SH EXAMPLES',
    '.nf',
    ...EXAMPLES.map(([line, what]) => `${text(line)}\n    ${text(what)}`),
    '.fi',
  ];
  return `${lines.join('\n')}\n`;
}

function section({ name, usage, description, aliases, ...page }: VerbPage): string[] {
  return [
    `.SS ${text(name)}`,
    `\\fBauto\\-terminal ${text(name)}\\fR [\\fIoptions\\fR] ${text(usage)}`.trimEnd(),
    '.PP',
    `${text(description)}.`,
    ...aliases.map((alias) => `Also called \\fB${text(alias)}\\fR.`),
    ...page.arguments.flatMap(([word, about]) => (about ? tagged(`\\fI${text(word)}\\fR`, about) : [])),
    ...optionsOf(page.options.filter(([flags]) => !COMMON.some(([common]) => common === flags))),
  ];
}

function optionsOf(options: VerbPage['options']): string[] {
  return options.flatMap(([flags, about]) => tagged(`\\fB${text(flags)}\\fR`, about));
}

/** Returns a paragraph with a tag at its left. */
function tagged(tag: string, description: string): string[] {
  return ['.TP', tag, text(description)];
}

/** Returns text as roff that prints it exactly: with hyphens that can be copied, and no line that is a request. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\(rs')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/^\./gm, '\\&.');
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
