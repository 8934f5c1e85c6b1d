import { TlogError } from '#shared/tlog/errors.ts';

/** What was verified is not as it must be. Everything that verifies throws it. */
export class Fault extends Error {
  /** A file with the line or the entry in it, or an address. */
  readonly place: string;

  constructor(place: string, what: string, cause?: unknown) {
    super(what, { cause });
    this.name = 'Fault';
    this.place = place;
  }
}

/** Runs a step. A refusal of a format of the log becomes a fault of this place. */
export function inPlace<T>(place: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof TlogError) throw new Fault(place, error.message, error);
    throw error;
  }
}
