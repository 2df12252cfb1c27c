import { createRequire } from 'node:module';
import { rolldown } from 'rolldown';

/** Resolves with the code of the client for pages, in one file, minified. */
export async function clientBundle(): Promise<string> {
  const bundle = await rolldown({ input: createRequire(import.meta.url).resolve('#dist/client/browser.js') });
  try {
    const { output } = await bundle.generate({ minify: true });
    if (output.length > 1) throw new Error(`the client for pages has ${output.length} files`);
    return output[0].code;
  } finally {
    await bundle.close();
  }
}
