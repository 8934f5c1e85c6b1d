import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Moment } from '#shared/evidence/records/moments.ts';
import type { Item } from '#shared/table/table.ts';
import type { Sbom } from './records/sboms.ts';
import type { Component } from './rules/component.ts';

/** Steps of the worker that indexes the files of attestations (rules/components.md#worker). */

/** Items of one step. Between two steps the worker looks at the time. */
const AT_ONCE = 500;
/** Batches of 25 items that are written in parallel. More would take the table's capacity from requests. */
const WIDTH = 4;
const BATCH = 25;

/** Where the items of a list were left: how many of them are stored. */
interface IndexPlace {
  /** The set whose postings are written, or `vex`. */
  set: string;
  done: number;
}

/** Work on one attestation. */
export interface IndexWork {
  org: OrganizationId;
  attestation: AttestationId;
  /** Null at the beginning. */
  place: IndexPlace | null;
}

export interface IndexContext extends Stores {
  isTime: () => boolean;
  /** Called after the SBOM that a moment brought was stored or forgotten: verdicts can change by it. */
  changed: (org: OrganizationId, moment: Moment) => Promise<void>;
  /** Asks the watches of the organization about an SBOM that is in the index. A repeated call does no harm. */
  askWatches: (
    stores: Pick<Stores, 'table' | 'clock'>,
    org: OrganizationId,
    sbom: Sbom,
    components: readonly Component[],
  ) => Promise<void>;
  /** Sends the rest of the work, which begins after so many seconds. */
  handOver: (work: IndexWork, delaySeconds: number) => Promise<void>;
}

/**
 * Writes the items of a list, from the place of the work on if it is a place in this list.
 * @returns `later` if the rest was handed over
 */
export async function writeSteps(
  { table, isTime, handOver }: IndexContext,
  { org, attestation, place }: IndexWork,
  set: string,
  items: readonly Item[],
): Promise<'done' | 'later'> {
  let done = place?.set === set ? place.done : 0;
  while (done < items.length) {
    const some = items.slice(done, done + AT_ONCE);
    await inParallel(batchesOf(some, BATCH), WIDTH, (batch) => table.putMany(batch));
    done += some.length;
    if (done < items.length && !isTime()) {
      await handOver({ org, attestation, place: { set, done } }, 0);
      return 'later';
    }
  }
  return 'done';
}
