/** Takes 35 ms to load, which only a table on a terminal needs. */
const WIDTH = /[/\\](text-width\.|(string-width|get-east-asian-width|strip-ansi|ansi-regex)[/\\])/;

/** The files of the command line: what several verbs need is one, and each verb has its own. */
export const VERB_CHUNKS = [{ name: 'common', minShareCount: 2, test: (id: string) => !WIDTH.test(id) }];
