import type * as z from 'zod';
import type { Author } from '#shared/callers/author.ts';
import type { pageUrl } from '#shared/console/pages.ts';
import type { AttestingServices } from '#shared/evidence/record-attestation.ts';
import type { MadeByDraft } from '../rules/draft.ts';

/** What drafts of every kind read and write with. Only a confirmation takes the engines. */
export type DraftServices = Omit<AttestingServices, 'engines'>;

/** One field that a draft would write, as texts for people. */
export interface DraftChange {
  field: string;
  /** As it is now; null if there is none. */
  present: string | null;
  /** Null if the write takes the field away. */
  proposed: string | null;
}

/** What a draft would change of the records as they are now. */
interface Look {
  /** Stands for the state of the record that the draft would change. */
  basis: string;
  /** The fields that differ. */
  changes: readonly DraftChange[];
}

/** The request that a confirmed draft makes. */
interface DraftedCall {
  method: 'POST' | 'PUT';
  /** `/policies/{org}` */
  path: string;
  body: Readonly<Record<string, unknown>>;
}

/** What a kind says of what it made. */
export type MadeRecord = Omit<MadeByDraft, 'page'>;

/** Where the service answers, and for which organization. */
export type DraftPlace = Parameters<typeof pageUrl>[0];

/**
 * A kind of draft: a write that an agent may propose (rules/agents.md#drafts).
 *
 * @template Asked what an agent gives, and what is stored
 */
export interface DraftKind<Asked = never> {
  /** In sentences: `an attestation`. */
  words: string;
  /** Reads what is stored. */
  schema: z.ZodType<Asked>;
  /** Names of the records that it is about, for lists: `scan in web/release-42`. */
  subjectOf: (asked: Asked) => string;
  callOf: (org: DraftPlace['org'], asked: Asked) => DraftedCall;
  /** Compares with the present records. @throws ServiceError for what the normal endpoint would refuse */
  look: (services: DraftServices, by: Pick<Author, 'org' | 'receivedAt'>, asked: Asked) => Promise<Look>;
  /**
   * Runs the use case of the normal endpoint.
   * @param basis of the look when the draft was made
   * @throws ServiceError `conflict` if the record has another state
   */
  write: (services: AttestingServices, by: Author<MadeRecord>, asked: Asked, basis: string) => Promise<unknown>;
  /** Returns the address of the page of what was made. */
  pageOf: (at: DraftPlace, asked: Asked, made: MadeRecord) => string;
}

/** Lets a kind stand in a list of all kinds. */
export const draftKind = <Asked>(kind: DraftKind<Asked>): DraftKind =>
  // Its functions get what its own schema parsed.
  kind as unknown as DraftKind;

/** Returns the fields that differ, as texts. */
export function changesBetween(
  present: Readonly<Record<string, unknown>>,
  proposed: Readonly<Record<string, unknown>>,
): DraftChange[] {
  const fields = [...new Set([...Object.keys(proposed), ...Object.keys(present)])];
  return fields
    .map((field) => ({ field, present: shown(present[field]), proposed: shown(proposed[field]) }))
    .filter((change) => change.present !== change.proposed);
}

function shown(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
