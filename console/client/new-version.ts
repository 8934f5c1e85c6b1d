/** Why a file of the console is missing: what the browser and the service say about it. */
type MissingReason = 'new-version' | 'offline' | 'unreachable';

/** What the page says. */
const SENTENCES: Record<MissingReason, string> = {
  'new-version': 'A newer version was deployed since this tab was opened.',
  offline: 'This device is offline. Reload when it is connected again.',
  unreachable: 'The service cannot be reached, or it answers only in part. Reload when it answers again.',
};

/** A file that the console needs is missing. What needed the file says why and offers to reload. */
export class MissingFile extends Error {
  readonly reason: MissingReason;

  constructor(reason: MissingReason, cause: unknown) {
    super(SENTENCES[reason], { cause });
    this.name = 'MissingFile';
    this.reason = reason;
  }
}

/** Loads a chunk. @throws MissingFile if one of its files is missing */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof TypeError) throw new MissingFile(await reasonFor(error.message), error);
    throw error;
  }
}

/** An address of a file of the console in the message of an error. Not all browsers name it. */
const FILE = /\/-\/assets\/[\w.-]+/;

/**
 * Asks for the file again, and for the shell if the error names no file. After a deployment the service answers 404 for the
 * file, and serves the shell of the new version.
 */
async function reasonFor(message: string): Promise<MissingReason> {
  if (!navigator.onLine) return 'offline';
  const [file] = FILE.exec(message) ?? [];
  const status = await statusOf(file ?? '/');
  if (file === undefined) return status === 200 ? 'new-version' : 'unreachable';
  return status === 404 ? 'new-version' : 'unreachable';
}

/** @returns the HTTP status; null if no answer came */
async function statusOf(path: string): Promise<number | null> {
  try {
    const { status } = await fetch(path, { method: 'HEAD', cache: 'no-store', headers: { accept: 'text/html' } });
    return status;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
