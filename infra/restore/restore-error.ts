/** A restore cannot go on. The message is one sentence for the operator: what is wrong, and what to do. */
export class RestoreError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RestoreError';
  }
}
