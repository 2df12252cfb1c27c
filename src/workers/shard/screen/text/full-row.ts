/**
 * Follows a line whose last row is full to the last column, if asked for: line editors go on in the next row by cursor
 * movements, so that only the text shows whether the next line continues this line. No line contains it.
 */
export const FULL_ROW = '\r';
