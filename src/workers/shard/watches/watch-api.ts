import type { Labels } from '../../../contract/labels.js';

/** A standing search, as a shard runs it. */
export interface LineSearch {
  id: string;
  /** Plain text that each wanted line contains. */
  text: string;
  /** Whether a regular expression decides: the shard then reports each whole line that contains the text. */
  isWhole: boolean;
  /** Labels that a terminal must have; null: whatever its labels. */
  selector: Labels | null;
  /** The only terminals that are searched; null: all that the selector allows. */
  terminals: readonly string[] | null;
}

export interface LineSearchChange {
  add: readonly LineSearch[];
  /** Ids of the searches to drop. */
  drop: readonly string[];
}

/** Data of a terminal that standing searches need. */
export interface Searched {
  labels: Labels;
}

/** Calls about standing searches. */
export interface WatchApi {
  /** Adds and drops searches of the output from now on. */
  searchLines(change: LineSearchChange): void;
  /** Sets the present labels of a terminal. */
  labelled(id: string, labels: Labels): void;
}

/** Lines that standing searches have found in one terminal since the previous message. */
export interface FoundLines {
  type: 'found';
  id: string;
  /** Lines with the text of a search: how many, and the latest. */
  matched: { search: string; count: number; text: string }[];
  /** Whole lines for the regular expressions. A line that continues after a pause is reported again, under its number. */
  whole: { search: string; line: number; text: string }[];
  /** Whole lines that were left out, since there were too many. */
  leftOut: { search: string; count: number }[];
}
