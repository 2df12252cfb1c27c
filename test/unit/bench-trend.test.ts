import { describe, expect, it } from 'vitest';
import { trendOf } from '../../bench/support/trend.js';

const samples = (...values: number[]) => values.map((value, index) => ({ at: 100 + index * 10, value }));

describe('a trend', () => {
  it('has the medians of both halves of the time', () => {
    expect(trendOf(samples(1, 9, 2, 5, 7, 6))).toMatchObject({ first: 2, second: 6 });
  });

  it('halves the time, not the samples', () => {
    const uneven = [0, 1, 2, 3, 10].map((at) => ({ at, value: at }));
    expect(trendOf(uneven)).toMatchObject({ first: 1, second: 10 });
  });

  it('has the slope of the second half alone', () => {
    expect(trendOf(samples(0, 50, 20, 21, 22, 23)).perHour).toBeCloseTo(360);
    expect(trendOf(samples(0, 50, 5, 5, 5, 5)).perHour).toBeCloseTo(0);
    expect(trendOf(samples(0, 0, 0, 30, 10, 20)).perHour).toBeCloseTo(-1_800);
  });

  it('is not a number where nothing was sampled', () => {
    expect(trendOf([])).toEqual({ first: Number.NaN, second: Number.NaN, perHour: Number.NaN });
    expect(trendOf(samples(4)).perHour).toBeNaN();
  });
});
