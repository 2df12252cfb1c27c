import { RecordingFile } from '../../store/recording-file.js';

/** Finishes the recording in `file`, which has no writer any more, with the events that it holds. */
export async function finishRecording({ file: path }: { file: string }): Promise<void> {
  const { file, lastWrite } = RecordingFile.recover(path);
  await file.finish(lastWrite);
}
