import type { Labels } from '../../../contract/labels.js';

/** A standing search, as a shard runs it. */
export interface LineSearch {
  id: string;
  /** Plain text that each wanted line has. */
  text: string;
  /** A regular expression decides: the shard hands over each whole line that has the text. */
  isWhole: boolean;
  /** Labels that a terminal must have; null: whatever its labels. */
  selector: Labels | null;
  /** The only terminals that are searched; null: all that the selector allows. */
  terminals: readonly string[] | null;
}

export interface LineSearchChange {
  add: readonly LineSearch[];
  /** Ids. */
  drop: readonly string[];
}

/** What standing searches know of a terminal. */
export interface Searched {
  labels: Labels;
}

/** Calls about standing searches. */
export interface WatchApi {
  /** Searches what is printed from now on for more, and no longer for some. */
  searchLines(change: LineSearchChange): void;
  /** The terminal has these labels now. */
  labelled(id: string, labels: Labels): void;
}

/** What standing searches have found in one terminal since the message before. */
export interface FoundLines {
  type: 'found';
  id: string;
  /** Lines with the text of a search: how many, and the latest. */
  matched: { search: string; count: number; text: string }[];
  /**
   * Whole lines for the regular expressions. A line is handed over again under its number if it goes on after a pause.
   */
  whole: { search: string; line: number; text: string }[];
  /** Whole lines that were left out, since there were too many. */
  leftOut: { search: string; count: number }[];
}
