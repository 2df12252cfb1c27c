// Puts the command line into few files. Node takes most of a verb's start to find, read and link its modules.
import { defineConfig } from 'rolldown';
import { VERB_CHUNKS } from './dist/pack/verb-chunks.js';

export default defineConfig({
  input: 'dist/src/command/main.js',
  platform: 'node',
  output: {
    // Beside src/command, so that paths relative to a file of that folder still hold.
    dir: 'dist/src/command-bundle',
    cleanDir: true,
    codeSplitting: { groups: VERB_CHUNKS },
  },
});
