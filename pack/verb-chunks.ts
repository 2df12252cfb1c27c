/** Modules that take 35 ms to load, and that only a table on a terminal needs. */
const WIDTH = /[/\\](text-width\.|(string-width|get-east-asian-width|strip-ansi|ansi-regex)[/\\])/;

/** Chunks of the command line: the modules that several verbs need share one, and each verb has its own. */
export const VERB_CHUNKS = [{ name: 'common', minShareCount: 2, test: (id: string) => !WIDTH.test(id) }];
