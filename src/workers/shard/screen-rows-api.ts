/** A screen whose rows are wanted, as far as they have changed since a frame; null for all rows. */
export interface RowsQuery {
  id: string;
  since: number | null;
}

export interface RowsAnswer {
  /** The changed screens; `json` is a ScreenRows, and `n` its number. */
  frames: Array<RowsQuery & { n: number; json: string }>;
  /** Ids of terminals that do not exist. */
  missing: string[];
}

/** Calls about the rows of screens; a part of `ShardApi`. */
export interface ScreenRowsApi {
  /** Resolves with what screens show now, or showed SCREEN_SAMPLE_MS ago if they are busy. */
  screenRows(queries: readonly RowsQuery[]): Promise<RowsAnswer>;
}
