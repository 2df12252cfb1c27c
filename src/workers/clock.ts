/** Milliseconds on a clock that never goes back and that all threads of the machine share; fractions count. */
export function hrMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
