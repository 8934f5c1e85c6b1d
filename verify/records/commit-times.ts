import * as z from 'zod';
import { Fault } from '../fault.ts';
import { Body, openBody } from './bodies.ts';
import { fitting, parsed, recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const ArtifactLine = z.looseObject({ id: z.string(), facts: Body });
const Facts = z.looseObject({ git_commit_info: z.looseObject({ timestamp: z.number() }).nullish() });

interface Stated {
  /** In seconds; null if the report names none. */
  committed: number | null;
  /** The first line that states the time. */
  place: string;
  lines: number;
}

/** Times of commits that lines repeat from reports of artifacts, by the id of the report. */
export class CommitTimes {
  readonly #stated = new Map<string, Stated>();

  add(place: string, report: string, committed: number | null): void {
    const known = this.#stated.get(report) ?? { committed, place, lines: 0 };
    if (known.committed !== committed) throw new Fault(place, `${known.place} has another time for the same commit`);
    this.#stated.set(report, { ...known, lines: known.lines + 1 });
  }

  /**
   * Compares the times with the reports, whose texts are verified elsewhere. Says of the lines that they follow.
   *
   * @param name family and kind of the lines
   * @returns whether the time of some lines cannot be compared
   */
  async verify(state: ProofState, name: string): Promise<boolean> {
    if (this.#stated.size === 0) return false;
    let isUnknown = false;
    for await (const [place, { id, facts }] of recordsOf(state, 'artifacts', ArtifactLine)) {
      const stated = this.#stated.get(id);
      if (!stated) continue;
      this.#stated.delete(id);
      const opened = await openBody(state.files, place, facts);
      if (!opened) {
        isUnknown = true;
        continue;
      }
      const { git_commit_info: info } = fitting(
        place,
        Facts,
        parsed(place, opened.text.toString('utf8'), 'text of the body'),
      );
      if ((info?.timestamp ?? null) !== stated.committed) {
        throw new Fault(stated.place, `the event has another time of the commit than report ${id}`);
      }
      for (let i = 0; i < stated.lines; i += 1) state.scope.stands(name, 'follows');
    }
    const [missing] = this.#stated;
    if (missing) throw new Fault(missing[1].place, `the export does not have report ${missing[0]} of an artifact`);
    return isUnknown;
  }
}
