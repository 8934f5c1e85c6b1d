import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { above, absent, atMost, change, either, exists } from '#shared/table/expressions.ts';
import type { Table } from '#shared/table/table.ts';
import { cosignersKey } from './keys.ts';

/** What is known of the witnesses of an organization's log (rules/log.md#asking-witnesses). */

export const Cosigners = z.object({
  /** When the witnesses may be asked again. */
  next: StoredMicros,
  /** Size of the log that each witness cosigned last, by its verifier key. */
  sizes: z.record(z.string(), z.number()).default({}),
  /** When the witnesses were first asked in vain since they cosigned last. */
  failingSince: StoredMicros.optional(),
  /** Whether the integrator had no witnesses when it was asked last. */
  paused: z.boolean().default(false),
});
export type Cosigners = z.infer<typeof Cosigners>;

/**
 * Reserves the asking of witnesses until `next`. Of several integrators at the same time, one succeeds.
 *
 * @param turn `next`: when witnesses may be asked again; a stored time after `latest` does not count
 * @returns false if another integrator has reserved it
 */
export const reserveAsking = (
  table: Table,
  org: OrganizationId,
  { now, next, latest }: Record<'now' | 'next' | 'latest', Micros>,
): Promise<boolean> =>
  table.update(
    cosignersKey(org),
    change(
      { set: { next, v: 1 }, remove: ['paused'] },
      either(absent(), atMost({ next: now }), above({ next: latest })),
    ),
  );

/** Notes that there are no witnesses to ask, so that the sweeps send no message for them. The next turn removes the note. */
export const pauseAsking = (table: Table, org: OrganizationId): Promise<boolean> =>
  table.update(cosignersKey(org), change({ set: { paused: true } }, exists()));

/** Stores what the witnesses answered. A call that was slower than the interval may replace newer sizes: they are hints. */
export async function storeAnswers(
  table: Table,
  org: OrganizationId,
  { sizes, failingSince }: Pick<Cosigners, 'sizes' | 'failingSince'>,
): Promise<void> {
  const isFailing = failingSince !== undefined;
  await table.update(
    cosignersKey(org),
    change(isFailing ? { set: { sizes, failingSince } } : { set: { sizes }, remove: ['failingSince'] }),
  );
}
