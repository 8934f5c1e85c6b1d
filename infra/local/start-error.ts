/** Why the local stack cannot start; the message is one sentence for whoever started it. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StartError';
  }
}
