import { expect, test } from 'vitest';
import { loadedBy } from '../support/loaded-modules.js';
import { useService } from '../support/use-service.js';

/** Most files that a verb may load. Node takes about half a millisecond of processor time for each file. */
const MAX_FILES = 10;

const used = useService();

test.each([[['ls', '-q']], [['screen', 'nobody']], [['close', 'nobody']]])(
  '%j loads few files, and nothing that it does not need',
  async (args) => {
    const { code, files, own } = await loadedBy(used.service.home, args);
    expect(code).toBe(args[0] === 'ls' ? 0 : 3);
    expect(files[0]).toMatch(/bundle\/src\/cli\.js$/);
    expect(files.length).toBeGreaterThan(2);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(MAX_FILES);
    expect(files.filter((file) => /node_modules|string-width/.test(file))).toEqual([]);
    // From Node 22 on, an `import` of node:http would load all of fetch.
    expect(own).toContain('NativeModule http');
    expect(own.filter((name) => /undici/.test(name))).toEqual([]);
  },
);
