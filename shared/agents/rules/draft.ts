import * as z from 'zod';
import { PrincipalId } from '#shared/base/ids.ts';
import { HOUR } from '#shared/base/texts/durations.ts';
import { type Micros, plus, StoredMicros } from '#shared/base/time.ts';
import type { Caller } from '#shared/callers/caller.ts';

/** Drafts: writes that an agent proposes and a person confirms (rules/agents.md#drafts). */

export const DRAFT_KINDS = ['attestation', 'override', 'policy', 'expectation'] as const;
export type DraftKindName = (typeof DRAFT_KINDS)[number];

/** How long a draft can be confirmed. */
const CONFIRMED_WITHIN = HOUR;

/** Most drafts that can be open at the same time (rules/agents.md#limits-of-drafts). */
export const MOST_OPEN = { ofCaller: 20, ofOrganization: 100 } as const;

/** What a confirmed draft made. */
const MadeByDraft = z.object({
  /** `attestation` */
  type: z.string(),
  /** Id of the record, or its name. */
  name: z.string(),
  /** Number of the version that the write made, or found as it would have made it; null for records without versions. */
  version: z.int().nullable(),
  /** Path of its page in the console. */
  page: z.string(),
});
export type MadeByDraft = z.infer<typeof MadeByDraft>;

const Drafter = z.object({ kind: z.enum(['user', 'service-account']), id: PrincipalId, name: z.string() });

/** A draft as it is stored. */
export const Draft = z.object({
  v: z.literal(1),
  id: z.string(),
  kind: z.enum(DRAFT_KINDS),
  /** What it would write, in the words of the service, with names of records: for lists. */
  subject: z.string(),
  /** The request that would be made, as JSON text: its fields have names that callers choose. */
  request: z.string(),
  /** Stands for the state of the record that it would change. Another state refuses the confirmation. */
  basis: z.string(),
  by: Drafter,
  /** The name that the agent states of itself; null if it states none. */
  agent: z.string().nullable(),
  at: StoredMicros,
  /** Present once a person confirmed or discarded it. */
  ended: z
    .object({
      state: z.enum(['confirmed', 'discarded']),
      at: StoredMicros,
      by: z.string(),
      /** Null if it was discarded. */
      made: MadeByDraft.nullable(),
    })
    .optional(),
});
export type Draft = z.infer<typeof Draft>;

/** A draft in the list of those that are open. */
export const OpenDraft = Draft.pick({ v: true, id: true, kind: true, subject: true, by: true, agent: true, at: true });
export type OpenDraft = z.infer<typeof OpenDraft>;

/** Until when a draft can be confirmed. */
export const expiryOf = ({ at }: Pick<Draft, 'at'>): Micros => plus(at, CONFIRMED_WITHIN);

/** Since when drafts were made that can be confirmed now. */
export const openSince = (now: Micros): Micros => plus(now, -CONFIRMED_WITHIN);

export const DRAFT_STATES = ['open', 'confirmed', 'discarded', 'expired'] as const;
export type DraftState = (typeof DRAFT_STATES)[number];

/** The state of a draft at an instant. The time decides, and not whether the table has removed the item. */
export function stateAt(draft: Pick<Draft, 'at' | 'ended'>, now: Micros): DraftState {
  if (draft.ended) return draft.ended.state;
  return expiryOf(draft) <= now ? 'expired' : 'open';
}

/**
 * Whether a caller sees a draft (rules/agents.md#who-confirms): that of a person is for this person alone, that of a service account
 * for everybody in the organization.
 */
export const isFor = ({ by }: Pick<Draft, 'by'>, { id }: Pick<Caller, 'id'>): boolean =>
  by.kind === 'service-account' || by.id === id;
