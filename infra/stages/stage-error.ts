/** A setting is wrong. The message is one sentence for the person who deploys. */
export class StageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StageError';
  }
}

/**
 * Returns the error for a wrong setting. It names the file, the setting and the stage.
 *
 * @param rule what holds for the setting, as the end of a sentence: `must be …`
 */
export const wrongSetting = (
  { file, name }: { readonly file: string; readonly name: string },
  setting: string,
  rule: string,
  cause?: unknown,
): StageError => new StageError(`${file}: '${setting}' of the stage '${name}' ${rule}.`, cause);
