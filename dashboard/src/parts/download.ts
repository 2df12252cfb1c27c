/** Lets the browser store a file. */
export function download(name: string, type: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
