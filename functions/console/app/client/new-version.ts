/** What the reader is told, who cannot know which of the two it is. */
export const NEW_VERSION_SENTENCE = 'A newer version was deployed since this tab was opened, or the network is gone.';

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

/** What the builder's code throws if the styles of a chunk are missing. */
const MISSING_STYLES = /^Unable to preload CSS/;

/** Loads a chunk with its styles. A file that is missing means a newer version, unless the network is gone. */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof TypeError || (error instanceof Error && MISSING_STYLES.test(error.message)))
      throw new NewVersion(error);
    throw error;
  }
}
