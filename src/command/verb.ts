import { Command, Option } from 'commander';

/** Returns a verb with the options that name the service. */
export function verb(usage: string, description: string): Command {
  return new Command(usage)
    .description(description)
    .addOption(new Option('--url <url>', 'origin of the API, such as http://127.0.0.1:42031'))
    .addOption(new Option('--socket <path>', 'unix socket of the API'))
    .addOption(new Option('--token-file <path>', 'file with the token of an exposed service'));
}

/** Collects the values of an option that may be given several times. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
