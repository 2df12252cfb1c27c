/** Environment variable that `npm run test:rest` sets, which tries as many cases as a change of months may need. */
export const AT_LENGTH = 'AUTO_TERMINAL_TEST_AT_LENGTH';

/** Share of the random cases that `npm test` tries. */
const SHORT = 1 / 5;

/**
 * Returns the number of random cases that a test tries: `count` in `npm run test:rest`, and a fifth of it in `npm
 * test`. The environment variable sets another number, for a night.
 */
export function tries(count: number, variable = 'AUTO_TERMINAL_PROPERTY_RUNS'): number {
  const { [variable]: asked, [AT_LENGTH]: atLength } = process.env;
  if (asked !== undefined) return Number(asked);
  return atLength === undefined ? Math.ceil(count * SHORT) : count;
}
