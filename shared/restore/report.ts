import type { Micros } from '#shared/base/time.ts';

/** Something that was ended after the instant of a restore. */
export interface End {
  /** Name of the organization; null for users, who belong to none. */
  organization: string | null;
  /** Kind of the audit entry; `user.identified` and `sessions.ended` have none. */
  kind: string;
  /** Name of what ended. */
  name: string;
  id: string | null;
  /** When it ended first; null if nothing stored says so. */
  at: Micros | null;
  /** Name of who ended it; null if nothing stored says so. */
  by: string | null;
}

/** An end that was not applied, or only in part. */
export interface OpenEnd extends End {
  /** Why, and what to do, in one sentence. */
  reason: string;
}

/** Called before each write, so that a report is complete even if the process is killed behind the write. */
export type Note = (end: End | OpenEnd) => void | Promise<void>;

/** Collects what was applied again and what was not. */
export class Report {
  readonly applied: End[] = [];
  readonly open: OpenEnd[] = [];
  readonly #note: Note | undefined;

  constructor(note: Note | undefined) {
    this.#note = note;
  }

  /**
   * Notes an end, then applies it.
   *
   * @param write returns `taken` if it changed nothing
   */
  async apply<Outcome>(end: End, write: () => Promise<Outcome>): Promise<Outcome> {
    await this.#note?.(end);
    const outcome = await write();
    if (outcome !== 'taken') this.applied.push(end);
    return outcome;
  }

  async leaveOpen(end: End, reason: string): Promise<void> {
    const open = { ...end, reason };
    await this.#note?.(open);
    this.open.push(open);
  }
}
