import { expandMessages, PIECES_MILLIS } from '#functions/expander/expand-messages.ts';
import { EXPANDER_USES } from '#functions/expander/uses.ts';
import type { AttestationId } from '#shared/base/ids.ts';
import type { Table } from '#shared/table/table.ts';
import type { TestApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import type { EvidenceOfOrganization } from '#test/support/evidence.ts';
import { queueEvent, recordingExpansions } from '#test/support/queue.ts';

export const DONE = { batchItemFailures: [] };
/** Readings of the clock with which the time of a call is over at once, in milliseconds. */
export const OVER = [0, PIECES_MILLIS];

/** The expander with the rights that it has, and its messages about the files of attestations. */
export function worker({ table, objects, clock }: TestApi['services']) {
  /** Hands a message to the expander, which works with the table. @param times readings of the clock, in milliseconds */
  async function work(message: unknown, { table: own = table, times = [0] }: { table?: Table; times?: number[] } = {}) {
    const { queue, take } = recordingExpansions();
    const { queue: deliveries } = recordingExpansions();
    const services = { table: own, objects, clock, deliveries, expansions: queue };
    const left = [...times];
    const wallClock = () => (left.length > 1 ? left.shift() : left[0]) ?? 0;
    const options = { log: () => {}, lines: () => {}, wallClock };
    const answer = await heldTo('expander', EXPANDER_USES, () =>
      expandMessages(queueEvent([message]), services, options),
    );
    return { answer, sent: take() };
  }
  const messageFor = (acme: EvidenceOfOrganization, attestation: AttestationId) => ({
    work: 'components',
    org: acme.id,
    attestation,
    place: null,
  });
  return { work, messageFor };
}
