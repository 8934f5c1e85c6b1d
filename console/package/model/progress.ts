import { count } from '../../model/words.ts';

/** What an archive says of its state; of a package or of an export. */
interface Archive {
  state: 'running' | 'done' | 'failed' | 'erased';
  waits_for: { what: string } | null;
  progress: { files: number; bytes: number };
  problem: string | null;
}

const KILO = 1000;

/** `812 bytes`, `3.4 kB`, `12 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < KILO) return count(bytes, 'byte');
  const unit = bytes < KILO ** 2 ? 'kB' : bytes < KILO ** 3 ? 'MB' : 'GB';
  const value = bytes / KILO ** (['kB', 'MB', 'GB'].indexOf(unit) + 1);
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** How far an archive is, as a sentence for readers. */
export function progressText({ state, waits_for: waits, progress, problem }: Archive): string {
  switch (state) {
    case 'running':
      if (waits) return 'Waiting for the log to cover the records …';
      return `Putting together: ${count(progress.files, 'file')}, ${bytesText(progress.bytes)} …`;
    case 'done':
      return `Ready: ${count(progress.files, 'file')}, ${bytesText(progress.bytes)}.`;
    case 'failed':
      return `It failed: ${problem ?? 'no reason was given'}.`.replace(/\.\.$/, '.');
    case 'erased':
      return 'It was removed, because a text that it can hold was erased.';
  }
}

/** Returns the command that verifies a file that was saved. @param key verifier key of the log */
export const verifyCommand = (filename: string, key: string): string =>
  `node verify.mjs ${filename} --log-key '${key.replaceAll("'", "'\\''")}'`;

/** The first sentence of the page of exports. @param all newest first */
export function exportsSentence(all: readonly Archive[]): string {
  const [newest] = all;
  if (!newest) return 'Everything that the organization has, as one archive that proves itself.';
  if (newest.state === 'running') return `An export is being made. ${progressText(newest)}`;
  if (newest.state === 'failed') return `The last export failed: ${newest.problem ?? 'no reason was given'}.`;
  if (newest.state === 'erased') return 'The last export was removed by an erasure. Start a new one.';
  return `The last export is ready: ${count(newest.progress.files, 'file')}, ${bytesText(newest.progress.bytes)}.`;
}
