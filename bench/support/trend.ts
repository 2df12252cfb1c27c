import { median } from './stats.js';

/** Value of a figure at one time. */
export interface Sample {
  /** Seconds of any clock. */
  at: number;
  value: number;
}

/** Trend of a figure over a period. */
export interface Trend {
  /** Medians of the first and of the second half of the period. */
  first: number;
  second: number;
  /** Growth an hour in the second half: slope of the line that fits its samples best. */
  perHour: number;
}

/** Returns the trend of the samples. Each value is NaN without samples, the slope also with a single sample. */
export function trendOf(samples: readonly Sample[]): Trend {
  const middle = ((samples[0]?.at ?? 0) + (samples.at(-1)?.at ?? 0)) / 2;
  const values = (some: readonly Sample[]) => some.map(({ value }) => value);
  const second = samples.filter(({ at }) => at >= middle);
  return {
    first: median(values(samples.filter(({ at }) => at < middle))),
    second: median(values(second)),
    perHour: slope(second) * 3600,
  };
}

/** Returns the slope of the line with the least squares. */
function slope(samples: readonly Sample[]): number {
  const mean = (figure: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + figure(sample), 0) / samples.length;
  const [at, value] = [mean((sample) => sample.at), mean((sample) => sample.value)];
  return (
    mean((sample) => (sample.at - at) * (sample.value - value)) / mean((sample) => (sample.at - at) ** 2)
  );
}
