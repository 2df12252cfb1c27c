/** Returns a text as one segment of a path. By a short name, since the client for pages has a limit of bytes. */
export const segment = encodeURIComponent;
