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
  /** Resolves with the present contents of screens; of a screen that is busy for SCREEN_SAMPLE_MS, with its earlier copy. */
  screenRows(queries: readonly RowsQuery[]): Promise<RowsAnswer>;
}
