import type { Offer } from '../operations.ts';

/** Why an organization offers the caller to join. */
export function offerReason({ by, name }: Pick<Offer, 'by' | 'name'>): string {
  if (by === 'domain') return `lets people of ${name} in`;
  if (by === 'group') return `lets people of the group «${name}» in`;
  return 'invited you';
}
