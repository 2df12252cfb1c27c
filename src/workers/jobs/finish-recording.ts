import { RecordingFile } from '../../store/recording-file.js';

/**
 * Finishes the recording in `file`, which has no writer any more, with the events that it holds.
 *
 * @param recording - `isTruncated`: whether output may be missing at its end
 */
export async function finishRecording({
  file: path,
  isTruncated = false,
}: {
  file: string;
  isTruncated?: boolean;
}): Promise<void> {
  const { file, lastWrite } = RecordingFile.recover(path);
  await file.finish(lastWrite, isTruncated);
}
