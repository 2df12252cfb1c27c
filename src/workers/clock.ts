/** Returns milliseconds, with fractions, of a monotonic clock that all processes and threads of the machine share. */
export function hrMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
