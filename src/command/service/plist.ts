import { join } from 'node:path';
import { CommandError, EXIT } from '../exit-codes.js';
import { SERVICE_FLAGS } from '../programs.js';
import type { Definition } from './definition.js';

export const LABEL = 'auto-terminal';

/** Open files: terminals take two each. */
const MAX_FILES = 65_536;
/** Seconds until launchd kills the service; it ends itself after 5 s. */
const STOP_S = 15;

/** Characters that XML 1.0 cannot have in any form. */
const NOT_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** Log of a service that launchd runs; it is that of a service that a verb has started. */
export function logFileOf({ paths }: Pick<Definition, 'paths'>): string {
  return join(paths.dataFolder, 'service.log');
}

/** Returns the part of the property list that names the log, and so the data folder. */
export function logEntry(definition: Pick<Definition, 'paths'>): string {
  return string(logFileOf(definition));
}

/** Returns the property list of a launchd agent that runs the service. Throws if a text cannot be written in XML. */
export function plist(definition: Definition): string {
  const { node, cli, env } = definition;
  const log = logEntry(definition);
  const entries: [key: string, value: string][] = [
    ['Label', string(LABEL)],
    ['ProgramArguments', array([node, ...SERVICE_FLAGS, cli, 'serve', '--managed-by', 'launchd'])],
    ['EnvironmentVariables', dict(Object.entries(env).map(([name, value]) => [name, string(value)]))],
    ['WorkingDirectory', string('/')],
    ['RunAtLoad', '<true/>'],
    // Not after exit code 0: auto-terminal stop is final.
    ['KeepAlive', dict([['SuccessfulExit', '<false/>']])],
    // The pty host, which the service starts, outlives the service.
    ['AbandonProcessGroup', '<true/>'],
    ['ProcessType', string('Interactive')],
    ['ExitTimeOut', integer(STOP_S)],
    ['SoftResourceLimits', dict([['NumberOfFiles', integer(MAX_FILES)]])],
    ['StandardOutPath', log],
    ['StandardErrorPath', log],
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by auto-terminal service install, which writes it anew. -->
<plist version="1.0">
${dict(entries)}
</plist>
`;
}

function dict(entries: readonly (readonly [key: string, value: string])[]): string {
  return `<dict>\n${entries.map(([key, value]) => `<key>${xml(key)}</key>\n${value}\n`).join('')}</dict>`;
}

function array(texts: readonly string[]): string {
  return `<array>\n${texts.map((text) => `${string(text)}\n`).join('')}</array>`;
}

function integer(value: number): string {
  return `<integer>${value}</integer>`;
}

function string(text: string): string {
  return `<string>${xml(text)}</string>`;
}

/** Returns text as XML. Carriage returns are escaped, since a parser would make line feeds of them. */
function xml(text: string): string {
  if (NOT_XML.test(text)) {
    const what = `${JSON.stringify(text)} has characters that a property list cannot have`;
    throw new CommandError(EXIT.failed, 'unwritable', what, 'Use folders and variables without them');
  }
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}
