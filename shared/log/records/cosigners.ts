import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { cosignersKey } from './keys.ts';

/** What is known of the witnesses of an organization's log (rules/log.md#asking-witnesses). */

const CosignersItem = z.object({
  next: z.number(),
  sizes: z.record(z.string(), z.number()).default({}),
  failingSince: z.number().optional(),
});

export interface Cosigners {
  /** When the witnesses may be asked again. */
  next: Micros;
  /** Size of the log that each witness cosigned last, by its verifier key. */
  sizes: Readonly<Record<string, number>>;
  /** When the witnesses were first asked in vain since they cosigned last. */
  failingSince?: Micros | undefined;
}

export function parseCosigners(item: Item): Cosigners {
  const { next, sizes, failingSince } = CosignersItem.parse(item);
  return { next, sizes, failingSince };
}

/**
 * Takes the turn to ask witnesses. Of several integrators one gets it.
 *
 * @param next when the turn after this one begins
 */
export const takeTurnToAsk = (table: Table, org: OrganizationId, now: Micros, next: Micros): Promise<boolean> =>
  table.update(cosignersKey(org), {
    UpdateExpression: 'SET #next = :next, v = :v',
    ConditionExpression: 'attribute_not_exists(pk) OR #next <= :now',
    ExpressionAttributeNames: { '#next': 'next' },
    ExpressionAttributeValues: { ':next': next, ':now': now, ':v': 1 },
  });

/** Stores what the witnesses answered. A call that was slower than the interval may replace newer sizes: they are hints. */
export async function storeAnswers(
  table: Table,
  org: OrganizationId,
  { sizes, failingSince }: Omit<Cosigners, 'next'>,
): Promise<void> {
  const isFailing = failingSince !== undefined;
  await table.update(cosignersKey(org), {
    UpdateExpression: `SET sizes = :sizes${isFailing ? ', failingSince = :since' : ' REMOVE failingSince'}`,
    ExpressionAttributeValues: { ':sizes': sizes, ...(isFailing && { ':since': failingSince }) },
  });
}
