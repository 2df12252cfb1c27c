import { RecordingFile } from '../../store/recording-file.js';

/** Ends the running recording `file`, which nobody writes any more, with the events that it has. */
export async function finishRecording({ file: path }: { file: string }): Promise<void> {
  const { file, lastWrite } = RecordingFile.recover(path);
  await file.finish(lastWrite);
}
