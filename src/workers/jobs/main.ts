// Entry point of a job thread: one export for each job, called by its name.
export { exportRecording } from './export/export-recording.js';
export { finishRecording } from './finish-recording.js';
export { matchPattern } from './regex.js';
export { takeScreenshot } from './screenshot/screenshot.js';
export { releaseSearchIndex, scanSearchIndex, suggestFromSearchIndex } from './search/search-jobs.js';
export { startThread } from './start-thread.js';
