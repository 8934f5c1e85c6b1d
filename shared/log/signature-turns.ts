import type { OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Duration } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { LogState } from './records/log-state.ts';
import { readSignatureLine, storeSignatureLine } from './records/signature-line.ts';
import { wishOf } from './rules/checkpoint-pace.ts';
import { type Place, placesIn, type SignatureLine, type Wish } from './rules/signature-line.ts';

/** The signatures of a region, as one container gets them (rules/log.md#signatures-of-a-region). */
export class SignatureTurns {
  readonly #rate: number;
  /** The line as this container saw it last. If no other container changed it, it needs not be read. */
  #seen: SignatureLine | null = null;

  /** @param rate most signatures of the region in a second */
  constructor(rate: number) {
    this.#rate = rate;
  }

  /**
   * Takes places in the line, with one write.
   *
   * @returns a place for each wish; null where no signature is to spare
   * @throws Contention if other containers are in the way for 20 seconds
   */
  async take({ table, clock }: Pick<Stores, 'table' | 'clock'>, wishes: readonly Wish[]): Promise<(Place | null)[]> {
    if (wishes.length === 0) return [];
    return retrying(async () => {
      const { line, places } = placesIn(this.#seen, wishes, clock.now(), this.#rate);
      if (await storeSignatureLine(table, this.#seen, line)) {
        this.#seen = line;
        return places;
      }
      this.#seen = await readSignatureLine(table);
      return 'again';
    });
  }
}

interface LineServices extends Pick<Stores, 'table' | 'clock'> {
  turns?: SignatureTurns;
  checkpointEvery?: Duration;
}

interface GrowingLog {
  org: OrganizationId;
  state: LogState;
  entries: { length: number };
  number?: number | undefined;
}

/** Takes places in the line for those of the logs that a call is about to publish. @returns places of logs that have one */
export async function takePlaces(
  { table, clock, turns, checkpointEvery = 0 }: LineServices,
  logs: readonly GrowingLog[],
): Promise<ReadonlyMap<OrganizationId, Place>> {
  if (!turns) return new Map();
  const now = clock.now();
  const wishing = logs.flatMap(({ org, state: { head, checkpoint }, entries, number }) => {
    const published = checkpoint && { size: checkpoint.range.size, at: checkpoint.at };
    const before = head?.range.size ?? 0;
    const wish = wishOf({ published, before, size: before + entries.length }, number, now, checkpointEvery);
    return wish ? [{ org, wish }] : [];
  });
  const places = await turns.take(
    { table, clock },
    wishing.map(({ wish }) => wish),
  );
  return new Map(
    wishing.flatMap(({ org }, i) => {
      const place = places[i];
      return place ? [[org, place] as const] : [];
    }),
  );
}
