/**
 * The console was deployed while this tab was open, so that files which the tab asks for are no longer there. The page
 * offers to reload.
 */
export class NewVersion extends Error {
  constructor(cause: unknown) {
    super('A newer version of the console was deployed.', { cause });
    this.name = 'NewVersion';
  }
}

/** Loads a chunk. A chunk that is missing means a newer version, unless the network is gone. */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof TypeError) throw new NewVersion(error);
    throw error;
  }
}
